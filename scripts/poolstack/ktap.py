# SPDX-License-Identifier: GPL-2.0-only
"""Read a KTAP log as KUnit prints it on a kernel's console.

Only parsing is done here: no process is started and no verdict is made about what was expected.
The log may carry anything else a kernel prints. Three things are read beside the results:

- splats (a WARNING, a BUG, a DMA-API report ...): KUnit stays "ok" through them, so the case whose
  lines they stand in is turned into a failure here;
- figures: lines `figure {json}`, the lab's counters;
- where the log ends: a kernel that died leaves a case that never got its result line.

A result belongs to a case by the lines before it: KUnit prints a case's messages first and its
"ok" or "not ok" line last.
"""

import dataclasses
import json
import re

RESULT = re.compile(r"^( *)(ok|not ok) (\d+)(?: -)?(?: ([^#\n]*?))?(?: *# (SKIP|TODO|XFAIL|TIMEOUT|ERROR)\b ?(.*))?$")
PLAN = re.compile(r"^( *)1\.\.(\d+)(?: *# SKIP.*)?$")
VERSION = re.compile(r"^( *)(?:K?TAP) version \d+$")
SUBTEST = re.compile(r"^( *)# Subtest: (\S+)$")
STAMP = re.compile(r"^(?:<\d+>)?\[ *\d+\.\d+\](?:\[ *[TC]\d+\])? ")
FIGURE = re.compile(r"(?:^|\s)figure (\{.*)$")

# What a healthy run never prints. The texts are those of lib/dump_stack users: panic(), __warn(),
# BUG(), lib/refcount.c, kernel/dma/debug.c, net/core/page_pool.c, ASSERT_RTNL(), KASAN, lockdep.
SPLATS = re.compile("|".join((
    r"\bWARNING: ", r"\bBUG: ", r"\bBUG at ", r"Kernel panic", r"\bOops\b", r"DMA-API: ",
    r"page_pool_release_retry\(\) stalled", r"RTNL: assertion", r"\brefcount_t: ",
    r"\bKASAN: ", r"INFO: task .* blocked for more than", r"INFO: possible ", r"INFO: trying to register",
    r"possible circular locking", r"inconsistent lock state", r"suspicious RCU usage",
    r"sleeping function called from invalid context", r"scheduling while atomic",
    r"Bad page state", r"general protection fault", r"soft lockup", r"rcu: INFO: .*detected .*stall",
    r"Unable to handle kernel", r"Internal error: ", r"unregister_netdevice: waiting",
    r"list_(?:add|del) corruption", r"UBSAN: ")))
# Lines with these words that say nothing about a fault.
HARMLESS = re.compile(r"DMA-API: (?:preallocated|debugging enabled|debugging disabled)")


@dataclasses.dataclass
class Case:
    """One leaf of the log: suite, case and (of a parameterised case) the parameter's description."""
    suite: str
    case: str
    param: str
    status: str                     # "ok", "fail", "skip"
    reason: str = ""                # of a failure or skip, one line
    log: list = dataclasses.field(default_factory=list)

    @property
    def name(self):
        """suite.case, the form that kunit.filter_glob takes."""
        return f"{self.suite}.{self.case}" if self.case else self.suite


@dataclasses.dataclass
class Log:
    """What one log holds."""
    cases: list                     # of Case
    figures: list                   # of dict
    faults: list                    # of str: what is wrong with the log itself
    complete: bool                  # every planned suite has its result
    running: str = ""               # of a log that is cut: the last thing seen to run

    @property
    def failed(self):
        """The cases that are red."""
        return [case for case in self.cases if case.status == "fail"]


def is_splat(line):
    """True for a console line that no healthy kernel prints."""
    return bool(SPLATS.search(line)) and not HARMLESS.search(line)


def clean(line):
    """A console line without carriage return and time stamp."""
    return STAMP.sub("", line.rstrip("\r\n"))


class _Reader:
    """State while the lines go by; level 0 holds suites, 1 cases, 2 parameters."""

    def __init__(self):
        self.cases = []
        self.figures = []
        self.faults = []
        self.open = {}              # level -> name, from "# Subtest:"
        self.plan = {}              # level -> number promised
        self.done = {}              # level -> number seen
        self.pending = []           # lines since the last result
        self.started = False

    def line(self, line):
        """Take one cleaned line."""
        if match := VERSION.match(line):
            self.version(len(match[1]) // 4)
        elif match := SUBTEST.match(line):
            # The name stands inside the block it names, one level below its own result line.
            self.open[max(0, len(match[1]) // 4 - 1)] = match[2]
        elif (match := PLAN.match(line)) and self.started:
            self.plan[len(match[1]) // 4] = int(match[2])
        elif (match := RESULT.match(line)) and self.started:
            self.result(len(match[1]) // 4, match)
        else:
            self.other(line)

    def version(self, level):
        """A block of results begins at this level."""
        if level == 0 and self.started:
            self.faults.append("a second KTAP header: the kernel started its tests twice")
        self.started = True
        self.done[level] = 0
        self.plan.pop(level, None)

    def other(self, line):
        """A message: kept for the case it precedes, searched for a figure."""
        self.pending.append(line)
        if match := FIGURE.search(line):
            try:
                figure = json.loads(match[1])
                if not isinstance(figure, dict):
                    raise ValueError("not an object")
            except ValueError as error:
                self.faults.append(f"broken figure ({error}): {line.strip()}")
            else:
                self.figures.append(figure)

    def result(self, level, match):
        """An ok or not ok line: make a case of it where it is a leaf, check it where it is a sum."""
        name = (match[4] or "").strip() or f"#{match[3]}"
        state = "skip" if match[5] == "SKIP" else "ok" if match[2] == "ok" else "fail"
        lines, self.pending = self.pending, []
        self.done[level] = self.done.get(level, 0) + 1
        if int(match[3]) != self.done[level]:
            self.faults.append(f"result {match[3]} of {name} where {self.done[level]} was due: lines are lost")
            self.done[level] = int(match[3])
        leaves = self.done.pop(level + 1, 0)
        planned = self.plan.pop(level + 1, leaves)
        if leaves < planned:
            self.faults.append(f"{name}: {leaves} results of {planned} planned")
        names = ([self.open.get(0, ""), self.open.get(1, "")][:level] + [name, "", ""])[:3]
        self.open.pop(level, None)
        if not leaves and level == 0:
            self.empty_suite(name, state, match[6] or "", lines)
        elif not leaves:
            self.cases.append(_case(names, state, match[6] or "", lines))
        else:
            # A sum. Whatever it says more than its leaves do (a splat after the last parameter, the
            # exit of the suite) becomes a case of its own, so that it is not lost.
            inner = [case for case in self.cases if [case.suite, case.case][:level + 1] == names[:level + 1]]
            explained = state != "fail" or any(case.status == "fail" for case in inner)
            if not explained or any(map(is_splat, lines)):
                self.cases.append(_case(names, "fail", "", lines))

    def empty_suite(self, suite, state, reason, lines):
        """A suite line with no case under it."""
        splat = next(filter(is_splat, lines), "")
        if state == "fail" or splat:
            self.cases.append(_case((suite, "", ""), "fail", reason, lines))
        elif state == "skip":
            self.cases.append(_case((suite, "", ""), "skip", reason, lines))
        else:
            self.faults.append(f"{suite}: no case ran in it")


def _case(where, state, reason, lines):
    """A Case, with the first telling line as its reason."""
    splat = next(filter(is_splat, lines), "")
    if splat:
        state, reason = "fail", splat.strip()
    elif state == "fail" and not reason:
        reason = _complaint(lines)
    return Case(*where, status=state, reason=reason, log=lines)


def _complaint(lines):
    """The line of a failed case that says what went wrong: KUnit's EXPECTATION and what follows it."""
    for number, line in enumerate(lines):
        if "EXPECTATION FAILED" in line or "ASSERTION FAILED" in line:
            said = [text.strip() for text in lines[number + 1:number + 3] if text.strip()]
            return " ".join([line.split("FAILED at", 1)[-1].strip()] + said)
    return ""


def parse(text):
    """Parse a whole log. A log without any test in it is a log with a fault, never a pass."""
    reader = _Reader()
    last = ""
    for raw in text.splitlines():
        line = clean(raw)
        last = line.strip() or last
        reader.line(line)
    faults = reader.faults
    if not reader.started:
        faults.append(f"no KTAP header in the log: no test ran (last line: {last or 'none, the log is empty'})")
        return Log([], reader.figures, faults, False)
    planned = reader.plan.get(0)
    complete = planned is not None and reader.done.get(0, 0) >= planned
    running = ""
    if not complete:
        running = _cut(reader, last)
    elif splat := next(filter(is_splat, reader.pending), ""):
        # After the last result: a page pool that stalls, a late free. No case owns it, all are suspect.
        reader.cases.append(Case("(after the last case)", "", "", "fail", splat.strip(), reader.pending))
    if complete and not reader.cases and not faults:
        faults.append("the log plans no test: does the filter match anything?")
    return Log(reader.cases, reader.figures, faults, complete, running)


def _cut(reader, last):
    """The log ends early: what was running has failed. Returns its name as far as the log tells it."""
    suite, case = reader.open.get(0, ""), reader.open.get(1, "")
    level = 2 if case else 1 if suite else 0
    number = reader.done.get(level, 0) + 1
    splat = next(filter(is_splat, reader.pending), "")
    reason = f"no result, the log ends here: {splat.strip() or last}"
    where = (suite or f"#{number}", case or (f"#{number}" if suite else ""), f"#{number}" if case else "")
    reader.cases.append(Case(*where, status="fail", reason=reason, log=reader.pending))
    planned = reader.plan.get(0)
    reader.faults.append(f"cut short: {reader.done.get(0, 0)} of {'?' if planned is None else planned} "
                         f"suites have a result; {'.'.join(part for part in where if part)} was running")
    return ".".join(part for part in where[:2] if part)
