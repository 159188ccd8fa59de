# SPDX-License-Identifier: GPL-2.0-only
"""bench: both sides measured in turn, results whole or absent, failures kept apart; on a stand-in kernel."""

import json
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from poolstack import bench, board, cli, lab, results, trees  # noqa: E402
import fakelab  # noqa: E402

FIGURE = '    # c: figure {{"soc":"@SOC@","class":"@CLASS@","workload":"plain_60","batch":32,' \
         '"metric":"dma_lines_for_device","sum":{0},"frames":512}}'
CONF = "BOARD=lab-fec-{0}\nSOC={0}\nDRIVER=fec\nWHERE=lab\nARCH=um\nDEPLOY=uml\nKERNEL_CONFIG=kunit/kunitconfig\n"


class Measuring(unittest.TestCase):
    """The whole job, with everything below it replaced."""

    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.folder = Path(temp.name)
        (self.folder / "boards").mkdir()
        for soc in ("imx6q", "imx8mq"):
            (self.folder / "boards" / f"lab-fec-{soc}.conf").write_text(CONF.format(soc))
        self.state = {"base": "ok", "patched": "ok"}
        self.sums = {"base": 28160, "patched": 1024}
        self.order = []
        for where, name, value in (
                (board, "folder", lambda: self.folder / "boards"), (results, "folder", lambda: self.folder / "results"),
                (trees, "prepare", self.prepare), (lab, "build_kernel", self.build),
                (lab, "check_host", lambda: None), (cli, "say", lambda text: None)):
            patch = mock.patch.object(where, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def prepare(self, side, **_):
        """Instead of a kernel tree."""
        return SimpleNamespace(side=side, version="7.3.4", commit="0" * 40, describe=side, patched=side != "base")

    def build(self, tree):
        """Instead of a kernel."""
        folder = self.folder / tree.side
        folder.mkdir(exist_ok=True)
        params = {"imx6q/armv7-32": self.state[tree.side], "imx8mq/arm64-64": "ok"}
        return fakelab.make(folder, {"fec_figures.c": params}, say={"fec_figures.c": [FIGURE.format(self.sums[tree.side])]})

    def run_bench(self, *words, runs=2, sides=("base", "patched")):
        """Measure."""
        return bench.run(words or ["lab-fec"], list(sides), runs=runs)

    def test_group(self):
        """Every board gets its comparison, and the group one with all rows."""
        done, failed = self.run_bench()
        self.assertEqual(failed, [])
        self.assertEqual([data["board"] for data in done], ["lab-fec"])
        data = json.loads((self.folder / "results/lab-fec/compare.json").read_text())
        self.assertEqual([(row["soc"], row["verdict"], row["base"]["median"]) for row in data["rows"]],
                         [("imx6q", "better", 55), ("imx8mq", "better", 55)])
        for soc in ("imx6q", "imx8mq"):
            self.assertTrue((self.folder / f"results/lab-fec-{soc}/compare.json").is_file())

    def test_sides_take_turns(self):
        """base, patched, base, patched: not one side after the other."""
        real = lab.boot_all
        with mock.patch.object(lab, "boot_all", side_effect=lambda jobs, uml, outdir, **more: (
                self.order.append(uml.parent.name), real(jobs, uml, outdir, **more))):
            self.run_bench("lab-fec-imx6q")
        self.assertEqual(self.order, ["base", "patched"] * 2)

    def test_red_figures_fail_the_board(self):
        """A counter taken in a red case is none; the other board is still measured."""
        self.state["patched"] = "red"
        done, failed = self.run_bench()
        self.assertEqual(len(failed), 1)
        self.assertIn("lab-fec-imx6q, patched", failed[0])
        self.assertEqual([row["soc"] for row in done[0]["rows"]], ["imx8mq"])
        self.assertFalse((self.folder / "results/lab-fec-imx6q/compare.json").exists())

    def test_panic_fails_the_board(self):
        """A kernel that dies while it is measured."""
        self.state["base"] = "panic"
        _, failed = self.run_bench("lab-fec-imx6q")
        self.assertIn("cut short", failed[0])

    def test_interrupt_leaves_nothing(self):
        """Ctrl-C in the second run: no measurement, no comparison."""
        calls = iter([None, KeyboardInterrupt])
        real = results.save_run

        def save(*args):
            step = next(calls)
            if step:
                raise step
            real(*args)

        with mock.patch.object(results, "save_run", save):
            with self.assertRaises(KeyboardInterrupt):
                self.run_bench("lab-fec-imx6q")
        self.assertEqual([path for path in (self.folder / "results").rglob("*") if path.is_file()], [])

    def test_again(self):
        """bench/compare makes the same from what lies there."""
        self.run_bench()
        before = (self.folder / "results/lab-fec/compare.json").read_text()
        (self.folder / "results/lab-fec/compare.json").unlink()
        bench.remake(["lab-fec"])
        self.assertEqual((self.folder / "results/lab-fec/compare.json").read_text(), before)

    def test_one_side(self):
        """A single side gives its figures."""
        done, failed = self.run_bench(sides=["base"])
        self.assertEqual((failed, done[0]["rows"][0]["base"]["median"]), ([], 55))

    def test_sides(self):
        """What SIDES may say."""
        self.assertEqual(bench.parse_sides("base mine"), ["base", "mine"])
        for text in ("", "base base", "base other", "base patched mine"):
            with self.assertRaises(cli.Stop):
                bench.parse_sides(text)


if __name__ == "__main__":
    unittest.main()
