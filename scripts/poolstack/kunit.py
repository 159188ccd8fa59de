# SPDX-License-Identifier: GPL-2.0-only
"""One run of the lab on one side: prepare the tree, build, boot, judge, and print it as KTAP."""

from poolstack import cli, expected, figures, lab, pcap, plan, trees

LISTS = ("expected-red", "base-figures")


def outdir(side, variant):
    """Where the logs of the newest run are."""
    name = side if variant == expected.PLAIN else f"{side}-{variant}"
    return cli.root() / "results" / "kunit" / name


def build(side, *, variant=expected.PLAIN, ksrc=None, topic=None, sides=None):
    """The side's tree and its lab kernel."""
    lab.check_host()
    lab.variant_fragment(variant)   # a wrong name must not cost a build
    tree = trees.prepare(side, ksrc=ksrc, topic=topic, sides=sides)
    return tree, lab.build_kernel(tree, variant)


def run(side, uml, *, glob="*", soc="", variant=expected.PLAIN, seed="", frames=False, long=False, out=None,
        left=None):
    """Boot and judge: (lab.Run, expected.Verdict).

    left: faults that are not mended yet, where the side does not tell; frames: let the lab print every frame, for pcap.py; long: more rounds; out: another folder for the logs.
    """
    listed = cli.root() / "kunit" / "expected-red"
    entries = expected.load(listed)
    alone = [entry.name for entry in entries if entry.alone]
    lone_socs = expected.lone_socs(listed) if side != "patched" else {}
    if left is None and side == "patched":
        left = set()
    extra = expected.forgive_args(listed, left)
    extra += ["poolstack.pcap=1"] * frames + ["poolstack.long=1"] * long
    with cli.step(f"lab run, {side}, {glob}" + (f", {soc}" if soc else "")):
        result = lab.run(uml, out or outdir(side, variant), side=side, glob=glob, soc=soc, variant=variant, alone=alone,
                         lone_socs=lone_socs, seed=seed, extra=extra, known=expected.forgiven_warnings(listed, left))
    for figure in result.figures:
        problem = figures.complaint(figure)
        if problem:
            result.faults.append(problem)
    return result, expected.judge(result, entries, glob=glob, soc=soc or None)


def check_figures(result, soc=""):
    """Hold the run's figures against kunit/base-figures: (number equal, [faults])."""
    known = figures.load(cli.root() / "kunit" / "base-figures")
    return figures.check(result.figures, known, soc=soc)


def _status(cases):
    """ok, not ok, or ok with SKIP for a sum of cases."""
    if any(case.status == "fail" for case in cases):
        return "not ok", ""
    if all(case.status == "skip" for case in cases):
        return "ok", " # SKIP " + (cases[0].reason or "no such SoC in this run")
    return "ok", ""


def _comments(case, indent):
    """The log of a red case, as KTAP diagnostics, and why it counts as red."""
    lines = [line.strip() for line in case.log if line.strip() and not pcap.is_frame(line)] + [f"red: {case.reason}"]
    return [" " * indent + (line if line.startswith("# ") else f"# {line}") for line in lines]


def ktap_text(result):
    """The whole run as one KTAP document, whatever number of boots it took."""
    suites = {}
    for case in result.cases:
        suites.setdefault(case.suite, {}).setdefault(case.case, []).append(case)
    lines = ["KTAP version 1", f"1..{len(suites)}"]
    for number, (suite, names) in enumerate(suites.items(), 1):
        named = {name: cases for name, cases in names.items() if name}
        if named:
            lines += ["    KTAP version 1", f"    # Subtest: {suite}", f"    1..{len(named)}"]
        for count, (name, cases) in enumerate(named.items(), 1):
            params = [case for case in cases if case.param]
            if params:
                lines += ["        KTAP version 1", f"        # Subtest: {name}", f"        1..{len(params)}"]
            for index, case in enumerate(params, 1):
                state, skip = _status([case])
                if state == "not ok":
                    lines += _comments(case, 8)
                lines.append(f"        {state} {index} {case.param}{skip}")
            for case in cases:
                if not case.param and case.status == "fail":
                    lines += _comments(case, 4)
            state, skip = _status(cases)
            lines.append(f"    {state} {count} {name}{skip}")
        for case in names.get("", []):
            if case.status == "fail":
                lines += _comments(case, 0)
        state, skip = _status([case for cases in names.values() for case in cases])
        lines.append(f"{state} {number} {suite}{skip}")
    return "\n".join(lines)


def matrix(result):
    """Suites by SoCs: how many results were green, and after a slash how many were red."""
    suites, socs = {}, []
    for case in result.cases:
        soc = plan.soc_of(case.param)
        if case.status == "skip" or not soc:
            continue
        if soc not in socs:
            socs.append(soc)
        cell = suites.setdefault(case.suite, {}).setdefault(soc, [0, 0])
        cell[case.status != "ok"] += 1
    if not suites:
        return []
    total = {soc: [sum(cells.get(soc, (0, 0))[at] for cells in suites.values()) for at in (0, 1)] for soc in socs}
    rows = [["green[/red]", *socs]]
    for name, cells in [*suites.items(), ("all", total)]:
        rows.append([name] + ["-" if soc not in cells else f"{cells[soc][0]}/{cells[soc][1]}" if cells[soc][1]
                              else str(cells[soc][0]) for soc in socs])
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return ["  ".join(word.ljust(width) if not at else word.rjust(width)
                      for at, (word, width) in enumerate(zip(row, widths))) for row in rows]


def hints(result, verdict, soc="", limit=3):
    """For the first few reds that are not due: how to run them alone."""
    reds = verdict.unexpected + ([case for case, _ in verdict.expected] if result.side == "patched" else [])
    lines = []
    for case in reds[:limit]:
        lines.append(f"{case.name} {case.param}".rstrip())
        lines += [f"  {text}" for text in lab.rerun_hint(result, case, soc)]
    return lines
