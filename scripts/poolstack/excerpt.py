# SPDX-License-Identifier: GPL-2.0-only
"""The measured table of the README: a short form of comparisons, put between two markers by script."""

from poolstack import cli, pivot, results
from poolstack.metrics import TIMES

BEGIN, END = "<!-- figures:begin -->", "<!-- figures:end -->"


def counters(data):
    """One table: a line per workload and batch, a column per metric."""
    head, body = pivot.pivot(data, results.number, " → ")
    return ["| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head)] + body]


def rows(data):
    """One table: a line per row, for boards whose workloads share few metrics."""
    sides = list(data["sides"])
    head = ["workload", "batch", "metric", "unit"] + sides + ["ratio", "verdict"]
    text = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in data["rows"]:
        metric = f"`{row['metric']}`"
        if row["metric"] in TIMES and data["where"] != "board":
            metric += " (emulator's)"
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f}"
        text.append("| " + " | ".join([row["workload"], str(row["batch"]), metric, row["unit"]] +
                                      [results.number(row[side]["median"]) for side in sides] +
                                      [ratio, row["verdict"]]) + " |")
    return text


def excerpt(comparisons):
    """The text between the markers."""
    lines = []
    for data in comparisons:
        names = ", ".join(f"{name}: {side.get('describe') or side.get('version', '?')}"
                          for name, side in data["sides"].items())
        lines += ["", f"{results.caption(data)}. {names}.", ""]
        lines += counters(data) if data["where"] == "lab" else rows(data)
    return "\n".join(lines[1:])


def put(path, comparisons):
    """Replace what stands between the markers of a file."""
    text = path.read_text()
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise cli.Stop(f"{path}: no block between {BEGIN} and {END} in it: add the two lines where the table shall be")
    cli.atomic_write(path, f"{head}{BEGIN}\n{excerpt(comparisons)}\n{END}{tail}")
