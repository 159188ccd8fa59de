# SPDX-License-Identifier: GPL-2.0-only
"""What `make test` runs, and how it counts.

Each step counts what it checked (unit tests, KUnit results, figures, mutants, patches); a step that
stops before it could count is one failure with its line; the others go on. A skip has a reason, and
it is printed.
"""

import contextlib
import dataclasses
import re
import subprocess
import sys
import tempfile
import traceback

from poolstack import affected, cli, expected, kunit, mutants, trees


@dataclasses.dataclass
class Count:
    """The sum of a step."""
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    notes: list = dataclasses.field(default_factory=list)   # what failed or was skipped, a line each

    def add(self, other):
        """Add another step's sum."""
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def read_unittest(text, code):
    """Count what `python3 -m unittest -v` printed."""
    ran = re.search(r"^Ran (\d+) tests? in", text, re.M)
    if not ran or ran[1] == "0":
        return Count(failed=1, notes=[f"no harness test ran: {cli.error_line(text)}"])
    last = text.rstrip().splitlines()[-1]
    number = {name: int(value) for name, value in re.findall(r"(failures|errors|skipped|unexpected successes)=(\d+)",
                                                             last)}
    bad = number.get("failures", 0) + number.get("errors", 0) + number.get("unexpected successes", 0)
    skipped = number.get("skipped", 0)
    notes = [line for line in text.splitlines() if re.match(r"(FAIL|ERROR): ", line)]
    notes += [f"skipped: {name}: {why}" for name, why in re.findall(r"^(.*) \.\.\. skipped (.*)$", text, re.M)]
    if code and not bad:            # the runner itself failed
        return Count(int(ran[1]) - skipped, 1, skipped, notes + [f"unittest ended with {code}: {last}"])
    return Count(max(0, int(ran[1]) - bad - skipped), bad, skipped, notes)


class Harness:
    """The harness's own tests. They wait more than they work: begun early, they run beside the step before."""
    LIMIT = 600

    def __init__(self):
        self.process = None

    def begin(self):
        """Start them, unless they run."""
        if not self.process:
            self.said = tempfile.TemporaryFile()
            self.process = subprocess.Popen(
                [sys.executable, "-m", "unittest", "discover", "-v", "-s", cli.root() / "scripts" / "tests"],
                cwd=cli.root(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.said,
                start_new_session=True)
            cli.defer(lambda: self.process.poll() is None and cli.stop_process(self.process))

    def count(self):
        """Wait for them and count."""
        self.begin()
        try:
            code = self.process.wait(self.LIMIT)
        except subprocess.TimeoutExpired:
            cli.stop_process(self.process)
            code = cli.FAIL
            self.said.write(f"harness tests: no end within {self.LIMIT} s\n".encode())
        self.said.seek(0)
        text = self.said.read().decode(errors="replace")
        count = read_unittest(text, code)
        if count.failed:
            cli.say(text[text.find("=" * 70):] if "=" * 70 in text else text)
        return count


def read_tally(text, code, name):
    """Count from the last line 'N checks passed, N failed' of a script of ours."""
    found = re.findall(r"^(\d+) (?:checks )?passed, (\d+) failed(?:, (\d+) skipped)?$", text, re.M)
    if not found:
        return Count(failed=1, notes=[f"{name} gave no count: {cli.error_line(text) or f'exit code {code}'}"])
    count = Count(*(int(number or 0) for number in found[-1]))
    count.notes = re.findall(r"^not ok .*(?:\n {3}.*)?|^\d+ patches whose .*", text, re.M)
    if code not in (cli.PASS, cli.SKIP) and not count.failed:
        count.failed = 1
        count.notes.append(f"{name} ended with {code} though it counts no failure")
    return count


def check():
    """Every patch: checkpatch, W=1, sparse, each builds."""
    log = cli.root() / "results" / "test" / "check.log"
    log.unlink(missing_ok=True)
    done = cli.run([cli.root() / "scripts" / "check"], log=log, check=False, what="scripts/check",
                   progress=lambda: cli.say(f"   check: {last_line(log)}"))
    count = read_tally(log.read_text(errors="replace"), done.returncode, "scripts/check")
    count.notes = [f"{note} ({log})" for note in count.notes]
    return count


def last_line(path):
    """What a log says at its end."""
    return (cli.tail(path, 4000).rstrip().splitlines() or [""])[-1].strip()


def lab(side, with_figures=False):
    """All suites on one side; on the base also the counters against kunit/base-figures."""
    if side == "base":              # files older than the base's objects let the stack begin with those
        with contextlib.suppress(cli.Stop):
            trees.prepare("patched")
    _, uml = kunit.build(side)
    result, verdict = kunit.run(side, uml)
    count = Count(*verdict.counts(side))
    for line in kunit.matrix(result) + expected.summary(verdict, side) + kunit.hints(result, verdict):
        cli.say(f"   {line}")
    count.notes = [f"{case.name} {case.param}: {case.reason}" for case in verdict.unexpected]
    count.notes += [f"missing red: {case.name} {case.param} ({entry.fault})" for case, entry in verdict.missing
                    if side == "base"]
    count.notes += [f"stale: {entry.where}" for entry in verdict.stale if side == "base"]
    count.notes += [f"still red: {case.name} {case.param}" for case, _ in verdict.expected if side == "patched"]
    count.notes += [f"skipped: {case.name} {case.param}: {case.reason or 'not for this SoC'}"
                    for case in verdict.skipped]
    count.notes += verdict.faults
    cli.atomic_write(result.outdir / "run.ktap", kunit.ktap_text(result) + "\n")
    if with_figures:                # on the base
        entries = expected.load(cli.root() / "kunit" / "expected-red")
        lines = affected.table(affected.load(cli.root() / "kunit" / "faults"), result.cases, verdict, entries)
        old = affected.stale(cli.root() / "README.md", lines)
        count.add(Count(not old, bool(old)))
        count.notes += [old] if old else []
        equal, faults = kunit.check_figures(result)
        count.add(Count(equal, len(faults)))
        count.notes += [f"figure: {fault}" for fault in faults]
        cli.say(f"   figures: {equal} as kunit/base-figures says, {len(faults)} not")
    return count


def wrong_drivers():
    """The representative mutants."""
    outcomes = mutants.run_all(mutants.load_all(only_smoke=True))
    cli.say(mutants.table(outcomes))
    bad = [outcome for outcome in outcomes if outcome.verdict != "killed"]
    return Count(len(outcomes) - len(bad), len(bad), 0,
                 [f"mutant {outcome.mutant.name} {outcome.verdict}: {' '.join(outcome.told)}" for outcome in bad])


def emulated():
    """The emulated board boots with the stack and passes a short round of its workloads."""
    from poolstack import emulated as board_runner
    return Count(*board_runner.smoke("patched"))


HARNESS = Harness()
STEPS = {
    "check": ("patch checks", check),
    "harness": ("the harness's own tests", HARNESS.count),
    "base": ("lab on the base", lambda: lab("base", with_figures=True)),
    "patched": ("lab on the stack", lambda: lab("patched")),
    "mutants": ("mutants", wrong_drivers),
    "board": ("emulated board, smoke", emulated),
}


def one(name, title, step):
    """Run one step; whatever it raises but an interrupt is a count too."""
    try:
        with cli.step(title):
            count = step()
    except cli.Stop as stop:
        if stop.code == cli.SKIP:
            count = Count(skipped=1, notes=[f"skipped: {stop.message}"])
        else:
            count = Count(failed=1, notes=[stop.message])
    except Exception:  # a fault of the harness must not hide the steps after it
        cli.say(traceback.format_exc())
        count = Count(failed=1, notes=[f"the step broke: {sys.exc_info()[1]!r}"])
    cli.say(f"-- {name}: {count}")
    for note in count.notes:
        cli.say(f"   {note}")
    return count


def run(names):
    """Run the steps; returns the sum."""
    total, counts = Count(), {}
    if "harness" in names:
        HARNESS.begin()
    for name in names:
        counts[name] = one(name, *STEPS[name])
        total.add(counts[name])
    cli.timings()
    for name, count in counts.items():
        cli.say(f"{name:8}  {count}")
    return total
