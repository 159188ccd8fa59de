# SPDX-License-Identifier: GPL-2.0-only
"""Workload files, and a board that does not do what it should."""

import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from poolstack import cli, qemu_net, workloads  # noqa: E402

STATS = "NIC statistics:\n     tx_dropped: 0\n     rx_xdp_drop: {drop}\n     rx_pp_recycle_ring: 7\n"


class FileTest(unittest.TestCase):
    """bench/workloads/NAME.conf."""

    def test_ours(self):
        """Every file of the repository is good, and its program exists."""
        found = workloads.load_all()
        self.assertLessEqual({"tcp_rx", "tcp_tx", "udp_rx", "drop_60", "pass_60", "xdptx_60", "redirect_60", "updown",
                              "dma_debug", "forward"}, set(found))
        for work in found.values():
            program = work.keys.get("PROGRAM")
            if program:
                self.assertTrue((cli.root() / "bench" / "bpf" / f"{program}.c").is_file(), work.name)

    def test_refusals(self):
        """One line with the file, and what is wrong."""
        for text, reason in (("KIND=frames\n", "needs COUNT"), ("KIND=walk\n", "want one of"), ("KIND\n", ":1: want KEY"),
                             ("KIND=updown\nROUNDS=many\n", ":2: ROUNDS: want a number"),
                             ("KIND=updown\nROUNDS=2\nCOLOUR=red\n", "has no key COLOUR"), ("", "KIND=None")):
            with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
                file.write(text)
                file.flush()
                with self.assertRaisesRegex(cli.Stop, reason) as caught:
                    workloads.load(Path(file.name))
            self.assertIn(file.name, caught.exception.message)


class ParseTest(unittest.TestCase):
    """Output of the tools."""

    def test_intervals(self):
        """Whole lines only: the last one may be half written."""
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("interval 1 insns 100 kernel 90 driver 30 cache_ops 12\ninterval 2 insns 5 ker")
            file.flush()
            self.assertEqual(workloads.intervals(Path(file.name)),
                             [{"insns": 100, "kernel": 90, "driver": 30, "cache_ops": 12}])

    def test_ethtool(self):
        """Counters by name, and what changed between two."""
        before = workloads.ethtool_stats(STATS.format(drop=3))
        after = workloads.ethtool_stats(STATS.format(drop=10))
        self.assertEqual(before, {"tx_dropped": 0, "rx_xdp_drop": 3, "rx_pp_recycle_ring": 7})
        self.assertEqual(workloads.growth(before, after), {"rx_xdp_drop": 7})


class HostWire(qemu_net.Wire):
    """A wire whose end is on this host, and nowhere."""

    def inside(self, cmd):
        """Here."""
        return [str(word) for word in cmd]

    def fd(self):
        """None."""

    def iperf(self, guest):
        """The board's address."""
        return ["-c", guest]


class FakeGuest:
    """A board that has received `received` frames and dropped `dropped` of them."""

    def __init__(self, received, dropped):
        self.received, self.dropped = received, dropped
        self.asked = []
        self.sent = 0

    def do(self, command, limit=0):
        """Answer by command."""
        self.asked.append(command)
        if command.startswith("ethtool"):
            return STATS.format(drop=self.dropped if self.sent else 0)
        return ""

    ask = do

    def start(self, command):
        """mark until …"""
        self.sent += 1

    def wait_line(self, text):
        """ready"""

    def finish(self, what, limit):
        """mark's last line."""
        return 0, f"{self.received[self.sent - 1]} 0.5\n"


class FramesTest(unittest.TestCase):
    """The counts must come out right, or the workload fails."""

    def run_drop(self, received, dropped, intervals="interval 1 insns 9 kernel 8000 driver 4000 cache_ops 300\n"):
        """drop_60 with COUNT=100."""
        work = workloads.Workload("drop_60", "frames", {"PROGRAM": "drop", "LENGTH": 60, "COUNT": 100,
                                                        "COUNTER": "rx_xdp_drop"})
        with tempfile.TemporaryDirectory() as scratch:
            counts = Path(scratch) / "counts"
            counts.write_text("")
            runner = workloads.Runner(FakeGuest(received, dropped), HostWire(), wire_tool="wire", address="192.0.2.15",
                                      counts=counts)

            def sent(cmd, **_):             # as bench/tools/wire does
                count = int(cmd[cmd.index("-n") + 1])
                if count == 100:
                    counts.write_text(intervals)
                return mock.Mock(returncode=0, stdout=json.dumps({"sent": count}))

            with mock.patch("subprocess.run", sent):
                return runner.run(work)

    def test_good(self):
        """All figures, per frame."""
        outcome = self.run_drop([workloads.WARM_UP, 100], workloads.WARM_UP + 100)
        self.assertEqual({sample["metric"]: sample["value"] for sample in outcome.samples},
                         {"cache_ops": 3, "insns_driver": 40, "insns": 80, "pps": 200})

    def test_received_too_few(self):
        """A frame that the port did not see."""
        with self.assertRaisesRegex(cli.Failed, "drop_60: the port received 99 of 100 frames"):
            self.run_drop([workloads.WARM_UP, 99], workloads.WARM_UP + 100)

    def test_program_saw_too_few(self):
        """A frame that went past the program."""
        with self.assertRaisesRegex(cli.Failed, "rx_xdp_drop is 2099 after 2100 frames"):
            self.run_drop([workloads.WARM_UP, 100], workloads.WARM_UP + 99)

    def test_no_interval(self):
        """The plugin saw nothing: no figure may come of it."""
        with self.assertRaisesRegex(cli.Failed, "saw 0 intervals"):
            self.run_drop([workloads.WARM_UP, 100], workloads.WARM_UP + 100, intervals="")

    def test_zero_count(self):
        """A count of nothing is a broken counter."""
        with self.assertRaisesRegex(cli.Failed, "saw no driver"):
            self.run_drop([workloads.WARM_UP, 100], workloads.WARM_UP + 100,
                          intervals="interval 1 insns 9 kernel 8000 driver 0 cache_ops 300\n")


class IperfTest(unittest.TestCase):
    """What iperf3 leaves is judged before it becomes a figure."""

    def run_tcp(self, stdout, code=0, packets=(100, 300), stats=(STATS.format(drop=0),) * 2):
        """tcp_rx without the plugin; the port's counters go from the first of packets and stats to the second."""
        work = workloads.Workload("tcp_rx", "iperf", {"SECONDS": 1, "OMIT": 0, "FRAMES": "rx_packets"})
        numbers, tables = iter(packets), iter((stats[0],) * 2 + (stats[1],) * 2)

        def do(command, limit=0):
            return next(tables) if command.startswith("ethtool") else \
                f"{next(numbers)}\n" if "rx_packets" in command else ""

        runner = workloads.Runner(mock.Mock(do=do), HostWire(), wire_tool="wire", address="192.0.2.15")
        with mock.patch("poolstack.cli.run", return_value=mock.Mock(returncode=code, stdout=stdout, stderr="")):
            return runner.run(work)

    GOOD = json.dumps({"start": {"version": "iperf 3.12"}, "end": {"sum_received": {"bits_per_second": 4e8}},
                       "server_output_json": {"start": {"version": "iperf 3.12"}}})

    def test_good(self):
        """Rate and both versions."""
        outcome = self.run_tcp(self.GOOD)
        self.assertEqual([(sample["metric"], sample["value"]) for sample in outcome.samples],
                         [("mbps", 400), ("pages_recycled", 0)])
        self.assertEqual((outcome.info["iperf3"], outcome.info["iperf3_guest"]), ("iperf 3.12", "iperf 3.12"))

    def test_recycling(self):
        """Pages that came back per frame, and how many of them the short way."""
        before = STATS.format(drop=0) + "     rx_pp_recycle_cached: 100\n"
        after = before.replace("cached: 100", "cached: 130").replace("ring: 7", "ring: 77")
        outcome = self.run_tcp(self.GOOD, stats=(before, after))
        self.assertEqual([(sample["metric"], sample["value"]) for sample in outcome.samples[1:]],
                         [("pages_recycled", 0.5), ("recycle_cached_share", 0.3)])

    def test_cut_short(self):
        """One line that names the workload and the file, which is kept."""
        with self.assertRaisesRegex(cli.Failed, "^tcp_rx: iperf3's JSON is cut short .*tcp_rx/stdout$") as caught:
            self.run_tcp(self.GOOD[:-20])
        self.assertEqual(caught.exception.outcome.stdout, self.GOOD[:-20])

    def test_failed(self):
        """A good report of a failed iperf3 is no result."""
        with self.assertRaisesRegex(cli.Failed, "iperf3 ended with 1"):
            self.run_tcp(self.GOOD, code=1)

    def test_nothing_went_through_the_port(self):
        """Traffic that took another way is no measurement of this port."""
        with self.assertRaisesRegex(cli.Failed, "rx_packets of the port did not grow"):
            self.run_tcp(self.GOOD, packets=(100, 100))


if __name__ == "__main__":
    unittest.main()
