# SPDX-License-Identifier: GPL-2.0-only
"""Targets of a topic: what its figures have to reach, and whether a comparison shows that they do.

One file per topic, configs/targets/<topic>, one line per target:

    <board> <workload>[:<batch>] <metric> <op> <value>

board, workload and metric are globs; boards of the lab are lab-<driver>-<soc>. Without a batch every batch
counts. Where a target speaks of several figures all have to reach it, and the worst is shown. A share of
nothing (metrics.SHARE_OF: of a count that was measured and is 0) asks for nothing: it is met, and says so.

    op     <= >= == < >
    value  a number, or <factor>*base: of what the first side has
    not worse    instead of op and value: no verdict of the comparison is `worse`
"""

import dataclasses
import fnmatch
import operator
import re

from poolstack import cli, results, series
from poolstack.metrics import SHARE_OF

OPS = {"<=": operator.le, ">=": operator.ge, "==": operator.eq, "<": operator.lt, ">": operator.gt}
MET, MISSED, ABSENT = "met", "missed", "not measured"


@dataclasses.dataclass
class Target:
    """One line of a file."""
    topic: str
    board: str                      # globs, these three
    workload: str
    metric: str
    batch: object                   # None: every one
    op: str
    value: float                    # a number, or the factor where of_base
    of_base: bool
    where: str                      # file:line

    @property
    def text(self):
        """What is asked for, as the file says it."""
        return "not worse" if self.op == "not" else f"{self.op} {self.value:g}{' × base' if self.of_base else ''}"

    def concerns(self, name, row):
        """True where this target speaks of that row of that board."""
        return fnmatch.fnmatchcase(name, self.board) and fnmatch.fnmatchcase(row["workload"], self.workload) and \
            fnmatch.fnmatchcase(row["metric"], self.metric) and self.batch in (None, row["batch"])


@dataclasses.dataclass
class Outcome:
    """What became of one target."""
    target: Target
    base: object                    # of the row that is shown; None: there is none
    value: object
    verdict: str
    note: str = ""                  # which row, and how many did not reach it


def folder():
    """Where the files are."""
    return cli.root() / "configs" / "targets"


def load(path):
    """The targets of a file; a line that is not understood is an error that names it."""
    if not path.is_file():
        raise cli.Stop(f"no targets: {path}: there is: "
                       f"{' '.join(sorted(file.name for file in path.parent.glob('*'))) or 'nothing'}")
    found = []
    for number, raw in enumerate(path.read_text().splitlines(), 1):
        words = raw.partition("#")[0].split()
        if not words:
            continue
        where = f"{path.name}:{number}"
        if len(words) != 5:
            raise cli.Stop(f"{where}: `{raw.strip()}`: want <board> <workload>[:<batch>] <metric> <op> <value>")
        name, workload, metric, op, value = words
        workload, colon, batch = workload.partition(":")
        number = re.fullmatch(r"(\d+(?:\.\d+)?)(\*base)?", value)
        if (op, value) != ("not", "worse") and (op not in OPS or not number):
            raise cli.Stop(f"{where}: `{op} {value}`: want one of {' '.join(OPS)} and a number or <factor>*base, "
                           "or: not worse")
        if colon and not batch.isdigit():
            raise cli.Stop(f"{where}: `:{batch}`: want a number of frames per interrupt")
        found.append(Target(path.name, name, workload, metric, int(batch) if batch else None, op,
                            float(number[1]) if number else 0.0, bool(number and number[2]), where))
    if not found:
        raise cli.Stop(f"{path}: no target in it", cli.FAIL)
    return found


def of_stack():
    """The targets of every topic of patches/series that has a file."""
    names = [topic.name for topic in series.load() if topic.active and (folder() / topic.name).is_file()]
    return [target for name in names for target in load(folder() / name)]


def names_of(data):
    """{SoC of a row: board} of a comparison, for those that have no row too."""
    if data["where"] != "lab":
        return {data["soc"]: data["board"]}
    driver = data["board"].split("-")[1]
    return {soc: f"lab-{driver}-{soc}" for soc in data["soc"].split()}


def judge(targets, data):
    """[Outcome] of the targets that are about boards of this comparison."""
    boards = names_of(data)
    sides = list(data["sides"])
    outcomes = []
    for target in targets:
        if not any(fnmatch.fnmatchcase(name, target.board) for name in boards.values()):
            continue
        # Targets of the lab are about its exact counts, which have a batch; its traffic has none.
        rows = [row for row in data["rows"] if (data["where"] != "lab" or row["batch"] is not None)
                if target.concerns(boards.get(row["soc"].partition("/")[0], data["board"]), row)]
        outcomes.append(_not_worse(target, rows, sides) if target.op == "not" else
                        _reach(target, rows, sides, lambda row: _idle(data["rows"], row, sides[-1])))
    return outcomes


def _idle(rows, share, side):
    """True where a side has no such share because nothing was there to share: it was counted, and is 0."""
    return share["metric"] in SHARE_OF and share[side]["median"] is None and any(
        row["metric"] == SHARE_OF[share["metric"]] and row[side]["ci95"] == [0, 0] and
        all(row[name] == share[name] for name in ("soc", "workload", "batch")) for row in rows)


def _label(row):
    """Which row it is."""
    return " ".join([row["soc"], row["workload"] + (f" b{row['batch']}" if row["batch"] is not None else "")])


def _reach(target, rows, sides, idle):
    """A target with a number: the row that is worst."""
    judged, resting = [], []
    for row in rows:
        base, value = row[sides[0]]["median"], row[sides[-1]]["median"]
        if idle(row):
            resting.append(row)
            continue
        if value is None or (target.of_base and (base is None or len(sides) < 2)):
            return Outcome(target, base, value, ABSENT, f"{_label(row)}: no value of a side")
        wanted = target.value * base if target.of_base else target.value
        judged.append((OPS[target.op](value, wanted), value - wanted, base, value, row))
    if not judged and resting:
        return Outcome(target, resting[0][sides[0]]["median"] if len(sides) > 1 else None, None, MET,
                       f"no page had to be recycled: {_label(resting[0])}"
                       + (f" and {len(resting) - 1} more" if len(resting) > 1 else ""))
    if not judged:
        return Outcome(target, None, None, ABSENT, "no such figure")
    missed = [entry for entry in judged if not entry[0]]
    # Of those that miss it the farthest off, else the one that is nearest to missing it.
    sign = -1 if target.op in (">=", ">") else 1
    _, _, base, value, row = max(missed or judged,
                                 key=lambda entry: abs(entry[1]) if target.op == "==" else sign * entry[1])
    note = _label(row) if len(judged) > 1 else ""
    if missed and len(judged) > 1:
        note += f" and {len(missed) - 1} more of {len(judged)}"
    if resting:
        note += f"{'; ' if note else ''}no page had to be recycled in {len(resting)} more"
    return Outcome(target, base if len(sides) > 1 else None, value, MISSED if missed else MET, note)


def _not_worse(target, rows, sides):
    """No row of those got worse. A void one was not compared."""
    if len(sides) < 2 or not rows:
        return Outcome(target, None, None, ABSENT, "only one side was measured" if rows else "no such figure")
    worse = [row for row in rows if row["verdict"] == "worse"]
    void = [row for row in rows if row["verdict"] == "void"]
    told = (worse or void or rows)[0]
    note = f"{len(worse)} of {len(rows)} worse" + (f", {len(void)} void" if void else "")
    if worse or void:
        note += f", e.g. {_label(told)} {told['metric']}"
    return Outcome(target, *([told[side]["median"] for side in (sides[0], sides[-1])] if worse or void else (None, None)),
                   MISSED if worse else ABSENT if void else MET, note)


HEAD = ["board", "workload", "metric", "base", "target", "measured", "verdict", "which"]


def cells(outcomes):
    """A line of text cells for each; see HEAD."""
    def text(value):
        return "-" if value is None else results.number(value)

    return [[outcome.target.board,
             outcome.target.workload + (f":{outcome.target.batch}" if outcome.target.batch is not None else ""),
             outcome.target.metric, text(outcome.base), outcome.target.text, text(outcome.value),
             outcome.verdict.upper() if outcome.verdict == MISSED else outcome.verdict, outcome.note]
            for outcome in outcomes]


def tally(outcomes):
    """How many were met."""
    count = {kind: sum(outcome.verdict == kind for outcome in outcomes) for kind in (MET, MISSED, ABSENT)}
    topics = " ".join(dict.fromkeys(outcome.target.topic for outcome in outcomes))
    return f"{topics}: {len(outcomes)} targets: " + ", ".join(f"{count[kind]} {kind}" for kind in count)


def table(outcomes):
    """For a terminal; nothing where no target is about the board."""
    if not outcomes:
        return ""
    return "\n".join(results.columns([HEAD] + cells(outcomes), (3, 5)) + [tally(outcomes)])


def markdown(outcomes):
    """The same as lines of Markdown."""
    if not outcomes:
        return []
    return ["| " + " | ".join(line) + " |"
            for line in [HEAD, ["---"] * len(HEAD), *cells(outcomes)]] + ["", tally(outcomes)]
