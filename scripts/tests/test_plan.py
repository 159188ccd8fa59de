# SPDX-License-Identifier: GPL-2.0-only
"""plan: what is booted for an inventory, and pcap: frames of a log as a capture file."""

import struct
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from poolstack import cli, ktap, pcap, plan  # noqa: E402

SOCS = ["imx25", "imx6q", "imx6sx", "imx8mq"]
TARGETS = ["imx25/armv5-32", "imx6q/armv7-32", "imx6sx/armv7-32", "imx6sx/armv7-64", "imx8mq/arm64-64"]
CASES = {"long.a": TARGETS, "long.b": TARGETS, "short.c": TARGETS[:2]}


def boots(jobs):
    """[(glob, soc)] sorted."""
    return sorted((job.glob, job.soc) for job in jobs)


class Plan(unittest.TestCase):
    """Boots for an inventory."""

    def test_a_short_suite_is_one_boot(self):
        """Without times, a guess from the number of results."""
        self.assertEqual(boots(plan.plan(CASES, workers=2)),
                         [("long", ",".join(SOCS)), ("short", "imx25,imx6q")])

    def test_a_long_suite_is_dealt(self):
        """Its SoCs go to several boots, each once, and the longest comes first."""
        times = {"long": {"imx25": 9.0, "imx6q": 1.0, "imx6sx": 2.0, "imx8mq": 2.5}}
        jobs = plan.plan(CASES, workers=2, times=times)
        mine = [job for job in jobs if job.glob == "long"]
        self.assertEqual(sorted(",".join(job.soc for job in mine).split(",")), SOCS)
        self.assertGreater(len(mine), 2)
        self.assertEqual(jobs[0].soc, "imx25")
        self.assertEqual([job.cost for job in jobs], sorted((job.cost for job in jobs), reverse=True))

    def test_alone(self):
        """Such a case once per SoC, and the rest of its suite case by case."""
        jobs = plan.plan(CASES, alone=["short.c"])
        self.assertEqual([job.alone for job in jobs if job.glob == "short.c"], [True, True])
        self.assertEqual(boots(jobs)[1:], [("short.c", "imx25"), ("short.c", "imx6q")])
        jobs = plan.plan(CASES, alone=["long.a"])
        self.assertIn(("long.b", ",".join(SOCS)), boots(jobs))

    def test_classes_asked_for(self):
        """With a class in the filter, no other class of the SoC is booted."""
        jobs = plan.plan({"long.a": ["imx6sx/armv7-64"]}, unit=str, alone=["long.a"])
        self.assertEqual(boots(jobs), [("long.a", "imx6sx/armv7-64")])

    def test_case_without_target(self):
        """A case that is not parameterised runs once, whatever else its suite has."""
        jobs = plan.plan({"long.a": TARGETS, "long.plain": [""]}, workers=2, times={"long": dict.fromkeys(SOCS, 50.0)})
        self.assertEqual(boots(jobs), [("long", ",".join(SOCS))])
        self.assertEqual(boots(plan.plan({"long.plain": [""]})), [("long", "")])

    def test_missing(self):
        """A dead kernel's result stands for every class of its SoC."""
        case = ktap.Case("long", "a", "imx6sx/", "fail")
        self.assertEqual(plan.missing({"long.a": TARGETS[2:]}, [case]), ["long.a imx8mq/arm64-64"])

    def test_only(self):
        """What the inventory has not is left out if it is green, and stays if it is red."""
        results = [ktap.Case("long", "a", target, state) for target, state in
                   (("imx25/armv5-32", "ok"), ("imx6q/armv7-32", "ok"), ("imx8mq/arm64-64", "fail"))]
        self.assertEqual(plan.only({"long.a": TARGETS[:1]}, results), [results[0], results[2]])

    def test_inventory(self):
        """Targets are what the kernel names; a case without any is a skip."""
        cases, skipped = plan.inventory(
            "KTAP version 1\n1..1\n    KTAP version 1\n    # Subtest: long\n    1..3\n"
            "        KTAP version 1\n        # Subtest: a\n        ok 1 imx25/armv5-32 # SKIP listed\n"
            "        ok 2 imx6q/armv7-32 # SKIP listed\n    ok 1 a # SKIP listed\n"
            "        KTAP version 1\n        # Subtest: b\n    ok 2 b # SKIP \n    ok 3 plain\nok 1 long\n")
        self.assertEqual(cases, {"long.a": TARGETS[:2], "long.plain": [""]})
        self.assertEqual([case.name for case in skipped], ["long.b"])


def line(number, way, data, offset=0, length=None, when=5_000_000_007):
    """A line of the log."""
    return f"poolstack: frame {number} {way} 1 {when} {len(data) if length is None else length} {offset} {data.hex()}"


class Capture(unittest.TestCase):
    """Frames of a log."""

    def blocks(self, raw):
        """[(type, body)] of a pcapng file."""
        found = []
        while raw:
            kind, length = struct.unpack("<II", raw[:8])
            self.assertEqual(length % 4, 0)
            self.assertEqual(struct.unpack("<I", raw[length - 4:length])[0], length)
            found.append((kind, raw[8:length - 4]))
            raw = raw[length:]
        return found

    def test_pieces_mix(self):
        """Two frames printed at the same time."""
        data = bytes(range(200))
        found = pcap.frames([line(1, "rx", data[:100], 0, 200), line(2, "up", b"abc"), "# other",
                             line(1, "rx", data[100:], 100, 200)])
        self.assertEqual([(way, raw) for way, *_, raw in found], [("rx", data), ("up", b"abc")])

    def test_lost_piece(self):
        """A hole in a frame is an error, a cut at the end of the log is not."""
        with self.assertRaises(cli.Stop):
            pcap.frames([line(1, "rx", b"x" * 10, 20, 30)])
        self.assertEqual(pcap.frames([line(1, "rx", b"x" * 10, 0, 30)])[0][3:], (30, b"x" * 10))
        with self.assertRaises(cli.Stop):
            pcap.frames(["poolstack: frame 1 rx 0 5 3 0 abc"])

    def test_file(self):
        """Two interfaces; direction, time, queue, case and bytes of each frame."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "x.pcapng")
            logs = [line(1, "rx", b"\x01" * 61), "noise", line(2, "tx", b"\x02" * 60), line(3, "up", b"")]
            self.assertEqual(pcap.write(path, [ktap.Case("fec_rx", "a", "imx6q/armv7-32", "ok", log=logs)]), 3)
            blocks = self.blocks(path.read_bytes())
        self.assertEqual([kind for kind, _ in blocks], [pcap.SECTION, 1, 1, 6, 6, 6])
        interface, high, low, kept, length = struct.unpack("<5I", blocks[3][1][:20])
        self.assertEqual((interface, (high << 32) + low, kept, length), (0, 5_000_000_007, 61, 61))
        self.assertEqual(blocks[3][1][20:84], b"\x01" * 61 + bytes(3))
        self.assertIn(b"fec_rx.a imx6q/armv7-32", blocks[3][1])
        self.assertIn(struct.pack("<HHI", 2, 4, pcap.INBOUND), blocks[3][1])
        self.assertIn(struct.pack("<HHI", 2, 4, pcap.OUTBOUND), blocks[4][1])
        self.assertIn(struct.pack("<HHI", 6, 4, 1), blocks[4][1])
        self.assertEqual(struct.unpack("<I", blocks[5][1][:4]), (1,))

    def test_lines_of_frames(self):
        """What is left out where a red case's log is printed."""
        self.assertTrue(pcap.is_frame(line(1, "rx", b"ab") + "\n"))
        self.assertFalse(pcap.is_frame("    # case: poolstack: frame of 60 transmitted"))


if __name__ == "__main__":
    unittest.main()
