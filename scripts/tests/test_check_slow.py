# SPDX-License-Identifier: GPL-2.0-only
"""Each check that builds, seen to fail: on the real driver, so it takes minutes
and the kernel source; POOLSTACK_SLOW=1 has it run."""

import os
import re
import shutil
import unittest

from support import FEC, PACKAGE_VERSION, SCRIPTS, Case, git
from poolstack import kernel, series, trees

# The real ones: Case gives its tests others.
REAL = {name: os.environ.get(name) for name in ("POOLSTACK_CACHE", "HOME",
                                                "XDG_CACHE_HOME")}
# (subject, old, new): each planted fault, one a patch.
EDITS = (
    ("net: fec: change nothing that shows",
     "	return entries >= 0 ? entries : entries + txq->bd.ring_size;\n",
     "	if (entries < 0)\n		entries += txq->bd.ring_size;\n\n"
     "	return entries;\n"),
    ("net: fec: leave a blank at the end of a line",
     "	if (entries < 0)\n", "	if (entries < 0) \n"),
    ("net: fec: set a variable that nobody reads",
     "{\n	int entries;\n", "{\n	int entries;\n	int planted;\n\n"
     "	planted = 1;\n"),
    ("net: fec: take a little-endian word for a big one",
     "static int fec_enet_get_free_txdesc_num",
     "__be32 fec_planted(__le32 word);\n__be32 fec_planted(__le32 word)\n{\n"
     "	return word;\n}\n\nstatic int fec_enet_get_free_txdesc_num"),
    ("net: fec: use what is not there",
     "	return word;\n", "	return nowhere;\n"),
    ("net: fec: put it back", "	return nowhere;\n", "	return word;\n"),
)


@unittest.skipUnless(os.environ.get("POOLSTACK_SLOW"), "builds; POOLSTACK_SLOW=1")
class Planted(Case):

    def test_each_planted_fault_is_found_and_nothing_else(self):
        self.patch_environment(REAL)
        self.write_base({}, **{"package-version": PACKAGE_VERSION})
        shutil.copytree(SCRIPTS.parent / "configs", self.repo / "configs")
        source = kernel.debian()
        folder = self.repo / "patches/fec-fixes"
        with trees.scratch(source, [FEC]) as path:
            for title, old, new in EDITS:
                text = (path / FEC).read_text()
                self.assertIn(old, text)
                (path / FEC).write_text(text.replace(old, new, 1))
                git(path, "-c", "core.sparseCheckout=true", "commit", "-q", "-a", "-m",
                    f"{title}\n\nPlanted.\n\n"
                    "Fixes: f601899e4321 (\"net: fec: add page_pool\")",
                    env=kernel.PLACEHOLDER_ENV)
            git(path, "format-patch", "-q", "--full-index", "--no-signature", "-N",
                "-o", str(folder), source.commit)
        names = sorted(file.name for file in folder.iterdir())
        (self.repo / "patches/series").write_text("topic fec-fixes net\n" + "".join(
            f"patch {name} pending -\n" for name in names))
        (folder / series.COVER).write_text(
            "Subject: [PATCH net 0/6] net: fec: planted faults\n\n"
            "Each of the patches has one fault that a check must find.\n")
        done = self.script("check")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        red = re.findall(r"^not ok (.*)\n   (.*)$", done.stdout, re.M)
        self.assertEqual([name for name, _ in red],
                         [f"checkpatch: fec-fixes/{names[1]}",
                          f"builds: fec-fixes/{names[4]} (arm64)",
                          "warnings: W=1 and sparse on arm64", "warnings: W=1 on arm",
                          "warnings: W=1 on x86"],
                         done.stdout)
        self.assertIn("TRAILING_WHITESPACE", red[0][1])
        self.assertIn("nowhere", red[1][1])
        found = done.stdout.partition("not ok warnings: W=1 and sparse")[2]
        self.assertIn("unused-but-set-variable", found)
        self.assertIn("incorrect type in return expression", found)
        self.assertRegex(done.stdout, r"(?m)^\d+ checks passed, 5 failed$")


if __name__ == "__main__":
    unittest.main()
