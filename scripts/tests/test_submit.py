# SPDX-License-Identifier: GPL-2.0-only
"""scripts/submit: a b4 branch and mails in a folder, under the submitter's name."""

import base64
import email
import email.policy
import gzip
import shutil
import unittest

from support import FEC, FILES, Case, git

# A get_maintainer.pl of the fake kernel: one maintainer, one list.
GET_MAINTAINER = """#!/bin/sh
case "$*" in
*--nol*) echo "Some One <maintainer@example.org>" ;;
*) echo "list@example.org" ;;
esac
"""
KERNEL = {**FILES, "scripts/get_maintainer.pl": GET_MAINTAINER}


@unittest.skipUnless(shutil.which("b4"), "b4 is not installed: scripts/packages check")
class Submit(Case):

    def setUp(self):
        super().setUp()
        self.names = self.make_stack()
        self.tree = self.make_tree(files=KERNEL)
        self.executable(self.tree)
        self.out = self.tmp / "mails"

    def executable(self, tree):
        (tree / "scripts/get_maintainer.pl").chmod(0o755)
        git(tree, "add", "-f", "scripts/get_maintainer.pl")
        if git(tree, "status", "--porcelain"):
            git(tree, "commit", "-q", "-m", "Make it executable")

    def submit(self, *words):
        return self.script("submit", "-t", "fec-fixes", "-o", self.out, *words,
                           self.tree)

    def mails(self):
        return [email.message_from_string(file.read_text(),
                                          policy=email.policy.default)
                for file in sorted(self.out.iterdir())]

    def test_mails_branch_and_an_untouched_tree(self):
        before = self.state(self.tree)
        config = (self.tree / ".git/config").read_text()
        home = (self.home / "git").read_text()
        done = self.submit()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("3 mails", done.stdout)
        self.assertIn("nothing sent", done.stdout)
        mails = self.mails()
        self.assertEqual([mail["Subject"] for mail in mails],
                         ["[PATCH net 0/2] net: fec: fix two lines",
                          "[PATCH net 1/2] net: fec: fix five",
                          "[PATCH net 2/2] net: fec: fix thirty"])
        for mail in mails:
            self.assertEqual(mail["From"], "A Developer <developer@example.org>")
            self.assertIn("maintainer@example.org", mail["To"])
            self.assertIn("list@example.org", mail["Cc"])
            self.assertNotIn("Signed-off-by", mail.get_content())
        raw = "".join(file.read_text() for file in self.out.iterdir())
        self.assertNotIn("base-commit", raw)
        self.assertNotIn("poolstack@", raw)
        self.assertNotIn(git(self.tree, "rev-parse", "HEAD"), raw)
        tracked = mails[0]["X-B4-Tracking"].split("b=", 1)[1]
        tracked = gzip.decompress(base64.b64decode(tracked.replace(" ", ""))).decode()
        self.assertNotIn(str(self.tmp), tracked)
        self.assertNotIn("poolstack", tracked)
        self.assertIn("Two lines were wrong.", mails[0].get_content())
        # The user's tree: one branch and b4's note about it, nothing else.
        after = self.state(self.tree)
        branch = "refs/heads/b4/fec-fixes"
        self.assertEqual([line for line in after[2].splitlines()
                          if not line.endswith(branch)], before[2].splitlines())
        self.assertEqual((*after[:2], *after[3:]), (*before[:2], *before[3:]))
        self.assertEqual(git(self.tree, "log", "--format=%an %cn %s", "-2", branch)
                         .splitlines(), ["A Developer A Developer net: fec: fix thirty",
                                         "A Developer A Developer net: fec: fix five"])
        self.assertNotIn("smtp", (self.tree / ".git/config").read_text())
        self.assertTrue((self.tree / ".git/config").read_text().startswith(config))
        self.assertEqual((self.home / "git").read_text(), home)

    def test_sign_off_on_the_flag_with_the_topic_applied_and_the_name_taken(self):
        self.seed_cache()
        self.assertEqual(self.script("apply", self.tree).returncode, 0)
        git(self.tree, "branch", "b4/fec-fixes", "HEAD~2")
        before = git(self.tree, "rev-parse", "HEAD")
        done = self.submit("--sign-off")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("b4/fec-fixes-2", done.stdout)
        self.assertEqual(len(self.mails()), 3)
        for mail in self.mails():
            self.assertEqual(mail.get_content().count(
                "Signed-off-by: A Developer <developer@example.org>"), 1)
        self.assertEqual(git(self.tree, "rev-parse", "HEAD"), before)

    def assert_refused(self, done, code, *parts):
        self.assert_stop(done, code, *parts)
        self.assertFalse(self.out.exists())
        self.assertEqual(git(self.tree, "branch", "--list", "b4/*"), "")
        self.assertNotIn("b4/fec-fixes", (self.tree / ".git/config").read_text())

    def test_no_identity(self):
        self.tree = self.make_tree("anonymous", files=KERNEL, identity=False)
        self.assert_refused(self.submit(), 2, "no identity", "user.name")

    def test_placeholder_identity(self):
        git(self.tree, "config", "user.name", "poolstack")
        git(self.tree, "config", "user.email", "poolstack@example.org")
        self.assert_refused(self.submit(), 2, "placeholder")

    def test_patch_that_does_not_apply(self):
        self.edit(self.tree, "line_30;", "other_30;", "Change it")
        self.seed_cache()
        before = self.state(self.tree)
        self.assert_refused(self.submit(), 1, self.names[1], FEC)
        self.assertEqual(self.state(self.tree), before)

    def test_patch_for_net_without_fixes(self):
        path = self.repo / "patches/fec-fixes" / self.names[1]
        path.write_text(path.read_text().replace("Fixes: ", "Broken by: ", 1))
        # Known as unknown is good enough to keep the patch, not to send it.
        (self.repo / "kunit/faults").write_text("F2 unknown unknown wrong\n")
        self.assert_refused(self.submit(), 1, f"fec-fixes/{self.names[1]}", "git log -S",
                            "kunit/faults")
        series = self.repo / "patches/series"
        series.write_text(series.read_text().replace("fec-fixes net", "fec-fixes net-next"))
        self.assertEqual(self.submit().returncode, 0)

    def test_placeholder_in_the_text_is_not_handed_over(self):
        path = self.repo / "patches/fec-fixes/0000-cover-letter.patch"
        path.write_text(path.read_text() + "Ask poolstack@example.org.\n")
        self.assert_refused(self.submit(), 1, "placeholder")

    def test_no_recipient(self):
        (self.tree / "scripts/get_maintainer.pl").write_text("#!/bin/sh\n")
        git(self.tree, "commit", "-q", "-a", "-m", "Nobody")
        self.assert_refused(self.submit(), 1, "destination addresses")

    def test_tree_without_get_maintainer(self):
        self.tree = self.make_tree("bare")
        self.assert_refused(self.submit(), 2, "get_maintainer.pl")

    def test_no_kernel_and_full_folder(self):
        done = self.script("submit", "-t", "fec-fixes", "-o", self.out, self.tmp)
        self.assert_stop(done, 2, "no kernel tree")
        self.assert_stop(self.script("submit", "-t", "x", self.tree), 2, "no topic x")
        self.out.mkdir()
        (self.out / "mail").write_text("old")
        self.assert_stop(self.submit(), 2, "not empty")
        self.assertEqual((self.out / "mail").read_text(), "old")


if __name__ == "__main__":
    unittest.main()
