# SPDX-License-Identifier: GPL-2.0-only
"""Which SoC a fault of the unpatched driver hits, and since which release: the README's table.

A fault hits a target (SoC and cache class) where a case that kunit/expected-red lists for it was red in a
run on the base. kunit/faults says where each fault came from:

    <fault> <commit, 12 digits> <release, or unknown> <what a user sees>
"""

import dataclasses
import fnmatch
import re

from poolstack import apply, cli, expected, plan

BEGIN, END = "<!-- affected:begin -->", "<!-- affected:end -->"


@dataclasses.dataclass
class Fault:
    """One line of the list."""
    name: str
    commit: str
    since: str
    what: str


def load(path):
    """{name: Fault}, in the list's order; what does not parse is an error that names the line."""
    faults = {}
    try:
        lines = path.read_text().splitlines()
    except OSError as error:
        raise cli.Stop(f"{path}: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        where = f"{path.name}:{number}"
        if len(words) < 4 or not re.fullmatch(r"[0-9a-f]{12}|unknown", words[1]) or \
                not re.fullmatch(r"\d+\.\d+|unknown", words[2]):
            raise cli.Stop(f"{where}: `{line.strip()}`: want <fault> <commit> <release> <what a user sees>")
        if words[0] in faults:
            raise cli.Stop(f"{where}: {words[0]} stands twice: drop one")
        faults[words[0]] = Fault(words[0], words[1], words[2], " ".join(words[3:]))
    return faults


def disagreements(faults, entries, lone_socs, topics):
    """Where the list, expected-red and the patches' Fixes: tags contradict one another."""
    named = {entry.fault for entry in entries} | set(lone_socs.values())
    problems = [f"expected-red proves {name}, kunit/faults does not know it" for name in sorted(named - set(faults))]
    problems += [f"kunit/faults has {name}, no case of expected-red proves it" for name in sorted(set(faults) - named)]
    for topic in topics:
        for patch in topic.active:
            fault = faults.get(patch.fault)
            tags = re.findall(r"^Fixes: ([0-9a-f]{12})", apply.read(patch.path), re.M)
            if fault and tags and fault.commit not in tags:
                problems.append(f"{patch.file} mends {fault.name} and says Fixes: {tags[0]}, "
                                f"kunit/faults says {fault.commit}")
    return problems


def _hits(results, verdict, entries):
    """({fault: {target}} that were red, {fault: {target}} that its cases ran on, [target])."""
    cases = {}
    for entry in entries:
        cases.setdefault(entry.name, set()).add(entry.fault)
    every = list(dict.fromkeys(case.param for case in results if case.param and not case.param.endswith("/")))
    red, ran = {}, {}
    for case in results:
        if not case.param or case.status == "skip":
            continue
        for fault in cases.get(case.name, ()):
            ran.setdefault(fault, set()).update(_targets(case.param, every))
    for case, entry in verdict.expected:
        red.setdefault(entry.fault, set()).update(_targets(case.param, every))
    return red, ran, every


def _targets(param, every):
    """A dead kernel tells the SoC only ("imx6q/"): every class of it."""
    return [target for target in every if target == param or param == f"{plan.soc_of(target)}/"]


def _elsewhere(entries):
    """{fault: variant} of those that no plain run shows."""
    plain = {entry.fault for entry in entries if fnmatch.fnmatchcase(expected.PLAIN, entry.variant)}
    return {entry.fault: entry.variant for entry in entries if entry.fault not in plain}


def _cell(targets, red, ran, variant=""):
    """What the table says about a SoC: yes, no, its classes, or - where the SoC has no such thing.

    variant: this run cannot show the fault, one with VARIANT=… can.
    """
    mine = [target for target in targets if target in red]
    if not any(target in ran for target in targets):
        return "-"
    if variant:
        return variant
    if not mine:
        return "no"
    return "yes" if len(mine) == len(targets) else " ".join(target.partition("/")[2] for target in mine)


def table(faults, results, verdict, entries):
    """The table as lines of Markdown."""
    red, ran, every = _hits(results, verdict, entries)
    elsewhere, socs = _elsewhere(entries), {}
    for target in every:
        socs.setdefault(plan.soc_of(target), []).append(target)
    head = ["fault", "what a user sees", "since", *socs]
    caches = ["", "cache", ""] + [" ".join(target.partition("/")[2] for target in targets) for targets in socs.values()]
    rows = [caches]
    for fault in faults.values():
        rows.append([fault.name, fault.what, fault.since if fault.since == "unknown" else f"v{fault.since}"] +
                    [_cell(targets, red.get(fault.name, ()), ran.get(fault.name, ()), elsewhere.get(fault.name))
                     for targets in socs.values()])
    return ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]]


def _split(path):
    """(before, block, after) of a file with the markers."""
    head, begin, rest = path.read_text().partition(BEGIN)
    block, end, tail = rest.partition(END)
    if not begin or not end:
        raise cli.Stop(f"{path}: no block between {BEGIN} and {END} in it: add the two lines where the table shall be")
    return head, block, tail


def put(path, lines):
    """Replace what stands between the markers."""
    head, _, tail = _split(path)
    cli.atomic_write(path, "\n".join([f"{head}{BEGIN}", *lines, f"{END}{tail}"]))


def stale(path, lines):
    """The first line in which the file's table is not this one, or ''."""
    block = _split(path)[1].strip("\n").splitlines()
    for place in range(max(len(block), len(lines))):
        have = block[place] if place < len(block) else "nothing"
        want = lines[place] if place < len(lines) else "nothing"
        if have != want:
            return f"{path.name} has `{have}`, the run says `{want}`: scripts/affected --readme {path.name}"
    return ""
