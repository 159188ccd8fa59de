# SPDX-License-Identifier: GPL-2.0-only
"""scripts/refresh: an edited branch becomes patches, what did not change stays."""

import re
import shutil

from support import FEC, FILES, Case, git, write


class Refresh(Case):

    def setUp(self):
        super().setUp()
        self.names = self.make_stack()
        self.tree = self.make_patched_tree()
        self.folder = self.repo / "patches/fec-fixes"
        self.before = self.patches()

    def patches(self):
        """Every byte below patches/, and when it was written."""
        return {str(path.relative_to(self.repo / "patches")):
                (path.read_bytes(), path.stat().st_mtime_ns)
                for path in (self.repo / "patches").rglob("*") if path.is_file()}

    def refresh(self, *words):
        done = self.script("refresh", "-t", "fec-fixes", *words, self.tree)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def series(self):
        return [line for line in (self.repo / "patches/series").read_text()
                .splitlines() if line.startswith("patch ")]

    def test_unchanged_branch_changes_no_byte(self):
        self.assertIn("nothing changed", self.refresh())
        self.assertEqual(self.patches(), self.before)

    def test_other_dates_and_base_ids_change_no_byte(self):
        # As rebased by somebody else, years later.
        git(self.tree, "rebase", "-q", "--force-rebase", "--reset-author-date",
            "HEAD~2")
        self.assertIn("nothing changed", self.refresh())
        self.assertEqual(self.patches(), self.before)

    def test_amended_patch_alone_changes(self):
        write(self.tree, {FEC: (self.tree / FEC).read_text()
                          .replace("fixed_30;", "better_30;")})
        git(self.tree, "commit", "-q", "-a", "--amend", "--no-edit")
        self.assertIn(f"changed: {self.names[1]}", self.refresh())
        now = self.patches()
        self.assertEqual(now.pop(f"fec-fixes/{self.names[1]}")[0].count(b"better_30;"),
                         1)
        self.before.pop(f"fec-fixes/{self.names[1]}")
        self.assertEqual(now, self.before)

    def test_new_text_stays_as_format_patch_makes_it_and_applies(self):
        self.edit(self.tree, "line_12;", "fixed_12;", "net: fec: fix twelve",
                  body="Why.\n\nSigned-off-by: A Developer <developer@example.org>")
        out = self.refresh()
        self.assertIn("new: 0003-net-fec-fix-twelve.patch", out)
        text = (self.folder / "0003-net-fec-fix-twelve.patch").read_text()
        self.assertTrue(text.startswith("From 0000000000000000000000000000000000000000 "
                                        "Mon Sep 17 00:00:00 2001\nFrom: poolstack "
                                        "<poolstack@example.org>\n"), text)
        self.assertIn("Subject: [PATCH net] net: fec: fix twelve\n", text)
        self.assertNotIn("Signed-off-by", text)
        self.assertRegex(text, r"(?m)^index [0-9a-f]{40}\.\.[0-9a-f]{40} ")
        self.assertEqual(self.series()[2],
                         "patch 0003-net-fec-fix-twelve.patch pending -")
        self.seed_cache()
        clone = self.make_tree("clone")
        self.assertEqual(self.script("apply", clone).returncode, 0)
        self.assertEqual((clone / FEC).read_text(), (self.tree / FEC).read_text())

    def test_order_of_the_branch_counts_and_status_goes_along(self):
        path = self.repo / "patches/series"
        path.write_text(path.read_text().replace("pending F2", "submitted F2"))
        git(self.tree, "reset", "-q", "--hard", "HEAD~2")
        both = [git(self.tree, "rev-parse", name)
                for name in ("HEAD@{1}", "HEAD@{1}~1")]
        git(self.tree, "cherry-pick", *both)
        self.refresh()
        self.assertEqual(self.series(),
                         ["patch 0001-net-fec-fix-thirty.patch submitted F2",
                          "patch 0002-net-fec-fix-five.patch pending F1"])
        self.assertEqual(sorted(file.name for file in self.folder.iterdir()),
                         ["0000-cover-letter.patch", "0001-net-fec-fix-thirty.patch",
                          "0002-net-fec-fix-five.patch"])

    def test_removed_patch_goes(self):
        git(self.tree, "reset", "-q", "--hard", "HEAD~1")
        self.assertIn(f"removed: {self.names[1]}", self.refresh())
        self.assertEqual(self.series(), [f"patch {self.names[0]} pending F1"])
        self.assertFalse((self.folder / self.names[1]).exists())
        self.assertTrue((self.folder / "0000-cover-letter.patch").exists())

    def test_edited_subject_keeps_status(self):
        path = self.repo / "patches/series"
        path.write_text(path.read_text().replace("pending F2", "backport F2"))
        git(self.tree, "commit", "-q", "--amend", "-m", "net: fec: thirty was wrong")
        out = self.refresh()
        self.assertIn(f"renamed: {self.names[1]} -> "
                      "0002-net-fec-thirty-was-wrong.patch", out)
        self.assertEqual(self.series()[1],
                         "patch 0002-net-fec-thirty-was-wrong.patch backport F2")

    def test_dropped_patch_and_comments_stay(self):
        path = self.repo / "patches/series"
        text = path.read_text().replace(
            f"patch {self.names[1]} pending F2",
            "# kept to look at\npatch 0009-old.patch dropped F9\n"
            f"patch {self.names[1]} pending F2  # on the list")
        path.write_text(text)
        (self.folder / "0009-old.patch").write_text("Subject: old\n")
        self.refresh()
        self.assertEqual(self.series(), [f"patch {self.names[0]} pending F1",
                                         "patch 0009-old.patch dropped F9",
                                         f"patch {self.names[1]} pending F2"
                                         "  # on the list"])
        self.assertTrue((self.folder / "0009-old.patch").exists())
        self.assertIn("# kept to look at", path.read_text())

    def test_newly_touched_file_gets_its_blob(self):
        header = "drivers/net/ethernet/freescale/fec.h"
        self.edit(self.tree, "/* fec */", "/* fec! */", "net: fec: touch a header",
                  file=header)
        self.edit(self.tree, "", "int n;\n", "net: fec: a new file", file="new.c")
        self.refresh()
        base = (self.repo / "patches/base").read_text()
        blob = git(self.tree, "rev-parse", f"HEAD~4:{header}")
        self.assertIn(f"blob {blob} {header}\n", base)
        self.assertNotIn("new.c", base)
        self.assertIn("# the base\n", base)

    def test_topics_around_it_are_left_out(self):
        self.edit(self.tree, "line_12;", "fast_12;", "net: fec: go faster")
        path = self.repo / "patches/series"
        path.write_text(path.read_text() + "topic fec net-next\n"
                        "patch 0001-net-fec-go-faster.patch pending -\n")
        git(self.tree, "format-patch", "-q", "--full-index", "-1", "-o",
            str(self.repo / "patches/fec"))
        before = self.patches()
        self.assertIn("nothing changed", self.refresh())
        self.assertEqual(self.patches(), before)
        write(self.tree, {FEC: (self.tree / FEC).read_text()
                          .replace("fast_12;", "faster_12;")})
        git(self.tree, "commit", "-q", "-a", "--amend", "--no-edit")
        done = self.script("refresh", "-t", "fec", self.tree)
        self.assertIn("changed: 0001-net-fec-go-faster.patch", done.stdout)
        self.assertEqual(self.series()[:2], [f"patch {self.names[0]} pending F1",
                                             f"patch {self.names[1]} pending F2"])

    def assert_refused(self, *parts):
        done = self.script("refresh", "-t", "fec-fixes", self.tree)
        self.assert_stop(done, 2, *parts)
        self.assertEqual(self.patches(), self.before)

    def test_dirty_tree(self):
        write(self.tree, {FEC: "int edited;\n"})
        self.assert_refused("dirty", FEC)

    def test_fixup_commit(self):
        write(self.tree, {FEC: (self.tree / FEC).read_text()
                          .replace("line_8;", "fixed_8;")})
        git(self.tree, "commit", "-q", "-a", "--fixup", "HEAD")
        self.assert_refused("autosquash", "fixup! net: fec: fix thirty")

    def test_merge(self):
        git(self.tree, "checkout", "-q", "-b", "side", "HEAD~1")
        self.edit(self.tree, "line_18;", "fixed_18;", "net: fec: fix eighteen")
        git(self.tree, "checkout", "-q", "main")
        git(self.tree, "merge", "-q", "--no-edit", "side")
        self.assert_refused("merge")

    def test_branch_on_another_kernel(self):
        shutil.rmtree(self.tree)
        self.tree = self.make_tree(files={**FILES, FEC: "int first;\n" + FILES[FEC]})
        self.seed_cache()
        self.assertEqual(self.script("apply", self.tree).returncode, 0)
        self.assert_refused("another kernel", FEC)

    def test_branch_without_the_topic(self):
        git(self.tree, "reset", "-q", "--hard", "HEAD~2")
        self.assert_refused("no commit of topic fec-fixes")

    def test_no_kernel_tree(self):
        self.tree = self.tmp / "nowhere"
        self.assert_refused("no directory")

    def test_settings_of_the_user_do_not_matter(self):
        with open(self.home / "git", "a", encoding="utf-8") as file:
            file.write("[format]\n\tsignature = me\n\tnumbered = true\n\tattach = x\n"
                       "\tsignOff = true\n\tuseAutoBase = true\n"
                       "[diff]\n\tnoprefix = true\n\tcontext = 9\n"
                       "\talgorithm = patience\n[core]\n\tabbrev = 7\n")
        git(self.tree, "config", "diff.mnemonicPrefix", "true")
        git(self.tree, "config", "format.signature", "us")
        self.edit(self.tree, "line_12;", "fixed_12;", "net: fec: fix twelve")
        self.refresh()
        text = (self.folder / "0003-net-fec-fix-twelve.patch").read_text()
        self.assertTrue(re.search(r"^diff --git a/\S+ b/\S+$", text, re.M), text)
        self.assertEqual(text.count("\n int line_"), 6)
        self.assertNotIn("\n-- \n", text)
        self.assertEqual(self.before[f"fec-fixes/{self.names[0]}"],
                         self.patches()[f"fec-fixes/{self.names[0]}"])
