# SPDX-License-Identifier: GPL-2.0-only
"""relink: another kernel from a built one; the "kernel" is a program of two objects."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from poolstack import cli, relink  # noqa: E402
from support import Case  # noqa: E402

MAIN = '#include <stdio.h>\n#include "fec.h"\nint number(void);\n' \
       'int main(void)\n{\n\tprintf("%d %d %s\\n", number(), FEC, WHO);\n\treturn 0;\n}\n'
NUMBER = '#include "fec.h"\nint number(void)\n{\n\treturn 1 + FEC;\n}\n'


class Relink(Case):
    """A tree with a driver, built in build-um."""

    def setUp(self):
        super().setUp()
        self.tree = SimpleNamespace(path=self.tmp / "kernel", side="base")
        self.out = self.tree.path / "build-um"
        (self.out / "drv").mkdir(parents=True)
        (self.tree.path / "drv").mkdir()
        for name, text in (("main.c", MAIN), ("number.c", NUMBER), ("fec.h", "#define FEC 4\n")):
            (self.tree.path / "drv" / name).write_text(text)
        for name in ("main", "number"):
            command = f"gcc -Wp,-MMD,drv/.{name}.o.d -DWHO='\"it is\"' -c -o drv/{name}.o ../drv/{name}.c"
            subprocess.run(command, shell=True, cwd=self.out, check=True)
            (self.out / f"drv/.{name}.o.cmd").write_text(f"savedcmd_drv/{name}.o := {command} ; true\n\nsource := x\n")
        subprocess.run(["ar", "cDPrST", "vmlinux.a", "drv/main.o", "drv/number.o"], cwd=self.out, check=True)
        (self.out / "vmlinux.unstripped").write_text("")
        (self.out / relink.LINK).write_text("gcc -o vmlinux.unstripped -Wl,--whole-archive vmlinux.a "
                                            "-Wl,--no-whole-archive\n")
        self.kit = relink.Kit(self.tree, self.out)

    def printed(self, program):
        """What the program prints."""
        return subprocess.run([program], capture_output=True, text=True, check=True).stdout.strip()

    def other(self, name, old, new):
        """A kernel in which one file says something else."""
        folder = Path(tempfile.mkdtemp(dir=self.tmp))
        self.kit.copy([f"drv/{name}"], folder)
        path = folder / "drv" / name
        path.write_text(path.read_text().replace(old, new))
        return self.printed(self.kit.kernel([f"drv/{name}"], folder))

    def test_as_it_was(self):
        """Nothing changed, only linked."""
        self.assertEqual(self.printed(self.kit.link({}, self.tmp / "linux")), "5 4 it is")

    def test_a_source(self):
        """One object is new, the tree is as it was."""
        self.assertEqual(self.other("number.c", "1 +", "2 +"), "6 4 it is")
        self.assertEqual((self.tree.path / "drv/number.c").read_text(), NUMBER)
        self.assertEqual(self.printed(self.kit.link({}, self.tmp / "linux")), "5 4 it is")

    def test_a_header(self):
        """All objects of its folder are new."""
        self.assertEqual(self.other("fec.h", "4", "7"), "8 7 it is")

    def test_more_options(self):
        """Options for the compiler, of the objects named only."""
        folder = self.tmp / "more"
        self.kit.copy(["drv/main.c"], folder)
        program = self.kit.kernel(["drv/main.c"], folder, extra=["-UWHO", '-DWHO="she"'], link_extra=["-g"])
        self.assertEqual(self.printed(program), "5 4 she")

    def test_error_of_the_compiler(self):
        """One line, the first error."""
        with self.assertRaises(cli.Failed) as failed:
            self.other("number.c", "return", "retrun")
        self.assertIn("compiling drv/number.o failed: ", failed.exception.message)
        self.assertIn("error", failed.exception.message)
        self.assertNotIn("\n", failed.exception.message)

    def test_file_of_no_object(self):
        """A source that this kernel is not made from."""
        with self.assertRaises(cli.Failed) as failed:
            self.kit.objects("drv/none.c")
        self.assertIn("drv/none.c", failed.exception.message)

    def test_foreign_words(self):
        """A .cmd file, or a link, that is not as expected is an error, not a kernel without the change."""
        (self.out / "drv/.main.o.cmd").write_text("savedcmd_drv/main.o := gcc -c -o drv/main.o ../elsewhere/main.c\n")
        with self.assertRaises(cli.Failed):
            self.other("main.c", "it is", "x")
        (self.out / relink.LINK).write_text("gcc -o vmlinux.unstripped vmlinux.o\n")
        with self.assertRaises(cli.Stop):
            relink.Kit(self.tree, self.out)


if __name__ == "__main__":
    unittest.main()
