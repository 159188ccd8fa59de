# SPDX-License-Identifier: GPL-2.0-only
"""testrun: how make test counts; nothing may vanish from the sum."""

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from poolstack import cli, testrun  # noqa: E402
from poolstack.testrun import Count  # noqa: E402


class Counting(unittest.TestCase):
    """Output of others, and steps that break."""

    def setUp(self):
        patch = mock.patch.object(cli, "say", lambda text: None)
        patch.start()
        self.addCleanup(patch.stop)

    def test_unittest(self):
        """Passes, failures, errors and skips add up to what ran."""
        count = testrun.read_unittest("ERROR: a (b.c)\nx (y.z) ... skipped 'no qemu'\nRan 10 tests in 1.2s\n\n"
                                      "FAILED (failures=1, errors=2, skipped=1)\n", 1)
        self.assertEqual(str(count), "6 passed, 3 failed, 1 skipped")
        self.assertIn("'no qemu'", " ".join(count.notes))
        self.assertEqual(str(testrun.read_unittest("Ran 7 tests in 1s\n\nOK\n", 0)), "7 passed, 0 failed, 0 skipped")

    def test_unittest_that_ran_nothing(self):
        """No test, and a runner that died, are failures."""
        self.assertEqual(testrun.read_unittest("Ran 0 tests in 0s\n\nOK\n", 0).failed, 1)
        self.assertEqual(testrun.read_unittest("SyntaxError\n", 1).failed, 1)
        self.assertEqual(testrun.read_unittest("Ran 7 tests in 1s\n\nOK\n", 3).failed, 1)

    def test_tally(self):
        """The line that says so counts; without one it is a failure, and so is a code that does not fit."""
        self.assertEqual(str(testrun.read_tally("x\n3 checks passed, 1 failed\nwhere time went\n", 1, "check")),
                         "3 passed, 1 failed, 0 skipped")
        self.assertEqual(testrun.read_tally("check: no ccache\n", 2, "check").failed, 1)
        self.assertEqual(testrun.read_tally("", 0, "check").failed, 1)
        self.assertEqual(testrun.read_tally("3 checks passed, 0 failed\n", 1, "check").failed, 1)

    def test_steps_that_break(self):
        """A stop, a crash and a skip each count, and the steps after them run."""
        def stop():
            raise cli.Stop("no such thing: here: install it")

        def crash():
            raise KeyError("x")

        def skip():
            raise cli.Stop("no room: skip", cli.SKIP)

        steps = {"a": ("a", stop), "b": ("b", crash), "c": ("c", skip), "d": ("d", lambda: Count(2, 0, 0))}
        with mock.patch.object(testrun, "STEPS", steps):
            self.assertEqual(str(testrun.run(list(steps))), "2 passed, 2 failed, 1 skipped")

    def harness(self, body, limit=60):
        """What the harness step counts for a folder whose one test has that body."""
        temp = tempfile.TemporaryDirectory(prefix="poolstack-test-")
        self.addCleanup(temp.cleanup)
        folder = Path(temp.name) / "scripts/tests"
        folder.mkdir(parents=True)
        (folder / "test_one.py").write_text(
            f"import time, unittest\nclass One(unittest.TestCase):\n    def test_it(self):\n        {body}\n")
        harness = testrun.Harness()
        harness.LIMIT = limit
        with mock.patch.object(cli, "root", lambda: Path(temp.name)), mock.patch.object(testrun, "HARNESS", harness), \
             mock.patch.object(testrun, "STEPS", {"check": ("c", lambda: Count(int(harness.process is not None))),
                                                  "harness": ("h", harness.count)}):
            return str(testrun.run(["check", "harness"]))

    def test_harness_beside_the_check(self):
        """It has begun when the check runs; its failures and a test without an end count."""
        self.assertEqual(self.harness("pass"), "2 passed, 0 failed, 0 skipped")
        self.assertEqual(self.harness("self.fail()"), "1 passed, 1 failed, 0 skipped")
        self.assertEqual(self.harness("time.sleep(60)", limit=2), "1 passed, 1 failed, 0 skipped")


if __name__ == "__main__":
    unittest.main()
