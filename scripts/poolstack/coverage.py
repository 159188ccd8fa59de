# SPDX-License-Identifier: GPL-2.0-only
"""Which lines of the driver the lab reaches.

The driver's objects are compiled with gcov's counters and linked to the lab's kernel (relink.py); each
boot leaves its own counts, which are added here. What is held against a list (kunit/uncovered, kunit/uncovered-mtk) is every
line with code of the functions that the list names:

    held <area>: <function or glob> ...
    <function> <lines>: <text of the first line>
    	why no case reaches it

An entry speaks for that many lines in a row that are not reached. A line not reached that no entry
speaks for is a failure, and so is an entry whose line is reached, or not there.
"""

import dataclasses
import fnmatch
import json
import re

from poolstack import cli, kunit, lab, relink

# {driver: (its folder, what is counted, the list, the cases)}; held is the first file.
DRIVERS = {
    "fec": ("drivers/net/ethernet/freescale", ("fec_main.c", "fec_ptp.c"), "uncovered", "fec*"),
    "mtk": ("drivers/net/ethernet/mediatek", ("mtk_eth_soc.c",), "uncovered-mtk", "mtk*"),
}
FLAGS = ("--coverage", "-fprofile-update=atomic")
# The linker script of UML leaves out .fini_array.*, where the compiler puts the call that writes the counts.
LINK = ("--coverage", "-Wl,-fini,__gcov_exit")
_HELD = re.compile(r"held ([\w -]+): (\S.*)$")
_ENTRY = re.compile(r"(\w+) (\d+): (\S.*)$")
_NAME = re.compile(r"([A-Za-z_]\w*)\(")


@dataclasses.dataclass
class Entry:
    """Lines that need not be reached, and why."""
    function: str
    lines: int
    text: str
    why: str
    where: str                      # file:line


def load(path):
    """({area: [glob]}, [Entry]) of the list; what does not parse is an error that names the line."""
    areas, entries = {}, []
    try:
        lines = path.read_text().splitlines()
    except OSError as error:
        raise cli.Stop(f"{path}: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        where = f"{path.name}:{number}"
        if not line.strip() or line.startswith("#"):
            continue
        if line[0] in " \t":
            if not entries:
                raise cli.Stop(f"{where}: a reason without a line before it")
            entries[-1].why = f"{entries[-1].why} {line.strip()}".strip()
        elif match := _HELD.match(line):
            areas.setdefault(match[1], []).extend(match[2].split())
        elif match := _ENTRY.match(line):
            entries.append(Entry(match[1], int(match[2]), " ".join(match[3].split()), "", where))
        else:
            raise cli.Stop(f"{where}: `{line}`: want `held <area>: <functions>` or `<function> <lines>: <text>`")
    for entry in entries:
        if not entry.why:
            raise cli.Stop(f"{entry.where}: no reason: give one in an indented line below")
    return areas, entries


def functions(text):
    """{name: (first line, last line)} of a C file in kernel style: bodies end with a brace at the margin."""
    found, name, start, inside = {}, "", 0, False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("}"):
            if name and inside:
                found[name] = start, number
            name, inside = "", False
        elif line.startswith("{"):
            inside = True
        elif not inside and (line[:1].isalpha() or line[:1] == "_"):
            match = _NAME.search(line)
            declares = line.rstrip().endswith(";") or "=" in line or not match
            name, start = ("", 0) if declares else (match[1], number)
    return found


def read_gcov(text):
    """{file's name: {line: count}} of gcov's JSON; inlined copies of a line are added."""
    counts = {}
    try:
        for file in json.loads(text)["files"]:
            lines = counts.setdefault(file["file"].rpartition("/")[2], {})
            for line in file["lines"]:
                lines[line["line_number"]] = lines.get(line["line_number"], 0) + line["count"]
    except (ValueError, KeyError, TypeError) as error:
        raise cli.Stop(f"gcov's output is not as expected: {error!r}", cli.FAIL) from error
    return counts


def add(total, counts):
    """Add the counts of one boot."""
    for file, lines in counts.items():
        into = total.setdefault(file, {})
        for line, count in lines.items():
            into[line] = into.get(line, 0) + count


def gather(outdir, objects):
    """(counts, number of files) of all boots that left some under outdir; objects: where they were compiled to."""
    total, files = {}, []
    for path in objects:
        for data in outdir.glob(f"*.gcov{path.with_suffix('.gcda')}"):
            notes = data.with_suffix(".gcno")
            if not notes.exists():
                notes.symlink_to(path.with_suffix(".gcno"))
            files.append(data)
    if not files:
        raise cli.Stop(f"{outdir}: no boot left any counts", cli.FAIL)
    for data in files:
        add(total, read_gcov(cli.run(["gcov", "--json-format", "--stdout", data], cwd=data.parent, capture=True,
                                     what="gcov").stdout))
    return total, len(files)


def missed(lines, first, last):
    """Runs of lines with code, none reached: [[line, ...]]."""
    runs, before = [], False
    for number in sorted(number for number in lines if first <= number <= last):
        if lines[number]:
            before = False
        elif before:
            runs[-1].append(number)
        else:
            runs.append([number])
            before = True
    return runs


@dataclasses.dataclass
class Row:
    """One function of the table."""
    area: str
    name: str
    lines: int
    reached: int
    excused: int


def judge(areas, entries, source, lines):
    """(rows, faults) for one file: its text and {line: count}."""
    text = source.splitlines()
    rows, faults, used = [], [], set()
    bodies = functions(source)
    for area, globs in areas.items():
        for glob in globs:
            names = fnmatch.filter(bodies, glob)
            if not names:
                faults.append(f"held {area}: {glob}: no such function")
            for name in names:
                if any(row.name == name for row in rows):
                    continue
                first, last = bodies[name]
                code = [number for number in lines if first <= number <= last]
                excused = 0
                for run in missed(lines, first, last):
                    said = " ".join(text[run[0] - 1].split())
                    entry = next((entry for entry in entries if (entry.function, entry.text, entry.lines) ==
                                  (name, said, len(run)) and entry.where not in used), None)
                    if entry:
                        used.add(entry.where)
                        excused += len(run)
                    else:
                        faults.append(f"{name}: line {run[0]} is not reached: {name} {len(run)}: {said}")
                rows.append(Row(area, name, len(code), sum(lines[number] > 0 for number in code), excused))
                if not code:
                    faults.append(f"{name}: no code of it was counted: is it compiled?")
    faults += [f"{entry.where}: {entry.function}: `{entry.text}`: reached, or gone: drop the entry"
               for entry in entries if entry.where not in used]
    return rows, faults


def table(rows):
    """The rows for a terminal, with a sum per area."""
    width = max([len(row.name) for row in rows] + [8])
    lines = [f"{'':{width}}  lines  reached       %  with a reason"]
    for area in dict.fromkeys(row.area for row in rows):
        mine = [row for row in rows if row.area == area]
        total = Row(area, f"{area}:", sum(row.lines for row in mine), sum(row.reached for row in mine),
                    sum(row.excused for row in mine))
        for row in [*mine, total]:
            share = 100 * row.reached / row.lines if row.lines else 0
            lines.append(f"{row.name:{width}}  {row.lines:5}  {row.reached:7}  {share:6.1f}  {row.excused or '':>13}")
    return lines


def measure(side, driver, *, glob=None, ksrc=None):
    """Build with counters and run: (source text, {line: count}, lab.Run, expected.Verdict) of the driver's first file."""
    where, sources, _, cases = DRIVERS[driver]
    tree, uml = kunit.build(side, ksrc=ksrc, sides=[side])
    kit = relink.Kit(tree, uml.parent)
    folder = cli.root() / "results" / "coverage" / driver / side
    files = [f"{where}/{name}" for name in sources]
    with cli.step("building with counters"):
        kit.copy(files, folder / "build")
        program = kit.kernel(files, folder / "build", extra=FLAGS, link_extra=LINK)
    result, verdict = kunit.run(side, program, glob=glob or cases, out=folder / "run")
    objects = [folder / "build" / member for file in files for member in kit.objects(file)]
    with cli.step("reading the counts"):
        total, boots = gather(folder / "run", objects)
    cli.say(f"   {boots} files of counts")
    return (folder / "build" / files[0]).read_text(), total.get(sources[0], {}), result, verdict
