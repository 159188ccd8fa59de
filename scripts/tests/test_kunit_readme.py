# SPDX-License-Identifier: GPL-2.0-only
"""kunit/README.md names cases and files that exist."""

import re
import unittest
from pathlib import Path

KUNIT = Path(__file__).resolve().parents[2] / "kunit"


def suite(path):
    """The name of the suite in a file."""
    return re.search(r"struct kunit_suite .*?\n\t\.name = \"(\w+)\"", path.read_text(encoding="utf-8"), re.S)[1]


def cases():
    """suite.case of every case that the sources register."""
    found = set()
    for path in (KUNIT / "suites").glob("*_kunit.c"):
        found |= {f"{suite(path)}.{name}" for name in re.findall(r"LAB_CASE\((\w+)", path.read_text())}
    return found


class Readme(unittest.TestCase):
    """Names in the text for authors."""

    def test_named_cases_exist(self):
        """A case that is renamed or dropped is renamed or dropped there too."""
        named = set(re.findall(r"`((?:fec|lab)_\w+\.[a-z]\w{3,})`", (KUNIT / "README.md").read_text()))
        self.assertGreater(len(named), 30)
        self.assertEqual(sorted(named - cases()), [])

    def test_named_files_exist(self):
        """The same for files of the lab."""
        text = (KUNIT / "README.md").read_text()
        named = {name for name in re.findall(r"`((?:lab|suites|socs)/[\w.]+\.[ch])`", text)}
        self.assertGreater(len(named), 5)
        self.assertEqual(sorted(name for name in named if not (KUNIT / name).is_file()), [])

    def test_no_two_suites_share_a_name(self):
        """Results are told apart by suite and case."""
        names = [suite(path) for path in (KUNIT / "suites").glob("*_kunit.c")]
        self.assertEqual(len(names), len(set(names)))


if __name__ == "__main__":
    unittest.main()
