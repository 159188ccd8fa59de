# SPDX-License-Identifier: GPL-2.0-only
"""Traffic on a lab board: two agents, what is counted, which boards have it. No kernel is booted."""

import os
import sys
import tempfile
import time
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from poolstack import bench, board, cli, targets, uml, verdict, workloads  # noqa: E402

FAKE = Path(__file__).parent / "data" / "uml" / "fake-uml"
CONFIGS = cli.root() / "configs"


class GuestTest(unittest.TestCase):
    """A boot of the stand-in."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="poolstack-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def boot(self, how="good"):
        """A Guest on the stand-in, which behaves as told."""
        patch = mock.patch.dict(os.environ, {"FAKE_UML": how})
        patch.start()
        self.addCleanup(patch.stop)
        return uml.Guest([str(FAKE)], self.folder)

    def test_two_lines(self):
        """The board answers on one, the wire's end on the other, and a command of each may be under way."""
        with self.boot() as guest:
            wire = uml.Wire(guest.far)
            guest.start("mark until x")
            done = wire.run(["echo", "a b"], timeout=5, what="echo")
            self.assertEqual((done.returncode, done.stdout), (0, "ssl1: echo 'a b'\n"))
            self.assertEqual(guest.finish("mark", 5), (0, "ssl0: mark until x\n"))
            with self.assertRaisesRegex(cli.Failed, "lab: `false`: "):
                wire.do("false")

    def test_failures(self):
        """One line, with the console's file, soon, and no process left."""
        for how, text in (("die", "UML ended during boot: poolstack: labwire: no target"),
                          ("panic-later", "Kernel panic - not syncing: Fatal exception")):
            guest, begin = self.boot(how), time.monotonic()
            with self.assertRaisesRegex(cli.Failed, f"^lab: {text}.*: see .*console.log$"):
                with guest:
                    guest.do("first")
            self.assertLess(time.monotonic() - begin, 8)
            self.assertIsNone(guest._process)

    def test_no_init(self):
        """A kernel that comes up without its init is ended."""
        guest = self.boot("mute")
        guest.limit = 1
        with self.assertRaisesRegex(cli.Failed, "no init after boot within 1 s"):
            with guest:
                pass

    def test_no_kernel(self):
        """Nothing to boot."""
        with self.assertRaisesRegex(cli.Stop, "cannot boot the lab: /nonexistent/linux"):
            with uml.Guest(["/nonexistent/linux"], self.folder):
                pass


class CountTest(unittest.TestCase):
    """What a workload cost, per frame."""

    def test_counts(self):
        """The growth of every count, by frames, with a tolerance."""
        before = {name: 10 for name in uml.METRICS} | {"ns": 1000}
        text = "".join(f"{name} {10 + 3 * 40}\n" for name in uml.METRICS) + "broken_rules 0\n"
        runner = uml.Runner(mock.Mock(do=lambda command: text, kernel_ns=lambda: 9000), None, wire_tool="wire", address="198.18.0.1")
        outcome = workloads.Outcome("tcp_rx", "iperf")
        runner._count(outcome, 40, before)
        self.assertEqual({sample["metric"]: sample["value"] for sample in outcome.samples},
                         {name: 3 for name in uml.METRICS} | {"ns": 200})
        self.assertTrue(all(not verdict.check_sample(sample, "x") for sample in outcome.samples))

    def test_native_xdp(self):
        """A driver that has none has no workload with it; one that fails has a fault."""
        for answer, has in (((0, ""), True), ((2, "RTNETLINK answers: Operation not supported"), False)):
            board_ = mock.Mock(do=lambda command, limit=0: "", ask=lambda command, limit, answer=answer: answer)
            self.assertEqual(uml.Runner(board_, None, wire_tool="wire", address="198.18.0.1").has_native_xdp(), has)
        board_ = mock.Mock(do=lambda command, limit=0: "", ask=lambda command, limit: (2, "Error: no memory"))
        with self.assertRaisesRegex(cli.Failed, "no program can be attached: Error: no memory"):
            uml.Runner(board_, None, wire_tool="wire", address="198.18.0.1").has_native_xdp()

    def test_broken_rules(self):
        """The base may break rules, which is counted; the stack may not."""
        machine = uml.Board(board.load(CONFIGS / "boards" / "lab-mtk-mt7986.conf"))
        machine._stack = {"base": False, "patched": True}
        work = SimpleNamespace(name="updown")
        machine._judge("base", work, 7)
        machine._judge("patched", work, 0)
        with self.assertRaisesRegex(cli.Failed, "updown: 7 times a rule was broken"):
            machine._judge("patched", work, 7)


class BoardTest(unittest.TestCase):
    """Which boards have traffic."""

    def test_command(self):
        """The host's root folder is read only, no test runs, and the SoC is the board's."""
        machine = uml.Board(board.load(CONFIGS / "boards" / "lab-mtk-mt7986.conf"))
        machine._kernels["base"] = Path("/k/linux")
        words = machine.command("base", Path("/t/init"), Path("/t"))
        for word in ("ro", "rootfstype=hostfs", "init=/t/init", "kunit.enable=0", "poolstack.labwire=mt7986"):
            self.assertIn(word, words)

    def test_named_itself(self):
        """A board named itself has its traffic, as a member of a group it has not."""
        conf = board.load(CONFIGS / "boards" / "lab-fec-imx6q.conf")
        with mock.patch("poolstack.lab.check_host"):
            self.assertIsNotNone(bench.open_board(conf, True).traffic)
            self.assertIsNone(bench.open_board(conf).traffic)
            self.assertIsNone(bench.open_board(board.load(CONFIGS / "boards" / "lab-fec-imx8mq.conf"), True).traffic)

    def test_missing_program(self):
        """Named, with what to do."""
        with mock.patch("shutil.which", return_value=None):
            with self.assertRaisesRegex(cli.Stop, "program not found: iperf3: run scripts/packages"):
                uml.require()

    def test_targets_are_about_counts(self):
        """Traffic of the same name as a case of the lab does not meet, nor miss, its target."""
        side = {"median": 9, "n": 1, "ci95": [9, 9]}
        row = {"soc": "imx6q", "workload": "drop_60", "batch": None, "metric": "mmio_writes", "verdict": "worse",
               "base": side, "patched": side}
        data = {"board": "lab-fec-imx6q", "soc": "imx6q", "where": "lab", "sides": {"base": {}, "patched": {}},
                "rows": [row]}
        wanted = targets.Target("fec", "lab-fec-*", "*", "*", None, "not", 0.0, False, "fec:1")
        self.assertEqual(targets.judge([wanted], data)[0].verdict, targets.ABSENT)


class PairedTest(unittest.TestCase):
    """Times of sides that were measured in turn."""

    @staticmethod
    def row(base, patched, **more):
        """The row of these values."""
        sides = []
        for name, values in (("base", base), ("patched", patched)):
            sides.append((name, [[{"workload": "tcp_rx", "batch": None, "metric": "mbps", "unit": "Mbit/s",
                                   "better": "higher", "value": value, "exact": False, **more}] for value in values]))
        return verdict.rows(*sides)[0]

    def test_drift(self):
        """What drifts under both does not hide a difference, and the ratio has its interval."""
        row = self.row([100, 80, 60, 50, 40, 30], [110, 88, 66, 56, 44, 33], paired=True)
        self.assertEqual((row["verdict"], round(row["ratio"], 2)), ("better", 1.1))
        self.assertEqual([round(end, 2) for end in row["ratio_ci95"]], [1.1, 1.12])
        self.assertEqual(self.row([100, 80, 60, 50, 40, 30], [110, 88, 66, 56, 44, 33])["verdict"], "same")

    def test_five_pairs(self):
        """Five ratios on one side of 1 happen by chance too often: the sides must be apart as well."""
        row = self.row([100, 80, 60, 50, 40], [110, 88, 66, 56, 44], paired=True)
        self.assertEqual((row["verdict"], row["reason"]), ("same", "intervals overlap"))

    def test_noise(self):
        """An interval that holds 1 is no difference."""
        row = self.row([100, 100, 100, 100, 100], [120, 90, 110, 105, 95], paired=True)
        self.assertEqual((row["verdict"], row["reason"]), ("same", "ratio's interval holds 1"))

    def test_tolerance(self):
        """A ratio near 1 is none, however sure."""
        row = self.row([100] * 5, [102] * 5, paired=True, tolerance=0.03)
        self.assertEqual((row["verdict"], row["reason"]), ("same", "within 3%"))
        self.assertEqual(self.row([100] * 5, [97] * 5, paired=True, tolerance=0.02)["verdict"], "worse")

    def test_unequal(self):
        """Without a partner for each run there is no ratio of runs."""
        self.assertNotIn("ratio_ci95", self.row([100] * 6, [102] * 5, paired=True))


if __name__ == "__main__":
    unittest.main()
