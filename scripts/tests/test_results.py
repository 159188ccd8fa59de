# SPDX-License-Identifier: GPL-2.0-only
"""verdict, results, excerpt: rows, verdicts, void rows, files that are whole or not there."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from poolstack import cli, excerpt, pivot, results, verdict  # noqa: E402

CONF = {"BOARD": "lab-fec-imx6q", "SOC": "imx6q", "WHERE": "lab"}


def sample(value, *, metric="mmio_writes", workload="plain_60", exact=True, better="lower"):
    """One sample."""
    return {"workload": workload, "batch": 32, "metric": metric, "unit": "x", "better": better, "value": value,
            "exact": exact}


def row(before, after, *, where="lab", faults=(), **kind):
    """The row of two lists of values."""
    return verdict.rows(("base", [[sample(value, **kind)] for value in before]),
                        ("patched", [[sample(value, **kind)] for value in after]), soc="imx6q", where=where,
                        faults=faults)[0]


class Verdicts(unittest.TestCase):
    """Single rows."""

    def test_exact(self):
        """Exact counts compare exactly, whatever the number of runs."""
        self.assertEqual(row([55], [2])["verdict"], "better")
        self.assertEqual(row([2.125], [2.126])["verdict"], "worse")
        self.assertEqual(row([55, 55], [55, 55])["verdict"], "same")
        self.assertEqual(row([0.5], [0.9], better="higher")["verdict"], "better")
        self.assertEqual(row([55], [2])["ratio"], 2 / 55)
        self.assertEqual(row([55, 55], [2, 2])["base"], {"median": 55, "n": 2, "ci95": [55, 55]})

    def test_exact_that_varies(self):
        """In the lab that is a fault; on an emulated board the intervals decide."""
        self.assertEqual(row([55, 54], [2, 2])["verdict"], "void")
        self.assertEqual(row([80.1, 80.2, 80.1, 80.3, 80.1], [48.8] * 5, where="qemu")["verdict"], "better")
        self.assertEqual(row([80.1, 80.2, 80.1, 80.3, 80.1], [80.2] * 5, where="qemu")["verdict"], "same")

    def test_times(self):
        """Intervals apart, overlapping, and too few runs."""
        kind = {"exact": False, "metric": "mbps", "better": "higher", "where": "qemu"}
        self.assertEqual(row([500, 505, 510, 503, 502], [600, 610, 605, 602, 603], **kind)["verdict"], "better")
        self.assertEqual(row([500, 505, 510, 503, 502], [400, 410, 405, 402, 403], **kind)["verdict"], "worse")
        self.assertEqual(row([500, 505, 610, 503, 502], [600, 610, 605, 602, 603], **kind)["verdict"], "same")
        few = row([500] * 4, [600] * 4, **kind)
        self.assertEqual(few["verdict"], "void")
        self.assertIn("5 are needed", few["reason"])

    def test_interval(self):
        """Order statistics: the range up to five values, tighter with many."""
        self.assertEqual(verdict.interval([3, 1, 2]), (1, 3))
        self.assertEqual(verdict.interval(range(1, 6)), (1, 5))
        self.assertEqual(verdict.interval(range(1, 21)), (6, 15))

    def test_one_side_only(self):
        """A row that one side lacks is void and says which."""
        made = row([55], [])
        self.assertEqual((made["verdict"], made["ratio"]), ("void", None))
        self.assertIn("second side", made["reason"])
        self.assertEqual(row([], [55])["base"], {"median": None, "n": 0, "ci95": [None, None]})

    def test_share_of_nothing(self):
        """No page went back to the pool: no share, and nothing is void; a share that got lost is."""
        def two(shares, counted):
            sides = [[sample(share, metric="recycle_cached_share", better="higher")] * (share is not None) +
                     [sample(number, metric="pages_recycled", better="info")] * (number is not None)
                     for share, number in zip(shares, counted)]
            made = verdict.rows(("base", [sides[0]]), ("patched", [sides[1]]), soc="imx6q")
            return next((entry["verdict"], entry["reason"]) for entry in made
                        if entry["metric"] == "recycle_cached_share")

        self.assertEqual(two((1, None), (1, 0)), ("same", "no page had to be recycled on patched"))
        self.assertEqual(two((None, 1), (0, 1)), ("same", "no page had to be recycled on base"))
        for counted in ((1, 1), (0, None), (0, 1)):
            self.assertEqual(two((1, None), counted)[0], "void", counted)

    def test_zero_base(self):
        """No ratio to nothing; the verdict stands."""
        made = row([0], [1])
        self.assertEqual((made["ratio"], made["verdict"]), (None, "worse"))

    def test_information_only(self):
        """A figure with no better direction has no better and no worse."""
        self.assertEqual(row([1], [2], better="info")["verdict"], "same")


class Environment(unittest.TestCase):
    """What makes a comparison void."""

    def test_iperf3_across_3_16(self):
        """Void for what iperf3 measured, not for the rest."""
        faults = verdict.environment_faults({"iperf3": "iperf 3.12"}, {"iperf3": "iperf 3.18"})
        self.assertEqual(row([1], [2], workload="tcp_rx", faults=faults)["verdict"], "void")
        self.assertIn("3.16", row([1], [2], workload="udp_rx", faults=faults)["reason"])
        self.assertEqual(row([1], [2], workload="drop_60", faults=faults)["verdict"], "worse")

    def test_iperf3_on_one_side_of_3_16(self):
        """Two new versions compare."""
        self.assertEqual(verdict.environment_faults({"iperf3": "3.16"}, {"iperf3": "3.18.1"}), [])

    def test_other_changes(self):
        """Another configuration, another number of CPUs: all rows are void."""
        faults = verdict.environment_faults({"config": "a", "cpus": 1}, {"config": "b", "cpus": 1})
        self.assertEqual(row([1], [2], faults=faults)["verdict"], "void")
        self.assertIn("config differs", row([1], [2], faults=faults)["reason"])


class Files(unittest.TestCase):
    """Measurements and comparisons on disk."""

    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.base = Path(temp.name)

    def measure(self, before=(55, 55), after=(2, 2), env=None, env_after=None, conf=None):
        """A whole measurement."""
        conf = conf or CONF
        target = results.begin(conf["BOARD"], self.base)
        sides = {}
        for side, values in (("base", before), ("patched", after)):
            for number, value in enumerate(values, 1):
                results.save_run(target, side, number, [sample(value, metric="dma_lines_for_device")])
            facts = {"config": "x"}
            sides[side] = {"describe": f"7.3.4 {side}", "commit": "0" * 40, "env": env or facts,
                           "env_after": env_after or facts}
        results.finish(target, conf, sides)
        return target

    def test_schema(self):
        """compare.json carries what the contract says, and is whole JSON."""
        path = results.publish(results.compare(self.measure()), self.base)
        data = json.loads(path.read_text())
        self.assertEqual(list(data), ["schema", "board", "soc", "where", "sides", "rows"])
        self.assertEqual((data["schema"], data["board"], data["where"]), (1, "lab-fec-imx6q", "lab"))
        self.assertEqual(list(data["sides"]), ["base", "patched"])
        self.assertEqual(set(data["rows"][0]), {"soc", "workload", "batch", "metric", "unit", "better", "base",
                                               "patched", "ratio", "verdict", "reason"})
        self.assertEqual(data["rows"][0]["patched"], {"median": 2, "n": 2, "ci95": [2, 2]})
        self.assertIn("| imx6q | plain_60 |", (path.parent / "compare.md").read_text())
        self.assertIn("<td>dma_lines_for_device</td>", (path.parent / "compare.html").read_text())
        self.assertEqual([file.name for file in path.parent.glob(".*")], [])

    def test_group(self):
        """A group's comparison holds the rows of its boards, each with its SoC."""
        parts = [results.compare(self.measure()),
                 results.compare(self.measure(conf=CONF | {"BOARD": "lab-fec-imx8mq", "SOC": "imx8mq"}))]
        data = results.join("lab-fec", parts)
        self.assertEqual([line["soc"] for line in data["rows"]], ["imx6q", "imx8mq"])

    def test_lab_table(self):
        """SoCs that read the same share a line; what got worse is written out."""
        parts = [results.compare(self.measure()),
                 results.compare(self.measure(conf=CONF | {"BOARD": "lab-fec-imx8mq", "SOC": "imx8mq"}))]
        text = results.table(results.join("lab-fec", parts))
        self.assertIn("55 -> 2", text)
        self.assertEqual(text.count("plain_60"), 1)
        self.assertIn("2 rows: 2 better", text)
        worse = results.table(results.compare(self.measure(after=(60, 60))))
        self.assertIn("55 -> 60 WORSE", worse)
        self.assertEqual(worse.count("plain_60"), 2)
        self.assertIn("imx6q", results.table(results.join("lab-fec", parts), full=True))

    def test_names_in_short(self):
        """All; a SoC with all its caches; one of them."""
        every = ["a", "b/x", "b/y", "c"]
        self.assertEqual(pivot.names_of(every, every), "all")
        self.assertEqual(pivot.names_of(["b/x", "b/y", "c"], every), "b c")
        self.assertEqual(pivot.names_of(["a", "b/y"], every), "a b/y")

    def test_unfinished_is_not_read(self):
        """A measurement that was cut short is not the newest one."""
        whole = self.measure()
        results.begin("lab-fec-imx6q", self.base)
        self.assertEqual(results.newest("lab-fec-imx6q", self.base), whole)
        with self.assertRaises(cli.Stop):
            results.newest("lab-fec-imx8mq", self.base)

    def test_empty_run(self):
        """A run without a sample is a failure where it happens."""
        target = results.begin("lab-fec-imx6q", self.base)
        with self.assertRaises(cli.Failed) as stop:
            results.save_run(target, "base", 1, [])
        self.assertIn("no sample", stop.exception.message)

    def test_malformed_samples(self):
        """A missing field, a value that is no number, an unknown direction."""
        target = results.begin("lab-fec-imx6q", self.base)
        for bad in ({"workload": "plain_60"}, sample(float("nan")), sample("55"), sample(1, better="bigger")):
            with self.assertRaises(cli.Failed):
                results.save_run(target, "base", 1, [bad])

    def test_broken_json(self):
        """A file of ours that is cut short is named."""
        target = self.measure()
        path = target / "base" / "run-1" / "samples.json"
        path.write_text(path.read_text()[:-5])
        with self.assertRaises(cli.Stop) as stop:
            results.compare(target)
        self.assertIn("samples.json", stop.exception.message)
        self.assertEqual(stop.exception.code, cli.FAIL)

    def test_change_during_the_run(self):
        """The environment after is not the one before: void."""
        data = results.compare(self.measure(env_after={"config": "x", "cpus": 2}))
        self.assertEqual(data["rows"][0]["verdict"], "void")
        self.assertIn("during base", data["rows"][0]["reason"])

    def test_one_side(self):
        """A single side: figures, no verdict."""
        target = self.measure()
        info = results.read_json(target / "run.json")
        results.write_json(target / "run.json", info | {"sides": ["base"]})
        data = results.compare(target)
        self.assertEqual(data["rows"][0]["verdict"], "void")
        self.assertNotIn("none", data["rows"][0])
        self.assertIn("55", results.table(data))

    def test_emulated_times_are_labelled(self):
        """A table says whose time it is; the README shows none of an emulator, but a board's."""
        data = results.compare(self.measure())
        data["where"] = "qemu"
        data["rows"][0]["metric"] = "mbps"
        self.assertIn("mbps (qemu)", results.table(data))
        self.assertIn("no board's speed", results.table(data))
        self.assertNotIn("mbps", excerpt.excerpt([data]))
        data["where"] = "board"
        self.assertIn("mbps", excerpt.excerpt([data]))

    def test_readme(self):
        """The block between the markers is replaced, the rest stays; no markers is an error."""
        data = results.compare(self.measure())
        path = self.base / "README.md"
        path.write_text(f"head\n{excerpt.BEGIN}\nold\n{excerpt.END}\ntail\n")
        for _ in range(2):
            excerpt.put(path, [data])
        text = path.read_text()
        self.assertNotIn("old", text)
        self.assertEqual(text.count("55 → 2"), 1)
        self.assertTrue(text.startswith("head\n") and text.endswith(f"{excerpt.END}\ntail\n"))
        path.write_text("no markers\n")
        with self.assertRaises(cli.Stop):
            excerpt.put(path, [data])


if __name__ == "__main__":
    unittest.main()
