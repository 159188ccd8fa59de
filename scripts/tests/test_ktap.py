# SPDX-License-Identifier: GPL-2.0-only
"""ktap: golden logs, and logs that must never count as a pass."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from poolstack import ktap  # noqa: E402

DATA = Path(__file__).parent / "data" / "ktap"


def parse(name):
    """Parse one golden log."""
    return ktap.parse((DATA / name).read_text())


class Golden(unittest.TestCase):
    """Whole logs."""

    def test_parameters_are_the_leaves(self):
        """Each parameter is a result; a case without any is one itself; time stamps do not matter."""
        log = parse("good.log")
        self.assertEqual([(case.name, case.param, case.status) for case in log.cases], [
            ("fec_rx.plain_frames_reach_the_stack", "imx6q/armv7-32", "ok"),
            ("fec_rx.plain_frames_reach_the_stack", "imx8mq/arm64-64", "ok"),
            ("fec_rx.later_frame_is_intact", "imx6q/armv7-32", "fail"),
            ("fec_rx.later_frame_is_intact", "imx8mq/arm64-64", "ok"),
            ("fec_rx.jumbo_frames", "", "skip"),
            ("fec_figures.counters_per_frame", "imx6q/armv7-32", "ok")])
        self.assertEqual(log.faults, [])
        self.assertTrue(log.complete)

    def test_reason_is_the_expectation(self):
        """A red case says what was expected and what came."""
        red = parse("good.log").failed[0]
        self.assertIn("fec_rx_kunit.c:77", red.reason)
        self.assertIn("bad == 255", red.reason)

    def test_figures(self):
        """Figure lines come out as objects."""
        figures = parse("good.log").figures
        self.assertEqual([figure["metric"] for figure in figures], ["dma_lines_for_device", "mmio_writes"])
        self.assertEqual(figures[1]["sum"], 1088)

    def test_panic_fails_the_running_case(self):
        """A kernel that dies: what ran before stays, the running case is red with the panic's words."""
        log = parse("panic.log")
        self.assertFalse(log.complete)
        self.assertEqual(log.running, "fec_jumbo.head_moved_into_tail_page")
        self.assertEqual(log.cases[0].status, "ok")
        self.assertEqual(log.cases[-1].status, "fail")
        self.assertIn("Bad page state", log.cases[-1].reason)
        self.assertIn("cut short", log.faults[0])

    def test_splats_turn_cases_red(self):
        """A WARNING in a case, a report after its last parameter, a stall after everything."""
        red = parse("splat.log").failed
        self.assertEqual([case.name for case in red],
                         ["fec_open.close_gives_back_everything", "fec_attach.pool_direction_follows",
                          "(after the last case)"])
        self.assertIn("phylink_stop", red[0].reason)
        self.assertIn("DMA-API", red[1].reason)
        self.assertIn("stalled", red[2].reason)

    def test_no_test_is_no_pass(self):
        """A log that plans nothing, holds nothing, or is empty is at fault."""
        for text in ((DATA / "no-test.log").read_text(), "Linux version 7.3.4\n", ""):
            log = ktap.parse(text)
            self.assertEqual(log.cases, [])
            self.assertEqual(len(log.faults), 1, text)
        self.assertIn("filter", parse("no-test.log").faults[0])

    def test_broken_figure_is_a_fault(self):
        """A figure line that is cut is not dropped silently."""
        log = parse("broken-figure.log")
        self.assertEqual(log.figures, [])
        self.assertIn("broken figure", log.faults[0])


class Details(unittest.TestCase):
    """Single rules."""

    HEAD = "KTAP version 1\n1..1\n    KTAP version 1\n    # Subtest: fec_rx\n    1..2\n"

    def test_every_cut_is_a_failure(self):
        """Wherever the good log is cut before its last result, it is not complete and not without red."""
        text = (DATA / "good.log").read_text()
        lines = text.splitlines(keepends=True)
        last = max(number for number, line in enumerate(lines) if line.startswith("ok 2"))
        for count in range(last):
            log = ktap.parse("".join(lines[:count]))
            self.assertFalse(log.complete, count)
            self.assertTrue(log.faults, count)

    def test_lost_result_is_a_fault(self):
        """Result 2 without result 1."""
        log = ktap.parse(self.HEAD + "    ok 2 b\nok 1 fec_rx\n")
        self.assertIn("lines are lost", " ".join(log.faults))

    def test_fewer_results_than_planned(self):
        """A suite that ends before its plan is fulfilled."""
        log = ktap.parse(self.HEAD + "    ok 1 a\nok 1 fec_rx\n")
        self.assertIn("1 results of 2 planned", " ".join(log.faults))

    def test_failed_suite_init(self):
        """A suite that cannot start has no case, and is red."""
        log = ktap.parse("KTAP version 1\n1..1\n    # failed to initialize (-12)\nnot ok 1 fec_rx\n")
        self.assertEqual([(case.name, case.status) for case in log.cases], [("fec_rx", "fail")])

    def test_empty_suite_is_a_fault(self):
        """A suite that says ok without a case in it."""
        log = ktap.parse("KTAP version 1\n1..1\nok 1 fec_rx\n")
        self.assertIn("no case ran", " ".join(log.faults))

    def test_suite_exit_failure_is_kept(self):
        """A suite that is red though its cases are green."""
        log = ktap.parse(self.HEAD + "    ok 1 a\n    ok 2 b\nnot ok 1 fec_rx\n")
        self.assertEqual([case.name for case in log.failed], ["fec_rx"])

    def test_second_boot_in_one_log(self):
        """A kernel that restarted must not look like one run."""
        text = (DATA / "good.log").read_text()
        self.assertIn("second KTAP header", " ".join(ktap.parse(text + text).faults))

    def test_healthy_lines_are_no_splats(self):
        """Words that a healthy boot prints."""
        for line in ("DMA-API: preallocated 65536 debug entries", "lockdep: fixing up alternatives",
                     "kasan: KernelAddressSanitizer initialized", "Lock dependency validator: Copyright (c)"):
            self.assertFalse(ktap.is_splat(line), line)

    def test_sick_lines_are_splats(self):
        """One of each kind."""
        for line in ("WARNING: CPU: 0 PID: 1 at net/core/page_pool.c:1", "BUG: KASAN: use-after-free in fec_x",
                     "kernel BUG at mm/slub.c:12!", "Kernel panic - not syncing: x", "RTNL: assertion failed at x",
                     "refcount_t: underflow; use-after-free.", "WARNING: possible circular locking dependency detected",
                     "page_pool_release_retry() stalled pool shutdown: id 1", "WARNING: suspicious RCU usage",
                     "DMA-API: fec: device driver syncs DMA memory", "INFO: task kworker blocked for more than 10 s"):
            self.assertTrue(ktap.is_splat(line), line)


if __name__ == "__main__":
    unittest.main()
