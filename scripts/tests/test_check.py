# SPDX-License-Identifier: GPL-2.0-only
"""scripts/check: what needs no compiler; test_check_slow.py builds."""

import unittest

import fakelab
from support import FEC, Case
from poolstack import build, check, cli, kernel, lab, series, trees, walk

LOG = """\
  CC      drivers/net/ethernet/freescale/fec_main.o
  CHECK   ../drivers/net/ethernet/freescale/fec_main.c
../drivers/x/fec_main.c:10:5: warning: unused variable 'a' [-Wunused-variable]
../drivers/x/fec_main.c:20:5: warning: incorrect type in assignment
"""


class Form(Case):

    def setUp(self):
        super().setUp()
        self.names = self.make_stack()
        self.path = self.repo / "patches/fec-fixes" / self.names[0]

    def problems(self, old=None, new=""):
        text = self.path.read_text()
        if old:
            self.assertIn(old, text)
            self.path.write_text(text.replace(old, new, 1))
        topic = series.load()[0]
        found = check.form(topic, topic.patches[0])
        self.path.write_text(text)
        return found

    def test_good_patch(self):
        self.assertEqual(self.problems(), [])

    def test_each_fault_of_form_is_found(self):
        for old, new, part in (
                ("From: poolstack <poolstack@", "From: Me <me@", "From: must be"),
                ("\n---\n", "\nSigned-off-by: Me <me@example.org>\n---\n",
                 "Signed-off-by"),
                ("Fixes: 0123456789ab (", "Fixes: 0123 (", "want 12 digits"),
                ("Fixes: 0123456789ab", "See: 0123456789ab", "no Fixes: line"),
                ("net: fec: fix five", "fix five", "no subsystem"),
                ("net: fec: fix five", "net: fec: fix five.", "ends in a dot"),
                ("\nindex ", "\nindex 12345..", "not --full-index"),
                ("diff --git", "gone", "no diff")):
            with self.subTest(part):
                found = self.problems(old, new)
                self.assertEqual(len(found), 1, found)
                self.assertIn(part, found[0])

    def test_no_fixes_line_where_nobody_knows_the_commit(self):
        line = 'Fixes: 0123456789ab ("net: fec: begin")'
        (self.repo / "kunit/faults").write_text("F1 unknown unknown wrong\n")
        self.assertEqual(self.problems(line), [])
        (self.repo / "kunit/faults").write_text("F1 0123456789ab 6.6 wrong\n")
        self.assertEqual(len(self.problems(line)), 1)

    def test_patches_without_fixes_are_told_in_one_line(self):
        self.assertEqual(check.unfixed(series.load()), [])
        text = self.path.read_text()
        # One below the "---" is no tag.
        self.path.write_text(text.replace("Fixes: ", "See: ", 1).replace(
            "\n---\n", "\n---\nFixes: 0123456789ab (\"x\")\n", 1))
        self.assertEqual(check.unfixed(series.load()), [f"fec-fixes/{self.names[0]}"])
        self.seed_cache()
        done = self.script("check", "--quick")
        self.assertIn(f"\n1 patches whose Fixes: is not known yet: fec-fixes/{self.names[0]}\n",
                      done.stdout, done.stderr)
        series_file = self.repo / "patches/series"
        series_file.write_text(series_file.read_text().replace("fec-fixes net", "fec-fixes net-next"))
        self.assertEqual(check.unfixed(series.load()), [])

    def test_cover_letter(self):
        topic = series.load()[0]
        self.assertEqual(check.cover(topic), ["it says nothing"])
        for text, part in (("Subject: *** SUBJECT HERE ***\n\n" + "word " * 20,
                            "no subject"),
                           ("Subject: x: y\n\n*** BLURB HERE ***\n" + "word " * 20,
                            "nothing"),
                           ("Subject: x: y\n\n" + "word " * 20
                            + "\nSigned-off-by: a\n", "Signed-off-by")):
            topic.cover.write_text(text)
            self.assertEqual(len(check.cover(topic)), 1)
            self.assertIn(part, check.cover(topic)[0])
        topic.cover.write_text("Subject: [PATCH 0/2] x: y\n\n" + "word " * 20)
        self.assertEqual(check.cover(topic), [])
        topic.cover.unlink()
        self.assertEqual(len(check.cover(topic)), 1)

    def test_folders(self):
        self.assertEqual(check.folders(series.load()),
                         [FEC.rpartition("/")[0] + "/"])

    def test_no_patch_is_a_skip(self):
        (self.repo / "patches/series").write_text("topic fec-fixes net\n")
        self.assert_stop(self.script("check"), 4, "nothing to check")


class InLab(Case):
    """The lab after each patch, on a stand-in kernel whose cases turn green with their patch."""

    LIST = "fec_a.one * plain F1\nfec_a.two * plain F2\nfec_a.last * plain F9\n"

    def setUp(self):
        super().setUp()
        self.names = self.make_stack()
        self.seed_cache()
        (self.repo / "kunit/expected-red").write_text(self.LIST)
        self.states = {"0001": {"two": "red", "last": "red"}, "0002": {"last": "red"}}
        for where, name, value in ((lab, "check_host", lambda: None), (lab, "build_kernel", self.build),
                                   (walk, "tree_at", lambda source, step, ksrc: step)):
            self.addCleanup(setattr, where, name, getattr(where, name))
            setattr(where, name, value)

    def build(self, step):
        """Instead of a kernel: what the step's state says, green for the rest."""
        folder = self.tmp / step.name
        folder.mkdir(exist_ok=True)
        state = self.states[step.name]
        if state == "broken":
            raise cli.Failed("building lab kernel failed: a.c:1: error: bad")
        return fakelab.make(folder, {f"fec_a.{case}": {"imx6q/armv7-32": state.get(case, "ok")}
                                     for case in ("one", "two", "last", "sound")})

    def in_lab(self):
        """[(check, problems)] of the report."""
        found = []
        report = check.Report()
        report.add = lambda name, problems: found.append((name, problems))
        check.in_lab(report, kernel.debian(), "fec-fixes", None)
        return found

    def test_what_a_later_patch_mends_may_be_red(self):
        self.assertEqual(self.in_lab(), [(f"lab: fec-fixes/{name}", []) for name in self.names])

    def test_what_is_mended_may_not(self):
        self.states["0002"]["one"] = "red"
        (_, first), (_, second) = self.in_lab()
        self.assertEqual(first, [])
        self.assertEqual(second, ["fec_a.one imx6q/armv7-32: still red, though F1 is mended"])

    def test_a_case_that_was_never_red_may_not(self):
        self.states["0001"]["sound"] = "red"
        (_, first), (_, second) = self.in_lab()
        self.assertEqual(len(first), 1)
        self.assertIn("fec_a.sound", first[0])
        self.assertEqual(second, [])

    def test_a_dead_kernel_and_one_that_does_not_build(self):
        self.states = {"0001": {"sound": "panic"}, "0002": "broken"}
        (_, first), (_, second) = self.in_lab()
        self.assertTrue(any("panic" in line or "cut short" in line for line in first), first)
        self.assertEqual(second, ["building lab kernel failed: a.c:1: error: bad"])


class Messages(unittest.TestCase):

    def test_same_messages_on_other_lines_are_no_news(self):
        moved = LOG.replace(":10:5:", ":99:1:")
        self.assertEqual(check.fresh(LOG, moved), [])

    def test_a_second_one_of_a_kind_is_news(self):
        line = "../drivers/x/fec_main.c:30:5: warning: incorrect type in assignment\n"
        self.assertEqual(check.fresh(LOG, LOG + line),
                         ["drivers/x/fec_main.c: warning: incorrect type in "
                          "assignment"])
        self.assertEqual(check.fresh(LOG + line, LOG), [])

    def test_sparse_that_did_not_run_or_gave_up(self):
        self.assertEqual(check.blind_sparse(LOG), [])
        self.assertEqual(check.blind_sparse(LOG.replace("  CHECK ", "  CC ")),
                         ["sparse did not run"])
        # After an error sparse keeps its warnings to itself.
        self.assertEqual(len(check.blind_sparse(
            LOG + "../a.c:3:1: error: bad constant expression\n")), 1)

    def test_verdict(self):
        said, say = [], cli.say
        cli.say = said.append
        self.addCleanup(setattr, cli, "say", say)
        report = check.Report()
        self.assertEqual(report.verdict(), cli.FAIL)   # nothing ran
        report.add("one", [])
        self.assertEqual(report.verdict(), cli.PASS)
        report.add("two", ["why"])
        self.assertEqual(report.verdict(), cli.FAIL)
        self.assertEqual(said[-1], "1 checks passed, 1 failed")


class Build(Case):
    """What building needs no compiler for."""

    def test_fragments_later_ones_win_and_lost_options_are_named(self):
        one, two = self.tmp / "one", self.tmp / "two"
        one.write_text("CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_S=\"x y\"\n")
        two.write_text("CONFIG_B=y\nCONFIG_C=m\n")
        values, origin = build.merge([one, two])
        self.assertEqual(values, {"CONFIG_A": "y", "CONFIG_B": "y",
                                  "CONFIG_S": '"x y"', "CONFIG_C": "m"})
        self.assertEqual(origin["CONFIG_B"], two)
        have = build.parse_config("CONFIG_A=y\n# CONFIG_B is not set\n"
                                  "CONFIG_S=\"x y\"\nCONFIG_C=y\n")
        self.assertEqual(build.lost(values, have),
                         [("CONFIG_B", "y", "n"), ("CONFIG_C", "m", "y")])
        with self.assertRaisesRegex(cli.Stop, "config fragment: .*none"):
            build.merge([self.tmp / "none"])

    def test_first_error(self):
        text = ("  CC a.o\nnote: error handling\n../a.c:3:1: error: bad\n"
                "make[1]: *** [a.o] Error 1\n")
        self.assertEqual(build.first_error(text), "../a.c:3:1: error: bad")
        self.assertIn("undefined reference", build.first_error(
            "ld: a.o: in function `f':\na.c:(.text+0x1): undefined reference to `g'\n"
            "collect2: error: ld returned 1\n"))
        self.assertEqual(build.first_error('crypto/Kconfig:3: can\'t open file "x"\n'
                                           "make: *** [x] Error 1\n"),
                         'crypto/Kconfig:3: can\'t open file "x"')

    def test_hosts(self):
        machine = build.platform.machine
        self.addCleanup(setattr, build.platform, "machine", machine)
        build.platform.machine = lambda: "aarch64"
        with self.assertRaisesRegex(cli.Stop, "UML runs on amd64 hosts only"):
            build.require_host("um")
        with self.assertRaisesRegex(cli.Stop, "no such architecture: mips"):
            build.require_host("mips")

    def test_missing_compiler(self):
        self.patch_environment({"PATH": str(self.tmp)})
        with self.assertRaisesRegex(cli.Stop, "program not found: ccache"):
            build.require_host("x86" if build.platform.machine() == "x86_64"
                               else "arm64")

    def test_a_make_outside_does_not_reach_kbuild(self):
        self.patch_environment({"MAKEFLAGS": "-n", "ARCH": "mips", "W": "1"})
        self.assertEqual({build.environment()[name]
                          for name in ("MAKEFLAGS", "ARCH", "W")}, {None})

    def test_touched(self):
        names = self.make_stack()
        self.assertEqual(trees.touched(self.repo / "patches/fec-fixes" / names[0]),
                         [FEC])


if __name__ == "__main__":
    unittest.main()
