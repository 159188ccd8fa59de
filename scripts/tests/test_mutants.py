# SPDX-License-Identifier: GPL-2.0-only
"""mutants: heads, applying, killed, survived and broken ones, all on a stand-in kernel."""

import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from poolstack import cli, mutants, relink  # noqa: E402
import fakelab  # noqa: E402

Q = "imx6q/armv7-32"
PATCH = """Mutant-of: base
Kills: fec_rx.bytes_arrive {kill}
Moves: plain_60 32 mmio_writes imx6q
Smoke: yes

The driver says sum where it means difference.

diff --git a/drivers/net/fec.c b/drivers/net/fec.c
--- a/drivers/net/fec.c
+++ b/drivers/net/fec.c
@@ -1,2 +1,2 @@
 one
-two
+three
"""
FIGURE = '    # c: figure {{"soc":"@SOC@","class":"@CLASS@","workload":"plain_60","batch":32,' \
         '"metric":"mmio_writes","sum":{0},"frames":512}}'


class Kit(relink.Kit):
    """Stands in for the compiler: kernels come from make(folder)."""

    def __init__(self, tree, make):
        self.tree, self.make = tree, make

    def kernel(self, files, folder, **_):
        return self.make(folder)


class Base(unittest.TestCase):
    """A tree with one file, a mutant of it, and kernels to come out of the build."""

    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.addCleanup(cli.run_deferred)
        self.folder = Path(temp.name)
        self.tree = SimpleNamespace(path=self.folder / "tree", side="base")
        self.file = self.tree.path / "drivers/net/fec.c"
        self.file.parent.mkdir(parents=True)
        self.file.write_text("one\ntwo\n")
        self.said = []
        say = cli.say
        cli.say = self.said.append
        self.addCleanup(setattr, cli, "say", say)

    def mutant(self, text=PATCH.format(kill=Q), name="wrong"):
        """Write and read a mutant."""
        path = self.folder / f"{name}.patch"
        path.write_text(text)
        return mutants.load(path)

    def kernel(self, state="ok", total=1088, where="clean"):
        """A stand-in kernel whose case has this state and whose counter this sum."""
        folder = self.folder / where
        folder.mkdir(exist_ok=True)
        return fakelab.make(folder, {"fec_rx.bytes_arrive": {Q: state}, "fec_figures.c": {Q: "ok"}},
                            say={"fec_figures.c": [FIGURE.format(total)]})

    def outcome(self, state, total, mutant=None):
        """Run the mutant; its kernel has this state and sum."""
        mutant = mutant or self.mutant()
        before, wrong = mutants.baseline([mutant], self.kernel(), self.folder / "out")
        self.assertEqual(wrong, {})

        def make(folder):
            self.assertEqual((folder / "drivers/net/fec.c").read_text(), "one\nthree\n")
            return self.kernel(state, total, "mutated")

        result = mutants.run_one(mutant, Kit(self.tree, make), before, self.folder / "out")
        self.assertEqual(self.file.read_text(), "one\ntwo\n")
        return result


class Outcomes(Base):
    """What becomes of a mutant."""

    def test_killed(self):
        """The case is red and the figure moved."""
        result = self.outcome("red", 2000)
        self.assertEqual(result.verdict, "killed", result.told)
        self.assertIn("2.12 -> 3.91", " ".join(result.told))

    def test_survivor_case_green(self):
        """The figure moved, but the case it names stayed green: survived."""
        self.assertEqual(self.outcome("ok", 2000).verdict, "survived")

    def test_survivor_figure_stayed(self):
        """The case is red, but the counter did not see it: survived."""
        self.assertEqual(self.outcome("red", 1088).verdict, "survived")

    def test_figures_of_its_driver(self):
        """The figures of a mutant of mtk_eth_soc come from that driver's suite."""
        mutant = self.mutant(PATCH.format(kill=Q).replace("net/fec.c", "net/ethernet/mediatek/mtk_eth_soc.c"))
        folder = self.folder / "clean"
        folder.mkdir()
        kernel = fakelab.make(folder, {"fec_rx.bytes_arrive": {Q: "ok"}, "mtk_figures.c": {Q: "ok"}},
                              say={"mtk_figures.c": [FIGURE.format(1088)]})
        self.assertEqual(mutants.baseline([mutant], kernel, self.folder / "out")[1], {})

    def test_panic_and_splat_kill(self):
        """A kernel that dies, and one that complains."""
        self.assertEqual(self.outcome("panic", 2000).verdict, "killed")
        self.assertEqual(self.outcome("splat", 2000).verdict, "killed")

    def broken(self, make):
        """Run a mutant whose kernel is made by this; returns what is told."""
        mutant = self.mutant()
        before, _ = mutants.baseline([mutant], self.kernel(), self.folder / "out")
        result = mutants.run_one(mutant, Kit(self.tree, make), before, self.folder / "out")
        self.assertEqual(result.verdict, "broken", result.told)
        return " ".join(result.told)

    def test_kernel_that_runs_nothing_proves_nothing(self):
        """No KTAP header: the mutant broke the boot, that is no kill."""
        def make(_):
            folder = self.folder / "dead"
            folder.mkdir()
            return fakelab.make(folder, {}, no_ktap=True)

        self.assertIn("no KTAP header", self.broken(make))

    def test_patch_that_does_not_apply(self):
        """The driver moved on: broken, which fails the run."""
        self.file.write_text("something\nelse\n")
        self.assertIn("applying mutant wrong failed", self.broken(self.fail))

    def test_file_that_is_not_there(self):
        """The patch is for a file that this kernel does not have."""
        self.file.rename(self.file.with_name("other.c"))
        self.assertIn("no drivers/net/fec.c in the base tree", self.broken(self.fail))

    def test_build_failure(self):
        """A mutant that does not compile is broken."""
        def make(_):
            raise cli.Failed("building: error: expected ;")

        self.assertIn("expected ;", self.broken(make))

    def test_in_a_git_work_tree(self):
        """The folder of the results lies in one: the patch goes to the copy all the same."""
        subprocess.run(["git", "init", "-q", self.folder], check=True)
        self.assertEqual(self.outcome("red", 2000).verdict, "killed")

    def test_many(self):
        """Outcomes come in the order of the mutants; one with a wrong head does not stop the others."""
        chosen = [self.mutant(name="a"), self.mutant(PATCH.format(kill="imx6q/armv5-32"), "b"), self.mutant(name="c")]
        before, wrong = mutants.baseline(chosen, self.kernel(), self.folder / "out")
        kit = Kit(self.tree, lambda _: self.kernel("red", 2000, "mutated"))
        outcomes = mutants._run_side(chosen, kit, before, wrong, self.folder / "out")
        self.assertEqual([outcome.verdict for outcome in outcomes], ["killed", "broken", "killed"])
        self.assertIn("1 not", mutants.table(outcomes))

    def test_interrupt_ends_the_boots(self):
        """Ctrl-C while kernels run in threads."""
        chosen = [self.mutant(name="a")]
        before, wrong = mutants.baseline(chosen, self.kernel(), self.folder / "out")
        kit = Kit(self.tree, lambda _: self.kernel("hang", 2000, "mutated"))
        begin = time.monotonic()
        with mock.patch.object(mutants.concurrent.futures, "as_completed", side_effect=KeyboardInterrupt):
            with self.assertRaises(KeyboardInterrupt):
                mutants._run_side(chosen, kit, before, wrong, self.folder / "out")
        self.assertLess(time.monotonic() - begin, 30)

    def wrong(self, mutant, state="ok"):
        """What the run without the mutant says about its head."""
        return mutants.baseline([mutant], self.kernel(state), self.folder / "out")[1].get("wrong", "")

    def test_red_without_the_mutant(self):
        """A case that is red anyway proves nothing."""
        self.assertIn("would prove nothing", self.wrong(self.mutant(), "red"))

    def test_case_that_does_not_exist(self):
        """A Kills line that names a class or case that nobody runs."""
        self.assertIn("not there", self.wrong(self.mutant(PATCH.format(kill="imx6q/armv5-32"))))

    def test_figure_that_does_not_exist(self):
        """A Moves line that names a figure nobody prints."""
        mutant = self.mutant(PATCH.format(kill=Q).replace("plain_60", "plain_61"))
        self.assertIn("plain_61", self.wrong(mutant))


class Heads(Base):
    """The head of a mutant file."""

    def test_head(self):
        """All fields."""
        mutant = self.mutant()
        self.assertEqual((mutant.side, mutant.smoke, mutant.files), ("base", True, ["drivers/net/fec.c"]))
        self.assertEqual(mutant.kills, [("fec_rx.bytes_arrive", "imx6q", "armv7-32")])
        self.assertEqual(mutant.moves, [("plain_60", 32, "mmio_writes", "imx6q")])
        self.assertIn("difference", mutant.why)
        self.assertEqual(mutant.variant, "plain")
        self.assertEqual(self.mutant(PATCH.format(kill=Q).replace("Smoke: yes", "Variant: smp")).variant, "smp")

    def test_bad_heads(self):
        """Each kind of bad head is refused with its file."""
        good = PATCH.format(kill=Q)
        for old, new in (("Mutant-of: base", "Mutant-of: mine"), ("Mutant-of: base\n", ""),
                         (f"fec_rx.bytes_arrive {Q}", "bytes_arrive"), ("plain_60 32", "plain_60 x"),
                         ("Smoke: yes", "Smoke: no"), ("Smoke: yes", "Variant: fast"), ("The driver says sum where it means difference.", ""),
                         ("diff --git", "diff"), ("drivers/net/fec.c", "drivers/net/ethernet/poolstack/lab/dma.c")):
            with self.assertRaises(cli.Stop) as stop:
                self.mutant(good.replace(old, new))
            self.assertIn("wrong.patch", stop.exception.message)

    def test_choice(self):
        """By name, by smoke, and a name that is not there."""
        self.mutant()
        self.mutant(PATCH.format(kill=Q).replace("Smoke: yes\n", ""), "other")
        names = [mutant.name for mutant in mutants.load_all(folder=self.folder)]
        self.assertEqual(names, ["other", "wrong"])
        self.assertEqual([mutant.name for mutant in mutants.load_all(only_smoke=True, folder=self.folder)], ["wrong"])
        with self.assertRaises(cli.Stop):
            mutants.load_all(["nobody"], folder=self.folder)

    def test_shipped_heads(self):
        """The mutants of this repository parse, and some are for make test."""
        shipped = mutants.load_all()
        self.assertGreaterEqual(len([mutant for mutant in shipped if mutant.smoke]), 6)


if __name__ == "__main__":
    unittest.main()
