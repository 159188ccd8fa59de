# SPDX-License-Identifier: GPL-2.0-only
"""What each patch of a topic did to the figures: the stack up to each, measured one after the other.

The first step is the kernel with all that comes before the topic, and then every step has one patch more.
All are built in the tree of side patched, so that kbuild makes again only what a patch changed.

    results/<board>/walk-<topic>/<UTC>/<step>/run-<n>/...   as of any measurement, see results.py
    results/<board or group>/walk-<topic>/walk.json .md     the newest walk: a row per figure
"""

import dataclasses
import shutil

from poolstack import apply, bench, board, cli, kernel, lab, results, series, trees, verdict

BEFORE = "before"


@dataclasses.dataclass
class Job:
    """What is measured step by step, and under which name it is kept."""
    kind: str                       # "walk", or "variants" (variants.py)
    name: str                       # topic, or set of variants
    keep: object = None             # None, or whether a workload, by its name, is measured

    @property
    def folder(self):
        """Below results/<board>."""
        return f"{self.kind}-{self.name}"


@dataclasses.dataclass
class Step:
    """The stack up to one patch."""
    name: str                       # "before", or the number that the patch's file begins with
    title: str                      # its subject
    commit: str
    label: str                      # what a failure names

    @property
    def head(self):
        """Number and subject, for people."""
        return f"{self.name}  {self.title}"


def steps(source, topic_name):
    """The steps of a topic; a patch that does not apply, or changes nothing, stops here and is named."""
    topics = series.up_to(topic_name)
    topic = topics[-1]
    if not topic.active:
        raise cli.Stop(f"nothing to walk: topic {topic.name} has no patch", cli.SKIP)
    each = trees.commit_of_each(source, topics)
    first = len(each) - len(topic.active)
    earlier = " ".join(entry.name for entry in topics[:-1] if entry.active)
    title = source.version + (f" + {earlier}" if earlier else "")
    found = [Step(BEFORE, title, each[first - 1][2] if first else source.commit, title)]
    for _, patch, commit in each[first:]:
        found.append(Step(patch.file.partition("-")[0], apply.subject(apply.read(patch.path)), commit,
                          f"{topic.name}/{patch.file}"))
    return found


def tree_at(source, step, ksrc=None):
    """The tree of side patched at a step, with the lab in it."""
    name = "ksrc-patched" if ksrc else "patched"
    tree = trees.at_commit(name, source, step.commit, step.label, lab=True)
    # What a whole stack must hold, no part of one has to.
    return dataclasses.replace(tree, side=step.name, patched=False)


class LabGroup:
    """Lab boards of one group: all of a step's boots side by side."""

    def __init__(self, confs, keep=None):
        self.confs = confs
        self.keep = keep
        self.kernel = None

    def prepare(self, tree):
        """Build the step's lab kernel."""
        self.kernel = lab.build_kernel(tree)

    def run(self, step, targets, _number):
        """{board's name: samples}."""
        outdirs = {name: target / step.name / "run-1" for name, target in targets.items()}
        found = bench.lab_figures(self.confs, self.kernel, outdirs, step.label)
        if not self.keep:
            return found
        kept = {name: [sample for sample in samples if self.keep(sample["workload"])]
                for name, samples in found.items()}
        # a controller may have none of these workloads
        return {name: samples for name, samples in kept.items() if samples}

    @staticmethod
    def env():
        """A lab has no surroundings."""
        return {}


class Single:
    """A board that is run by itself."""

    def __init__(self, conf, keep=None):
        self.confs = [conf]
        self.machine = bench.open_board(conf)
        if keep:
            self.machine.narrow(keep)
        self.tree = None

    def prepare(self, tree):
        """Build what the step boots."""
        self.tree = tree
        self.machine.prepare(tree.side, tree)

    def run(self, step, targets, number):
        """{board's name: samples}."""
        name = self.confs[0].name
        return {name: self.machine.run(step.name, targets[name] / step.name / f"run-{number}")}

    def env(self):
        """What the runs found out."""
        return self.machine.env()


def machines(confs, keep=None):
    """What runs these boards: the lab's together, others one by one; keep as of Job."""
    labs = [conf for conf in confs if conf["WHERE"] == "lab"]
    if labs:
        lab.check_host()
    return ([LabGroup(labs, keep)] if labs else []) + \
        [Single(conf, keep) for conf in confs if conf["WHERE"] != "lab"]


def boards(chosen, runs):
    """The board files of what was chosen; too few runs for one of them are refused."""
    confs = list({conf.name: conf for _, members in chosen for conf in members}.values())
    slow = [conf.name for conf in confs if conf["WHERE"] != "lab"]
    if slow and runs < verdict.MIN_RUNS:
        raise cli.Stop(f"a walk on {slow[0]} needs {verdict.MIN_RUNS} runs of each step, to tell a move from noise: "
                       f"this one has {runs}")
    return confs


def run(topic_name, words, *, runs, soc="", ksrc=None):
    """The whole walk: [walk.json's content of each board or group]; the first failure ends it."""
    chosen = board.select(words, soc=soc)
    groups = machines(boards(chosen, runs))
    source = kernel.source(ksrc)
    with cli.step(f"applying the stack up to {topic_name}"):
        walked = steps(source, topic_name)
    return measure(Job("walk", topic_name), walked, chosen, groups, source, runs=runs, ksrc=ksrc)


def measure(job, walked, chosen, groups, source, *, runs, ksrc=None):
    """Build and run each step on what machines() gave for the chosen boards; as run()."""
    targets = {conf.name: results.begin(f"{conf.name}/{job.folder}") for group in groups for conf in group.confs}
    try:
        about = {}
        for place, step in enumerate(walked):
            with cli.step(f"{place} of {len(walked) - 1}: {step.label}"):
                tree = tree_at(source, step, ksrc)
                about[step.name] = _one(step, tree, groups, targets, runs)
        ran = {name for name, target in targets.items() if any(target.glob("*/run-1/samples.json"))}
        for group in groups:
            for conf in group.confs:
                if conf.name in ran:
                    results.finish(targets[conf.name], conf, {name: side | {"env": side["env"] | group.env()}
                                                              for name, side in about.items()})
    except (KeyboardInterrupt, cli.Terminated):     # of a failure the logs stay
        for target in targets.values():
            shutil.rmtree(target, ignore_errors=True)
        raise
    parts = [(name, [targets[conf.name] for conf in members if conf.name in ran]) for name, members in chosen]
    return [publish(name, job, walked, members) for name, members in parts if members]


def _one(step, tree, groups, targets, runs):
    """Build and measure one step on all boards; returns what side.json shall say."""
    for group in groups:
        try:
            group.prepare(tree)
        except cli.Failed as failed:
            raise cli.Failed(f"patch does not build: {step.label}: {failed.message}", log=failed.log,
                             output=failed.output) from failed
        # The lab counts exactly: a second run would tell nothing.
        for number in range(1, (1 if isinstance(group, LabGroup) else runs) + 1):
            try:
                for name, samples in group.run(step, targets, number).items():
                    results.save_run(targets[name], step.name, number, samples)
            except cli.Failed as failed:
                raise cli.Failed(f"patch does not run: {step.label}: {failed.message}", log=failed.log) from failed
    return {"kernel": tree.version, "commit": tree.commit, "describe": step.label, "title": step.title,
            "env": bench.host()}


def rows(measured, where, soc):
    """Rows of walk.json from [{step: [samples of a run, ...]}]: {"values": of each step, "moves": [...]}.

    A value is a median, None where the step has no such figure. A move is a step whose value differs from
    that of the step before, by the rules of a comparison (verdict.decide).
    """
    names = list(measured)
    sides = []
    for name in names:
        found = {}
        for samples in measured[name]:
            for sample in samples:
                found.setdefault(verdict.key(sample), []).append(sample)
        sides.append(found)
    made = []
    for which in dict.fromkeys(key for side in sides for key in side):
        lists = [side.get(which, []) for side in sides]
        sample = next(found for found in lists if found)[0]
        values = [verdict.figure(found)["median"] for found in lists]
        moves = []
        for place in range(1, len(names)):
            told = _move(lists[place - 1], lists[place], sample, where)
            if told:
                moves.append({"step": names[place], "from": values[place - 1], "to": values[place], "verdict": told})
        made.append({"soc": which[0] or soc, "workload": which[1], "batch": which[2], "metric": which[3],
                     "unit": sample["unit"], "better": sample["better"], "values": values, "moves": moves})
    return made


def _move(before, after, sample, where):
    """The verdict where a figure moved, or ''."""
    if not before or not after:
        return "" if before == after else "gone" if before else "new"
    told, reason = verdict.decide(before, after, sample, [], times_are_emulated=where != "lab")
    if told == "void":
        raise cli.Failed(f"{sample['workload']} {sample['metric']}: {reason}")
    if told == "same" and sample["better"] == "info":
        return "moved" if verdict.figure(before)["median"] != verdict.figure(after)["median"] else ""
    return "" if told == "same" else told


def publish(name, job, walked, targets):
    """Make <kind>.json and .md of a board or group from what was measured; returns the content."""
    from poolstack import walkshow
    parts = [results.load(target) for target in targets]
    kinds = {info["where"] for info, _, _ in parts}
    if len(kinds) > 1:
        raise cli.Stop(f"board group {name} mixes {' and '.join(sorted(kinds))}")
    data = {"schema": results.SCHEMA, "board": name, "kind": job.kind, "topic": job.name,
            "where": parts[0][0]["where"],
            "soc": " ".join(info["soc"] for info, _, _ in parts),
            "steps": [{"name": step.name, "title": step.title, "commit": step.commit, "label": step.label}
                      for step in walked],
            "rows": [row for info, _, measured in parts for row in rows(measured, info["where"], info["soc"])]}
    folder = results.folder() / name / job.folder
    results.write_json(folder / f"{job.kind}.json", data)
    cli.atomic_write(folder / f"{job.kind}.md", walkshow.markdown(data))
    return data
