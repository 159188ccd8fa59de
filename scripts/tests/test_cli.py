# SPDX-License-Identifier: GPL-2.0-only
"""The frame of every script: exit codes, clean-up, children, errors."""

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import support  # noqa: E402,F401  (hears interrupts)
from poolstack import cache, cli  # noqa: E402

SCRIPTS = Path(__file__).resolve().parents[1]


class Frame(unittest.TestCase):

    def setUp(self):
        temp = tempfile.TemporaryDirectory(prefix="poolstack-test-")
        self.addCleanup(temp.cleanup)
        self.tmp = Path(temp.name)

    def start(self, body):
        """A script whose main has that body, as a process."""
        path = self.tmp / "script"
        lines = "\n".join(f"    {line}" for line in body.splitlines())
        path.write_text("import os, sys, time\n"
                        f"sys.path.insert(0, {str(SCRIPTS)!r})\n"
                        "from poolstack import cli\n"
                        f"TMP = {str(self.tmp)!r}\n"
                        f"def main(argv):\n{lines}\ncli.main(main)\n")
        return subprocess.Popen([sys.executable, str(path)], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def outcome(self, body):
        child = self.start(body)
        out, err = child.communicate(timeout=30)
        return child.returncode, out, err

    def test_exit_codes(self):
        self.assertEqual(self.outcome("return None"), (0, "", ""))
        self.assertEqual(self.outcome("return 4"), (4, "", ""))
        self.assertEqual(self.outcome("raise cli.Stop('what: where: do')"),
                         (2, "", "script: what: where: do\n"))
        self.assertEqual(self.outcome("raise cli.Stop('why', cli.SKIP)")[0], 4)
        code, _, err = self.outcome("open(TMP + '/none')")
        self.assertEqual((code, err.count("\n")), (2, 1))

    def test_clean_up_runs_last_first_whatever_happens(self):
        body = ("cli.defer(lambda: print('one'))\ncli.defer(lambda: 1 / 0)\n"
                "cli.defer(lambda: print('two'))\n")
        code, out, err = self.outcome(body + "return 0")
        self.assertEqual((code, out), (1, "two\none\n"))
        self.assertIn("clean-up failed", err)
        code, out, _ = self.outcome(body + "raise cli.Stop('no')")
        self.assertEqual((code, out), (2, "two\none\n"))

    def interrupt(self, signum):
        child = self.start(
            "cli.defer(lambda: open(TMP + '/undone', 'w').close())\n"
            "cli.run(['sh', '-c', f'sleep 77 & echo $! > {TMP}/pid; wait'])")
        for _ in range(200):
            pid = self.tmp / "pid"
            if pid.exists() and pid.read_text().strip():
                break
            time.sleep(0.02)
        child.send_signal(signum)
        _, err = child.communicate(timeout=20)
        self.assertTrue((self.tmp / "undone").exists())
        grandchild = int(pid.read_text())
        for _ in range(100):
            state = Path(f"/proc/{grandchild}/stat")
            if not state.exists() or " Z " in state.read_text():
                break
            time.sleep(0.02)
        else:
            self.fail("a grandchild lives on")
        self.assertEqual(err.count("\n"), 1, err)
        return child.returncode

    def test_interrupt_ends_grandchildren_too(self):
        self.assertEqual(self.interrupt(signal.SIGINT), 130)

    def test_termination_does_the_same(self):
        self.assertEqual(self.interrupt(signal.SIGTERM), 143)

    def test_nohup_is_heard(self):
        child = subprocess.run(["nohup", sys.executable, "-c",
                                f"import sys\nsys.path.insert(0, {str(SCRIPTS)!r})\n"
                                "import os, signal\nfrom poolstack import cli\n"
                                "cli.main(lambda argv: os.kill(os.getpid(), signal.SIGHUP))"],
                               stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        self.assertEqual((child.returncode, child.stderr.replace("nohup: ignoring input\n", "")), (0, ""))


class Run(unittest.TestCase):

    def setUp(self):
        temp = tempfile.TemporaryDirectory(prefix="poolstack-test-")
        self.addCleanup(temp.cleanup)
        self.log = Path(temp.name) / "log"

    def test_capture_and_environment(self):
        os.environ["POOLSTACK_TEST"] = "outer"
        self.addCleanup(os.environ.pop, "POOLSTACK_TEST")
        words = ["sh", "-c", "echo ${POOLSTACK_TEST-none}; echo err >&2"]
        done = cli.run(words, capture=True)
        self.assertEqual((done.stdout, done.stderr), ("outer\n", "err\n"))
        done = cli.run(words, capture=True, env={"POOLSTACK_TEST": None})
        self.assertEqual(done.stdout, "none\n")
        self.assertEqual(cli.run(["cat"], capture=True, stdin="x").stdout, "x")
        self.assertEqual(cli.run(["cat"], capture=True).stdout, "")

    def test_failure_names_the_log_and_its_error(self):
        words = ["sh", "-c", "echo start; echo 'a.c:1:2: error: bad'; "
                 "echo 'make: *** [x] Error 1'; exit 2"]
        with self.assertRaises(cli.Failed) as caught:
            cli.run(words, log=self.log, what="building x")
        self.assertEqual(caught.exception.message,
                         f"building x failed: a.c:1:2: error: bad: see {self.log}")
        self.assertEqual(caught.exception.code, 1)
        self.assertEqual(cli.run(words, log=self.log, check=False).returncode, 2)
        self.assertEqual(self.log.read_text().count("start"), 2)

    def test_time_limit(self):
        begin = time.monotonic()
        with self.assertRaisesRegex(cli.Failed, "sleeping: no end within 0.2 s"):
            cli.run(["sleep", "30"], timeout=0.2, what="sleeping")
        self.assertLess(time.monotonic() - begin, 10)

    def test_progress(self):
        ticks = []
        cli.run(["sleep", "0.3"], progress=lambda: ticks.append(1), every=0.05)
        self.assertGreaterEqual(len(ticks), 2)

    def test_no_such_program(self):
        with self.assertRaisesRegex(cli.Stop, "program not found: no-such-thing"):
            cli.run(["no-such-thing"])
        with self.assertRaisesRegex(cli.Stop, "no such directory: /nowhere"):
            cli.run(["true"], cwd="/nowhere")

    def test_atomic_write_keeps_the_old_on_failure(self):
        cli.atomic_write(self.log, "old")
        with self.assertRaises(TypeError):
            cli.atomic_write(self.log, 5)
        self.assertEqual(self.log.read_text(), "old")
        self.assertEqual([file.name for file in self.log.parent.iterdir()], ["log"])

    def test_disk_full_is_one_line(self):
        self.assertIn("disk full: x", cli.os_error(OSError(28, "No space", "x")))


class Lock(unittest.TestCase):

    def test_second_holder_waits_and_says_so(self):
        temp = tempfile.TemporaryDirectory(prefix="poolstack-test-")
        self.addCleanup(temp.cleanup)
        env = {**os.environ, "POOLSTACK_CACHE": temp.name}
        # Each holds the lock until its standard input ends, so that no clock decides.
        code = ("import sys; sys.path.insert(0, sys.argv[1])\n"
                "from poolstack import cache\n"
                "with cache.lock('x'):\n"
                "    print('got', flush=True); sys.stdin.read()\n")

        def holder():
            child = subprocess.Popen([sys.executable, "-c", code, str(SCRIPTS)], env=env,
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self.addCleanup(child.kill)
            return child

        first = holder()
        self.assertEqual(first.stdout.readline(), "got\n")
        second = holder()
        self.assertRegex(second.stdout.readline(), r"waiting for another run: \S+/x\.lock")
        first.communicate()
        self.assertEqual(second.communicate()[0], "got\n")

    def test_where(self):
        old = os.environ.get("POOLSTACK_CACHE")
        os.environ["POOLSTACK_CACHE"] = "/proc/nowhere"
        try:
            with self.assertRaisesRegex(cli.Stop, "cannot make the cache folder"):
                cache.cache_dir()
        finally:
            if old is None:
                del os.environ["POOLSTACK_CACHE"]
            else:
                os.environ["POOLSTACK_CACHE"] = old


if __name__ == "__main__":
    unittest.main()
