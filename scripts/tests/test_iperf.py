# SPDX-License-Identifier: GPL-2.0-only
"""iperf3's JSON, whole and not."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from poolstack import cli, iperf  # noqa: E402

TCP = {"start": {"version": "iperf 3.12"}, "intervals": [],
       "end": {"sum_sent": {"bits_per_second": 5.1e8}, "sum_received": {"bits_per_second": 5e8}},
       "server_output_json": {"start": {"version": "iperf 3.18"}}}
UDP = {"start": {"version": "iperf 3.12"}, "intervals": [],
       "end": {"sum": {"bits_per_second": 1e8, "packets": 1000, "lost_packets": 250, "lost_percent": 25.0}}}


class IperfTest(unittest.TestCase):
    """Each report says something or is refused in one line."""

    def refused(self, text, reason):
        """parse() must refuse."""
        with self.assertRaisesRegex(cli.Failed, reason) as caught:
            iperf.parse(text, "tcp_rx/stdout")
        self.assertIn("tcp_rx/stdout", caught.exception.message)
        self.assertNotIn("\n", caught.exception.message)

    def test_tcp(self):
        """The receiver's rate, not the sender's."""
        report = iperf.parse(json.dumps(TCP), "x")
        self.assertEqual(iperf.received_mbps(report, "x"), 500)

    def test_versions_of_both_ends(self):
        """Both are recorded: a change across 3.16 makes a comparison void."""
        self.assertEqual(iperf.versions(TCP), ("iperf 3.12", "iperf 3.18"))
        self.assertEqual(iperf.versions(UDP), ("iperf 3.12", ""))

    def test_udp_loss_is_the_servers(self):
        """What arrived is what was sent less what the server missed."""
        self.assertEqual(iperf.udp(UDP, "x"), (75, 25))

    def test_cut_short(self):
        """At any byte."""
        text = json.dumps(TCP)
        for end in range(1, len(text)):
            self.refused(text[:end], "cut short|broken|printed nothing")

    def test_empty(self):
        """Nothing is no result."""
        self.refused(" \n", "printed nothing")

    def test_doubled(self):
        """iperf3 can print its report twice when it fails."""
        self.refused(json.dumps(TCP) * 2, "broken")

    def test_error(self):
        """iperf3's own complaint is the reason."""
        self.refused(json.dumps({"start": {}, "error": "unable to connect to server: Connection refused"}),
                     "unable to connect")

    def test_no_result(self):
        """A report that ends before the end."""
        self.refused(json.dumps({"start": {"version": "iperf 3.12"}, "end": {}}), "has no result")

    def test_nothing_received(self):
        """A rate of 0 is a failure, not a figure."""
        report = TCP | {"end": {"sum_received": {"bits_per_second": 0}}}
        with self.assertRaisesRegex(cli.Failed, "received nothing"):
            iperf.received_mbps(report, "x")
        with self.assertRaisesRegex(cli.Failed, "received nothing"):
            iperf.udp(UDP | {"end": {"sum": {"packets": 10, "lost_percent": 100, "bits_per_second": 1}}}, "x")


if __name__ == "__main__":
    unittest.main()
