# SPDX-License-Identifier: GPL-2.0-only
"""Wrong drivers on purpose: proof that the lab's cases can go red and that its counters count.

A file kunit/mutants/NAME.patch has a head, then a git diff against the driver of one side:

    Mutant-of: base|patched
    Kills: <suite>.<case> <soc>/<class>             this case must go red (any number of these)
    Moves: <workload> <batch> <metric> <soc>        this figure must change (any number of these)
    Smoke: yes                                      part of make test
    Variant: smp                                    only this variant of the lab can see it

    One sentence that says what is wrong with it.

The mutant is applied to a copy of the driver, compiled, linked to the side's kernel (relink.py) and run on
the named cases only; one per CPU at a time. One that changes nothing the lab sees has survived, and that
fails the run: the lab has a hole there.
"""

import concurrent.futures
import dataclasses
import os
import re
import shutil
import threading
import time

from poolstack import cli, expected, figures, kunit, lab, relink

# The suites that print the counters: of fec, and of mtk_eth_soc.
FIGURES, FIGURES_MTK = "fec_figures", "mtk_figures"


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
    variant: str = expected.PLAIN


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
        if not colon or name not in ("Mutant-of", "Kills", "Moves", "Smoke", "Variant"):
            mutant.why += f" {line.strip()}"
        elif name == "Mutant-of" and words in (["base"], ["patched"]):
            mutant.side = words[0]
        elif name == "Smoke" and words == ["yes"]:
            mutant.smoke = True
        elif name == "Variant" and len(words) == 1 and words[0] in lab.VARIANTS:
            mutant.variant = words[0]
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


def _figures(mutant):
    """The suite that prints the counters of the driver which a mutant changes."""
    return FIGURES_MTK if any("/mediatek/" in file for file in mutant.files) else FIGURES


def _boot(mutants, uml, outdir, workers=None, stop=None):
    """Boot what these mutants of one variant name; returns ({(case, soc): cases}, figures, faults)."""
    wanted = {(name, soc) for mutant in mutants for name, soc, _ in mutant.kills}
    wanted |= {(_figures(mutant), move[3]) for mutant in mutants for move in mutant.moves}
    jobs = [lab.Job(name, soc, alone=True) for name, soc in sorted(wanted)]
    lab.boot_all(jobs, uml, outdir, variant=mutants[0].variant, limit=60, workers=workers, stop=stop)
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
    """Run the named cases on the driver as it is: they must be green, or their red proves nothing.

    Returns (figures, {mutant's name: what is wrong with its head}).
    """
    cases, found, faults = _boot(mutants, uml, outdir)
    values, more = figures.table(found)
    if faults or more:
        raise cli.Failed(f"the lab is broken before any mutant: {(faults + more)[0]}")
    wrong = {}
    for mutant in mutants:
        for name, soc, kind in mutant.kills:
            results = _reds(cases, (name, soc, kind))
            if not results or any(case.status != "ok" for case in results):
                state = results[0].status if results else "not there"
                wrong[mutant.name] = f"{name} {soc}/{kind} is {state} without the mutant: its red would prove nothing"
        for move in mutant.moves:
            if not _places(values, move):
                wrong[mutant.name] = f"no figure {_label(move)} without the mutant: mend its Moves line"
    return values, wrong


def _label(move):
    workload, batch, metric, soc = move
    return f"{soc} {workload} b{batch} {metric}"


def _places(values, move):
    """The keys of a figure, one for each cache class."""
    return [key for key in values if key[0] == move[3] and key[2:] == move[:3]]


def _moved(values, before, move):
    """(moved, text) of one figure."""
    at = _places(before, move)
    for key in at:
        if values.get(key) != before[key]:
            now = f"{float(values[key]):.2f}" if key in values else "none"
            return True, f"{_label(move)}: {float(before[key]):.2f} -> {now}"
    return False, f"{_label(move)} stayed {float(before[at[0]]):.2f}"


def build(mutant, kit, folder):
    """The side's kernel with the mutant in it, made in folder."""
    kit.copy(mutant.files, folder)
    missing = [file for file in mutant.files if not (folder / file).is_file()]
    if missing:
        raise cli.Failed(f"{mutant.path}: no {missing[0]} in the {mutant.side} tree")
    # The folder may lie in a work tree of git, which would be searched for the files.
    cli.run(["git", "apply", "--whitespace=nowarn", mutant.path], cwd=folder, capture=True,
            env={"GIT_CEILING_DIRECTORIES": folder.parent}, what=f"applying mutant {mutant.name}")
    return kit.kernel(mutant.files, folder)


def run_one(mutant, kit, before, outdir, *, workers=None, stop=None):
    """Build and run; returns an Outcome. The kernel of a survivor stays in outdir, for a look."""
    begin = time.monotonic()
    outcome = Outcome(mutant, "killed", [])
    outdir = outdir / mutant.name
    shutil.rmtree(outdir, ignore_errors=True)
    try:
        uml = build(mutant, kit, outdir / "build")
        cases, found, faults = _boot([mutant], uml, outdir, workers, stop)
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
    if outcome.verdict == "killed":
        shutil.rmtree(outdir / "build")
    outcome.seconds = time.monotonic() - begin
    return outcome


def table(outcomes):
    """The outcomes for a terminal."""
    width = max(len(outcome.mutant.name) for outcome in outcomes)
    lines = []
    for outcome in outcomes:
        variant = "" if outcome.mutant.variant == expected.PLAIN else f" {outcome.mutant.variant}"
        lines.append(f"{outcome.verdict.upper() if outcome.verdict != 'killed' else 'killed':8}  "
                     f"{outcome.mutant.name:{width}}  {outcome.seconds:5.1f} s  {outcome.mutant.side}{variant}")
        lines += [f"            {text[:160]}" for text in outcome.told]
    bad = [outcome for outcome in outcomes if outcome.verdict != "killed"]
    longest = max(outcome.seconds for outcome in outcomes)
    lines.append(f"mutants: {len(outcomes) - len(bad)} killed, {len(bad)} not; the longest took {longest:.1f} s")
    return "\n".join(lines)


def describe(mutants):
    """The list for a person."""
    lines = []
    for mutant in mutants:
        lines.append(f"{mutant.name} ({mutant.side}{', smoke' if mutant.smoke else ''}"
                     f"{', ' + mutant.variant if mutant.variant != expected.PLAIN else ''}): {mutant.why}")
        lines += [f"    kills {name} {soc}/{kind}" for name, soc, kind in mutant.kills]
        lines += [f"    moves {workload} b{batch} {metric} {soc}" for workload, batch, metric, soc in mutant.moves]
    return lines


def _run_side(mine, kit, before, wrong, outdir):
    """Run the mutants of one kernel, as many at a time as there are CPUs; outcomes in their order."""
    stop = threading.Event()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        runs = [pool.submit(run_one, mutant, kit, before, outdir, workers=1, stop=stop)
                if mutant.name not in wrong else pool.submit(Outcome, mutant, "broken", [wrong[mutant.name]])
                for mutant in mine]
        try:
            for done in concurrent.futures.as_completed(runs):
                outcome = done.result()
                cli.say(f"   {outcome.verdict}: {outcome.mutant.name}, {outcome.seconds:.1f} s")
        except BaseException:
            stop.set()              # ends the boots; a compiler that runs is waited for
            pool.shutdown(cancel_futures=True)
            raise
    return [done.result() for done in runs]


def run_all(mutants):
    """Run them: the base's, then the stack's, each for the variants that they name."""
    outcomes = []
    outdir = cli.root() / "results" / "mutants"
    kinds = sorted({(mutant.side, mutant.variant) for mutant in mutants}, key=lambda kind: (kind[0], kind[1] != "plain"))
    for side, variant in kinds:
        mine = [mutant for mutant in mutants if (mutant.side, mutant.variant) == (side, variant)]
        name = side if variant == expected.PLAIN else f"{side}, {variant}"
        tree, uml = kunit.build(side, variant=variant)
        kit = relink.Kit(tree, uml.parent)
        with cli.step(f"lab run without a mutant, {name}"):
            # Linked as the mutants are: what that does by itself must not count for them.
            plain = outdir / f"none-{side}-{variant}"
            shutil.rmtree(plain, ignore_errors=True)
            plain.mkdir(parents=True)
            before, wrong = baseline(mine, kit.link({}, plain / "linux"), plain)
        with cli.step(f"{len(mine)} mutants, {name}"):
            outcomes += _run_side(mine, kit, before, wrong, outdir)
    return outcomes
