# SPDX-License-Identifier: GPL-2.0-only
"""Wrong drivers on purpose: proof that the lab's cases can go red and that its counters count.

A file kunit/mutants/NAME.patch has a head, then a git diff against the driver of one side:

    Mutant-of: base|patched
    Kills: <suite>.<case> <soc>/<class>             this case must go red (any number of these)
    Moves: <workload> <batch> <metric> <soc>        this figure must change (any number of these)
    Smoke: yes                                      part of make test

    One sentence that says what is wrong with it.

The mutant is applied to the side's tree, built, run on the named cases only, and taken back. One that
changes nothing the lab sees has survived, and that fails the run: the lab has a hole there.
"""

import dataclasses
import re
import time

from poolstack import cli, figures, kunit, lab

FIGURES = "fec_figures"             # the suite that prints the counters


@dataclasses.dataclass
class Mutant:
    """One patch file."""
    name: str
    path: object
    side: str
    kills: list                     # of (suite.case, soc, class)
    moves: list                     # of (workload, batch, metric, soc)
    smoke: bool
    why: str
    files: list                     # paths the diff touches


@dataclasses.dataclass
class Outcome:
    """What became of one mutant."""
    mutant: Mutant
    verdict: str                    # "killed", "survived", "broken"
    told: list                      # of str
    seconds: float = 0.0


def load(path):
    """Read one mutant; a head that is wrong is an error that names file and line."""
    mutant = Mutant(path.stem, path, "", [], [], False, "", [])
    text = path.read_text()
    head, found, diff = text.partition("\ndiff --git ")
    if not found:
        raise cli.Stop(f"{path}: no `diff --git` in it: want a head, then a git diff")
    for number, line in enumerate(head.splitlines(), 1):
        where = f"{path}:{number}"
        name, colon, value = line.partition(":")
        words = value.split()
        if not colon or name not in ("Mutant-of", "Kills", "Moves", "Smoke"):
            mutant.why += f" {line.strip()}"
        elif name == "Mutant-of" and words in (["base"], ["patched"]):
            mutant.side = words[0]
        elif name == "Smoke" and words == ["yes"]:
            mutant.smoke = True
        elif name == "Kills" and len(words) == 2 and re.fullmatch(r"\w+\.\w+", words[0]) and "/" in words[1]:
            mutant.kills.append((words[0], *words[1].split("/", 1)))
        elif name == "Moves" and len(words) == 4 and words[1].isdigit():
            mutant.moves.append((words[0], int(words[1]), words[2], words[3]))
        else:
            raise cli.Stop(f"{where}: `{line}`: see the head of scripts/poolstack/mutants.py")
    mutant.why = mutant.why.strip()
    mutant.files = sorted(set(re.findall(r"^\+\+\+ b/(\S+)", diff, re.M)))
    for want, missing in (("Mutant-of:", not mutant.side), ("Kills: or Moves:", not (mutant.kills or mutant.moves)),
                          ("a sentence that says what is wrong", not mutant.why), ("a changed file", not mutant.files)):
        if missing:
            raise cli.Stop(f"{path}: has no {want}")
    if any("/poolstack/" in file for file in mutant.files):
        raise cli.Stop(f"{path}: touches the lab: a mutant is a wrong driver")
    return mutant


def load_all(names=(), *, only_smoke=False, folder=None):
    """The mutants, in the order of their names."""
    folder = folder or cli.root() / "kunit" / "mutants"
    have = {path.stem: path for path in sorted(folder.glob("*.patch"))}
    for name in names:
        if name not in have:
            raise cli.Stop(f"no mutant {name} in {folder}: scripts/mutants --list shows them")
    chosen = [load(path) for name, path in have.items() if not names or name in names]
    chosen = [mutant for mutant in chosen if mutant.smoke or not only_smoke]
    if not chosen:
        raise cli.Stop(f"no mutant to run in {folder}")
    return chosen


class Applied:
    """A mutant in a tree, for the length of a with block; content comes back also after Ctrl-C."""

    def __init__(self, mutant, tree):
        self.mutant, self.tree = mutant, tree
        self.before = {}

    def __enter__(self):
        for file in self.mutant.files:
            path = self.tree.path / file
            if not path.is_file():
                raise cli.Failed(f"{self.mutant.path}: no {file} in the {self.tree.side} tree")
            self.before[path] = path.read_bytes()
        cli.defer(self.restore)
        cli.run(["git", "apply", "--whitespace=nowarn", self.mutant.path], cwd=self.tree.path, capture=True,
                what=f"applying mutant {self.mutant.name}")
        return self

    def restore(self):
        """Put the files back. Their new mtime makes the next build compile them again, as it must."""
        for path, content in self.before.items():
            if path.is_file() and path.read_bytes() != content:
                cli.atomic_write(path, content)

    def __exit__(self, *_):
        self.restore()


def _boot(mutants, uml, outdir):
    """Boot what these mutants name; returns ({(case, soc): (cases, complete)}, figures, faults)."""
    wanted = {(name, soc) for mutant in mutants for name, soc, _ in mutant.kills}
    wanted |= {(FIGURES, move[3]) for mutant in mutants for move in mutant.moves}
    jobs = [lab.Job(name, soc, alone=True) for name, soc in sorted(wanted)]
    lab.boot_all(jobs, uml, outdir, limit=60)
    cases, found, faults = {}, [], []
    for job in jobs:
        run = lab.Run("", "plain", uml, outdir)
        lab.collect(job, run, 60)
        cases[job.glob, job.soc] = run.cases
        found += run.figures
        faults += run.faults
    return cases, found, faults


def _reds(cases, kill):
    """The results of a kill's case for its SoC and class; one of a dead kernel counts for every class."""
    name, soc, kind = kill
    return [case for case in cases.get((name, soc), []) if case.param in (f"{soc}/{kind}", f"{soc}/")]


def baseline(mutants, uml, outdir):
    """Run the named cases on the driver as it is: they must be green, or their red proves nothing."""
    cases, found, faults = _boot(mutants, uml, outdir)
    if faults:
        raise cli.Failed(f"the lab is broken before any mutant: {faults[0]}")
    for mutant in mutants:
        for kill in mutant.kills:
            results = _reds(cases, kill)
            if not results or any(case.status != "ok" for case in results):
                state = results[0].status if results else "not there"
                raise cli.Failed(f"{mutant.path}: {kill[0]} {kill[1]}/{kill[2]} is {state} without the mutant: "
                                 "its red would prove nothing")
    values, faults = figures.table(found)
    if faults:
        raise cli.Failed(f"the lab is broken before any mutant: {faults[0]}")
    return values


def _moved(values, before, move):
    """(moved, text) of one figure."""
    workload, batch, metric, soc = move
    label = f"{soc} {workload} b{batch} {metric}"
    at = [key for key in before if key[0] == soc and key[2:] == (workload, batch, metric)]
    if not at:
        raise cli.Failed(f"no figure {label} on the driver without the mutant: mend its Moves line")
    for key in at:
        if values.get(key) != before[key]:
            now = f"{float(values[key]):.2f}" if key in values else "none"
            return True, f"{label}: {float(before[key]):.2f} -> {now}"
    return False, f"{label} stayed {float(before[at[0]]):.2f}"


def run_one(mutant, tree, build_kernel, before, outdir):
    """Apply, build, run, take back; returns an Outcome."""
    begin = time.monotonic()
    outcome = Outcome(mutant, "killed", [])
    try:
        with Applied(mutant, tree):
            uml = build_kernel(tree)
            cases, found, faults = _boot([mutant], uml, outdir / mutant.name)
    except cli.Failed as failed:
        outcome.verdict, outcome.told = "broken", [failed.message]
        outcome.seconds = time.monotonic() - begin
        return outcome
    faults = [fault for fault in faults if "no KTAP header" in fault]
    if faults:                      # not even one test ran: that proves nothing about a case
        outcome.verdict, outcome.told = "broken", faults
    for kill in mutant.kills:
        results = _reds(cases, kill)
        label = f"{kill[0]} {kill[1]}/{kill[2]}"
        red = [case for case in results if case.status == "fail"]
        if red:
            outcome.told.append(f"{label}: red: {red[0].reason}")
        else:
            outcome.verdict = "broken" if faults else "survived"
            outcome.told.append(f"{label}: {results[0].status if results else 'no result'}")
    values, _ = figures.table(found)
    for move in mutant.moves:
        moved, text = _moved(values, before, move)
        outcome.told.append(text)
        if not moved and not faults:
            outcome.verdict = "survived"
    outcome.seconds = time.monotonic() - begin
    return outcome


def table(outcomes):
    """The outcomes for a terminal."""
    width = max(len(outcome.mutant.name) for outcome in outcomes)
    lines = []
    for outcome in outcomes:
        lines.append(f"{outcome.verdict.upper() if outcome.verdict != 'killed' else 'killed':8}  "
                     f"{outcome.mutant.name:{width}}  {outcome.seconds:5.1f} s  {outcome.mutant.side}")
        lines += [f"            {text[:160]}" for text in outcome.told]
    bad = [outcome for outcome in outcomes if outcome.verdict != "killed"]
    lines.append(f"mutants: {len(outcomes) - len(bad)} killed, {len(bad)} not")
    return "\n".join(lines)


def describe(mutants):
    """The list for a person."""
    lines = []
    for mutant in mutants:
        lines.append(f"{mutant.name} ({mutant.side}{', smoke' if mutant.smoke else ''}): {mutant.why}")
        lines += [f"    kills {name} {soc}/{kind}" for name, soc, kind in mutant.kills]
        lines += [f"    moves {workload} b{batch} {metric} {soc}" for workload, batch, metric, soc in mutant.moves]
    return lines


def run_all(mutants):
    """Run them side by side: all of base, then all of patched."""
    outcomes = []
    outdir = cli.root() / "results" / "mutants"
    for side in ("base", "patched"):
        mine = [mutant for mutant in mutants if mutant.side == side]
        if not mine:
            continue
        tree, uml = kunit.build(side)
        with cli.step(f"lab run without a mutant, {side}"):
            before = baseline(mine, uml, outdir / f"none-{side}")
        try:
            for mutant in mine:
                with cli.step(f"mutant {mutant.name}"):
                    outcomes.append(run_one(mutant, tree, lab.build_kernel, before, outdir))
        finally:
            # The source is back, the program is the last mutant's: nobody shall boot that by hand.
            uml.unlink(missing_ok=True)
    return outcomes
