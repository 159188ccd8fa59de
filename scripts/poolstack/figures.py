# SPDX-License-Identifier: GPL-2.0-only
"""The lab's counters: what a figure line must hold, and what they must be on the base (kunit/base-figures).

One line of the list per figure:

    <soc> <workload> <batch> <metric> <value>

A value with n decimals is the figure cut (not rounded) to n decimals, as the table it is from was.
"""

import dataclasses
import fnmatch
from fractions import Fraction
import re

from poolstack import cli
from poolstack.metrics import METRICS

FIELDS = {"soc": str, "class": str, "workload": str, "batch": int, "metric": str, "sum": int, "frames": int}


@dataclasses.dataclass
class Known:
    """One line of the list."""
    soc: str
    workload: str
    batch: int
    metric: str
    value: str
    where: str


def complaint(figure):
    """What is wrong with a figure, or ''."""
    for name, kind in FIELDS.items():
        if name not in figure:
            return f"figure without {name}: {figure}"
        if not isinstance(figure[name], kind) or isinstance(figure[name], bool):
            return f"figure: {name} is no {kind.__name__}: {figure}"
    if figure["metric"] not in METRICS:
        return f"figure of an unknown metric {figure['metric']}: add it to scripts/poolstack/metrics.py"
    if figure["frames"] <= 0:
        return f"figure over no frames: {figure}"
    return ""


def key(figure):
    """soc, class, workload, batch, metric."""
    return figure["soc"], figure["class"], figure["workload"], figure["batch"], figure["metric"]


def table(found):
    """{key: exact value}; a figure that comes twice must come out the same. Returns (table, faults)."""
    values, faults = {}, []
    for figure in found:
        problem = complaint(figure)
        if problem:
            faults.append(problem)
            continue
        value = Fraction(figure["sum"], figure["frames"])
        if values.setdefault(key(figure), value) != value:
            faults.append(f"two values of one figure: {' '.join(map(str, key(figure)))}: "
                          f"{float(values[key(figure)])} and {float(value)}")
    return values, faults


def cut(value, text):
    """An exact value as it reads when cut to the decimals of text."""
    decimals = len(text.partition(".")[2])
    scaled = int(value * 10 ** decimals)
    return f"{scaled // 10 ** decimals}" + (f".{scaled % 10 ** decimals:0{decimals}}" if decimals else "")


def load(path):
    """Read kunit/base-figures."""
    if not path.is_file():
        raise cli.Stop(f"no list of the base's figures: {path}: is this a whole checkout?")
    lines, seen = [], {}
    for number, raw in enumerate(path.read_text().splitlines(), 1):
        words = raw.partition("#")[0].split()
        if not words:
            continue
        where = f"{path.name}:{number}"
        if len(words) != 5 or not words[2].isdigit() or not re.fullmatch(r"\d+(\.\d+)?", words[4]):
            raise cli.Stop(f"{where}: `{raw.strip()}`: want <soc> <workload> <batch> <metric> <value>")
        if words[3] not in METRICS:
            raise cli.Stop(f"{where}: unknown metric {words[3]}")
        if tuple(words[:4]) in seen:
            raise cli.Stop(f"{where}: the same figure stands at {seen[tuple(words[:4])]}: drop one")
        seen[tuple(words[:4])] = where
        lines.append(Known(words[0], words[1], int(words[2]), words[3], words[4], where))
    return lines


def check(found, known, *, soc=""):
    """Hold the figures of a run on the base against the list: (number equal, [faults])."""
    values, faults = table(found)
    equal = 0
    for line in known:
        if soc and not fnmatch.fnmatchcase(line.soc, soc):
            continue
        name = f"{line.soc} {line.workload} b{line.batch} {line.metric}"
        mine = {at: value for at, value in values.items() if (at[0],) + at[2:] ==
                (line.soc, line.workload, line.batch, line.metric)}
        if not mine:
            faults.append(f"{name}: no such figure came out of the lab, {line.where} says {line.value}")
        for at, value in mine.items():
            if cut(value, line.value) == line.value:
                equal += 1
            else:
                faults.append(f"{name} ({at[1]}): {float(value):.4f}, {line.where} says {line.value}")
    return equal, faults
