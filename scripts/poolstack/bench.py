# SPDX-License-Identifier: GPL-2.0-only
"""The main job: build both sides, run the workloads of the boards in turn, compare, print.

The sides take turns run by run, so that whatever drifts on the host drifts under both.
"""

import hashlib
import os
import platform
import shutil

from poolstack import board, cli, expected, lab, results, trees, uml, verdict

SIDES = trees.SIDES
LAB_LIMIT = 60                      # seconds for the figures of one SoC


def parse_sides(text):
    """"base patched" -> ["base", "patched"]."""
    sides = text.split()
    if not 1 <= len(sides) <= 2 or len(set(sides)) != len(sides) or any(side not in SIDES for side in sides):
        raise cli.Stop(f"SIDES=\"{text}\": want one or two different ones of {' '.join(SIDES)}")
    return sides


def host():
    """What the host is; recorded before and after every side."""
    return {"machine": platform.machine(), "cpus": os.cpu_count()}


def fragments_id(conf):
    """Says which configuration was asked for; what kbuild made of it may differ between kernel versions."""
    digest = hashlib.sha256()
    for word in conf.get("KERNEL_CONFIG", "").split():
        path = cli.root() / word
        if not path.is_file():
            raise cli.Stop(f"{conf.path}:{conf.lines['KERNEL_CONFIG']}: key KERNEL_CONFIG: no such file: {word}")
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def about(tree, conf, extra=None):
    """What side.json says of a side, but for env_after."""
    return {"kernel": tree.version, "commit": tree.commit, "describe": tree.describe, "patched": tree.patched,
            "env": {"config": fragments_id(conf), **host(), **(extra or {})}}


def figure_jobs(conf, uml, outdir, lone_socs):
    """The boots for the figures of one SoC: one, or one per case where the driver binds only once per boot."""
    suite, soc = f"{conf['DRIVER']}_figures", conf["SOC"]
    if soc not in lone_socs:
        return [lab.Job(suite, soc)]
    cases, _ = lab.inventory(uml, suite, outdir, soc=soc)
    return [lab.Job(name, soc) for name in cases]


def lab_figures(confs, uml, outdirs, label, left=None):
    """One run of lab boards, side by side: {board's name: samples}; outdirs: {board's name: folder}.

    left: faults that the driver still has, None: any; what they leave behind is not what is measured.
    """
    listed = cli.root() / "kunit" / "expected-red"
    lone_socs = expected.lone_socs(listed)
    jobs = {conf.name: figure_jobs(conf, uml, outdirs[conf.name], lone_socs) for conf in confs}
    for name, mine in jobs.items():
        for job in mine:
            job.log = outdirs[name] / f"{job.name}.log"
    lab.boot_all([job for mine in jobs.values() for job in mine], uml, None, limit=LAB_LIMIT,
                 extra=expected.forgive_args(listed, left))
    found = {}
    for conf in confs:
        run_ = lab.Run(label, "plain", uml, outdirs[conf.name], known=expected.forgiven_warnings(listed, left))
        for job in jobs[conf.name]:
            lab.collect(job, run_, LAB_LIMIT)
        red = [f"{case.name} {case.param}: {case.reason}" for case in run_.cases if case.status == "fail"]
        problems = run_.faults + red
        if problems:
            raise cli.Failed(f"{conf.name}, {label}: {problems[0]}: see {outdirs[conf.name]}")
        found[conf.name] = verdict.lab_samples(run_.figures, conf["SOC"])
    return found


class LabBoard:
    """A row of kunit/socs. One run is a boot of its figures, and one with its traffic, see uml.py."""

    built = {}                      # side -> kernel: one serves all rows of a run

    def __init__(self, conf, traffic=False):
        self.conf = conf
        self.kernels = {}
        self.traffic = uml.Board(conf) if traffic and conf.get("NETIF") else None

    def prepare(self, side, tree):
        """Build the side's lab kernels, which the boards of a run share."""
        if side not in self.built:
            self.built[side] = lab.build_kernel(tree)
        self.kernels[side] = self.built[side]
        if self.traffic:
            self.traffic.prepare(side, tree)

    def run(self, side, outdir):
        """One run: the samples."""
        samples = lab_figures([self.conf], self.kernels[side], {self.conf.name: outdir}, side,
                              left=set() if side == "patched" else None)[self.conf.name]
        if self.traffic:
            samples += self.traffic.run(side, outdir)
        return samples

    def env(self):
        """What the run found out about its surroundings."""
        return self.traffic.env() if self.traffic else {}


def open_board(conf, traffic=False):
    """The object that runs a board file; traffic: a lab board's too, if it has a network."""
    if conf["WHERE"] == "lab":
        lab.check_host()
        return LabBoard(conf, traffic)
    if conf["WHERE"] == "qemu":
        from poolstack import emulated
        return emulated.QemuBoard(conf)
    raise cli.Stop(f"{conf.path}: WHERE={conf['WHERE']} cannot be run yet")


def measure(conf, sides, side_trees, runs, traffic=False):
    """All runs of one board; returns the path of the measurement. Interrupted, it leaves nothing."""
    machine = open_board(conf, traffic)
    target = results.begin(conf.name)
    try:
        facts = {}
        for side in sides:
            machine.prepare(side, side_trees[side])
        for side in sides:
            facts[side] = about(side_trees[side], conf)
        with cli.step(f"{conf.name}: {runs} runs of {' and '.join(sides)}"):
            for number in range(1, runs + 1):
                for side in sides:
                    outdir = target / side / f"run-{number}"
                    samples = machine.run(side, outdir)
                    results.save_run(target, side, number, samples)
        for side in sides:
            facts[side]["env"].update(machine.env())
            facts[side]["env_after"] = facts[side]["env"] | host()
        results.finish(target, conf, facts)
    except (KeyboardInterrupt, cli.Terminated):
        shutil.rmtree(target, ignore_errors=True)
        raise
    return target


def run(words, sides, *, runs, soc="", ksrc=None, topic=None):
    """The whole job; returns (comparisons, [what failed])."""
    chosen = board.select(words, soc=soc)
    if any(conf["WHERE"] == "lab" for _, confs in chosen for conf in confs):
        lab.check_host()
    side_trees = {side: trees.prepare(side, ksrc=ksrc, topic=topic, sides=sides) for side in sides}
    LabBoard.built.clear()
    uml.Board.built.clear()
    done, failed = [], []
    for name, confs in chosen:
        parts = []
        for conf in confs:
            try:
                parts.append(results.compare(measure(conf, sides, side_trees, runs, traffic=name == conf.name)))
            except cli.Failed as error:     # the other boards still run; the script fails in the end
                failed.append(error.message)
                cli.say(f"FAILED {conf.name}: {error.message}")
        done += publish(name, parts)
    return done, failed


def publish(name, parts):
    """Write the comparison of every board, and of the group if name is one; returns those to print."""
    for part in parts:
        results.publish(part)
    if not parts:
        return []
    if len(parts) == 1 and parts[0]["board"] == name:
        return parts
    kinds = {part["where"] for part in parts}
    if len(kinds) > 1:
        raise cli.Stop(f"board group {name} mixes {' and '.join(sorted(kinds))}")
    group = results.join(name, parts)
    results.publish(group)
    return [group]


def remake(words, *, folder=None):
    """Compare again what lies in results/; returns the comparisons."""
    done = []
    for name, confs in board.select(words):
        targets = [folder] if folder else [results.newest(conf.name) for conf in confs]
        done += publish(name, [results.compare(target) for target in targets])
    return done
