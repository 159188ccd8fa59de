# SPDX-License-Identifier: GPL-2.0-only
"""walk: a topic patch by patch; which moved what; a patch that does not apply, build or run is named."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import fakelab  # noqa: E402
from support import FEC, Case  # noqa: E402
from poolstack import cli, kernel, lab, results, walk, walkshow  # noqa: E402

FIGURE = '    # c: figure {{"soc":"@SOC@","class":"@CLASS@","workload":"{0}","batch":{1},"metric":"{2}",' \
         '"sum":{3},"frames":100}}'
CONF = "BOARD=lab-fec-{0}\nSOC={0}\nDRIVER=fec\nWHERE=lab\nARCH=um\nDEPLOY=uml\nKERNEL_CONFIG=kunit/kunitconfig\n"
QEMU = "BOARD=b-qemu\nSOC=imx8mp\nDRIVER=fec\nWHERE=qemu\nARCH=arm64\nDEPLOY=qemu\nKERNEL_CONFIG=x\nCONSOLE=t\n" \
       "NETIF=eth0\nLOCAL_V4=192.0.2.1\nREMOTE_V4=192.0.2.2\nREMOTE_TYPE=netns\n"


class Walk(Case):
    """On a stand-in kernel that prints what its step should."""

    def setUp(self):
        super().setUp()
        self.names = self.make_stack()
        self.seed_cache()
        for soc in ("imx6q", "imx28"):
            path = self.repo / "configs/boards" / f"lab-fec-{soc}.conf"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(CONF.format(soc))
        (self.repo / "kunit/expected-red").write_text("boot-alone imx28 F11\n")
        self.lines = {"before": 5500, "0001": 5500, "0002": 200}
        self.states = {}
        self.built = []
        self.boots = []
        for where, name, value in ((lab, "check_host", lambda: None), (lab, "build_kernel", self.build)):
            self.addCleanup(setattr, where, name, getattr(where, name))
            setattr(where, name, value)

    def build(self, tree):
        """Instead of a kernel: remembers what the driver was like, prints the step's figures."""
        step = tree.side
        self.built.append((step, (tree.path / FEC).read_text().count("fixed_"), tree.patched))
        state = self.states.get(step, "ok")
        if state == "broken":
            raise cli.Failed("building lab kernel failed: a.c:1: error: bad")
        folder = self.tmp / "kernels" / step
        folder.mkdir(parents=True)
        say = [FIGURE.format("plain_60", batch, "dma_lines_for_device", self.lines[step]) for batch in (1, 32)]
        say += [FIGURE.format("plain_60", 1, "mmio_writes", 600 if step != "0001" else 700)]
        program = fakelab.make(folder, {"fec_figures.a": {"imx6q/armv7-32": state, "imx28/armv5-32": "ok"},
                                        "fec_figures.b": {"imx6q/armv7-32": "ok", "imx28/armv5-32": "ok"}},
                               say={"fec_figures.a": say}, first_only="imx28")
        self.boots.append(program)
        return program

    def walk(self, *words, runs=1, topic="fec-fixes"):
        """Walk and return the only comparison."""
        return walk.run(topic, list(words) or ["lab-fec"], runs=runs)[0]

    def row(self, data, soc, metric, batch):
        """One row of it."""
        return next(row for row in data["rows"] if (row["soc"], row["metric"], row["batch"]) == (soc, metric, batch))

    def test_each_patch_is_built_on_the_one_before(self):
        self.walk()
        self.assertEqual(self.built, [("before", 0, False), ("0001", 1, False), ("0002", 2, False)])

    def test_which_patch_moved_what(self):
        data = self.walk()
        self.assertEqual([step["name"] for step in data["steps"]], ["before", "0001", "0002"])
        for soc in ("imx6q", "imx28"):
            for batch in (1, 32):
                found = self.row(data, soc, "dma_lines_for_device", batch)
                self.assertEqual(found["values"], [55, 55, 2])
                self.assertEqual(found["moves"], [{"step": "0002", "from": 55, "to": 2, "verdict": "better"}])
        self.assertEqual([(move["step"], move["verdict"]) for move in self.row(data, "imx6q", "mmio_writes", 1)["moves"]],
                         [("0001", "worse"), ("0002", "better")])
        kept = json.loads((self.repo / "results/lab-fec/walk-fec-fixes/walk.json").read_text())
        self.assertEqual(kept, data)
        with self.assertRaises(cli.Stop):       # it is no measurement of two sides
            results.newest("lab-fec-imx6q")

    def test_what_is_printed(self):
        text = walkshow.table(self.walk())
        self.assertIn("0001  net: fec: fix five: 2 figures: 2 worse", text)
        self.assertRegex(text, r"dma_lines_for_device +plain_60 b1 b32 +55 -> 2 +better +all")
        self.assertRegex(text, r"mmio_writes +plain_60 b1 +6 -> 7 +WORSE +all")
        self.assertRegex(text, r"\n  0002 +55 -> 2 +7 -> 6\n")
        self.assertIn("2 patches, 6 figures, 8 moves, 2 for the worse", text)
        self.assertIn("| 0002 | 55 -> 2 | 7 -> 6 |", (self.repo / "results/lab-fec/walk-fec-fixes/walk.md").read_text())

    def test_a_patch_that_moves_nothing(self):
        self.lines["0002"] = 5500
        data = self.walk("lab-fec-imx6q")
        text = walkshow.table(data)
        self.assertIn("moved by no patch: plain_60 b32, imx6q", text)
        data["rows"] = [row for row in data["rows"] if row["batch"] == 32]
        self.assertIn("fix thirty: moves nothing", walkshow.table(data))

    def test_a_soc_that_binds_once_per_boot(self):
        """Each of its cases has a boot of its own, or the second would be red."""
        self.walk("lab-fec-imx28")
        self.assertEqual(sorted(fakelab.boots(self.boots[0])[1:]), ["fec_figures.a imx28", "fec_figures.b imx28"])

    def test_a_patch_that_does_not_apply(self):
        path = self.repo / "patches/fec-fixes" / self.names[1]
        path.write_text(path.read_text().replace("line_30;", "other_30;"))
        with self.assertRaisesRegex(cli.Stop, f"does not apply: fec-fixes/{self.names[1]} .*{FEC}") as stop:
            self.walk()
        self.assertEqual((stop.exception.code, self.built), (cli.FAIL, []))

    def test_a_patch_that_does_not_build(self):
        self.states["0001"] = "broken"
        with self.assertRaisesRegex(cli.Failed, f"does not build: fec-fixes/{self.names[0]}: .*error: bad"):
            self.walk()
        self.assertFalse((self.repo / "results/lab-fec/walk-fec-fixes/walk.json").exists())

    def test_a_patch_whose_figures_are_red(self):
        for state in ("red", "panic"):
            with self.subTest(state):
                self.states["0002"] = state
                with self.assertRaisesRegex(cli.Failed, f"does not run: fec-fixes/{self.names[1]}: lab-fec-imx6q"):
                    self.walk()
                for left in (self.tmp / "kernels").iterdir():
                    left.rename(self.tmp / f"{left.name}-{state}")

    def test_an_interrupt_leaves_nothing(self):
        real, calls = results.save_run, iter([0, 0, 1])

        def save(*args):
            if next(calls):
                raise KeyboardInterrupt
            real(*args)

        results.save_run = save
        self.addCleanup(setattr, results, "save_run", real)
        with self.assertRaises(KeyboardInterrupt):
            self.walk()
        self.assertEqual([path for path in (self.repo / "results").rglob("*") if path.is_file()], [])

    def test_a_later_topic_begins_where_the_one_before_ends(self):
        series = self.repo / "patches/series"
        lines = series.read_text().splitlines()
        (self.repo / "patches/more").mkdir()
        (self.repo / "patches/fec-fixes" / self.names[1]).rename(self.repo / "patches/more" / self.names[1])
        series.write_text("\n".join([*lines[:-1], "topic more net-next", lines[-1]]) + "\n")
        data = self.walk(topic="more")
        self.assertEqual(self.built, [("before", 1, False), ("0002", 2, False)])
        self.assertIn("fec-fixes", data["steps"][0]["title"])

    def test_no_patch_and_no_topic(self):
        (self.repo / "patches/series").write_text("topic fec-fixes net\n")
        with self.assertRaises(cli.Stop) as stop:
            walk.steps(kernel.debian(), "fec-fixes")
        self.assertEqual(stop.exception.code, cli.SKIP)
        with self.assertRaisesRegex(cli.Stop, "no topic other"):
            walk.steps(kernel.debian(), "other")

    def test_noise_is_no_move(self):
        """On an emulated board the intervals decide, and few runs are refused before anything is built."""
        (self.repo / "configs/boards/b-qemu.conf").write_text(QEMU)
        with self.assertRaisesRegex(cli.Stop, "b-qemu needs 5 runs"):
            self.walk("b-qemu", runs=4)

        def runs(*values):
            return [[{"workload": "tcp_rx", "batch": None, "metric": "insns", "unit": "x", "better": "lower",
                      "value": value, "exact": False}] for value in values]

        made = walk.rows({"before": runs(80, 81, 82, 83, 84), "0001": runs(79, 80, 81, 82, 83),
                          "0002": runs(49, 50, 51, 52, 53)}, "qemu", "imx8mp")
        self.assertEqual(made[0]["moves"], [{"step": "0002", "from": 81, "to": 51, "verdict": "better"}])

    def test_figures_that_come_and_go(self):
        sample = {"workload": "a", "batch": 1, "metric": "page_allocs", "unit": "x", "better": "lower", "value": 1,
                  "exact": True}
        made = walk.rows({"before": [[]], "0001": [[sample]], "0002": [[]]}, "lab", "imx6q")
        self.assertEqual([(move["step"], move["verdict"]) for move in made[0]["moves"]],
                         [("0001", "new"), ("0002", "gone")])
        self.assertEqual(made[0]["values"], [None, 1, None])


if __name__ == "__main__":
    unittest.main()
