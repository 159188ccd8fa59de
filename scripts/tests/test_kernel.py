# SPDX-License-Identifier: GPL-2.0-only
"""Fetching the kernel: Debian's package or a user's tree, whole or not at all."""

import io
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import unittest

from support import FEC, FILES, PACKAGE, PACKAGE_VERSION, Case, git, tarball, write
from poolstack import cache, cli, kernel, mirror

# An apt that has one package; what it does is steered by files beside it.
APT_GET = """
case "$*" in
*--print-uris*)
	echo "'http://mirror.example.org/debian/dists/bookworm/InRelease' x 0"; exit 0 ;;
esac
[ -f "$STATE/fail" ] && { cat "$STATE/fail" >&2; exit 100; }
case "$*" in
*" download "*)
	echo x >> "$STATE/downloads"
	[ -f "$STATE/slow" ] && { : > half_1_all.deb; sleep 60; }
	cp "$STATE/package.deb" "$(cat "$STATE/name")_$(cat "$STATE/version")_all.deb" ;;
esac
"""
APT_CACHE = """
case "$*" in
*pkgnames*) cat "$STATE/name" ;;
*show*) echo "Version: $(cat "$STATE/version")"; echo "Size: 1000" ;;
esac
"""


class Debian(Case):
    """Against a stand-in archive: apt and dpkg-deb are shell programs."""

    def setUp(self):
        super().setUp()
        self.state_dir = self.tmp / "state"
        self.state_dir.mkdir()
        self.patch_environment({"STATE": str(self.state_dir)})
        self.program("apt-get", APT_GET)
        self.program("apt-cache", APT_CACHE)
        # dpkg-deb hands out the tar that a package holds: here it is the file.
        self.program("dpkg-deb", 'exec cat "$2"')
        self.archive()
        self.write_base({FEC: self.blob(FILES[FEC])})
        mirror.url.cache_clear()
        keyring = mirror.keyring
        mirror.keyring = lambda: "/keyring"
        self.addCleanup(setattr, mirror, "keyring", keyring)
        codename = mirror.codename
        mirror.codename = lambda: "bookworm"
        self.addCleanup(setattr, mirror, "codename", codename)

    def blob(self, text):
        return subprocess.run(["git", "hash-object", "--stdin"], input=text.encode(),
                              capture_output=True, check=True).stdout.decode().strip()

    def archive(self, files=None, name=PACKAGE, version=PACKAGE_VERSION, cut=None):
        inner = subprocess.run(["xz", "-0c"], input=tarball(files or FILES).read(),
                               capture_output=True, check=True).stdout[:cut]
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w") as tar:
            info = tarfile.TarInfo(f"./usr/src/{name}.tar.xz")
            info.size = len(inner)
            tar.addfile(info, io.BytesIO(inner))
        (self.state_dir / "package.deb").write_bytes(data.getvalue())
        (self.state_dir / "name").write_text(name)
        (self.state_dir / "version").write_text(version)

    def downloads(self):
        file = self.state_dir / "downloads"
        return len(file.read_text().split()) if file.exists() else 0

    def assert_nothing_half(self):
        """No import is claimed, and nothing is left of the attempt."""
        top = cache.cache_dir()
        self.assertEqual(list(top.glob(".fetch-*")), [])
        repo = top / "linux.git"
        self.assertEqual(list((repo / "poolstack").glob("*"))
                         if (repo / "poolstack").exists() else [], [])
        self.assertEqual([file for pattern in ("fast_import_crash_*", ".import-*",
                                               "objects/pack/tmp_*")
                          for file in repo.glob(pattern)], [])

    def stop(self):
        with self.assertRaises(cli.Stop) as caught:
            kernel.source()
        self.assertNotIn("\n", caught.exception.message)
        self.assertEqual(caught.exception.code, 2)
        return caught.exception.message

    def test_import_is_whole_reused_and_the_same_everywhere(self):
        found = kernel.source()
        self.assertEqual((found.version, found.drift), ("7.3.4", []))
        self.assertEqual(found.origin, f"{PACKAGE} {PACKAGE_VERSION}")
        listed = kernel.git(found.repo, "ls-tree", "-r", found.commit)
        self.assertEqual({line.split("\t")[1] for line in listed.splitlines()},
                         {*FILES, "scripts/link"})
        self.assertIn("120000", listed)
        self.assertEqual(kernel.git(found.repo, "show", f"{found.commit}:{FEC}") + "\n",
                         FILES[FEC])
        again = kernel.source()
        self.assertEqual((again.commit, self.downloads()), (found.commit, 1))
        shutil.rmtree(cache.cache_dir())
        self.assertEqual(kernel.source().commit, found.commit)
        self.assertEqual(self.downloads(), 2)

    def test_no_network(self):
        (self.state_dir / "fail").write_text(
            "E: Failed to fetch http://x  Temporary failure resolving 'x'\n")
        self.assertRegex(self.stop(), "no network: .*KSRC=DIR")
        self.assert_nothing_half()

    def test_disk_full_said_by_apt(self):
        (self.state_dir / "fail").write_text("E: You don't have enough free space\n")
        self.assertIn("disk full", self.stop())

    def test_disk_full_before_it_begins(self):
        usage = shutil.disk_usage
        self.addCleanup(setattr, shutil, "disk_usage", usage)
        shutil.disk_usage = lambda path: usage(path)._replace(free=1000)
        self.assertRegex(self.stop(), "disk full: .*POOLSTACK_CACHE")
        self.assertEqual(self.downloads(), 0)

    def test_disk_full_while_importing(self):
        real = shutil.which("git")
        self.program("git", 'case "$*" in *fast-import*) cat > /dev/null; '
                     'echo "fatal: write error: No space left on device" >&2; '
                     f'exit 128;; esac; exec {real} "$@"')
        self.assertIn("disk full", self.stop())
        self.assert_nothing_half()

    def test_tarball_cut_short(self):
        self.archive(cut=200)
        self.assertRegex(self.stop(), "cut short|cannot be unpacked")
        self.assert_nothing_half()
        self.archive()
        self.assertEqual(kernel.source().version, "7.3.4")

    def test_interrupted(self):
        (self.state_dir / "slow").write_text("")
        child = subprocess.Popen([sys.executable,
                                  str(self.repo / "scripts/fetch-kernel")],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 text=True, env=os.environ)
        for _ in range(200):
            if self.downloads():
                break
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        _, error = child.communicate(timeout=20)
        self.assertEqual(child.returncode, 130, error)
        self.assertEqual(error, "fetch-kernel: interrupted\n")
        self.assert_nothing_half()
        self.assertEqual(subprocess.run(["pgrep", "-f", str(self.tmp / "bin/apt-get")],
                                        capture_output=True, check=False).stdout, b"")

    def test_wrong_version(self):
        self.archive({**FILES, "Makefile": FILES["Makefile"].replace("= 4", "= 5")})
        self.assertRegex(self.stop(), r"wrong version: .* 7\.3\.5, .* 7\.3\.4")
        self.assert_nothing_half()

    def test_no_kernel_in_the_package(self):
        self.archive({"README": "no kernel\n"})
        self.assertIn("no kernel source", self.stop())

    def test_blob_that_patches_base_has_wrong(self):
        self.write_base({FEC: "1" * 40})
        self.assertRegex(self.stop(), f"patches/base is wrong .*{FEC}")

    def test_blob_that_is_missing(self):
        self.write_base({"drivers/gone.c": "1" * 40})
        self.assertRegex(self.stop(), "drivers/gone.c is not in this kernel")

    def test_newer_package_with_equal_files_serves(self):
        newer = {**FILES, "Makefile": FILES["Makefile"].replace("LEVEL = 3", "LEVEL = 5")}
        self.archive(newer, "linux-source-7.5", "7.5.1-1~bpo13+1")
        found = kernel.source()
        self.assertEqual(found.drift, [])
        self.assertIn("7.5.1", found.origin)
        said = "\n".join(self.said)
        self.assertIn("linux-source-7.3 has left trixie-backports", said)
        kernel.source()
        self.assertEqual(self.downloads(), 1)

    def test_newer_package_with_other_files_is_drift(self):
        self.archive({**FILES, FEC: FILES[FEC] + "int more;\n"}, PACKAGE,
                     "7.3.9-1~bpo13+1")
        found = kernel.source()
        self.assertEqual(len(found.drift), 1)
        self.assertIn(f"drift: {FEC}", "\n".join(self.said))

    def test_damaged_cache_is_fetched_again(self):
        found = kernel.source()
        for pack in (found.repo / "objects/pack").iterdir():
            pack.unlink()
        self.assertEqual(kernel.source().commit, found.commit)
        self.assertEqual(self.downloads(), 2)


class Mirror(unittest.TestCase):

    def test_read_from_what_apt_says(self):
        text = ("'http://s.example.org/debian-security/dists/bookworm-security/"
                "InRelease' a 0\n"
                "'https://other.example.org/x/dists/nodistro/InRelease' b 0\n"
                "'http://m.example.org/debian/dists/bookworm-updates/InRelease' c 0\n"
                "'http://m.example.org/debian/dists/bookworm/InRelease' d 0\n")
        self.assertEqual(mirror.parse(text, "bookworm"), "http://m.example.org/debian")
        self.assertIsNone(mirror.parse(text, "trixie"))
        self.assertEqual(mirror.parse(text.replace("/bookworm/", "/stable/"),
                                      "bookworm"), "http://m.example.org/debian")


class Ksrc(Case):
    """KSRC: trees of the user's, which are only read."""

    def show(self, found, path=FEC):
        return kernel.git(found.repo, "show", f"{found.commit}:{path}")

    def test_git_tree_with_edits_as_it_is(self):
        tree = self.make_tree()
        clean = kernel.source(str(tree))
        self.assertEqual(clean.commit, git(tree, "rev-parse", "HEAD"))
        write(tree, {FEC: "int edited;\n", "build-um/x.c": "no", "x.o": "no"})
        (tree / "MAINTAINERS").unlink()
        before = self.state(tree)
        index = (tree / ".git/index").read_bytes()
        found = kernel.source(str(tree))
        self.assertEqual(self.state(tree), before)
        self.assertEqual((tree / ".git/index").read_bytes(), index)
        self.assertEqual(self.show(found), "int edited;")
        names = kernel.git(found.repo, "ls-tree", "-r", "--name-only", found.commit)
        self.assertNotIn("MAINTAINERS", names)
        self.assertNotIn("x.", names)
        self.assertEqual(kernel.source(str(tree)).commit, found.commit)

    def test_untracked_file_counts_unless_it_is_ignored(self):
        tree = self.make_tree(files={**FILES, ".gitignore": "*.o\n"})
        write(tree, {"new.c": "int n;\n", "x.o": "no\n"})
        names = kernel.git((found := kernel.source(str(tree))).repo, "ls-tree", "-r",
                           "--name-only", found.commit).splitlines()
        self.assertIn("new.c", names)
        self.assertNotIn("x.o", names)

    def test_plain_folder_without_what_a_build_left(self):
        plain = self.tmp / "plain"
        write(plain, {**FILES, "build-um/a.c": "no", "kernel/a.o": "no",
                      ".config": "no"})
        found = kernel.source(str(plain))
        names = kernel.git(found.repo, "ls-tree", "-r", "--name-only", found.commit)
        self.assertEqual(set(names.splitlines()), set(FILES))
        write(plain, {FEC: "int edited;\n"})
        self.assertEqual(self.show(kernel.source(str(plain))), "int edited;")

    def test_branch_of_a_tree(self):
        tree = self.make_tree()
        git(tree, "checkout", "-q", "-b", "side")
        self.edit(tree, "line_9;", "side_9;", "Change it")
        git(tree, "checkout", "-q", "main")
        self.assertIn("side_9;", self.show(kernel.source(f"{tree}#side")))
        with self.assertRaises(cli.Stop) as caught:
            kernel.source(f"{tree}#nope")
        self.assertIn("no branch or commit nope", caught.exception.message)

    def test_git_address(self):
        tree = self.make_tree()
        found = kernel.source(f"file://{tree}")
        self.assertEqual(found.commit, git(tree, "rev-parse", "HEAD"))
        done = self.script("fetch-kernel", "--ksrc", f"file://{self.tmp}/none")
        self.assert_stop(done, 2, "fetching file://")

    def test_no_kernel(self):
        for text, part in ((self.tmp / "none", "no directory"),
                           (self.home, "no kernel tree")):
            done = self.script("fetch-kernel", "--ksrc", text)
            self.assert_stop(done, 2, f"KSRC is {part}", str(text))

    def test_drift_is_said(self):
        self.write_base({FEC: "1" * 40})
        kernel.source(str(self.make_tree()))
        self.assertIn(f"drift: {FEC}", "\n".join(self.said))

    def test_tree_of_ones_own(self):
        self.write_base()
        self.seed_cache()
        done = self.script("fetch-kernel", "--to", self.tmp / "mine")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(git(self.tmp / "mine", "status", "--porcelain"), "")
        self.assertEqual((self.tmp / "mine" / FEC).read_text(), FILES[FEC])
        self.assertEqual(git(self.tmp / "mine", "remote"), "")
        shutil.rmtree(cache.cache_dir())
        git(self.tmp / "mine", "fsck")
        self.seed_cache()
        self.assert_stop(self.script("fetch-kernel", "--to", self.home), 2,
                         "already there")


class Version(unittest.TestCase):

    def test_makefile(self):
        self.assertEqual(kernel.makefile_version(FILES["Makefile"]), "7.3.4")
        self.assertEqual(kernel.makefile_version(
            "VERSION = 7\nPATCHLEVEL = 4\nSUBLEVEL = 0\nEXTRAVERSION = -rc2\n"),
            "7.4-rc2")
        self.assertIsNone(kernel.makefile_version("all:\n"))


if __name__ == "__main__":
    unittest.main()
