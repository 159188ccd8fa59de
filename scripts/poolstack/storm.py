# SPDX-License-Identifier: GPL-2.0-only
"""The storm, long or narrowed down: random walks of the lab (kunit/lab/storm.c), and shrinking of those that fail.

A walk is a list of steps that follows from its seed alone, so steps can be left out and the others stay
what they were. A walk that goes wrong is cut down by delta debugging: as long as what is left goes
wrong in the same way, it is taken for the walk. What remains is printed as a script for people, with the
command that repeats it.
"""

import dataclasses
import re

from poolstack import cli, expected, ktap, lab, plan

CASE = "everything_holds_after_each_step"
CASES = f"*_storm.{CASE}"           # one suite for each driver
LIST_LIMIT = 3000                   # characters of a list of steps: the command line of UML has 4096
PER_STEP = 0.2                      # seconds a step may take, over all SoCs of a boot and on a slow variant
RUNS = 400                          # of one shrinking, then it is given up with what there is

_STEP = re.compile(r"storm: step (\d+): (.*)$")
_WRONG = re.compile(r"storm: step (\d+) went wrong: (.*)$")
_TABLE = re.compile(r"# \w+: (storm: .*)$")
_NUMBER = re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{12,}\b|-?\d+")


@dataclasses.dataclass
class Walk:
    """What one walk of one target came to."""
    target: str
    why: str = ""                   # empty: nothing went wrong
    step: int = -1                  # at which it went wrong, -1 unknown
    steps: dict = dataclasses.field(default_factory=dict)   # number -> text, those that were begun
    table: list = dataclasses.field(default_factory=list)

    @property
    def kind(self):
        """Two walks that go wrong in the same way have the same."""
        return _NUMBER.sub("#", self.why)


def _walk(target, log, why):
    walk = Walk(target, why)
    for line in log:
        if match := _STEP.search(line):
            walk.steps[int(match[1])] = match[2].strip()
        elif match := _WRONG.search(line):
            # what the lab says first, before what it drags along
            if walk.step < 0:
                walk.step, walk.why = int(match[1]), match[2].strip()
        elif match := _TABLE.search(line):
            if not match[1].startswith(("storm: seed", "storm: step")):
                walk.table.append(match[1])
    if walk.why and walk.step < 0 and walk.steps:
        walk.step = max(walk.steps)
    return walk


def parse(text, soc="", overrun=False):
    """([Walk], [fault]) of one boot's log. A kernel that died has a walk too: it went wrong at its last step."""
    log = ktap.parse(text)
    walks, faults = [], list(log.faults)
    for case in log.cases:
        if case.status == "skip":
            continue
        target, why = case.param, case.reason or "red"
        if case.status == "ok":
            why = ""
        elif not log.complete and case is log.cases[-1]:
            # ktap's own case for the cut; the parameter is not known, its place is
            target = f"{plan.soc_of(soc)}/" if "/" not in soc else soc
            why = "no end: it hangs" if overrun else f"the kernel died: {case.reason.rpartition(': ')[2]}"
            faults = []
        walks.append(_walk(target, case.log, why))
    if not walks and not faults:
        faults = ["no walk in the log"]
    return walks, faults


def ranges(numbers):
    """0-2,5 of [0, 1, 2, 5]: the form of poolstack.storm_keep."""
    parts = []
    for number in sorted(numbers):
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(f"{first}-{last}" if first != last else str(first) for first, last in parts)


def unranges(text):
    """[0, 1, 2, 5] of 0-2,5."""
    numbers = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", part.strip())
        if not match:
            raise cli.Stop(f"`{part}`: want step numbers such as 0-3,17")
        numbers += range(int(match[1]), int(match[2] or match[1]) + 1)
    return numbers


def shrink(items, fails):
    """A shortest list that still fails, taking parts out of items (which fails); the order stays.

    Delta debugging as Zeller and Hildebrandt have it (ddmin), halves first, then ever smaller parts; a
    small part is only ever left out, not tried by itself. At the end no single item can be left out.
    """
    parts = 2
    while len(items) >= 2:
        bounds = [len(items) * at // parts for at in range(parts + 1)]
        for first, last in zip(bounds, bounds[1:]):
            smaller = items[:first] + items[last:]
            if fails(smaller):
                items, parts = smaller, max(parts - 1, 2)
                break
        else:
            if parts == len(items):
                break
            parts = min(len(items), parts * 2)
    return items


def targets(uml, soc, outdir, variant=expected.PLAIN):
    """{target: its case} of the storms among these SoCs."""
    cases, _ = lab.inventory(uml, CASES, outdir, soc="" if soc == "*" else soc, variant=variant)
    found = {target: case for case, of_case in cases.items() for target in of_case}
    if not found:
        raise cli.Stop(f"no SoC `{soc}`: scripts/kunit --list --filter '*_storm*' shows them")
    return found


class Runner:
    """Boots walks of one kernel; cases: see targets()."""

    def __init__(self, uml, outdir, cases, *, side, seed, steps, variant=expected.PLAIN):
        self.uml, self.outdir, self.cases, self.side = uml, outdir, cases, side
        self.seed, self.steps, self.variant = seed, steps, variant
        self.boots = 0

    def walk(self, targets, *, keep=None, workers=None):
        """One boot per target; returns ([Walk], [fault])."""
        extra = [f"poolstack.steps={self.steps}", "poolstack.storm_verbose=1"]
        if keep is not None:
            extra.append(f"poolstack.storm_keep={keep}")
        jobs = [plan.Job(self.cases[target], target, alone=True) for target in targets]
        limit = lab.BOOT_LIMIT + self.steps * PER_STEP
        lab.boot_all(jobs, self.uml, self.outdir, variant=self.variant, seed=str(self.seed), extra=extra,
                     limit=limit, workers=workers)
        self.boots += len(jobs)
        walks, faults = [], []
        for job in jobs:
            found, wrong = parse(job.log.read_text(errors="replace"), job.soc, job.overrun)
            walks += found
            faults += [f"{fault} ({job.log})" for fault in wrong]
        return walks, faults

    def shrink(self, walk):
        """Cut a walk that went wrong down; returns the Walk of the steps that remain."""
        best = walk
        end = self.boots + RUNS

        def fails(steps):
            nonlocal best
            keep = ranges(steps)
            if len(keep) > LIST_LIMIT or self.boots >= end:
                return False
            walks, _ = self.walk([walk.target], keep=keep)
            if len(walks) != 1 or walks[0].kind != walk.kind:
                return False
            best = walks[0]
            return True

        steps = [number for number in sorted(walk.steps) if walk.step < 0 or number <= walk.step]
        if not fails(steps):
            return walk             # it does not repeat: what there is is all there is
        shrink(steps, fails)
        return best


def script(walk, runner):
    """What remains of a walk, for people."""
    side = f"--side {runner.side}" + ("" if runner.variant == expected.PLAIN else f" --variant {runner.variant}")
    lines = [f"{walk.target}: seed {runner.seed}, step {walk.step}: {walk.why}"]
    lines += [f"    {number:6}  {text}" for number, text in sorted(walk.steps.items())]
    lines.append(f"repeat: scripts/storm {side} --soc {walk.target} --seed {runner.seed} --steps {runner.steps} "
                 f"--keep {ranges(walk.steps)}")
    return lines
