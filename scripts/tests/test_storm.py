# SPDX-License-Identifier: GPL-2.0-only
"""Storms: reading their logs, and cutting a walk down to the steps that matter."""

import random
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from poolstack import cli, storm

HEAD = """\
KTAP version 1
1..1
    KTAP version 1
    # Subtest: fec_storm
    1..1
        KTAP version 1
        # Subtest: everything_holds_after_each_step
"""
NAME = "everything_holds_after_each_step"
CASES = {"imx6q/armv7-32": f"fec_storm.{NAME}"}


def log(*params, end=True):
    """A boot's log: (target, [lines], ok) each; without its end the kernel died in the last one."""
    text = HEAD
    for number, (target, lines, good) in enumerate(params, 1):
        text += "".join(f"    # {NAME}: {line}\n" for line in lines)
        if end or number < len(params):
            text += f"        {'ok' if good else 'not ok'} {number} {target}\n"
    if end:
        good = all(param[2] for param in params)
        state = "ok" if good else "not ok"
        text += f"    {state} 1 {NAME}\n{state} 1 fec_storm\n"
    return text


STEPS = ["storm: step 0: open", "storm: step 1: receive 3 times 1 frames", "storm: step 2: close"]


class Reading(unittest.TestCase):
    """Logs of walks."""

    def test_a_walk_that_held(self):
        walks, faults = storm.parse(log(("imx6q/armv7-32", STEPS + ["storm:            down   plain"], True)))
        self.assertEqual(faults, [])
        self.assertEqual([walk.target for walk in walks], ["imx6q/armv7-32"])
        self.assertEqual(walks[0].why, "")
        self.assertEqual(walks[0].steps[1], "receive 3 times 1 frames")
        self.assertEqual(walks[0].table, ["storm:            down   plain"])

    def test_a_walk_that_went_wrong_says_where(self):
        lines = STEPS + ["storm: seed 7, step 2: close", "EXPECTATION FAILED at storm.c:300",
                         "storm: step 2 went wrong: 3 descriptors armed of 512"]
        walks, _ = storm.parse(log(("imx25/armv5-32", lines, False)))
        self.assertEqual((walks[0].step, walks[0].why), (2, "3 descriptors armed of 512"))
        self.assertEqual(walks[0].kind, "# descriptors armed of #")

    def test_numbers_do_not_make_another_kind(self):
        one = storm.Walk("t", "gate: 5 times a rule, mapping 0x1230000 dir -1")
        two = storm.Walk("t", "gate: 17 times a rule, mapping 0x99 dir 2")
        self.assertEqual(one.kind, two.kind)
        self.assertNotEqual(one.kind, storm.Walk("t", "a frame of 60 is missing on the wire").kind)

    def test_a_kernel_that_died_went_wrong_at_its_last_step(self):
        lines = STEPS + ["Kernel panic - not syncing: no memory at 0xffff1234"]
        walks, faults = storm.parse(log(("", lines, False), end=False), "imx8mq/arm64-64")
        self.assertEqual(faults, [])
        self.assertEqual((walks[0].target, walks[0].step), ("imx8mq/arm64-64", 2))
        self.assertIn("the kernel died", walks[0].why)

    def test_a_splat_is_wrong_though_the_case_is_green(self):
        walks, _ = storm.parse(log(("imx6q/armv7-32", STEPS + ["WARNING: net/core/dev.c:1"], True)))
        self.assertIn("WARNING", walks[0].why)
        self.assertEqual(walks[0].step, 2)

    def test_a_log_without_a_walk_is_a_fault(self):
        walks, faults = storm.parse("Kernel panic - no init\n")
        self.assertEqual(walks, [])
        self.assertTrue(faults)


class Ranges(unittest.TestCase):
    """Lists of steps as the kernel takes them."""

    def test_there_and_back(self):
        for numbers, text in (([4], "4"), ([0, 1, 2, 5], "0-2,5"), ([1, 3, 4], "1,3-4")):
            self.assertEqual(storm.ranges(numbers), text)
            self.assertEqual(storm.unranges(text), numbers)

    def test_what_is_no_list_is_refused(self):
        for text in ("", "a", "3-", "-3", "1,,2"):
            with self.assertRaises(cli.Stop):
                storm.unranges(text)


class Shrinking(unittest.TestCase):
    """Delta debugging."""

    def shrunk(self, size, needed):
        calls = []

        def fails(items):
            calls.append(list(items))
            return set(needed) <= set(items)

        return storm.shrink(list(range(size)), fails), calls

    def test_only_what_is_needed_remains_in_order(self):
        for size, needed in ((1, [0]), (2, [1]), (8, [0, 7]), (100, [3, 50, 51, 99]), (500, [499])):
            with self.subTest(size=size):
                self.assertEqual(self.shrunk(size, needed)[0], needed)

    def test_any_few_of_many(self):
        rand = random.Random(1)
        for _ in range(20):
            needed = sorted(rand.sample(range(300), rand.randint(1, 6)))
            found, calls = self.shrunk(300, needed)
            self.assertEqual(found, needed)
            self.assertLess(len(calls), 250)

    def test_nothing_can_be_left_out_of_the_result(self):
        # an even sum of at least 40: several answers, each of them minimal
        def fails(items):
            return sum(items) >= 40 and sum(items) % 2 == 0
        found = storm.shrink(list(range(20)), fails)
        self.assertTrue(fails(found))
        for item in found:
            self.assertFalse(fails([other for other in found if other != item]))


class Runs(unittest.TestCase):
    """A runner against a kernel that is played here."""

    def runner(self, answer):
        runner = storm.Runner("linux", Path("/nowhere"), CASES, side="patched", seed=3, steps=50)
        asked = []

        def walk(targets, *, keep=None, workers=None):
            runner.boots += 1
            asked.append(keep)
            return [answer(targets[0], set(storm.unranges(keep)))], []

        return mock.patch.object(runner, "walk", walk), runner, asked

    def test_only_the_same_fault_counts(self):
        # 4 and 9 together are the fault; 7 alone is another one
        def answer(target, kept):
            steps = {number: f"step {number}" for number in kept}
            if {4, 9} <= kept:
                return storm.Walk(target, "5 descriptors armed of 9", 9, steps)
            return storm.Walk(target, "a frame is missing" if 7 in kept else "", 7 if 7 in kept else -1, steps)

        patch, runner, asked = self.runner(answer)
        start = storm.Walk("imx6q/armv7-32", "1 descriptors armed of 2", 9, {number: "" for number in range(12)})
        with patch:
            small = runner.shrink(start)
        self.assertEqual(sorted(small.steps), [4, 9])
        self.assertEqual(asked[0], "0-9")       # what comes after the fault is no part of it
        lines = storm.script(small, runner)
        self.assertIn("--seed 3 --steps 50 --keep 4,9", lines[-1])
        self.assertTrue(lines[0].startswith("imx6q/armv7-32: seed 3, step 9: 5 descriptors"))

    def test_what_does_not_repeat_stays_whole(self):
        patch, runner, asked = self.runner(lambda target, kept: storm.Walk(target))
        start = storm.Walk("imx6q/armv7-32", "gone", 2, {0: "a", 1: "b", 2: "c"})
        with patch:
            self.assertIs(runner.shrink(start), start)
        self.assertEqual(len(asked), 1)

    def test_a_boot_gets_seed_steps_and_list(self):
        seen = {}

        def boot_all(jobs, uml, outdir, **words):
            seen.update(words)
            for job in jobs:
                job.log = Path(folder) / f"{job.name}.log"
                job.log.write_text(log((job.soc, STEPS, True)))

        with tempfile.TemporaryDirectory() as folder, mock.patch("poolstack.lab.boot_all", boot_all):
            runner = storm.Runner("linux", Path(folder), CASES, side="patched", seed=5, steps=70)
            walks, faults = runner.walk(["imx6q/armv7-32"], keep="0-2")
        self.assertEqual((len(walks), faults), (1, []))
        self.assertEqual(seen["seed"], "5")
        self.assertIn("poolstack.steps=70", seen["extra"])
        self.assertIn("poolstack.storm_keep=0-2", seen["extra"])


if __name__ == "__main__":
    unittest.main()
