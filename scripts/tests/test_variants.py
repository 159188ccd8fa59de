# SPDX-License-Identifier: GPL-2.0-only
"""variants: other ways to do one thing, each alone on the unpatched kernel, beside the stack."""

import fnmatch
import json
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import fakelab  # noqa: E402
from support import FEC, Case  # noqa: E402
from test_walk import CONF, FIGURE  # noqa: E402
from poolstack import cli, lab, variants, walkshow, workloads  # noqa: E402

PATCH = """From: poolstack <poolstack@example.org>
Date: Tue, 1 Dec 2026 10:00:00 +0000
Subject: [PATCH] {0} another way

Why.
---
diff --git a/{1} b/{1}
--- a/{1}
+++ b/{1}
@@ -19,5 +19,5 @@
 int line_19;
 int line_20;
-int line_21;
+int {0}_21;
 int line_22;
 int line_23;
"""


class Variants(Case):
    """On a stand-in kernel that prints what its step should."""

    def setUp(self):
        super().setUp()
        self.make_stack()
        self.seed_cache()
        for soc in ("imx6q", "imx28"):
            path = self.repo / f"configs/boards/lab-fec-{soc}.conf"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(CONF.format(soc))
        (self.repo / "kunit/expected-red").touch()
        self.set = self.repo / "bench/variants/ways"
        self.set.mkdir(parents=True)
        (self.set / "workloads").write_text("plain_*\n")
        for name in ("first", "second"):
            (self.set / f"{name}.patch").write_text(PATCH.format(name, FEC))
        self.built = []
        for where, name, value in ((lab, "check_host", lambda: None), (lab, "build_kernel", self.build)):
            self.addCleanup(setattr, where, name, getattr(where, name))
            setattr(where, name, value)

    def build(self, tree):
        """Instead of a kernel: remembers what the driver was like, prints the step's figures."""
        text = (tree.path / FEC).read_text()
        self.built.append((tree.side, re.findall(r"(first|second)_21", text), text.count("fixed_")))
        folder = self.tmp / "kernels" / tree.side
        folder.mkdir(parents=True)
        lines = {"base": 100, "first": 300, "second": 200, "stack": 50}[tree.side]
        say = [FIGURE.format(workload, 1, "dma_lines_for_device", lines) for workload in ("plain_60", "drop_60")]
        return fakelab.make(folder, {"fec_figures.a": {"imx6q/armv7-32": "ok"},
                                     "fec_figures.b": {"imx28/armv5-32": "ok"}},
                            say={"fec_figures.a": say, "fec_figures.b": say[1:]})

    def test_each_alone_on_the_base_then_the_stack(self):
        data = variants.run("ways", ["lab-fec-imx6q"], runs=1)[0]
        self.assertEqual(self.built, [("base", [], 0), ("first", ["first"], 0), ("second", ["second"], 0),
                                      ("stack", [], 2)])
        self.assertEqual([(row["workload"], row["values"]) for row in data["rows"]], [("plain_60", [1, 3, 2, 0.5])])
        kept = json.loads((self.repo / "results/lab-fec-imx6q/variants-ways/variants.json").read_text())
        self.assertEqual(kept, data)
        text = walkshow.table(data)
        self.assertIn("variants ways on", text)
        self.assertRegex(text, r"\n  second +3 -> 2\n")
        self.assertIn("3 steps after the first, 1 figures, 3 moves, 1 for the worse", text)

    def test_a_board_without_these_workloads_is_left_out(self):
        data = variants.run("ways", ["lab-fec"], runs=1)[0]
        self.assertEqual({row["soc"] for row in data["rows"]}, {"imx6q"})
        self.assertFalse((self.repo / "results/lab-fec-imx28/variants-ways/variants.json").exists())

    def test_refusals(self):
        for name in ("other", "../variants/ways", ""):
            with self.assertRaisesRegex(cli.Stop, "there are: ways"):
                variants.run(name, ["lab-fec-imx6q"], runs=1)
        (self.set / "workloads").write_text("\n")
        with self.assertRaisesRegex(cli.Stop, "workloads: want the workloads to measure"):
            variants.run("ways", ["lab-fec-imx6q"], runs=1)
        (self.set / "workloads").write_text("plain_*\n")
        (self.set / "second.patch").write_text(PATCH.format("second", FEC).replace("line_20", "other_20"))
        with self.assertRaisesRegex(cli.Stop, f"does not apply: ways/second.patch .*{FEC}"):
            variants.run("ways", ["lab-fec-imx6q"], runs=1)
        for path in self.set.glob("*.patch"):
            path.unlink()
        with self.assertRaisesRegex(cli.Stop, "no variant in "):
            variants.run("ways", ["lab-fec-imx6q"], runs=1)
        self.assertEqual(self.built, [])


class Ours(unittest.TestCase):
    """The sets of this repository."""

    def test_workloads_exist(self):
        known = workloads.load_all()
        self.assertTrue(list(variants.folder().iterdir()))
        for path in variants.folder().iterdir():
            for glob in variants.wanted(path.name):
                self.assertTrue(fnmatch.filter(known, glob), (path.name, glob))
            self.assertGreater(len(variants.patches(path.name)), 1)


if __name__ == "__main__":
    unittest.main()
