# SPDX-License-Identifier: GPL-2.0-only
"""Many counters of many SoCs on one page: a line per workload, a column per metric.

SoCs whose line reads the same share it.
"""

from poolstack.metrics import SHORT


def cell(row, sides, number, arrow):
    """"55 -> 2.06", one figure where nothing changed, and a word where it got worse or is void."""
    values = [number(row[side]["median"]) for side in sides]
    text = values[0] if len(set(values)) == 1 else arrow.join(values)
    if row["verdict"] == "worse" or (row["verdict"] == "void" and len(sides) > 1):
        text += f" {row['verdict'].upper()}"
    return text


def names_of(targets, every):
    """SoCs of a line in short: all of them, a SoC with all its caches, or SoC/cache."""
    if targets == every and len(every) > 1:
        return "all"
    short = []
    for name in targets:
        soc = name.partition("/")[0]
        whole = [other for other in every if other.partition("/")[0] == soc]
        short.append(soc if set(whole) <= set(targets) else name)
    return " ".join(dict.fromkeys(short))


def pivot(data, number, arrow=" -> "):
    """(head, [line]) of text cells: SoCs, workload, batch, then the metrics that any row has."""
    sides = list(data["sides"])
    metrics = list(dict.fromkeys(row["metric"] for row in data["rows"]))
    lines = {}
    for row in data["rows"]:
        lines.setdefault((row["workload"], row["batch"], row["soc"]), {})[row["metric"]] = \
            cell(row, sides, number, arrow)
    shared = {}
    for (workload, batch, soc), cells in lines.items():
        text = (workload, str(batch)) + tuple(cells.get(metric, "") for metric in metrics)
        shared.setdefault(text, []).append(soc)
    socs = list(dict.fromkeys(row["soc"] for row in data["rows"]))
    order = list(dict.fromkeys(key[:2] for key in lines))
    body = [[names_of(names, socs), *text] for text, names in shared.items()]
    body.sort(key=lambda line: order.index((line[1], int(line[2]))))
    return ["SoC", "workload", "batch"] + [SHORT.get(metric, metric) for metric in metrics], body
