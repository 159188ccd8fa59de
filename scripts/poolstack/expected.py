# SPDX-License-Identifier: GPL-2.0-only
"""What must be red on the unpatched driver (kunit/expected-red), and the verdict over one run.

The list is data. One line per case:

    <suite>.<case> <soc/class glob> <variant glob> <fault> [alone]

`alone` marks a case that may bring the kernel down: it boots in a process of its own, and there no
result counts as red. A run on the base passes only if exactly the listed cases are red: a red case
that is not listed fails it, and so does a listed one that is green, or that ran nowhere.

Lines of other kinds are about how the base is run. There the driver works on this SoC only as the first
device of a boot, for this fault, so that each case gets a boot of its own:

    boot-alone <soc> <fault>

and there this fault would fail every case of a controller at the lab's gate, so that the gate looks past
what it complains of, and the other faults show (a case that looks for it is red all the same). The kernel
warns once per boot, so that a warning, by the function it comes from, would be one case's or another's:

    forgive <controller> unmap|live|at:<function> <fault>
"""

import dataclasses
import fnmatch
import re

from poolstack import cli

PLAIN = "plain"                     # the name of the variant without a config fragment


@dataclasses.dataclass
class Entry:
    """One line of the list."""
    name: str                       # suite.case
    param: str                      # glob over soc/class
    variant: str                    # glob
    fault: str                      # "F1" ...
    alone: bool
    where: str                      # file:line

    def covers(self, case, variant):
        """True where this line speaks about that result of that variant."""
        return case.name == self.name and fnmatch.fnmatchcase(variant, self.variant) and \
            (not case.param or fnmatch.fnmatchcase(case.param, self.param) or self.dead(case))

    def dead(self, case):
        """A kernel that died tells the SoC it ran for ("imx6q/"), not the cache class."""
        return case.param.endswith("/") and \
            fnmatch.fnmatchcase(case.param[:-1], self.param.partition("/")[0])

    def in_reach(self, glob, soc, variant):
        """True where a run with this filter, SoC and variant must meet this line's case."""
        return fnmatch.fnmatchcase(variant, self.variant) and reaches(glob, self.name) and \
            (soc is None or fnmatch.fnmatchcase(self.param.partition("/")[0], soc)
             or fnmatch.fnmatchcase(soc, self.param.partition("/")[0]))


def reaches(glob, name):
    """True if kunit.filter_glob=glob runs suite.case: the kernel splits at the first dot."""
    suite, _, case = glob.partition(".")
    have_suite, _, have_case = name.partition(".")
    return fnmatch.fnmatchcase(have_suite, suite) and (not case or fnmatch.fnmatchcase(have_case, case))


def load(path):
    """Read the list; a line that does not parse, or stands twice, is an error that names it."""
    entries, seen = [], {}
    if not path.is_file():
        raise cli.Stop(f"no list of expected red cases: {path}: is this a whole checkout?")
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        where = f"{path.name}:{number}"
        if words[0] in ("boot-alone", "forgive"):
            continue                # see lone_socs() and forgiven()
        if len(words) not in (4, 5) or (len(words) == 5 and words[4] != "alone"):
            raise cli.Stop(f"{where}: `{line.strip()}`: want <suite>.<case> <soc/class> <variant> <fault> [alone]")
        if not re.fullmatch(r"\w+\.\w+", words[0]):
            raise cli.Stop(f"{where}: `{words[0]}` is no <suite>.<case>")
        key = tuple(words[:3])
        if key in seen:
            raise cli.Stop(f"{where}: `{' '.join(key)}` is there already, at {seen[key]}: drop one")
        seen[key] = where
        entries.append(Entry(*words[:4], alone=len(words) == 5, where=where))
    return entries


def lone_socs(path):
    """{soc: fault} of the boot-alone lines of the list."""
    found = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words or words[0] != "boot-alone":
            continue
        if len(words) != 3 or not re.fullmatch(r"[a-z0-9]+", words[1]):
            raise cli.Stop(f"{path.name}:{number}: `{line.strip()}`: want boot-alone <soc> <fault>")
        if words[1] in found:
            raise cli.Stop(f"{path.name}:{number}: {words[1]} stands twice: drop one")
        found[words[1]] = words[2]
    return found


def forgiven(path):
    """{"controller.complaint": fault} of the forgive lines of the list."""
    found = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words or words[0] != "forgive":
            continue
        if len(words) != 4 or not re.fullmatch(r"[a-z0-9]+", words[1]) or \
                not re.fullmatch(r"unmap|live|at:\w+", words[2]):
            raise cli.Stop(f"{path.name}:{number}: `{line.strip()}`: "
                           "want forgive <controller> unmap|live|at:<function> <fault>")
        what = f"{words[1]}.{words[2]}"
        if what in found:
            raise cli.Stop(f"{path.name}:{number}: {what} stands twice: drop one")
        found[what] = words[3]
    return found


def forgive_args(path, left=None):
    """The lab's parameters for a driver with these faults, None: with all of them."""
    names = [what for what in _left(path, left) if ".at:" not in what]
    return ["poolstack.forgive=" + ",".join(names)] if names else []


def forgiven_warnings(path, left=None):
    """The functions whose warnings are known of a driver with these faults."""
    return [what.partition(".at:")[2] for what in _left(path, left) if ".at:" in what]


def _left(path, left):
    return [what for what, fault in forgiven(path).items() if left is None or fault in left]


@dataclasses.dataclass
class Verdict:
    """How one run stands against the list."""
    green: list
    skipped: list
    expected: list                  # (case, entry): red, and the list says so
    unexpected: list                # red, and the list does not say so
    missing: list                   # (case, entry): green, but the list says red
    stale: list                     # entries that no result met
    faults: list                    # what is wrong with the run itself, str

    def passed(self, side):
        """base: red exactly as listed. mine: red at most as listed. patched: nothing red."""
        if self.faults or self.unexpected:
            return False
        if side == "base":
            return not (self.missing or self.stale)
        return side == "mine" or not self.expected

    def counts(self, side):
        """(passed, failed, skipped) for a sum over many runs; on the base a red that is due has passed."""
        as_due = len(self.expected) if side != "patched" else 0
        failed = len(self.unexpected) + len(self.faults) + len(self.expected) - as_due
        if side == "base":
            failed += len(self.missing) + len(self.stale)
        good = len(self.green) - (len({id(case) for case, _ in self.missing}) if side == "base" else 0)
        return good + as_due, failed, len(self.skipped)


def judge(run, entries, *, glob="*", soc=None):
    """Hold a lab.Run against the list. On the patched side the caller reads expected as plain red."""
    verdict = Verdict([], [], [], [], [], [], list(run.faults))
    met = set()
    for case in run.cases:
        lines = [entry for entry in entries if entry.covers(case, run.variant)]
        if case.status == "skip":
            verdict.skipped.append(case)
            continue
        met.update(entry.where for entry in lines)
        if case.status == "ok":
            verdict.green.append(case)
            verdict.missing.extend((case, entry) for entry in lines)
        elif lines:
            verdict.expected.append((case, lines[0]))
        else:
            verdict.unexpected.append(case)
    verdict.stale = [entry for entry in entries
                     if entry.in_reach(glob, soc, run.variant) and entry.where not in met]
    return verdict


def summary(verdict, side):
    """The lines a person reads at the end of a run."""
    lines = []
    by_fault = {}
    for case, entry in verdict.expected:
        by_fault.setdefault(entry.fault, {}).setdefault(case.name, []).append(case.param or "no result")
    if by_fault:
        lines.append({"base": "red by fault, as listed:", "mine": "red here and on the base:"}.get(
            side, "RED, though the stack should have mended it:"))
        for fault in sorted(by_fault):
            for name, params in sorted(by_fault[fault].items()):
                lines.append(f"  {fault:4} {name}: {' '.join(params)}")
    for case in verdict.unexpected:
        name = f"{case.name} {case.param}".rstrip()
        lines.append(f"UNEXPECTED RED {name}: {case.reason}".rstrip(": "))
    if side == "base":
        for case, entry in verdict.missing:
            lines.append(f"MISSING RED {case.name} {case.param}: is green, {entry.where} says it proves {entry.fault}")
        for entry in verdict.stale:
            lines.append(f"STALE ENTRY {entry.where}: no result for {entry.name} {entry.param}")
    lines += [f"RUN AT FAULT {fault}" for fault in verdict.faults]
    good, failed, skipped = verdict.counts(side)
    lines.append(f"{side}: {len(verdict.green)} green, {len(verdict.expected) + len(verdict.unexpected)} red "
                 f"({len(verdict.expected)} listed), {skipped} skipped: {good} as due, {failed} not")
    return lines
