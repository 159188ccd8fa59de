# SPDX-License-Identifier: GPL-2.0-only
"""The agent's conversation, and every way in which a boot can go wrong. No QEMU needed."""

import os
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from poolstack import cli, guest  # noqa: E402

FAKE = Path(__file__).parent / "data" / "qemu" / "fake-qemu"


class GuestTest(unittest.TestCase):
    """One boot of the stand-in for each."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="poolstack-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def boot(self, how, **options):
        """A Guest on the stand-in, which behaves as told."""
        patch = mock.patch.dict(os.environ, {"FAKE_QEMU": how})
        patch.start()
        self.addCleanup(patch.stop)
        return guest.Guest([str(FAKE)], self.folder, **options)

    def refused(self, how, text, kind=cli.Failed, **options):
        """The boot must fail with this text, soon, and leave no process."""
        board = self.boot(how, **options)
        begin = time.monotonic()
        with self.assertRaisesRegex(cli.Stop, text) as caught:
            with board:
                board.do("first")
        self.assertIsInstance(caught.exception, kind)
        self.assertNotIn("\n", caught.exception.message)
        self.assertLess(time.monotonic() - begin, 8)
        self.assertIsNone(board._process)
        return caught.exception

    def test_answers_and_exit_codes(self):
        """A command's output and exit code come back, the sockets' CRs do not."""
        with self.boot("good") as board:
            self.assertEqual(board.ask("echo"), (0, "out of echo\n"))
            self.assertEqual(board.ask("false"), (3, "out of false\n"))
            with self.assertRaisesRegex(cli.Failed, "`false`: .*console.log"):
                board.do("false")

    def test_panic_at_boot(self):
        """A panic ends the wait at once, and names the console, which is kept."""
        error = self.refused("panic", "Kernel panic - not syncing: VFS")
        self.assertEqual(error.code, cli.FAIL)
        self.assertIn(str(self.folder / "console.log"), error.message)

    def test_panic_in_a_workload(self):
        """A panic under a command is the panic's failure, not a lost connection."""
        self.refused("panic-later", "Kernel panic - not syncing: Fatal exception")

    def test_splat_in_a_workload(self):
        """A command that succeeds on a kernel that warned has failed."""
        self.refused("splat", "WARNING: CPU: 0")

    def test_expected_splat(self):
        """The kernel with DMA_API_DEBUG may complain: that is counted elsewhere."""
        with self.boot("splat", expect_splats=True) as board:
            board.do("first")

    def test_boot_without_init(self):
        """No init in time."""
        self.refused("mute", "no init after boot within 1 s", limit=1)

    def test_qemu_ends(self):
        """QEMU's own words are the reason."""
        self.refused("die", "could not load kernel")

    def test_machine_unknown(self):
        """An old QEMU is the environment's fault."""
        error = self.refused("unsupported", "QEMU 10 or later is needed", kind=cli.Stop)
        self.assertEqual(error.code, cli.USAGE)

    def test_no_qemu(self):
        """No QEMU at all."""
        with self.assertRaisesRegex(cli.Stop, "program not found: /nonexistent/qemu") as caught:
            with guest.Guest(["/nonexistent/qemu"], self.folder):
                pass
        self.assertEqual(caught.exception.code, cli.USAGE)

    def test_hang(self):
        """A command that does not come back."""
        with self.assertRaisesRegex(cli.Failed, "hang: `hang` did not end within 1 s"):
            with self.boot("good") as board:
                board.ask("hang", limit=1)


class SplatTest(unittest.TestCase):
    """What counts as a complaint of the kernel."""

    def test_complaints(self):
        """Found with and without a timestamp; the DMA API's are among them."""
        text = ("[    1.0] WARNING: CPU: 0 PID: 1 at x\n[ 2.0] DMA-API: fec 30be0000.ethernet: device driver syncs\n"
                "Kernel panic - not syncing\n[ 3.0] fec 30be0000.ethernet eth0: NETDEV WATCHDOG: CPU: 0\n")
        self.assertEqual(len(guest.splats(text)), 4)

    def test_no_complaints(self):
        """Harmless lines with the same words in them."""
        self.assertEqual(guest.splats("[ 1.0] DMA-API: preallocated 65536 debug entries\n"
                                      "[ 1.0] DMA-API: debugging enabled by kernel config\n"
                                      "[ 1.0] no WARNING: here\n"), [])


if __name__ == "__main__":
    unittest.main()
