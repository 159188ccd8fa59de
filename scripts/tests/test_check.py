# SPDX-License-Identifier: GPL-2.0-only
"""scripts/check: what needs no compiler; test_check_slow.py builds."""

import unittest

from support import FEC, Case
from poolstack import build, check, cli, series, trees

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
