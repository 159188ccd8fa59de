# SPDX-License-Identifier: GPL-2.0-only
"""scripts/apply: all of the stack or nothing, onto any clone."""

import shutil
import unittest

from support import FEC, FILES, LINES, Case, git, write


class Apply(Case):

    def setUp(self):
        super().setUp()
        self.names = self.make_stack()
        self.seed_cache()

    def test_leaves_one_commit_a_patch(self):
        tree = self.make_tree()
        done = self.script("apply", tree)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 patches applied", done.stdout)
        self.assertEqual(git(tree, "log", "--format=%s|%an|%cn").splitlines(),
                         ["net: fec: fix thirty|poolstack|A Developer",
                          "net: fec: fix five|poolstack|A Developer",
                          "Import|poolstack|poolstack"])
        self.assertIn("fixed_30;", (tree / FEC).read_text())
        self.assertEqual(git(tree, "symbolic-ref", "--short", "HEAD"), "main")
        self.assertEqual(git(tree, "status", "--porcelain"), "")
        self.assertEqual(len(git(tree, "worktree", "list").splitlines()), 1)
        self.assertEqual(list((self.tmp / "cache").glob("scratch-*")), [])

    def test_second_run_finds_all_there(self):
        tree = self.make_tree()
        self.script("apply", tree)
        before = self.state(tree)
        done = self.script("apply", tree)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("already applied: 2 patches", done.stdout)
        self.assertEqual(self.state(tree), before)

    def test_applies_what_is_missing(self):
        tree = self.make_tree()
        self.script("apply", tree)
        git(tree, "reset", "-q", "--hard", "HEAD~1")
        done = self.script("apply", tree)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 patches applied", done.stdout)
        self.assertIn("fixed_30;", (tree / FEC).read_text())

    def test_conflict_names_patch_and_place_and_changes_nothing(self):
        files = {**FILES, FEC: FILES[FEC].replace("line_30;", "other_30;")}
        tree = self.make_tree(files=files)
        write(tree, {"notes": "mine\n"})
        before = self.state(tree)
        done = self.script("apply", tree)
        self.assert_stop(done, 1, self.names[1], f"{FEC}:30")
        self.assertEqual(self.state(tree), before)

    def test_missing_file_is_named(self):
        files = {name: text for name, text in FILES.items() if name != FEC}
        tree = self.make_tree(files=files)
        before = self.state(tree)
        done = self.script("apply", tree)
        self.assert_stop(done, 1, self.names[0], FEC)
        self.assertEqual(self.state(tree), before)

    def test_three_way_on_a_foreign_clone(self):
        # A neighbouring line differs, so that only a merge gets the patch in;
        # the blob it needs is in the import alone.
        text = FILES[FEC].replace("line_2;\n", "line_2;\nint extra;\n") \
            .replace("line_33;", "moved_33;")
        tree = self.make_tree(files={**FILES, FEC: text})
        done = self.script("apply", tree)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (tree / FEC).read_text()
        for part in ("fixed_5;", "fixed_30;", "moved_33;", "int extra;"):
            self.assertIn(part, text)
        # Nothing in it may depend on the import's objects.
        shutil.rmtree(self.tmp / "cache")
        git(tree, "fsck", "--strict", "--no-dangling")
        again = self.script("apply", tree)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("already applied", again.stdout)

    def test_offline_without_import_still_applies_cleanly(self):
        tree = self.make_tree(files={**FILES, "Makefile": FILES["Makefile"] + "\n"})
        done = self.script("apply", tree)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_tree_without_identity_gets_the_placeholder(self):
        tree = self.make_tree(identity=False)
        done = self.script("apply", tree)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(git(tree, "log", "-1", "--format=%cn %ce"),
                         "poolstack poolstack@example.org")

    def test_topic_stops_the_stack(self):
        write(self.repo, {"patches/series":
              (self.repo / "patches/series").read_text() + "topic fec net-next\n"
              "patch 0001-more.patch pending -\n",
              "patches/fec/0001-more.patch": "Subject: no patch\n"})
        tree = self.make_tree()
        self.assertEqual(self.script("apply", "-t", "fec-fixes", tree).returncode, 0)
        self.assert_stop(self.script("apply", "-t", "nope", tree), 2, "no topic nope")

    def test_dropped_patch_is_left_out(self):
        path = self.repo / "patches/series"
        path.write_text(path.read_text().replace("pending F2", "dropped F2"))
        tree = self.make_tree()
        self.script("apply", tree)
        self.assertNotIn("fixed_30;", (tree / FEC).read_text())

    def test_dirty_tree_is_refused(self):
        tree = self.make_tree()
        write(tree, {FEC: "edited\n"})
        before = self.state(tree)
        self.assert_stop(self.script("apply", tree), 2, "dirty", FEC)
        self.assertEqual(self.state(tree), before)
        git(tree, "add", "-f", FEC)
        self.assert_stop(self.script("apply", tree), 2, "dirty", FEC)

    def test_untracked_file_in_the_way_is_refused(self):
        tree = self.make_tree("maker")
        self.edit(tree, "", "int new;\n", "net: fec: add a file", file="new.c")
        git(tree, "format-patch", "-q", "--full-index", "-1", "-o",
            str(self.repo / "patches/fec-fixes"), "--start-number", "3")
        path = self.repo / "patches/series"
        path.write_text(path.read_text()
                        + "patch 0003-net-fec-add-a-file.patch pending -\n")
        tree = self.make_tree()
        write(tree, {"new.c": "int mine;\n"})
        before = self.state(tree)
        self.assert_stop(self.script("apply", tree), 2, "dirty", "new.c")
        self.assertEqual(self.state(tree), before)

    def test_no_kernel_tree(self):
        empty = self.tmp / "empty"
        empty.mkdir()
        self.assert_stop(self.script("apply", empty), 2, "no kernel tree", str(empty))
        self.assert_stop(self.script("apply", self.tmp / "nowhere"), 2,
                         "no directory")
        plain = self.tmp / "plain"
        write(plain, FILES)
        self.assert_stop(self.script("apply", plain), 2, "no git tree")

    def test_unfinished_rebase_is_refused(self):
        tree = self.make_tree()
        (tree / ".git/rebase-apply").mkdir()
        self.assert_stop(self.script("apply", tree), 2, "rebase-apply")

    def test_a_hook_of_the_user_does_not_run(self):
        tree = self.make_tree()
        for hook in ("post-checkout", "post-merge", "applypatch-msg", "pre-commit"):
            path = tree / ".git/hooks" / hook
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"#!/bin/sh\ntouch {self.tmp}/hooked\nexit 1\n")
            path.chmod(0o755)
        self.assertEqual(self.script("apply", tree).returncode, 0)
        self.assertFalse((self.tmp / "hooked").exists())


class ChangeId(unittest.TestCase):

    def test_context_and_place_do_not_count(self):
        from poolstack import apply
        one = "diff --git a/x b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n"
        two = "diff --git a/x b/x\n@@ -9,3 +9,3 @@ f\n z\n-b\n+c\n d\n-- \n2.39\n"
        three = one.replace("+c", "+e")
        self.assertEqual(apply.change_id(one), apply.change_id(two))
        self.assertNotEqual(apply.change_id(one), apply.change_id(three))
        self.assertEqual(len(LINES), 40)


if __name__ == "__main__":
    unittest.main()
