# SPDX-License-Identifier: GPL-2.0-only
"""coverage: the list of lines not reached, gcov's output, and what becomes of each."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from poolstack import cli, coverage  # noqa: E402

SOURCE = """\
struct fec_ops ops = {
	.a = first,
};

static int first(int a,
		 int b);
static int
first(int a, int b)
{
	if (a)
		goto out;
	b++;
	b--;
out:
	return b;
}

void second(void)
{
	third();
}
"""
# Line 12 and 13 are not reached, and 20.
COUNTS = {7: 5, 10: 5, 11: 5, 12: 0, 13: 0, 15: 5, 18: 0, 20: 0}


class Base(unittest.TestCase):
    """A list in a file."""

    def load(self, text):
        """Read a list."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "uncovered")
            path.write_text(text)
            return coverage.load(path)

    def judge(self, text, counts=None):
        """Hold the counts against a list: (rows, faults)."""
        return coverage.judge(*self.load(text), SOURCE, COUNTS if counts is None else counts)


class Lists(Base):
    """The list itself."""

    def test_list(self):
        """Areas and entries; a reason may take several lines."""
        areas, entries = self.load("# head\nheld receive: first sec*\nheld receive: third\n\n"
                                   "first 2: b++;\n\tbecause\n\tof it\n")
        self.assertEqual(areas, {"receive": ["first", "sec*", "third"]})
        self.assertEqual([(entry.function, entry.lines, entry.text, entry.why, entry.where) for entry in entries],
                         [("first", 2, "b++;", "because of it", "uncovered:5")])

    def test_bad_lists(self):
        """What does not parse is named with its line."""
        for text, where in (("first: b++;\n\twhy\n", ":1"), ("\twhy\n", ":1"), ("# x\nfirst 2: b++;\n", ":2"),
                            ("held receive:\n", ":1")):
            with self.assertRaises(cli.Stop) as stop:
                self.load(text)
            self.assertIn(f"uncovered{where}", stop.exception.message)

    def test_the_shipped_list(self):
        """It parses, and holds each of the areas."""
        areas, _ = coverage.load(Path(__file__).resolve().parents[2] / "kunit" / "uncovered")
        self.assertEqual(set(areas), {"receive", "transmit completion", "XDP", "ring set-up"})


class Judging(Base):
    """Lines against the list."""

    def test_functions(self):
        """Neither a prototype nor an initializer is one, and a label does not end one."""
        self.assertEqual(coverage.functions(SOURCE), {"first": (8, 16), "second": (18, 21)})

    def test_all_excused(self):
        """Every run of lines has its reason."""
        rows, faults = self.judge("held a: first\nfirst 2: b++;\n\twhy\n")
        self.assertEqual(faults, [])
        self.assertEqual([(row.name, row.lines, row.reached, row.excused) for row in rows], [("first", 5, 3, 2)])
        self.assertIn("60.0", coverage.table(rows)[1])

    def test_no_reason(self):
        """A run without one is told as the entry that would excuse it."""
        _, faults = self.judge("held a: first\n")
        self.assertEqual(faults, ["first: line 12 is not reached: first 2: b++;"])

    def test_run_that_grew(self):
        """A reason for one line is none for two."""
        _, faults = self.judge("held a: first\nfirst 1: b++;\n\twhy\n")
        self.assertEqual(len(faults), 2)

    def test_stale_reason(self):
        """The line is reached now, or its text is no more."""
        _, faults = self.judge("held a: first\nfirst 2: b++;\n\twhy\n", COUNTS | {12: 1, 13: 1})
        self.assertIn("drop the entry", faults[0])
        _, faults = self.judge("held a: first\nfirst 2: b++;\n\twhy\nsecond 1: gone();\n\twhy\n")
        self.assertIn("uncovered:4: second: `gone();`", faults[0])

    def test_function_that_is_gone(self):
        """A name or glob that holds nothing, and a function that was not compiled."""
        self.assertIn("no such function", self.judge("held a: fourth*\n")[1][0])
        self.assertIn("is it compiled", self.judge("held a: second\n", {10: 1})[1][0])


class Gcov(Base):
    """Counts."""

    def test_json(self):
        """Inlined copies of a line add up, and so do boots."""
        text = json.dumps({"files": [{"file": "/x/fec_main.c", "lines": [
            {"line_number": 1, "count": 2}, {"line_number": 1, "count": 3}, {"line_number": 2, "count": 0}]}]})
        total = {}
        coverage.add(total, coverage.read_gcov(text))
        coverage.add(total, coverage.read_gcov(text))
        self.assertEqual(total, {"fec_main.c": {1: 10, 2: 0}})

    def test_not_gcov(self):
        """Anything else is one line, and no coverage of zero."""
        for text in ("", "[]", '{"files": [{}]}'):
            with self.assertRaises(cli.Stop):
                coverage.read_gcov(text)

    def test_counts_of_two_boots(self):
        """A real program, run twice with a folder of counts for each run."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            source = folder / "fec_main.c"
            source.write_text("int main(int n, char **v)\n{\n\tif (n > 1)\n\t\treturn 0;\n\treturn 0;\n}\n")
            subprocess.run(["gcc", *coverage.FLAGS, "-c", "-o", folder / "fec_main.o", source], check=True)
            subprocess.run(["gcc", "--coverage", "-o", folder / "linux", folder / "fec_main.o"], check=True)
            for number, words in enumerate(([], ["x"])):
                subprocess.run([folder / "linux", *words], check=True,
                               env={"GCOV_PREFIX": str(folder / f"run/{number}.gcov")})
            total, files = coverage.gather(folder / "run", [folder / "fec_main.o"])
            self.assertEqual(files, 2)
            self.assertEqual(total["fec_main.c"], {1: 2, 3: 2, 4: 1, 5: 1})
            with self.assertRaises(cli.Stop):
                coverage.gather(folder / "nothing", [folder / "fec_main.o"])


if __name__ == "__main__":
    unittest.main()
