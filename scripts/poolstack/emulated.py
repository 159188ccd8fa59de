# SPDX-License-Identifier: GPL-2.0-only
"""The emulated board as bench and test want it: prepare a side, make one run, say what it ran on."""

from poolstack import board, cli, qemu, trees

SMOKE_BOARD = "imx8mp-evk-qemu"


class QemuBoard:
    """One board file with WHERE=qemu."""

    def __init__(self, conf):
        self.conf = conf
        self.board = qemu.Board(conf)
        self.trees = {}

    def narrow(self, keep):
        """Run only the workloads whose name keep() likes."""
        self.board.keep = keep

    def prepare(self, side, tree):
        """Build what the side boots."""
        self.trees[side] = tree
        self.board.prepare(side, tree)

    def run(self, side, outdir):
        """One run: the samples."""
        return self.board.run(side, self.trees[side], outdir, 1)[0]

    def env(self):
        """Versions of what measures."""
        return self.board.env()


def smoke(side):
    """(passed, failed, skipped) of a short round on one side: a workload that fails stops it."""
    conf = board.load(board.folder() / f"{SMOKE_BOARD}.conf")
    samples = qemu.Board(conf).smoke(trees.prepare(side), cli.root() / "results" / "test" / SMOKE_BOARD)
    works = {sample["workload"] for sample in samples}
    if not works:
        raise cli.Failed(f"{SMOKE_BOARD}: the smoke run gave no sample")
    return len(works), 0, 0
