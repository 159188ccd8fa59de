# SPDX-License-Identifier: GPL-2.0-only
"""Where measurements are kept, and how a comparison of them is made and shown.

    results/<board>/<UTC>/run.json                  board, SoC, where, order of the sides; written last
    results/<board>/<UTC>/<side>/side.json          kernel and environment of the side
    results/<board>/<UTC>/<side>/run-<n>/...        samples.json, console and output of the workloads
    results/<board>/compare.json .md .html          the newest comparison

A comparison is a pure function of the files of one <UTC> folder, so that it can be made again.
"""

import html
import json
import time

from poolstack import cli, pivot, verdict
from poolstack.metrics import TIMES

SCHEMA = 1


def folder():
    """The results of this checkout."""
    return cli.root() / "results"


def begin(board, base=None):
    """Make the folder of one measurement; without run.json, which finish() writes, nobody reads it."""
    base = (base or folder()) / board
    for count in range(100):
        target = base / time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(time.time() + count))
        try:
            target.mkdir(parents=True)
        except FileExistsError:
            continue
        return target
    raise cli.Stop(f"cannot make a new result folder in {base}")


def finish(target, conf, sides):
    """The measurement is whole: sides is {side: what side.json shall hold}."""
    for side, about in sides.items():
        write_json(target / side / "side.json", about)
    write_json(target / "run.json", {"schema": SCHEMA, "board": conf["BOARD"], "soc": conf["SOC"],
                                     "where": conf["WHERE"], "sides": list(sides)})


def write_json(path, data):
    """Write JSON that a person can read too."""
    cli.atomic_write(path, json.dumps(data, indent=1, sort_keys=False) + "\n")


def read_json(path):
    """Read a JSON file of ours, or stop naming it."""
    try:
        data = json.loads(path.read_text())
    except FileNotFoundError as error:
        raise cli.Stop(f"no such result: {path}") from error
    except (ValueError, UnicodeDecodeError) as error:
        raise cli.Stop(f"{path}: broken JSON ({error}): measure again", cli.FAIL) from error
    return data


def save_run(target, side, number, samples):
    """Keep the samples of one run of one side; malformed ones are refused here, at their source."""
    where = f"{target.parent.name}, {side}, run {number}"
    if not samples:
        raise cli.Failed(f"{where}: the run gave no sample: see {target / side / f'run-{number}'}")
    for sample in samples:
        complaint = verdict.check_sample(sample, where)
        if complaint:
            raise cli.Failed(complaint)
    write_json(target / side / f"run-{number}" / "samples.json", samples)


def load(target):
    """(run.json, {side: side.json}, {side: [samples of run 1, ...]}) of one <UTC> folder."""
    info = read_json(target / "run.json")
    about, runs = {}, {}
    for side in info["sides"]:
        about[side] = read_json(target / side / "side.json")
        found = sorted((target / side).glob("run-*/samples.json"), key=lambda path: int(path.parent.name[4:]))
        runs[side] = [read_json(path) for path in found]
        if not any(runs[side]):
            raise cli.Stop(f"{target / side}: no samples in it: the side has not been measured", cli.FAIL)
        for path, samples in zip(found, runs[side]):
            for sample in samples:
                complaint = verdict.check_sample(sample, str(path))
                if complaint:
                    raise cli.Stop(complaint, cli.FAIL)
    return info, about, runs


def newest(board, base=None):
    """The newest measurement of a board."""
    found = sorted(path.parent for path in ((base or folder()) / board).glob("*/run.json"))
    if not found:
        raise cli.Stop(f"no results of {board} in {(base or folder()) / board}: run make bench BOARD={board}")
    return found[-1]


def compare(target):
    """compare.json of one <UTC> folder, as a dict."""
    info, about, runs = load(target)
    sides = info["sides"]
    if len(sides) == 1:             # nothing to compare with: figures of the side, verdicts void
        pair = (sides[0], runs[sides[0]]), ("none", [])
        faults = [("", "only one side was measured")]
    else:
        pair = tuple((side, runs[side]) for side in sides)
        faults = verdict.environment_faults(*(about[side]["env"] for side in sides))
    for side in sides:
        changed = verdict.environment_faults(about[side]["env"], about[side]["env_after"])
        faults += [(prefix, f"during {side}: {reason}") for prefix, reason in changed]
    rows = verdict.rows(*pair, soc=info["soc"], where=info["where"], faults=faults)
    for row in rows:
        row.pop("none", None)
    return {"schema": SCHEMA, "board": info["board"], "soc": info["soc"], "where": info["where"],
            "sides": about, "rows": rows}


def join(name, parts):
    """One comparison of a group of boards of the same kind."""
    socs = [part["soc"] for part in parts]
    return {"schema": SCHEMA, "board": name, "soc": " ".join(socs), "where": parts[0]["where"],
            "sides": parts[0]["sides"], "rows": [row for part in parts for row in part["rows"]]}


def publish(data, base=None):
    """Write compare.json, .md and .html of a board; returns the path of the JSON."""
    target = (base or folder()) / data["board"]
    write_json(target / "compare.json", data)
    cli.atomic_write(target / "compare.md", markdown(data))
    cli.atomic_write(target / "compare.html", page(data))
    return target / "compare.json"


def number(value):
    """A figure as a person wants to read it."""
    if value is None:
        return "-"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value)}"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}" if abs(value) < 0.1 else f"{value:.2f}"


def caption(data):
    """What every rendering says first."""
    words = {"lab": "the lab's counters, exact",
             "qemu": "an emulated board: counts compare, times are the emulator's and no board's speed",
             "board": "a real board"}[data["where"]]
    if traffic(data):
        words += "; without a batch: traffic, times of this machine and no board's speed"
    return f"{data['board']} (where={data['where']}: {words})"


def traffic(data):
    """Whether a comparison of the lab has real traffic beside the counts of its cases."""
    return data["where"] == "lab" and any(row["batch"] is None for row in data["rows"])


def _cells(data):
    """Header and rows of the full table, as text."""
    names = list(data["sides"])
    head = ["soc", "workload", "batch", "metric", "unit"] + names + ["ratio", "verdict", "why"]
    body = []
    for row in data["rows"]:
        metric = row["metric"]
        if metric in TIMES and data["where"] != "board":
            metric += f" ({data['where']})"
        values = []
        for name in names:
            side = row[name]
            text = number(side["median"])
            low, high = side["ci95"]
            values.append(text if low == high else f"{text} [{number(low)}, {number(high)}]")
        ratio = "-" if row["ratio"] is None else f"{row['ratio']:.3f}"
        if "ratio_ci95" in row:
            ratio += " [{:.3f}, {:.3f}]".format(*row["ratio_ci95"])
        body.append([row["soc"], row["workload"], "-" if row["batch"] is None else str(row["batch"]), metric, row["unit"]] + values +
                    [ratio, row["verdict"], row["reason"]])
    return head, body


def columns(lines, right):
    """Lines of text cells, lined up."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return ["  ".join(text.rjust(width) if column in right else text.ljust(width)
                      for column, (text, width) in enumerate(zip(line, widths))).rstrip() for line in lines]


def table(data, full=False):
    """The comparison for a terminal. The lab's counters are many: they stand side by side, unless full."""
    head, body = _cells(data)
    lines = [caption(data)]
    if data["where"] == "lab" and not full:
        counts = [row for row in data["rows"] if row["batch"] is not None]
        if counts:
            short, packed = pivot.pivot(data | {"rows": counts}, number)
            lines += columns([short] + packed, range(2, len(short)))
        place = head.index("verdict")
        told = [line for line, row in zip(body, data["rows"]) if row["batch"] is None or
                (line[place] in ("worse", "void") and len(data["sides"]) > 1)]
        lines += columns([head] + told, range(5, 6 + len(data["sides"]))) if told else []
    else:
        lines += columns([head] + body, range(5, 6 + len(data["sides"])))
    return "\n".join(lines + [tally(data)])


def tally(data):
    """How many rows got which verdict."""
    kinds = ("better", "same", "worse", "void")
    count = {kind: sum(row["verdict"] == kind for row in data["rows"]) for kind in kinds}
    return f"{data['board']}: {len(data['rows'])} rows: " + ", ".join(f"{count[kind]} {kind}" for kind in kinds)


def markdown(data):
    """The comparison as a Markdown document."""
    head, body = _cells(data)
    lines = [f"# {caption(data)}", ""]
    for name, side in data["sides"].items():
        lines.append(f"- {name}: {side.get('describe') or side.get('version', '')} {side.get('commit', '')[:12]}".rstrip())
    lines += ["", tally(data), "", "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(text.replace("|", "\\|") for text in line) + " |" for line in body]
    return "\n".join(lines) + "\n"


def page(data):
    """The comparison as one HTML file that needs nothing else."""
    head, body = _cells(data)
    verdicts = head.index("verdict")
    rows = "\n".join(f'<tr class="{line[verdicts]}">' + "".join(f"<td>{html.escape(text)}</td>" for text in line) +
                     "</tr>" for line in body)
    heads = "".join(f"<th>{html.escape(text)}</th>" for text in head)
    title = html.escape(caption(data))
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 14px sans-serif; margin: 2em }} table {{ border-collapse: collapse }}
td, th {{ padding: 2px 8px; border-bottom: 1px solid #ccc; text-align: left }}
td:nth-child(n+6) {{ font-variant-numeric: tabular-nums }}
.better {{ background: #e3f5e3 }} .worse {{ background: #fbe0e0 }} .void {{ color: #888 }}
</style></head><body><h1>{title}</h1><p>{html.escape(tally(data))}</p>
<table><tr>{heads}</tr>
{rows}
</table></body></html>
"""
