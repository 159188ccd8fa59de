# SPDX-License-Identifier: GPL-2.0-only
"""The initramfs writer and what it takes from a Debian tree."""

import gzip
import io
import sys
import tarfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from poolstack import rootfs  # noqa: E402


def entries(archive):
    """{name: (mode, data)} of a newc archive."""
    data, at, found = gzip.decompress(archive), 0, {}
    while True:
        field = [int(data[at + 6 + 8 * index:at + 14 + 8 * index], 16) for index in range(13)]
        assert data[at:at + 6] == b"070701"
        name = data[at + 110:at + 110 + field[11] - 1].decode()
        body = at + (110 + field[11] + 3) // 4 * 4
        if name == "TRAILER!!!":
            return found
        found[name] = (field[1], data[body:body + field[6]])
        at = body + (field[6] + 3) // 4 * 4


class CpioTest(unittest.TestCase):
    """newc, byte for byte."""

    def test_round_trip(self):
        """Files of every length modulo 4, their directories, links and modes."""
        cpio = rootfs.Cpio()
        for length in range(6):
            cpio.file(f"a/b{length}", b"x" * length, 0o644)
        cpio.symlink("a/link", "b1")
        cpio.device("dev/console", 5, 1)
        found = entries(cpio.done())
        self.assertEqual(found["a"], (0o40755, b""))
        self.assertEqual(found["a/b5"], (0o100644, b"xxxxx"))
        self.assertEqual(found["a/link"], (0o120777, b"b1"))
        self.assertEqual(found["dev/console"][0], 0o20600)
        self.assertLess(list(found).index("a"), list(found).index("a/b0"))

    def test_same_content_same_bytes(self):
        """An archive has no time in it."""
        def make():
            cpio = rootfs.Cpio()
            cpio.file("init", b"#!/bin/sh\n")
            return cpio.done()
        self.assertEqual(make(), make())


class TreeTest(unittest.TestCase):
    """Names are resolved as the guest would."""

    def setUp(self):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as tar:
            for name, link, data in (("./usr/bin/real", None, b"elf"), ("./bin", "usr/bin", None),
                                     ("./usr/bin/abs", "/usr/bin/real", None), ("./usr/bin/up", "../bin/real", None),
                                     ("./usr/bin/loop", "loop", None),
                                     ("./usr/share/doc/iperf3/changelog.Debian.gz", None,
                                      gzip.compress(b"iperf3 (3.12-1+deb12u2) bookworm; urgency=medium\n"))):
                member = tarfile.TarInfo(name)
                if link:
                    member.type, member.linkname = tarfile.SYMTYPE, link
                else:
                    member.size = len(data)
                tar.addfile(member, io.BytesIO(data) if data else None)
        out.seek(0)
        tar = tarfile.open(fileobj=out)
        self.addCleanup(tar.close)
        self.tree = rootfs.Tree(tar)

    def test_links(self):
        """Relative, absolute, and a merged /bin; a loop is no file."""
        for name in ("usr/bin/real", "bin/real", "usr/bin/abs", "usr/bin/up"):
            self.assertEqual(self.tree.read(name), b"elf", name)
        self.assertIsNone(self.tree.read("usr/bin/loop"))
        self.assertIsNone(self.tree.read("usr/bin/none"))

    def test_versions(self):
        """From the changelogs."""
        self.assertEqual(rootfs.versions(self.tree), {"iperf3": "3.12-1+deb12u2"})


if __name__ == "__main__":
    unittest.main()
