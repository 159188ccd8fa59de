# SPDX-License-Identifier: GPL-2.0-only
"""affected: the list of faults, its agreement with the rest of the tree, and the README's table."""

import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from poolstack import affected, cli, expected, ktap, series  # noqa: E402

Q, S, X = "imx6q/armv7-32", "imx6sx/armv7-32", "imx6sx/armv7-64"


def entry(name, fault, param="*"):
    """A line of expected-red."""
    return expected.Entry(name, param, "*", fault, False, f"expected-red:{name}{param}")


def case(name, param, status):
    """A result."""
    suite, _, word = name.partition(".")
    return ktap.Case(suite, word, param, status)


class Base(unittest.TestCase):
    """Lists in a folder."""

    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.folder = Path(temp.name)

    def load(self, text):
        """Read a list of faults."""
        path = self.folder / "faults"
        path.write_text(text)
        return affected.load(path)

    def rows(self, results, entries):
        """The table's body: {fault: cells of the SoCs}."""
        run = SimpleNamespace(cases=results, variant="plain", faults=[])
        verdict = expected.judge(run, entries)
        faults = self.load("F1 0123456789ab 6.6 wrong bytes\nF2 unknown unknown bad\n")
        lines = affected.table(faults, results, verdict, entries)
        return {line.split(" | ")[0].strip("| "): [word.strip(" |") for word in line.split(" | ")[2:]]
                for line in lines[2:]}


class Lists(Base):
    """The list of faults."""

    def test_bad_lists(self):
        """Every broken line is named."""
        for text in ("F1 0123456789ab 6.6", "F1 0123 6.6 x", "F1 0123456789ab v6.6 x",
                     "F1 unknown 6.6 x\nF1 unknown 6.6 x"):
            with self.assertRaises(cli.Stop) as stop:
                self.load(text)
            self.assertIn(f"faults:{len(text.splitlines())}", stop.exception.message)

    def test_disagreements(self):
        """A fault on one side only, and another commit than the patch says."""
        patch = self.folder / "0001.patch"
        patch.write_text("Subject: x\n\nFixes: ffffffffffff (\"x\")\n---\n")
        topic = SimpleNamespace(active=[SimpleNamespace(file="0001.patch", fault="F1", path=patch)])
        faults = self.load("F1 0123456789ab 6.6 x\nF2 unknown unknown x\n")
        found = affected.disagreements(faults, [entry("a.b", "F1"), entry("a.c", "F3")], {"imx28": "F4"}, [topic])
        self.assertEqual([word for line in found for word in ("F3", "F4", "F2", "ffffffffffff") if word in line],
                         ["F3", "F4", "F2", "ffffffffffff"])
        patch.write_text("Subject: x\n\nFixes: 0123456789ab (\"x\")\n---\n")
        self.assertEqual(affected.disagreements(faults, [entry("a.b", "F1"), entry("a.c", "F2")], {}, [topic]), [])

    def test_the_shipped_list(self):
        """It knows every fault of expected-red, and each patch's Fixes: tag."""
        kunit = Path(__file__).resolve().parents[2] / "kunit"
        faults = affected.load(kunit / "faults")
        listed = kunit / "expected-red"
        self.assertEqual(affected.disagreements(faults, expected.load(listed), expected.lone_socs(listed),
                                                series.load()), [])


class Table(Base):
    """What the table says."""

    def test_cells(self):
        """Hit, hit with one of its caches, not hit, and no such case on the SoC."""
        results = [case("a.b", Q, "ok"), case("a.b", S, "ok"), case("a.b", X, "fail"), case("a.c", S, "fail"),
                   case("a.c", X, "fail")]
        rows = self.rows(results, [entry("a.b", "F1", X), entry("a.c", "F2")])
        self.assertEqual(rows, {"": ["", "armv7-32", "armv7-32 armv7-64"], "F1": ["v6.6", "no", "armv7-64"],
                                "F2": ["unknown", "-", "yes"]})

    def test_a_fault_of_another_variant(self):
        """A plain run does not say no to what only two CPUs show."""
        races = expected.Entry("a.b", "*", "smp", "F1", False, "expected-red:1")
        rows = self.rows([case("a.b", Q, "ok"), case("a.c", S, "ok")], [races])
        self.assertEqual(rows["F1"], ["v6.6", "smp", "-"])

    def test_dead_kernel(self):
        """It tells the SoC only: every cache of it is hit."""
        results = [case("a.b", "imx6sx/", "fail"), case("a.d", S, "ok"), case("a.d", X, "ok"), case("a.b", Q, "ok")]
        self.assertEqual(self.rows(results, [entry("a.b", "F1", "imx6sx/*")])["F1"], ["v6.6", "yes", "no"])

    def test_readme(self):
        """The block is replaced, a stale one is told, a file without markers is an error."""
        path = self.folder / "README.md"
        path.write_text(f"head\n{affected.BEGIN}\nold\n{affected.END}\ntail\n")
        self.assertIn("`old`", affected.stale(path, ["a", "b"]))
        affected.put(path, ["a", "b"])
        self.assertEqual(path.read_text(), f"head\n{affected.BEGIN}\na\nb\n{affected.END}\ntail\n")
        self.assertEqual(affected.stale(path, ["a", "b"]), "")
        self.assertIn("nothing", affected.stale(path, ["a"]))
        path.write_text("nothing here\n")
        with self.assertRaises(cli.Stop):
            affected.put(path, ["a"])


if __name__ == "__main__":
    unittest.main()
