# SPDX-License-Identifier: GPL-2.0-only
"""The emulated board without an emulator: environment, symbol ranges, judgement, network."""

import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from poolstack import board, cli, qemu, qemu_net, series, workloads  # noqa: E402

FAKE = Path(__file__).parent / "data" / "qemu" / "fake-qemu"
CONFIGS = cli.root() / "configs"


def tree(side, version="7.3.4"):
    """Stands in for trees.Tree."""
    return mock.Mock(side=side, patched=side == "patched", version=version)


class EnvironmentTest(unittest.TestCase):
    """No QEMU, or one too old."""

    def test_none(self):
        """Names the program and what to do."""
        with self.assertRaisesRegex(cli.Stop, "program not found: no-such-qemu: run scripts/packages") as caught:
            qemu.require_qemu("no-such-qemu")
        self.assertEqual(caught.exception.code, cli.USAGE)

    def test_old(self):
        """A QEMU without the machine."""
        with mock.patch.dict(os.environ, {"FAKE_QEMU": "old"}):
            with self.assertRaisesRegex(cli.Stop, "7.2.15 has no machine imx8mp-evk: QEMU 10"):
                qemu.require_qemu(str(FAKE))

    def test_good(self):
        """A QEMU that has it."""
        self.assertEqual(qemu.require_qemu(str(FAKE)), "10.0.2")


class ConfigTest(unittest.TestCase):
    """Board file and kernel fragments."""

    def test_board_file(self):
        """Loads, and its fragments exist."""
        conf = board.load(CONFIGS / "boards" / "imx8mp-evk-qemu.conf")
        for word in conf["KERNEL_CONFIG"].split():
            self.assertTrue((cli.root() / word).is_file(), word)

    def test_fragments_are_sorted(self):
        """One option a line, sorted, none twice, so that a diff is readable."""
        for path in (CONFIGS / "kernel").glob("*.config"):
            options = [line for line in path.read_text().splitlines() if not line.startswith("#") or " is not set" in line]
            names = [line.removeprefix("# ").replace("=", " ").split()[0] for line in options]
            self.assertEqual(names, sorted(set(names)), path.name)


class RangesTest(unittest.TestCase):
    """Which instructions are the driver's."""

    def test_functions(self):
        """From its own start to the next symbol; other functions, data and mapping symbols are not in it."""
        text = ("ffffffc080000000 T _text\nffffffc080000010 t fec_enet_rx_napi\nffffffc080000018 t $x\n"
                "ffffffc080000020 T memcpy\nffffffc080000030 T dma_sync_single_for_cpu\n"
                "ffffffc080000040 T page_pool_put_page\nffffffc080000050 D fec_driver\nffffffc080000060 t infect_x\n")
        self.assertEqual(qemu.ranges(text).split("\n")[:-1],
                         ["ffffffc080000010 ffffffc080000020", "ffffffc080000030 ffffffc080000040",
                          "ffffffc080000040 ffffffc080000050"])

    def test_no_driver(self):
        """A kernel without it is refused, not counted as 0."""
        with self.assertRaisesRegex(cli.Failed, "CONFIG_FEC"):
            qemu.ranges("ffffffc080000000 T _text\nffffffc080000010 T memcpy\n")


class DebugTest(unittest.TestCase):
    """What the kernel with DMA_API_DEBUG has to show."""

    @staticmethod
    def judge(which, errors, maps=0):
        """_judge_debug of these figures."""
        samples = [{"metric": "dma_api_errors", "value": errors}, {"metric": "dma_live_maps", "value": maps}]
        qemu.Board._judge_debug(samples, which, Path("/out"))

    def test_stack_has_to_be_clean(self):
        """No error, and no mapping left."""
        self.judge(tree("patched"), 0)
        with self.assertRaisesRegex(cli.Failed, "the stack has 7 DMA API errors"):
            self.judge(tree("patched"), 7)
        with self.assertRaisesRegex(cli.Failed, "leaves 3 mappings"):
            self.judge(tree("patched"), 0, 3)

    def test_base_has_to_show_the_fault(self):
        """Else the check sees nothing; a kernel of the user's may be sound."""
        version = series.base().version
        self.judge(tree("base", version), 4)
        with self.assertRaisesRegex(cli.Failed, "the check is blind"):
            self.judge(tree("base", version), 0)
        self.judge(tree("base", "99.1"), 0)
        self.judge(tree("mine", version), 0)


class NetworkTest(unittest.TestCase):
    """The run's own network."""

    def test_wish(self):
        """NET= is netns, user or nothing."""
        with self.assertRaisesRegex(cli.Stop, "NET=bridge: want netns or user"):
            qemu_net.choose("192.0.2.1", "192.0.2.15", "bridge")
        self.assertIsInstance(qemu_net.choose("192.0.2.1", "192.0.2.15", "user"), qemu_net.User)

    def test_user_mode_names_the_documentation_net(self):
        """Addresses as on the tap, the guest's ports on the loopback only."""
        with qemu_net.User("192.0.2.1", "192.0.2.15") as net:
            words = net.netdev()[1]
        self.assertIn("net=192.0.2.0/24,host=192.0.2.1,", words)
        self.assertEqual(words.count("hostfwd="), words.count(":127.0.0.1:"))

    def test_no_namespace(self):
        """Where it is refused, user mode is used, and the reason said."""
        with mock.patch.object(qemu_net.Namespace, "why_not", return_value="Operation not permitted"):
            with mock.patch("poolstack.cli.say") as say:
                self.assertIsInstance(qemu_net.choose("192.0.2.1", "192.0.2.15"), qemu_net.User)
            self.assertIn("Operation not permitted", say.call_args[0][0])
            with self.assertRaisesRegex(cli.Stop, "Operation not permitted"):
                qemu_net.choose("192.0.2.1", "192.0.2.15", "netns")

    @unittest.skipIf(qemu_net.Namespace.why_not(), f"no namespace here: {qemu_net.Namespace.why_not()}")
    def test_namespace(self):
        """Has the tap and its address, and ends with its owner, even by SIGKILL."""
        with qemu_net.Namespace("192.0.2.1") as net:
            text = cli.run(net.inside(["ip", "-4", "addr", "show", "dev", "tap0"]), capture=True).stdout
            self.assertIn("192.0.2.1/24", text)
            holder = net.holder.pid
        self.assertFalse(Path(f"/proc/{holder}").exists())
        code = ("import sys, time; sys.path.insert(0, sys.argv[1]); from poolstack import qemu_net\n"
                "net = qemu_net.Namespace('192.0.2.1').__enter__()\n"
                "print(net.holder.pid, flush=True); time.sleep(60)\n")
        owner = subprocess.Popen([sys.executable, "-c", code, str(Path(__file__).resolve().parents[1])],
                                 stdout=subprocess.PIPE, text=True)
        holder = int(owner.stdout.readline())
        owner.kill()
        owner.wait()
        owner.stdout.close()
        for _ in range(50):
            if not Path(f"/proc/{holder}").exists():
                return
            time.sleep(0.1)
        self.fail("the namespace outlives its owner")


class SpreadTest(unittest.TestCase):
    """How far runs differ."""

    def test_spread(self):
        """Per workload and metric."""
        runs = [[{"workload": "tcp_rx", "metric": "mbps", "value": value}] for value in (90, 100)]
        self.assertIn("(10.00 %)", qemu.spread(runs))


class KeptTest(unittest.TestCase):
    """A failure keeps its console."""

    def test_console(self):
        """Copied below the results, and that copy is what the line names."""
        with tempfile.TemporaryDirectory() as scratch:
            short, out = Path(scratch) / "short", Path(scratch) / "out"
            short.mkdir()
            (short / "console.log").write_text("Kernel panic\n")
            failed = cli.Failed(f"emulated board: Kernel panic: see {short}/console.log")
            error = workloads.kept(failed, short, out, "tcp_rx")
            self.assertNotIn(str(short), error.message)
            self.assertIn("tcp_rx/console.log", error.message)
            self.assertEqual((out / "tcp_rx" / "console.log").read_text(), "Kernel panic\n")


if __name__ == "__main__":
    unittest.main()
