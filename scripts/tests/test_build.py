# SPDX-License-Identifier: GPL-2.0-only
"""A build of the stack that begins with the base's."""

import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from poolstack import build, trees  # noqa: E402

WHO = ["-c", "user.name=t", "-c", "user.email=t@example.org"]


class SeedFromBase(unittest.TestCase):
    """Two work trees that differ in one file, the base built."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        repo = self.folder / "base"
        repo.mkdir()
        self.git(repo, "init", "-q")
        for name in ("a.c", "b.c"):
            (repo / name).write_text("int x;\n")
        self.git(repo, "add", "a.c", "b.c")
        self.git(repo, *WHO, "commit", "-qm", "base")
        self.git(repo, "worktree", "add", "-q", "-b", "stack", self.folder / "patched")
        self.patched = self.folder / "patched"
        (self.patched / "a.c").write_text("int y;\n")
        self.git(self.patched, *WHO, "commit", "-qam", "patch")
        time.sleep(0.02)
        self.done = repo / "build-um"
        (self.done / trees.LAB).mkdir(parents=True)
        for name in ("poolstack.key", "a.o", "b.o", trees.LAB / "case.o"):
            (self.done / name).write_text("built\n")
        self.out = self.patched / "build-um"

    @staticmethod
    def git(path, *words):
        """One git command that must succeed; its output."""
        return subprocess.run(["git", "-C", path, *words], check=True, capture_output=True, text=True).stdout.strip()

    def seed(self, side="patched"):
        """As a build of the stack begins."""
        commit = self.git(self.patched, "rev-parse", "HEAD")
        build.seed_from_base(trees.Tree(self.patched, side, commit, True, ""), self.out)

    def test_only_what_differs_is_left_out(self):
        """Objects of the files that differ and of the lab go, the files become newer than what was built."""
        self.seed()
        self.assertTrue((self.out / "b.o").is_file())
        self.assertFalse((self.out / "a.o").exists())
        self.assertFalse((self.out / trees.LAB).exists())
        self.assertFalse((self.out / "poolstack.key").exists())
        self.assertGreater((self.patched / "a.c").stat().st_mtime, (self.out / "b.o").stat().st_mtime)
        self.assertLess((self.patched / "b.c").stat().st_mtime, (self.out / "b.o").stat().st_mtime)

    def test_nothing_without_a_finished_base(self):
        """A base that was not configured, another side, and a build that is there already."""
        self.seed("mine")
        self.assertFalse(self.out.exists())
        (self.done / "poolstack.key").unlink()
        self.seed()
        self.assertFalse(self.out.exists())
        (self.done / "poolstack.key").write_text("built\n")
        self.out.mkdir()
        self.seed()
        self.assertEqual(list(self.out.iterdir()), [])

    def test_another_kernel(self):
        """A base that differs in many files is of no use."""
        few, build.FEW = build.FEW, 0
        self.addCleanup(setattr, build, "FEW", few)
        self.seed()
        self.assertFalse(self.out.exists())


if __name__ == "__main__":
    unittest.main()
