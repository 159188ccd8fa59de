# SPDX-License-Identifier: GPL-2.0-only
"""A walk (walk.py) for people: which patch moved what from where to where, and patches by metrics.

Of variants (variants.py) the same: each against the one before it.
"""

from poolstack import pivot, results
from poolstack.metrics import SHORT


def _value(number):
    return "-" if number is None else results.number(number)


def _by_step(data):
    """{step: [(row, move), ...]}."""
    found = {step["name"]: [] for step in data["steps"]}
    for row in data["rows"]:
        for move in row["moves"]:
            found[move["step"]].append((row, move))
    return found


def _score(moved):
    """How many figures a patch moved, and which way."""
    if not moved:
        return "moves nothing"
    kinds = [move["verdict"] for _, move in moved]
    words = [f"{kinds.count(kind)} {kind}" for kind in ("better", "worse", "moved", "new", "gone") if kind in kinds]
    return f"{len(moved)} figures: {', '.join(words)}"


def _shared(moved, every):
    """Moves of one step, those that read the same on one line: [[metric, workloads, from -> to, word, SoCs]]."""
    merged = {}
    for row, move in moved:
        change = f"{_value(move['from'])} -> {_value(move['to'])}"
        merged.setdefault((row["metric"], row["workload"], change, move["verdict"]), {}).setdefault(
            row["soc"], []).append(row["batch"])
    lines = {}
    for (metric, workload, change, word), socs in merged.items():
        for soc, batches in socs.items():
            told = workload + "".join(f" b{batch}" for batch in batches if batch is not None)
            lines.setdefault((metric, told, change, word), []).append(soc)
    return [[metric, told, change, word.upper() if word == "worse" else word, pivot.names_of(socs, every)]
            for (metric, told, change, word), socs in lines.items()]


def moves(data):
    """A paragraph per patch: its subject, and what it moved."""
    every = list(dict.fromkeys(row["soc"] for row in data["rows"]))
    lines = []
    for step in data["steps"][1:]:
        moved = _by_step(data)[step["name"]]
        lines.append(f"{step['name']}  {step['title']}: {_score(moved)}")
        if moved:
            lines += [f"      {line}" for line in results.columns(_shared(moved, every), ())]
    return lines


def blocks(data):
    """[(workload, batch, SoCs, [[step, value per metric], ...])]: patches by metrics, SoCs that read the same as one.

    The first line of a block is its head. A cell is "from -> to" where the patch moved the metric.
    """
    every = list(dict.fromkeys(row["soc"] for row in data["rows"]))
    groups = {}
    for row in data["rows"]:
        groups.setdefault((row["workload"], row["batch"]), {}).setdefault(row["soc"], []).append(row)
    found = []
    for (workload, batch), socs in groups.items():
        shared = {}
        for soc, rows in socs.items():
            shared.setdefault(_matrix(data["steps"], rows), []).append(soc)
        found += [(workload, batch, pivot.names_of(names, every), [list(line) for line in matrix])
                  for matrix, names in shared.items()]
    return found


def _matrix(steps, rows):
    """Head and a line per step, as tuples of cells."""
    lines = [("patch",) + tuple(SHORT.get(row["metric"], row["metric"]) for row in rows)]
    for place, step in enumerate(steps):
        cells = [step["name"]]
        for row in rows:
            text = _value(row["values"][place])
            if any(move["step"] == step["name"] for move in row["moves"]):
                text = f"{_value(row['values'][place - 1])} -> {text}"
            cells.append(text)
        lines.append(tuple(cells))
    return tuple(lines)


def _title(workload, batch, socs):
    return f"{workload}{'' if batch is None else f' b{batch}'}, {socs}"


def _is_walk(data):
    return data["kind"] == "walk"


def _heading(data, where):
    """What was measured."""
    if _is_walk(data):
        return f"{data['topic']} patch by patch on {where}"
    return f"variants {data['topic']} on {where}, each against the one before it"


def table(data):
    """For a terminal: the moves, then patches by metrics for every workload in which any patch moved one."""
    lines = [f"{_heading(data, results.caption(data))}, from {data['steps'][0]['title']}", ""]
    lines += moves(data) + [""]
    still = []
    for workload, batch, socs, matrix in blocks(data):
        if any(" -> " in cell for line in matrix[1:] for cell in line[1:]):
            lines += [_title(workload, batch, socs)]
            lines += [f"  {line}" for line in results.columns(matrix, range(1, len(matrix[0])))] + [""]
        else:
            still.append(_title(workload, batch, socs))
    if still:
        lines.append(f"moved by no {'patch' if _is_walk(data) else 'variant'}: {'; '.join(still)}")
    total = sum(len(row["moves"]) for row in data["rows"])
    worse = sum(move["verdict"] == "worse" for row in data["rows"] for move in row["moves"])
    what = "patches" if _is_walk(data) else "steps after the first"
    lines.append(f"{data['board']}: {len(data['steps']) - 1} {what}, {len(data['rows'])} figures, {total} moves, "
                 f"{worse} for the worse")
    return "\n".join(lines)


def markdown(data):
    """All of it as a Markdown document: the moves, then every workload with every patch."""
    lines = [f"# {_heading(data, data['board'])}", "", results.caption(data), ""]
    lines += ["```", *moves(data), "```"]
    for workload, batch, socs, matrix in blocks(data):
        lines += ["", f"## {_title(workload, batch, socs)}", "", "| " + " | ".join(matrix[0]) + " |",
                  "|---|" + "---:|" * (len(matrix[0]) - 1)]
        lines += ["| " + " | ".join(line) + " |" for line in matrix[1:]]
    return "\n".join(lines) + "\n"
