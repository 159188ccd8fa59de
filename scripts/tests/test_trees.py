# SPDX-License-Identifier: GPL-2.0-only
"""Work trees: right content, and no file touched whose content stays."""

import shutil
import unittest

from support import FEC, FILES, Case, git, write
from poolstack import cache, cli, kernel, trees


class Trees(Case):

    def setUp(self):
        super().setUp()
        self.names = self.make_stack()
        self.seed_cache()

    def times(self, tree):
        return {str(path.relative_to(tree)): path.stat().st_mtime_ns
                for path in tree.rglob("*")
                if path.is_file() and ".git" not in path.relative_to(tree).parts}

    def changed(self, tree, before):
        after = self.times(tree)
        return {name for name in before.keys() | after.keys()
                if before.get(name) != after.get(name)}

    def test_base_and_patched(self):
        base, patched = trees.prepare("base"), trees.prepare("patched")
        self.assertEqual((base.side, base.patched, patched.patched),
                         ("base", False, True))
        self.assertEqual((base.path / FEC).read_text(), FILES[FEC])
        self.assertIn("fixed_30;", (patched.path / FEC).read_text())
        self.assertIn("fec-fixes", patched.describe)
        self.assertIn("7.3.4", base.describe)
        self.assertEqual(git(patched.path, "rev-parse", "HEAD"), patched.commit)
        self.assertEqual(patched.path, cache.cache_dir() / "trees/patched")

    def test_again_touches_nothing(self):
        tree = trees.prepare("patched").path
        before = self.times(tree)
        self.assertEqual(trees.prepare("patched").path, tree)
        self.assertEqual(self.changed(tree, before), set())

    def test_a_changed_patch_touches_its_file_alone(self):
        first = trees.prepare("patched")
        before = self.times(first.path)
        path = self.repo / "patches/fec-fixes" / self.names[1]
        path.write_text(path.read_text().replace("fixed_30;", "better_30;"))
        second = trees.prepare("patched")
        self.assertNotEqual(first.commit, second.commit)
        self.assertEqual(self.changed(first.path, before), {FEC})
        self.assertIn("better_30;", (second.path / FEC).read_text())

    def test_the_stack_gives_the_same_commit_again(self):
        first = trees.prepare("patched").commit
        shutil.rmtree(cache.cache_dir())
        self.seed_cache()
        self.assertEqual(trees.prepare("patched").commit, first)

    def test_edited_file_is_put_back(self):
        tree = trees.prepare("base").path
        write(tree, {FEC: "int spoiled;\n"})
        before = self.times(tree)
        trees.prepare("base")
        self.assertEqual((tree / FEC).read_text(), FILES[FEC])
        self.assertEqual(self.changed(tree, before), {FEC})

    def test_lab_is_mirrored_and_hooked(self):
        tree = trees.prepare("base").path
        lab = tree / trees.LAB
        self.assertEqual((lab / "lab/dma.c").read_text(), "int dma;\n")
        self.assertIn('\nsource "drivers/net/ethernet/poolstack/Kconfig"\n',
                      (tree / "drivers/net/ethernet/Kconfig").read_text())
        self.assertTrue((tree / "drivers/net/ethernet/Kconfig").read_text()
                        .rstrip().endswith("endif"))
        self.assertIn("-include $(srctree)/drivers/net/ethernet/poolstack/lab/seam.h",
                      (tree / "drivers/net/ethernet/freescale/Makefile").read_text())
        self.assertIn("+= poolstack/", (tree / "drivers/net/ethernet/Makefile")
                      .read_text())
        before = self.times(tree)
        write(self.repo, {"kunit/lab/dma.c": "int dma2;\n", "kunit/lab/irq.c": "x\n"})
        (self.repo / "kunit/suites/a_kunit.c").unlink()
        trees.prepare("base")
        self.assertEqual(self.changed(tree, before),
                         {str(trees.LAB / name) for name in
                          ("lab/dma.c", "lab/irq.c", "suites/a_kunit.c")})

    def test_a_hook_that_changed_replaces_the_old_one(self):
        tree = trees.prepare("base").path
        file = tree / "drivers/net/ethernet/freescale/Makefile"
        old = "CFLAGS_fec_main.o += $(if $(CONFIG_POOLSTACK_LAB),-DOLD)"
        file.write_text(file.read_text().replace("\nCFLAGS", f"\n{old}\nCFLAGS"))
        trees.prepare("base")
        self.assertEqual(file.read_text().count("POOLSTACK_LAB"), 1)
        self.assertNotIn("-DOLD", file.read_text())

    def test_lab_that_is_not_there(self):
        (self.repo / "kunit/Kconfig").unlink()
        with self.assertRaisesRegex(cli.Stop, "the lab has no Kconfig"):
            trees.prepare("base")

    def test_mine_follows_the_users_edits(self):
        user = self.make_tree("user")
        tree = trees.prepare("mine", ksrc=str(user)).path
        before = self.times(tree)
        write(user, {FEC: "int mine;\n"})
        state = self.state(user)
        trees.prepare("mine", ksrc=str(user))
        self.assertEqual((tree / FEC).read_text(), "int mine;\n")
        self.assertEqual(self.changed(tree, before), {FEC})
        self.assertEqual(self.state(user), state)
        with self.assertRaisesRegex(cli.Stop, "KSRC=DIR"):
            trees.prepare("mine")

    def test_ksrc_replaces_the_base_unless_mine_is_a_side(self):
        user = self.make_tree("user", files={**FILES, "MAINTAINERS": "other\n"})
        one = trees.prepare("base", ksrc=str(user))
        self.assertEqual((one.path / "MAINTAINERS").read_text(), "other\n")
        self.assertEqual(one.side, "base")
        two = trees.prepare("base", ksrc=str(user), sides=["base", "mine"])
        self.assertEqual((two.path / "MAINTAINERS").read_text(), FILES["MAINTAINERS"])
        self.assertIn("fixed_5;", (trees.prepare("patched", ksrc=str(user)).path / FEC)
                      .read_text())

    def test_patch_that_does_not_apply_is_named(self):
        path = self.repo / "patches/fec-fixes" / self.names[1]
        path.write_text(path.read_text().replace("-int line_30;", "-int lost_30;"))
        with self.assertRaises(cli.Stop) as caught:
            trees.prepare("patched")
        self.assertEqual(caught.exception.code, cli.FAIL)
        self.assertIn(self.names[1], caught.exception.message)
        self.assertIn(FEC, caught.exception.message)
        self.assertEqual(list(cache.cache_dir().glob("scratch-*")), [])

    def test_broken_tree_is_made_anew(self):
        tree = trees.prepare("base").path
        (tree / ".git").unlink()
        (tree / "junk").write_text("")
        trees.prepare("base")
        self.assertFalse((tree / "junk").exists())
        self.assertEqual(git(tree, "rev-parse", "HEAD"),
                         kernel.source().commit)

    def test_arches_that_nobody_builds_are_left_out_but_their_kconfig(self):
        files = {**FILES, "arch/mips/Kconfig": "k\n", "arch/mips/a.c": "x\n",
                 "arch/um/a.c": "x\n", "drivers/gpu/drm/amd/include/a.h": "x\n"}
        shutil.rmtree(cache.cache_dir())
        self.seed_cache(files)
        tree = trees.prepare("base").path
        self.assertTrue((tree / "arch/mips/Kconfig").exists())
        self.assertTrue((tree / "arch/um/a.c").exists())
        self.assertFalse((tree / "arch/mips/a.c").exists())
        self.assertFalse((tree / "drivers/gpu/drm/amd/include/a.h").exists())
        self.assertEqual(git(tree, "status", "--porcelain", "--untracked-files=no")
                         .replace(" M drivers/net/ethernet/", "").split(),
                         ["Kconfig", "Makefile", "freescale/Makefile", "mediatek/Makefile"])


if __name__ == "__main__":
    unittest.main()
