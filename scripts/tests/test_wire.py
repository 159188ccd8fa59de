# SPDX-License-Identifier: GPL-2.0-only
"""bench/tools/wire.c against a stand-in for QEMU's stream netdev that can misbehave."""

import json
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from poolstack import cli  # noqa: E402


def swapped(frame):
    """What an XDP_TX program makes of a frame."""
    return frame[6:12] + frame[:6] + frame[12:]


class WireTest(unittest.TestCase):
    """Frames go out, come back through `treat`, and are judged."""

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="poolstack-")
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.tool = Path(cls.scratch.name) / "wire"
        cli.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", cls.tool,
                 cli.root() / "bench" / "tools" / "wire.c"], capture=True)

    def send(self, treat, *options):
        """(exit code, account) of wire send; treat(number, frame) gives the frames that go back."""
        ours, theirs = socket.socketpair()

        def loop():
            with ours, ours.makefile("rb") as stream:
                number = 0
                while len(head := stream.read(4)) == 4:
                    frame = stream.read(struct.unpack(">I", head)[0])
                    for answer in treat(number, frame):
                        try:
                            ours.sendall(struct.pack(">I", len(answer)) + answer)
                        except BrokenPipeError:
                            return
                    number += 1

        thread = threading.Thread(target=loop, daemon=True)
        thread.start()
        with theirs:
            done = subprocess.run([self.tool, "send", "-f", "0", "-t", "1", *options], stdin=theirs,
                                  capture_output=True, text=True, timeout=10)
        thread.join(5)
        return done.returncode, json.loads(done.stdout)

    def test_all_return(self):
        """Each length: all sent, all back, all good."""
        for length in ("60", "61", "1514"):
            with self.subTest(length=length):
                code, account = self.send(lambda _, frame: [swapped(frame)], "-r", "-n", "500", "-l", length)
                self.assertEqual((code, account["sent"], account["good"]), (0, 500, 500))

    def test_one_byte_altered(self):
        """The last byte of one frame of 500."""
        code, account = self.send(lambda number, frame: [swapped(frame)[:-1] + bytes([frame[-1] ^ (number == 321)])],
                                  "-r", "-n", "500")
        self.assertEqual((code, account["wrong"], account["missing"]), (1, 1, 1))

    def test_stale_buffer(self):
        """A frame that comes back with the content of the one before it."""
        last = []

        def treat(number, frame):
            last.append(swapped(frame))
            return [last[number - 1] if number == 7 else last[number]]

        code, account = self.send(treat, "-r", "-n", "100")
        self.assertEqual((code, account["twice"], account["missing"]), (1, 1, 1))

    def test_addresses_not_exchanged(self):
        """What was not sent back by the program does not count."""
        code, account = self.send(lambda _, frame: [frame], "-r", "-n", "10")
        self.assertEqual((code, account["wrong"]), (1, 10))

    def test_missing(self):
        """One frame lost."""
        code, account = self.send(lambda number, frame: [] if number == 3 else [swapped(frame)], "-r", "-n", "50")
        self.assertEqual((code, account["missing"]), (1, 1))

    def test_truncated(self):
        """One frame a byte shorter."""
        code, account = self.send(lambda number, frame: [swapped(frame)[:60 if number else 59]], "-r", "-n", "50")
        self.assertEqual((code, account["wrong"]), (1, 1))

    def test_foreign_frames_do_not_count(self):
        """Somebody else's frame between ours."""
        code, account = self.send(lambda _, frame: [bytes(60), swapped(frame)], "-r", "-n", "50")
        self.assertEqual((code, account["good"]), (0, 50))

    def test_wrong_use(self):
        """No such wire, no count, a length out of range."""
        for words in (["send", "-f", "99", "-n", "1"], ["send", "-i", "lo"], ["receive"],
                      ["send", "-f", "0", "-n", "1", "-l", "59"]):
            done = subprocess.run([self.tool, *words], capture_output=True, text=True, timeout=10)
            self.assertEqual((done.returncode, done.stderr.count("\n"), done.stdout), (2, 1, ""), words)


if __name__ == "__main__":
    unittest.main()
