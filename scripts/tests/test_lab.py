# SPDX-License-Identifier: GPL-2.0-only
"""lab, expected, kunit, figures: runs of a stand-in kernel, held against lists of expected reds."""

import os
import platform
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from poolstack import cli, expected, figures, kunit, ktap, lab, plan  # noqa: E402
import fakelab  # noqa: E402

Q, M, J = "imx6q/armv7-32", "imx8mq/arm64-64", "imx8qm/arm64-64"
GREEN = {"fec_rx.a": {Q: "ok", M: "ok"}, "fec_rx.b": {Q: "ok", M: "ok"}, "fec_xdp.c": {Q: "ok", M: "ok"}}
FIGURE = '    # counters: figure {"soc":"@SOC@","class":"@CLASS@","workload":"plain_60","batch":32,' \
         '"metric":"mmio_writes","sum":1088,"frames":512}'


class Base(unittest.TestCase):
    """A folder, the stand-in and a list."""

    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.folder = Path(temp.name)
        for name, value in ((platform, "machine"),):
            patch = mock.patch.object(name, value, return_value="x86_64")
            patch.start()
            self.addCleanup(patch.stop)

    def entries(self, *lines):
        """A list with these lines."""
        path = self.folder / "expected-red"
        path.write_text("\n".join(lines) + "\n")
        return expected.load(path)

    def run_lab(self, cases, *, side="base", glob="*", soc="", entries=(), lone_socs=(), limit=20, **more):
        """Run the stand-in: (Run, Verdict)."""
        self.uml = fakelab.make(self.folder, cases, **more)
        run = lab.run(self.uml, self.folder / "out", side=side, glob=glob, soc=soc, lone_socs=lone_socs,
                      alone=[entry.name for entry in entries if entry.alone], limit=limit)
        return run, expected.judge(run, entries, glob=glob, soc=soc or None)


class Running(Base):
    """What is booted, and what becomes of boots that go wrong."""

    def test_one_boot_per_suite(self):
        """No `alone` case: suites are whole."""
        run, verdict = self.run_lab(GREEN)
        self.assertEqual(sorted(fakelab.boots(self.uml)), sorted(["* *", "fec_rx imx6q,imx8mq", "fec_xdp imx6q,imx8mq"]))
        self.assertEqual(len(run.cases), 6)
        self.assertTrue(verdict.passed("base"))
        self.assertTrue(verdict.passed("patched"))

    def test_alone_case_boots_per_soc(self):
        """A case that may panic takes no other result with it."""
        entries = self.entries(f"fec_rx.b {Q} * F5 alone")
        run, verdict = self.run_lab(GREEN | {"fec_rx.b": {Q: "panic", M: "ok"}}, entries=entries)
        self.assertIn("fec_rx.b imx6q", fakelab.boots(self.uml))
        self.assertIn("fec_rx.a imx6q,imx8mq", fakelab.boots(self.uml))
        self.assertEqual(run.faults, [])
        self.assertEqual([(case.name, case.param) for case, _ in verdict.expected], [("fec_rx.b", "imx6q/")])
        self.assertTrue(verdict.passed("base"), expected.summary(verdict, "base"))
        self.assertFalse(verdict.passed("patched"))

    def test_panic_on_another_soc_is_unexpected(self):
        """The list says imx6q; a panic on imx8mq is none of its."""
        entries = self.entries(f"fec_rx.b {Q} * F5 alone")
        _, verdict = self.run_lab(GREEN | {"fec_rx.b": {Q: "panic", M: "panic"}}, entries=entries)
        self.assertEqual([case.param for case in verdict.unexpected], ["imx8mq/"])
        self.assertFalse(verdict.passed("base"))

    def test_panic_outside_alone_breaks_the_run(self):
        """A kernel that dies where nothing said it may: fault, and the case is named."""
        run, verdict = self.run_lab(GREEN | {"fec_rx.a": {Q: "panic"}})
        self.assertIn("cut short", run.faults[0])
        self.assertIn("fec_rx.a", run.faults[0])
        self.assertFalse(verdict.passed("base"))
        self.assertFalse(verdict.passed("mine"))

    def test_hang_is_ended(self):
        """A boot over its limit is killed, with what it started."""
        begin = time.monotonic()
        run, verdict = self.run_lab(GREEN | {"fec_rx.a": {Q: "hang"}}, limit=1)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertIn("no end within 1 s", run.faults[0])
        self.assertFalse(verdict.passed("patched"))

    def test_kernel_without_tests(self):
        """No KTAP at all: one line that names the log, never a pass; not for an alone case either."""
        with self.assertRaises(cli.Stop) as stop:
            self.run_lab(GREEN, no_ktap=True)
        self.assertEqual(stop.exception.code, cli.FAIL)
        self.assertIn("no case matches", stop.exception.message)
        uml = fakelab.make(self.folder, GREEN, no_ktap=True)
        job = lab.Job("fec_rx.b", "imx6q", alone=True)
        lab.boot_all([job], uml, self.folder / "out")
        run = lab.Run("base", "plain", uml, self.folder / "out")
        lab.collect(job, run)
        self.assertIn("no KTAP header", run.faults[0])
        self.assertEqual(run.cases, [])

    def test_filter_that_matches_nothing(self):
        """A filter with a typo is an error."""
        with self.assertRaises(cli.Stop) as stop:
            self.run_lab(GREEN, glob="fce*")
        self.assertIn("`fce*`", stop.exception.message)

    def test_soc_without_any_case(self):
        """A SoC that is not there leaves skips only; that is said."""
        _, verdict = self.run_lab(GREEN, soc="imx99")
        self.assertFalse(verdict.passed("patched"))

    def test_filter_with_case_part(self):
        """suite.case globs boot what they name and no more."""
        run, _ = self.run_lab(GREEN, glob="fec_rx.b")
        self.assertEqual({case.name for case in run.cases}, {"fec_rx.b"})
        self.assertEqual(fakelab.boots(self.uml), ["fec_rx.b *", "fec_rx.b imx6q,imx8mq"])

    def test_soc_that_must_be_first(self):
        """boot-alone: each of its cases in a boot of its own, and not with the others."""
        cases = {"fec_rx.a": {Q: "ok", "imx28/armv5-32": "ok"}, "fec_rx.b": {Q: "ok", "imx28/armv5-32": "ok"}}
        _, verdict = self.run_lab(cases, first_only="imx28")
        self.assertEqual([case.param for case in verdict.unexpected], ["imx28/armv5-32"] * 2)
        run, verdict = self.run_lab(cases, first_only="imx28", lone_socs=["imx28"])
        self.assertTrue(verdict.passed("base"), expected.summary(verdict, "base"))
        self.assertEqual(len(run.cases), 4)
        self.assertEqual(sorted(fakelab.boots(self.uml)), ["* *", "fec_rx imx6q", "fec_rx.a imx28", "fec_rx.b imx28"])

    def test_cache_class_asked_for(self):
        """A filter on the class boots no other class of that SoC."""
        run, _ = self.run_lab({"fec_rx.a": {"imx6sx/armv7-32": "ok", "imx6sx/armv7-64": "red"}}, soc="imx6sx/*-32")
        self.assertEqual([case.param for case in run.cases], ["imx6sx/armv7-32"])

    def test_lost_result(self):
        """A target that the kernel has and gives no result for fails the run."""
        run, verdict = self.run_lab(GREEN | {"fec_rx.a": {Q: "ok", M: "lost"}})
        self.assertEqual(run.faults, [f"no result: fec_rx.a {M}"])
        self.assertFalse(verdict.passed("patched"))

    def test_times_are_remembered(self):
        """The next run deals by what this one took; a broken memory is none."""
        self.run_lab(GREEN)
        path = self.folder / "times-plain.json"
        self.assertEqual(set(plan.load_times(path)["fec_rx"]), {"imx6q", "imx8mq"})
        path.write_text("[1, 2")
        self.assertEqual(plan.load_times(path), {})
        self.assertTrue(self.run_lab(GREEN)[1].passed("base"))

    def test_nothing_is_left(self):
        """No scratch folder stays, whatever happened."""
        before = set(Path(tempfile.gettempdir()).glob("poolstack-uml-*"))
        self.run_lab(GREEN)
        self.assertEqual(set(Path(tempfile.gettempdir()).glob("poolstack-uml-*")) - before, set())

    def test_interrupt_kills_the_boots(self):
        """Ctrl-C in the middle: the kernels end with us."""
        uml = fakelab.make(self.folder, {"fec_rx.a": {Q: "hang"}})
        job = lab.Job("fec_rx.a")
        with mock.patch.object(lab.time, "sleep", side_effect=KeyboardInterrupt):
            with self.assertRaises(KeyboardInterrupt):
                lab.boot_all([job], uml, self.folder / "out")
        self.assertIsNotNone(job.process.returncode)
        with self.assertRaises(ProcessLookupError):
            os.killpg(job.process.pid, 0)

    def test_other_host(self):
        """UML runs on amd64 only: one line, exit code 2."""
        with mock.patch.object(platform, "machine", return_value="aarch64"):
            with self.assertRaises(cli.Stop) as stop:
                lab.check_host()
        self.assertEqual(stop.exception.code, cli.USAGE)
        self.assertIn("aarch64", stop.exception.message)
        self.assertNotIn("\n", stop.exception.message)

    def test_time(self):
        """Time jumps, but for two CPUs, which UML does not let."""
        for variant, jumps in (("plain", True), ("kasan", True), ("smp", False)):
            words = lab.arguments("linux", "*", variant=variant)
            self.assertEqual(any(word.startswith("time-travel") for word in words), jumps, variant)

    def test_unknown_variant(self):
        """A variant without a fragment is a usage error."""
        with self.assertRaises(cli.Stop) as stop:
            lab.variant_fragment("kmsan")
        self.assertEqual(stop.exception.code, cli.USAGE)


class Judging(Base):
    """Red cases against the list."""

    RED = GREEN | {"fec_xdp.c": {Q: "red", M: "ok"}}

    def test_exactly_as_listed(self):
        """The listed red is due on the base, and a failure on the stack."""
        entries = self.entries(f"fec_xdp.c {Q} * F1")
        _, verdict = self.run_lab(self.RED, entries=entries)
        self.assertTrue(verdict.passed("base"))
        self.assertFalse(verdict.passed("patched"))
        self.assertTrue(verdict.passed("mine"))
        self.assertIn("F1", "\n".join(expected.summary(verdict, "base")))
        self.assertEqual(verdict.counts("base"), (6, 0, 0))
        self.assertEqual(verdict.counts("patched"), (5, 1, 0))

    def test_unexpected_red(self):
        """A red that the list does not have."""
        _, verdict = self.run_lab(self.RED)
        for side in ("base", "patched", "mine"):
            self.assertFalse(verdict.passed(side))
        self.assertIn("UNEXPECTED RED fec_xdp.c imx6q", "\n".join(expected.summary(verdict, "base")))

    def test_splat_is_red(self):
        """KUnit says ok, the log has a WARNING."""
        _, verdict = self.run_lab(GREEN | {"fec_rx.a": {Q: "splat", M: "ok"}})
        self.assertEqual([case.param for case in verdict.unexpected], [Q])

    def test_missing_red(self):
        """The list says red and the case is green: the base has changed, or the test lost its teeth."""
        entries = self.entries("fec_xdp.c * * F1")
        _, verdict = self.run_lab(self.RED, entries=entries)
        self.assertFalse(verdict.passed("base"))
        self.assertIn(f"MISSING RED fec_xdp.c {M}", "\n".join(expected.summary(verdict, "base")))
        self.assertEqual(verdict.counts("base"), (5, 1, 0))

    def test_stale_entry(self):
        """An entry for a case that is no more, or for a SoC without it."""
        entries = self.entries(f"fec_xdp.c {Q} * F1", f"fec_xdp.gone {Q} * F2")
        _, verdict = self.run_lab(self.RED, entries=entries)
        self.assertFalse(verdict.passed("base"))
        self.assertIn("STALE ENTRY expected-red:2", "\n".join(expected.summary(verdict, "base")))

    def test_entries_out_of_reach_are_not_stale(self):
        """A filter, a SoC or a variant that does not reach an entry says nothing about it."""
        entries = self.entries(f"fec_xdp.c {Q} * F1", f"fec_rx.a {M} smp F9")
        _, verdict = self.run_lab(self.RED, glob="fec_rx", entries=entries)
        self.assertTrue(verdict.passed("base"), expected.summary(verdict, "base"))
        _, verdict = self.run_lab(self.RED, soc="imx8mq", entries=entries)
        self.assertTrue(verdict.passed("base"), expected.summary(verdict, "base"))

    def test_bad_lists(self):
        """Every broken line is named."""
        for line, word in ((f"fec_xdp.c {Q} *", "want"), (f"fec_xdp {Q} * F1", "no <suite>.<case>"),
                           (f"fec_xdp.c {Q} * F1 apart", "want")):
            with self.assertRaises(cli.Stop) as stop:
                self.entries("# head", line)
            self.assertIn("expected-red:2", stop.exception.message)
            self.assertIn(word, stop.exception.message)
        with self.assertRaises(cli.Stop) as stop:
            self.entries(f"fec_xdp.c {Q} * F1", f"fec_xdp.c {Q} * F2")
        self.assertIn("expected-red:1", stop.exception.message)

    def test_boot_alone_lines(self):
        """They are no cases; a broken or doubled one is named."""
        self.assertEqual(self.entries("boot-alone imx28 F12  # why"), [])
        self.assertEqual(expected.lone_socs(self.folder / "expected-red"), {"imx28": "F12"})
        for lines in (["boot-alone imx28"], ["boot-alone imx*/ F1"], ["# head", "boot-alone imx28 F1", "boot-alone imx28 F2"]):
            self.entries(*lines)
            with self.assertRaises(cli.Stop) as stop:
                expected.lone_socs(self.folder / "expected-red")
            self.assertIn(f"expected-red:{len(lines)}", stop.exception.message)

    def test_forgive_lines(self):
        """They are no cases; they become a parameter, for the faults that are left; a broken one is named."""
        listed = self.folder / "expected-red"
        self.assertEqual(self.entries("forgive mtk unmap M1", "forgive mtk live M8  # why"), [])
        self.assertEqual(expected.forgive_args(listed), ["poolstack.forgive=mtk.unmap,mtk.live"])
        self.assertEqual(expected.forgive_args(listed, {"M8", "F1"}), ["poolstack.forgive=mtk.live"])
        self.assertEqual(expected.forgive_args(listed, set()), [])
        self.entries("forgive mtk at:phylink_stop M9", "forgive mtk live M8")
        self.assertEqual(expected.forgive_args(listed), ["poolstack.forgive=mtk.live"])
        self.assertEqual(expected.forgiven_warnings(listed), ["phylink_stop"])
        self.assertEqual(expected.forgiven_warnings(listed, {"M8"}), [])
        warning = "WARNING: net/x.c:1 at {}+0x14c/0x160, CPU#0: y/1\nrefcount_t: underflow\n---[ end trace 0 ]---\n"
        text = "RTNL: assertion failed at net/x.c (1)\n" + warning.format("phylink_stop") + "ok 1 y\n"
        self.assertFalse([line for line in lab.forgive(text, ["phylink_stop"]).splitlines() if ktap.is_splat(line)])
        self.assertIn("ok 1 y\n", lab.forgive(text, ["phylink_stop"]))
        self.assertEqual(lab.forgive(text, ["mtk_stop"]), text)
        for lines in (["forgive mtk unmap"], ["forgive mtk all M1"], ["# head", "forgive m live M1", "forgive m live M2"]):
            self.entries(*lines)
            with self.assertRaises(cli.Stop) as stop:
                expected.forgiven(listed)
            self.assertIn(f"expected-red:{len(lines)}", stop.exception.message)

    def test_matrix(self):
        """Suites by SoCs, greens and reds, and a line that sums."""
        run, _ = self.run_lab(self.RED)
        self.assertEqual([row.split() for row in kunit.matrix(run)],
                         [["green[/red]", "imx6q", "imx8mq"], ["fec_rx", "2", "2"], ["fec_xdp", "0/1", "1"],
                          ["all", "2/1", "3"]])

    def test_ktap_of_many_boots(self):
        """What we print is KTAP again, with the same results."""
        run, _ = self.run_lab(self.RED)
        again = ktap.parse(kunit.ktap_text(run))
        self.assertEqual(again.faults, [])
        self.assertEqual([(case.name, case.param, case.status) for case in again.cases],
                         [(case.name, case.param, case.status) for case in run.cases])

    def test_hint_names_the_case(self):
        """How to run a red case alone."""
        run, verdict = self.run_lab(self.RED)
        text = "\n".join(kunit.hints(run, verdict))
        self.assertIn("scripts/kunit --side base --seed 1 --filter fec_xdp.c --soc imx6q", text)
        self.assertIn("--seed 1 ", text)
        self.assertIn("--pcap c.pcapng", text)
        self.assertIn("gdb ", text)


class Figures(Base):
    """The lab's counters against the list of the base."""

    CASES = {"fec_figures.counters": {Q: "ok", M: "ok"}}

    def figures(self, line=FIGURE):
        """The figures of a run whose case prints this line."""
        run, _ = self.run_lab(self.CASES, say={"fec_figures.counters": [line]})
        return run

    def known(self, *lines):
        """A list with these lines."""
        path = self.folder / "base-figures"
        path.write_text("\n".join(lines) + "\n")
        return figures.load(path)

    def test_equal(self):
        """2.125 reads 2.12 when cut, in a list of two decimals."""
        known = self.known("imx6q plain_60 32 mmio_writes 2.12", "imx8mq plain_60 32 mmio_writes 2.125")
        self.assertEqual(figures.check(self.figures().figures, known), (2, []))

    def test_different(self):
        """Another value, and one that is not there."""
        known = self.known("imx6q plain_60 32 mmio_writes 2.13", "imx6q plain_60 1 mmio_writes 6.00")
        equal, faults = figures.check(self.figures().figures, known)
        self.assertEqual(equal, 0)
        self.assertIn("2.1250", faults[0])
        self.assertIn("no such figure", faults[1])

    def test_cut_not_rounded(self):
        """Digits beyond those listed are dropped."""
        self.assertEqual(figures.cut(figures.Fraction(2999, 1000), "2.99"), "2.99")
        self.assertEqual(figures.cut(figures.Fraction(55), "55"), "55")
        self.assertEqual(figures.cut(figures.Fraction(1, 16), "0.06"), "0.06")

    def test_malformed(self):
        """A figure that lacks a field, has no frames, or an unknown name."""
        for old, new, word in (('"frames":512', '"frames":0', "no frames"), ('"batch":32,', "", "without batch"),
                               ("mmio_writes", "mmio_wishes", "unknown metric"),
                               ('"sum":1088', '"sum":"x"', "no int")):
            _, faults = figures.table(self.figures(FIGURE.replace(old, new)).figures)
            self.assertIn(word, faults[0])

    def test_broken_json_fails_the_run(self):
        """A figure line that is cut short is a fault of the run."""
        run = self.figures(FIGURE[:-10])
        self.assertIn("broken figure", run.faults[0])

    def test_bad_list(self):
        """A line of the list that does not parse."""
        with self.assertRaises(cli.Stop) as stop:
            self.known("imx6q plain_60 32 mmio_writes")
        self.assertIn("base-figures:1", stop.exception.message)


if __name__ == "__main__":
    unittest.main()
