# SPDX-License-Identifier: GPL-2.0-only
"""targets: what a topic's figures must reach; met, missed, not measured."""

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from poolstack import cli, excerpt, metrics, series, targets  # noqa: E402


def side(value):
    """The side of a row."""
    return {"median": value, "n": 1, "ci95": [value, value]}


def row(soc, workload, metric, base, patched, *, batch=32, verdict="same"):
    """A row of compare.json."""
    return {"soc": soc, "workload": workload, "batch": batch, "metric": metric, "unit": "x", "better": "lower",
            "base": side(base), "patched": side(patched), "ratio": None, "verdict": verdict, "reason": ""}


def lab(*rows, sides=("base", "patched")):
    """A comparison of the lab's group."""
    return {"board": "lab-fec", "soc": "imx25 imx6q", "where": "lab", "sides": dict.fromkeys(sides, {}), "rows": list(rows)}


def qemu(*rows):
    """A comparison of the emulated board."""
    return {"board": "imx8mp-evk-qemu", "soc": "imx8mp", "where": "qemu", "sides": {"base": {}, "patched": {}},
            "rows": list(rows)}


class Targets(unittest.TestCase):
    """Lines against rows."""

    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.file = Path(temp.name) / "fec"

    def load(self, text):
        """Targets of a file with that text."""
        self.file.write_text(text)
        return targets.load(self.file)

    def judge(self, text, data):
        """[(verdict, value, note)]."""
        return [(outcome.verdict, outcome.value, outcome.note) for outcome in targets.judge(self.load(text), data)]

    def test_each_op_meets_and_misses(self):
        for op, good, bad in (("<=", 2, 2.01), (">=", 2, 1.99), ("==", 2, 3), ("<", 1, 2), (">", 3, 2)):
            for value, verdict in ((good, targets.MET), (bad, targets.MISSED)):
                with self.subTest(op=op, value=value):
                    self.assertEqual(self.judge(f"lab-fec-imx6q plain_60 mmio_writes {op} 2\n",
                                                lab(row("imx6q", "plain_60", "mmio_writes", 9, value)))[0][0], verdict)

    def test_of_base(self):
        text = "imx8mp-evk-qemu tcp_rx insns <= 0.95*base\n"
        self.assertEqual(self.judge(text, qemu(row("imx8mp", "tcp_rx", "insns", 100, 95, batch=None)))[0][:2],
                         (targets.MET, 95))
        self.assertEqual(self.judge(text, qemu(row("imx8mp", "tcp_rx", "insns", 100, 96, batch=None)))[0][0],
                         targets.MISSED)
        self.assertEqual(self.judge(text, qemu(row("imx8mp", "tcp_rx", "insns", None, 96, batch=None)))[0][0],
                         targets.ABSENT)

    def test_the_worst_row_is_shown(self):
        rows = [row("imx6q", "plain_60", "mmio_writes", 9, value, batch=batch) for batch, value in ((1, 1), (32, 7), (64, 3))]
        self.assertEqual(self.judge("lab-fec-imx6q plain_* mmio_writes <= 2\n", lab(*rows)),
                         [(targets.MISSED, 7, "imx6q plain_60 b32 and 1 more of 3")])
        self.assertEqual(self.judge("lab-fec-imx6q plain_60 mmio_writes <= 8\n", lab(*rows)),
                         [(targets.MET, 7, "imx6q plain_60 b32")])
        self.assertEqual(self.judge("lab-fec-imx6q plain_60 mmio_writes >= 2\n", lab(*rows))[0][1], 1)
        self.assertEqual(self.judge("lab-fec-imx6q plain_60:64 mmio_writes <= 8\n", lab(*rows)), [(targets.MET, 3, "")])

    def test_a_share_of_nothing_is_met_and_says_so(self):
        text = "lab-fec-imx6q drop_60 recycle_cached_share >= 0.9\n"
        share = row("imx6q", "drop_60", "recycle_cached_share", 1, None, verdict="same")
        counted = row("imx6q", "drop_60", "pages_recycled", 1, 0)
        self.assertEqual(self.judge(text, lab(share, counted)),
                         [(targets.MET, None, "no page had to be recycled: imx6q drop_60 b32")])
        # and a figure that got lost is none: not counted, counted elsewhere, counted and not 0
        for other in ([], [row("imx6q", "drop_60", "pages_recycled", 1, 0, batch=1)],
                      [row("imx6q", "pass_60", "pages_recycled", 1, 0)],
                      [row("imx25", "drop_60", "pages_recycled", 1, 0)],
                      [row("imx6q", "drop_60", "pages_recycled", 0, 0.5)],
                      [row("imx6q", "drop_60", "pages_recycled", 0, None)]):
            with self.subTest(other):
                self.assertEqual(self.judge(text, lab(share, *other))[0][::2],
                                 (targets.ABSENT, "imx6q drop_60 b32: no value of a side"))

    def test_only_a_share_may_be_of_nothing(self):
        rows = [row("imx6q", "drop_60", "mmio_writes", 1, None), row("imx6q", "drop_60", "pages_recycled", 1, 0)]
        self.assertEqual(self.judge("lab-fec-imx6q drop_60 mmio_writes <= 9\n", lab(*rows))[0][0], targets.ABSENT)

    def test_a_share_of_nothing_hides_no_other_row(self):
        text = "lab-fec-imx6q forward_* recycle_cached_share >= 0.9\n"
        rows = [row("imx6q", "forward_60", "recycle_cached_share", 0, None),
                row("imx6q", "forward_60", "pages_recycled", 1, 0),
                row("imx6q", "forward_1514", "recycle_cached_share", 0, 0.5)]
        self.assertEqual(self.judge(text, lab(*rows)), [(targets.MISSED, 0.5, "no page had to be recycled in 1 more")])
        rows[2]["patched"] = side(1)
        self.assertEqual(self.judge(text, lab(*rows))[0][:2], (targets.MET, 1))

    def test_not_measured(self):
        self.assertEqual(self.judge("lab-fec-imx6q forward_60 mmio_writes <= 2\n", lab())[0][0], targets.ABSENT)
        self.assertEqual(self.judge("lab-fec-* * * not worse\n", lab())[0][0], targets.ABSENT)
        self.assertEqual(self.judge("lab-fec-* * * not worse\n",
                                    lab(row("imx6q", "a", "b", 1, 1), sides=("base",)))[0][0], targets.ABSENT)

    def test_boards_that_are_not_there_are_none_of_its_business(self):
        text = "imx8mp-evk-qemu tcp_rx insns <= 5\nlab-fec-imx6q a b <= 5\n"
        self.assertEqual(len(self.judge(text, lab(row("imx6q", "a", "b", 1, 1)))), 1)
        self.assertEqual(len(self.judge(text, qemu(row("imx8mp", "tcp_rx", "insns", 1, 1)))), 1)

    def test_a_soc_with_two_caches(self):
        rows = [row("imx25/armv5-32", "a", "b", 1, 1), row("imx25/armv7-64", "a", "b", 1, 9)]
        self.assertEqual(self.judge("lab-fec-imx25 a b <= 5\n", lab(*rows))[0][:2], (targets.MISSED, 9))

    def test_not_worse(self):
        rows = [row("imx6q", "a", "b", 1, 1), row("imx25", "a", "b", 1, 1)]
        self.assertEqual(self.judge("lab-fec-* * * not worse\n", lab(*rows))[0][0], targets.MET)
        rows[1]["verdict"] = "worse"
        told = self.judge("lab-fec-* * * not worse\n", lab(*rows))[0]
        self.assertEqual((told[0], told[2]), (targets.MISSED, "1 of 2 worse, e.g. imx25 a b32 b"))
        rows[1]["verdict"] = "void"
        self.assertEqual(self.judge("lab-fec-* * * not worse\n", lab(*rows))[0][0], targets.ABSENT)

    def test_lines_that_are_not_understood(self):
        for text, part in (("a b c <= \n", "fec:1"), ("# x\na b c ~ 2\n", "fec:2"), ("a b c <= x\n", "<= x"),
                           ("a b c not better\n", "not better"), ("a b:x c <= 2\n", ":x"), ("a b c <= 2*bas\n", "2*bas"),
                           ("# nothing\n", "no target")):
            with self.subTest(text), self.assertRaisesRegex(cli.Stop, part.replace("*", r"\*")):
                self.load(text)
        with self.assertRaisesRegex(cli.Stop, "no targets"):
            targets.load(self.file.with_name("other"))

    def test_only_topics_of_the_stack(self):
        self.file.write_text("lab-fec-imx6q a b <= 5\n")
        topic = series.Topic("fec", "net-next", [series.Patch("0001-x.patch", "pending", "-")], None)
        with mock.patch.object(targets, "folder", lambda: self.file.parent):
            with mock.patch.object(series, "load", lambda: [topic]):
                self.assertEqual(len(targets.of_stack()), 1)
            topic.patches[0].status = "dropped"
            with mock.patch.object(series, "load", lambda: [topic]):
                self.assertEqual(targets.of_stack(), [])

    def test_what_is_printed(self):
        data = lab(row("imx6q", "a", "b", 9, 1), row("imx6q", "c", "b", 9, 8))
        wanted = self.load("lab-fec-imx6q a b <= 5\nlab-fec-imx6q c b <= 5\nlab-fec-imx6q d b <= 5\n")
        text = targets.table(targets.judge(wanted, data))
        self.assertIn("fec: 3 targets: 1 met, 1 missed, 1 not measured", text)
        self.assertRegex(text, r"lab-fec-imx6q +c +b +9  <= 5 +8  MISSED")
        self.assertEqual(targets.table([]), "")
        self.assertIn("| lab-fec-imx6q | c | b | 9 | <= 5 | 8 | MISSED |  |", targets.markdown(targets.judge(wanted, data)))
        self.assertIn("1 missed", excerpt.excerpt([data], wanted))
        self.assertNotIn("missed", excerpt.excerpt([data]))

    def test_the_files_of_this_repository(self):
        """They parse, and name metrics and boards that there are."""
        from poolstack import board
        import fnmatch
        for path in sorted(targets.folder().iterdir()):
            for target in targets.load(path):
                self.assertTrue(target.metric == "*" or target.metric in metrics.METRICS, target)
                self.assertTrue(fnmatch.filter(board.load_all(), target.board), target)


if __name__ == "__main__":
    unittest.main()
