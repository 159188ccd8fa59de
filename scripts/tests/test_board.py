# SPDX-License-Identifier: GPL-2.0-only
"""board: every kind of bad board file gets one line with file, line and key."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from poolstack import board, cli  # noqa: E402

LAB = """# a comment
BOARD=lab-fec-imx6q
SOC=imx6q      # the first one
DRIVER="fec"
WHERE=lab
ARCH=um
DEPLOY=uml
"""
QEMU = """BOARD=emu
SOC=imx8mp
DRIVER=fec
WHERE=qemu
ARCH=arm64
DEPLOY=qemu
KERNEL_CONFIG="configs/kernel/a.config configs/kernel/b.config"
CONSOLE=ttymxc1,115200
NETIF=eth0
LOCAL_V4=192.0.2.1
REMOTE_V4=192.0.2.2
REMOTE_TYPE=netns
"""


class Files(unittest.TestCase):
    """One file at a time."""

    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.folder = Path(temp.name)

    def write(self, text, name="lab-fec-imx6q"):
        """Put a board file down and load it."""
        path = self.folder / f"{name}.conf"
        path.write_text(text)
        return board.load(path)

    def refuse(self, text, *words, name="lab-fec-imx6q"):
        """It must not load, with these words in one line and exit code 2."""
        with self.assertRaises(cli.Stop) as stop:
            self.write(text, name)
        self.assertEqual(stop.exception.code, cli.USAGE)
        for word in (f"{name}.conf:",) + words:
            self.assertIn(word, stop.exception.message)
        self.assertNotIn("\n", stop.exception.message)

    def test_good(self):
        """Comments, quotes and blanks are understood."""
        conf = self.write(LAB)
        self.assertEqual((conf["SOC"], conf["DRIVER"], conf.name), ("imx6q", "fec", "lab-fec-imx6q"))
        self.assertEqual(self.write(QEMU, "emu")["KERNEL_CONFIG"], "configs/kernel/a.config configs/kernel/b.config")

    def test_unknown_key(self):
        """A key with a typo."""
        self.refuse(LAB + "CONSOL=tty\n", ":8:", "CONSOL")

    def test_missing_key(self):
        """A key every board needs, and one that WHERE asks for."""
        self.refuse(LAB.replace("SOC=imx6q      # the first one\n", ""), "key SOC is missing")
        self.refuse(QEMU.replace("NETIF=eth0\n", ""), ":4:", "key NETIF is missing", "WHERE=qemu", name="emu")

    def test_double_key(self):
        """The same key twice."""
        self.refuse(LAB + "SOC=imx28\n", ":8:", "SOC", "line 3")

    def test_no_assignment(self):
        """A line that is none, a value with no end, an empty one."""
        self.refuse(LAB + "export SOC\n", ":8:", "want KEY=VALUE")
        self.refuse(LAB + "CONSOLE=\"tty\n", ":8:", "want KEY=VALUE")
        self.refuse(LAB + "CONSOLE=\n", ":8:", "CONSOLE has no value")

    def test_wrong_value(self):
        """A value out of the known ones, a DEPLOY that does not go with WHERE, another name."""
        self.refuse(LAB.replace("WHERE=lab", "WHERE=moon"), ":5:", "WHERE", "moon")
        self.refuse(LAB.replace("DEPLOY=uml", "DEPLOY=qemu"), ":7:", "DEPLOY")
        self.refuse(LAB.replace("BOARD=lab-fec-imx6q", "BOARD=other"), ":2:", "BOARD", "other")

    def test_nothing_is_executed(self):
        """A value is a value, whatever it looks like."""
        self.assertEqual(self.write(LAB + "CONSOLE=$(reboot)`halt`\n")["CONSOLE"], "$(reboot)`halt`")

    def test_selection(self):
        """Boards by name, by group, by SoC."""
        self.write(LAB)
        self.write(LAB.replace("imx6q", "imx8mq"), "lab-fec-imx8mq")
        self.write(QEMU, "emu")

        def names(*words, **more):
            return [(name, [conf.name for conf in confs])
                    for name, confs in board.select(words, where=self.folder, **more)]

        self.assertEqual(names("lab-fec"), [("lab-fec", ["lab-fec-imx6q", "lab-fec-imx8mq"])])
        self.assertEqual(names("lab-fec", soc="imx8*"), [("lab-fec", ["lab-fec-imx8mq"])])
        self.assertEqual(names("all-emulated", "lab-fec-imx6q"),
                         [("all-emulated", ["emu"]), ("lab-fec-imx6q", ["lab-fec-imx6q"])])
        for words in (["lab-mtk"], ["moon"], []):
            with self.assertRaises(cli.Stop) as stop:
                names(*words)
            self.assertEqual(stop.exception.code, cli.USAGE)

    def test_one_broken_file_stops_all(self):
        """A broken board file is seen whichever board is asked for."""
        self.write(LAB)
        (self.folder / "zzz.conf").write_text("WHAT=ever\n")
        with self.assertRaises(cli.Stop):
            board.select(["lab-fec-imx6q"], where=self.folder)


class Shipped(unittest.TestCase):
    """The board files of this repository."""

    def test_all_load(self):
        """Each parses, and there is a lab board at least."""
        boards = board.load_all()
        self.assertIn("lab-fec-imx6q", boards)


if __name__ == "__main__":
    unittest.main()
