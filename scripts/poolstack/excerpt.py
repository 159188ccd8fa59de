# SPDX-License-Identifier: GPL-2.0-only
"""The measured table of the README: a short form of comparisons, put between two markers by script."""

from poolstack import cli, pivot, results, targets
from poolstack.metrics import TIMES

BEGIN, END = "<!-- figures:begin -->", "<!-- figures:end -->"


BATCH = 32      # steady traffic; compare.md has the others


def counters(data):
    """One table: a line per workload, a column per metric."""
    steady = {**data, "rows": [row for row in data["rows"] if row["batch"] == BATCH]}
    head, body = pivot.pivot(steady if steady["rows"] else data, results.number, " → ")
    return ["| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head)] + body]


def rows(data):
    """One table: a line per row, for boards whose workloads share few metrics.

    Times are a board's or they are left out: an emulator's belong in compare.md, where the caption is near.
    """
    sides = list(data["sides"])
    head = ["workload", "metric", "unit"] + sides + ["ratio", "verdict"]
    text = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in data["rows"]:
        if row["metric"] in TIMES and data["where"] != "board":
            continue
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f}"
        text.append("| " + " | ".join([row["workload"], f"`{row['metric']}`", row["unit"]] +
                                      [results.number(row[side]["median"]) for side in sides] +
                                      [ratio, row["verdict"]]) + " |")
    return text


def excerpt(comparisons, wanted=()):
    """The text between the markers; wanted: targets, of which each comparison gets its verdicts."""
    lines = []
    for data in comparisons:
        names = ", ".join(f"{name}: {side.get('describe') or side.get('version', '?')}"
                          for name, side in data["sides"].items())
        lines += ["", f"{results.caption(data)}. {names}.", ""]
        lines += counters(data) if data["where"] == "lab" else rows(data)
        told = targets.markdown(targets.judge(wanted, data))
        lines += ["", *told] if told else []
    return "\n".join(lines[1:])


def put(path, comparisons, wanted=()):
    """Replace what stands between the markers of a file."""
    text = path.read_text()
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise cli.Stop(f"{path}: no block between {BEGIN} and {END} in it: add the two lines where the table shall be")
    cli.atomic_write(path, f"{head}{BEGIN}\n{excerpt(comparisons, wanted)}\n{END}{tail}")
