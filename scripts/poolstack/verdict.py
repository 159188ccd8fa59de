# SPDX-License-Identifier: GPL-2.0-only
"""From samples of two sides to rows with a verdict. No file is read or written here.

A sample is one number of one run: {"workload", "batch", "metric", "unit", "better", "value", "exact"},
with "soc" where one run serves several. Two kinds are told apart:

- exact: a count that must come out the same in every run. One differing count is a difference.
- not exact: a time, or a count that the guest's timer has moved. The medians differ only where the
  confidence intervals (95 %, from order statistics, no distribution assumed) do not overlap.

Of the second kind some say more: {"paired": true} that the runs of both sides were made in turn, so that
run n of one is to be compared with run n of the other: the row then has the interval of these ratios, and
they differ where 1 is not in it. Below six pairs that is less than 95 %, so that the sides' own intervals
must be apart, too. {"tolerance": 0.05} that a ratio this near to 1 is no difference.

A row is void, with the reason, where the two sides cannot be compared: one side has no result, the
environment changed, too few runs for a time.
"""

import math
import re
import statistics

from poolstack import cli, figures
from poolstack.metrics import METRICS, SHARE_OF

MIN_PAIRS = 6                       # fewer give their ratio no interval of 95 %
MIN_RUNS = 5                        # fewer runs give no verdict on anything that is not exact
BETTER = ("lower", "higher", "info")

def interval(values):
    """(lo, hi) around the median: the narrowest pair of order statistics with 95 % coverage.

    Below six values no pair covers 95 %; the range is given then (93.75 % at five).
    """
    ordered = sorted(values)
    size = len(ordered)
    best = (ordered[0], ordered[-1])
    for skip in range(1, size // 2):
        missed = 2 * sum(math.comb(size, below) for below in range(skip + 1)) / 2 ** size
        if 1 - missed < 0.95:
            break
        best = (ordered[skip], ordered[-1 - skip])
    return best


def figure(samples):
    """The side of a row: {"median", "n", "ci95"}; an exact count without spread is its own interval."""
    values = [sample["value"] for sample in samples]
    if not values:
        return {"median": None, "n": 0, "ci95": [None, None]}
    low, high = interval(values)
    return {"median": statistics.median(values), "n": len(values), "ci95": [low, high]}


def spread(samples):
    """True where runs of one side differ."""
    return len({sample["value"] for sample in samples}) > 1


def key(sample):
    """What makes two samples comparable."""
    return sample.get("soc", ""), sample["workload"], sample["batch"], sample["metric"]


def check_sample(sample, where):
    """A malformed sample is a fault of the workload that made it; returns the complaint or ''."""
    for name in ("workload", "batch", "metric", "unit", "better", "value", "exact"):
        if name not in sample:
            return f"{where}: a sample without {name}: {sample}"
    value = sample["value"]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return f"{where}: {sample['workload']} {sample['metric']}: `{value}` is no number"
    if sample["better"] not in BETTER:
        return f"{where}: {sample['metric']}: better is `{sample['better']}`: want one of {' '.join(BETTER)}"
    return ""


def iperf_era(version):
    """"old" or "new" side of iperf3 3.16, which went multi-threaded: figures do not compare across."""
    match = re.search(r"(\d+)\.(\d+)", version or "")
    return None if not match else "new" if (int(match[1]), int(match[2])) >= (3, 16) else "old"


def environment_faults(one, two):
    """Why the sides cannot be compared: [(workload prefix or "", reason)]."""
    faults = []
    for name in sorted(set(one) | set(two)):
        left, right = one.get(name), two.get(name)
        if left == right:
            continue
        if name.startswith("iperf3"):
            if iperf_era(left) != iperf_era(right):
                faults.append(("tcp_", f"{name} is {left} and {right}: not comparable across 3.16"))
                faults.append(("udp_", faults[-1][1]))
            continue
        faults.append(("", f"{name} differs: {left} and {right}"))
    return faults


def decide(before, after, sample, env_faults, *, times_are_emulated):
    """(verdict, reason) of one row from its two lists of samples."""
    for prefix, reason in env_faults:
        if sample["workload"].startswith(prefix):
            return "void", reason
    if not before or not after:
        return "void", "no result on " + " and ".join(
            name for name, have in (("the first side", before), ("the second side", after)) if not have)
    exact = all(item["exact"] for item in before + after)
    if exact and (spread(before) or spread(after)):
        if not times_are_emulated:
            return "void", "an exact count differs between runs of one side"
        exact = False
    one, two = figure(before), figure(after)
    if not exact and min(one["n"], two["n"]) < MIN_RUNS:
        return "void", f"{min(one['n'], two['n'])} runs, {MIN_RUNS} are needed"
    if sample["better"] == "info":
        return "same", "for information"
    if one["median"] == two["median"]:
        return "same", "equal" if exact else "equal medians"
    if not exact and one["median"] and abs(two["median"] / one["median"] - 1) <= sample.get("tolerance", 0):
        return "same", f"within {sample['tolerance']:.0%}"
    found = ratios(before, after)
    if found:
        told = paired(found, sample)
        if told[0] == "same" or len(found) >= MIN_PAIRS:
            return told
    if not exact and one["ci95"][0] <= two["ci95"][1] and two["ci95"][0] <= one["ci95"][1]:
        return "same", "intervals overlap"
    lower = two["median"] < one["median"]
    good = lower == (sample["better"] == "lower")
    return "better" if good else "worse", "exact" if exact else "intervals apart"


def ratios(before, after):
    """Run by run, where the sides were measured in turn and every run has a value; else []."""
    if len(before) != len(after) or not all(item.get("paired") and item["value"] > 0 for item in before + after):
        return []
    return [two["value"] / one["value"] for one, two in zip(before, after)]


def paired(found, sample):
    """(verdict, reason) from the ratios of the runs."""
    low, high = interval(found)
    if low <= 1 <= high:
        return "same", "ratio's interval holds 1"
    return "better" if (high < 1) == (sample["better"] == "lower") else "worse", "ratio's interval apart from 1"


def nothing_to_share(side, which):
    """True where a side, {key: samples}, has no share because what it would be a share of was counted, and is 0."""
    if which[3] not in SHARE_OF or side.get(which):
        return False
    counted = side.get((*which[:3], SHARE_OF[which[3]]), [])
    return bool(counted) and all(sample["value"] == 0 for sample in counted)


def rows(first, second, *, soc="", where="lab", faults=()):
    """Rows of compare.json. first and second are (side name, [samples of a run, ...])."""
    sides = []
    for _, runs in (first, second):
        sides.append({})
        for run in runs:
            for sample in run:
                sides[-1].setdefault(key(sample), []).append(sample)
    made = []
    for which in list(sides[0]) + [name for name in sides[1] if name not in sides[0]]:
        before, after = sides[0].get(which, []), sides[1].get(which, [])
        sample = (before or after)[0]
        verdict, reason = decide(before, after, sample, faults, times_are_emulated=where != "lab")
        idle = [name for (name, _), side in zip((first, second), sides) if nothing_to_share(side, which)]
        if verdict == "void" and idle and reason.startswith("no result"):
            verdict, reason = "same", f"no page had to be recycled on {' and '.join(idle)}"
        one, two = figure(before), figure(after)
        ratio = two["median"] / one["median"] if one["median"] and two["median"] is not None else None
        made.append({"soc": which[0] or soc, "workload": which[1], "batch": which[2], "metric": which[3],
                     "unit": sample["unit"], "better": sample["better"], first[0]: one, second[0]: two,
                     "ratio": ratio, "verdict": verdict, "reason": reason})
        found = ratios(before, after)
        if found:
            made[-1]["ratio"] = statistics.median(found)
            made[-1]["ratio_ci95"] = list(interval(found))
    return made


def lab_samples(found, soc):
    """The lab's figure lines as samples. A SoC that has had several caches gets a row for each."""
    classes = {item["class"] for item in found}
    samples = []
    for item in found:
        problem = figures.complaint(item)
        if problem:
            raise cli.Failed(problem)
        unit, better = METRICS[item["metric"]]
        samples.append({"soc": soc if len(classes) == 1 else f"{soc}/{item['class']}",
                        "workload": item["workload"], "batch": item["batch"], "metric": item["metric"],
                        "unit": unit, "better": better, "value": item["sum"] / item["frames"], "exact": True})
    return samples
