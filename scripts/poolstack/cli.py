# SPDX-License-Identifier: GPL-2.0-only
"""Running as a command: exit codes, clean-up, child processes, timing.

Exit codes of every script: 0 pass, 1 fail, 2 usage or environment,
4 skipped with its reason on one line.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PASS, FAIL, USAGE, SKIP = 0, 1, 2, 4

_deferred = []
_timings = []


class Stop(Exception):
    """End the script with one line: "what: where: what to do"."""

    def __init__(self, message, code=USAGE):
        super().__init__(message)
        self.message = message
        self.code = code


class Failed(Stop):
    """A program that was run failed; `log` is where its output is, or None."""

    def __init__(self, message, code=FAIL, log=None, output=""):
        super().__init__(message, code)
        self.log = log
        self.output = output


class Terminated(BaseException):
    """SIGTERM or SIGHUP came; unwinds like KeyboardInterrupt."""

    def __init__(self, signum):
        super().__init__(signum)
        self.signum = signum


def root():
    """The repository this file is in."""
    return Path(__file__).resolve().parents[2]


def say(text):
    print(text, flush=True)


def defer(undo):
    """Have undo() called when the script ends, however it ends; last first."""
    _deferred.append(undo)
    return undo


def run_deferred():
    """Call and forget all deferred functions. Returns False if one failed."""
    good = True
    while _deferred:
        undo = _deferred.pop()
        try:
            undo()
        except Exception as error:  # the others must still run
            print(f"clean-up failed: {error}", file=sys.stderr)
            good = False
    return good


def _on_signal(signum, _frame):
    # A second signal must not interrupt the clean-up that the first began.
    for which in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(which, signal.SIG_IGN)
    raise Terminated(signum)


def main(fn, argv=None):
    """Call fn(argv) as a script does, and exit with what it returns."""
    name = Path(sys.argv[0]).name
    argv = sys.argv[1:] if argv is None else argv
    for which in (signal.SIGTERM, signal.SIGHUP):
        # nohup means it: what the caller has us ignore stays ignored.
        if signal.getsignal(which) != signal.SIG_IGN:
            signal.signal(which, _on_signal)
    code = FAIL
    try:
        code = fn(argv) or PASS
    except Stop as stop:
        print(f"{name}: {stop.message}", file=sys.stderr)
        code = stop.code
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        code = 128 + signal.SIGINT
    except Terminated as term:
        print(f"{name}: terminated", file=sys.stderr)
        code = 128 + term.signum
    except BrokenPipeError:
        # Whoever read us has gone; keep the interpreter quiet about it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = FAIL
    except OSError as error:
        print(f"{name}: {os_error(error)}", file=sys.stderr)
        code = USAGE
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if not run_deferred() and code == PASS:
            code = FAIL
        with contextlib.suppress(BrokenPipeError):
            sys.stdout.flush()
    sys.exit(code)


def os_error(error):
    """One line for an OSError."""
    where = f": {error.filename}" if error.filename else ""
    if error.errno == 28:
        return f"disk full{where}: free some space and run again"
    return f"{error.strerror or error}{where}"


_ERROR_LINE = re.compile(r"(\berror\b|\bfatal\b|\*\*\*|^E: |No space left)", re.I)


def error_line(text):
    """The line that says best why a program failed: the first that names an
    error (later ones are its consequences), else the last that is not empty."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for line in lines:
        if _ERROR_LINE.search(line) and not line.startswith("make"):
            return line
    for line in lines:
        if _ERROR_LINE.search(line):
            return line
    return lines[-1] if lines else ""


def tail(path, size=200_000):
    """The last bytes of a file as text."""
    with open(path, "rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - size))
        return file.read().decode(errors="replace")


def stop_process(process):
    """End a child that leads a process group, and all it has started."""
    for signum, wait in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
        try:
            os.killpg(process.pid, signum)
        except ProcessLookupError:
            break
        try:
            process.wait(wait)
        except subprocess.TimeoutExpired:
            continue
    process.wait()


def run(cmd, *, cwd=None, env=None, log=None, check=True, timeout=None,
        capture=False, what=None, stdin=None, progress=None, every=20):
    """Run a program, never through a shell.

    cmd is a list; env adds to the environment (a None value removes); stdin
    is text or bytes for it, otherwise it reads nothing. Output goes to the
    file log (appended), or comes back with capture=True (text), or goes to
    our own. progress() is called every `every` seconds. With check, a failure
    raises Failed: one line with what failed, where, and the error itself.
    Children run in a process group of their own that ends with us.
    """
    cmd = [str(part) for part in cmd]
    what = what or cmd[0]
    full = dict(os.environ)
    for key, value in (env or {}).items():
        if value is None:
            full.pop(key, None)
        else:
            full[key] = str(value)
    data = stdin.encode() if isinstance(stdin, str) else stdin
    with contextlib.ExitStack() as stack:
        out = err = None
        keep = None
        if log is not None:
            Path(log).parent.mkdir(parents=True, exist_ok=True)
            out = stack.enter_context(open(log, "ab"))
            start = out.seek(0, os.SEEK_END)
            err = subprocess.STDOUT
        elif capture:
            # Files, not pipes: a grandchild that lives on cannot block us.
            out = keep = stack.enter_context(tempfile.TemporaryFile())
            err = stack.enter_context(tempfile.TemporaryFile())
        source = subprocess.DEVNULL
        if data is not None:
            source = stack.enter_context(tempfile.TemporaryFile())
            source.write(data)
            source.seek(0)
        sys.stdout.flush()
        try:
            process = subprocess.Popen(cmd, cwd=cwd, env=full, stdin=source,
                                       stdout=out, stderr=err,
                                       start_new_session=True)
        except FileNotFoundError as error:
            if cwd is not None and not Path(cwd).is_dir():
                raise Stop(f"{what}: no such directory: {cwd}") from error
            raise Stop(f"{what}: program not found: {cmd[0]}: "
                       "run scripts/packages") from error
        try:
            begin = time.monotonic()
            while True:
                wait = every if progress else None
                if timeout is not None:
                    left = timeout - (time.monotonic() - begin)
                    if left <= 0:
                        stop_process(process)
                        raise Failed(f"{what}: no end within {timeout:g} s"
                                     + (f": see {log}" if log else ""), log=log)
                    wait = left if wait is None else min(wait, left)
                try:
                    process.wait(wait)
                    break
                except subprocess.TimeoutExpired:
                    if progress:
                        progress()
        except BaseException:
            stop_process(process)
            raise
        stdout = stderr = None
        if keep is not None:
            keep.seek(0)
            err.seek(0)
            stdout = keep.read().decode(errors="replace")
            stderr = err.read().decode(errors="replace")
        done = subprocess.CompletedProcess(cmd, process.returncode, stdout, stderr)
        if check and process.returncode != 0:
            if log is not None:
                with open(log, "rb") as file:
                    file.seek(start)
                    text = file.read().decode(errors="replace")
            else:
                text = (stderr or "") + "\n" + (stdout or "")
            reason = error_line(text) or f"exit code {process.returncode}"
            where = f": see {log}" if log is not None else ""
            raise Failed(f"{what} failed: {reason}{where}", log=log, output=text)
        return done


@contextlib.contextmanager
def step(title):
    """Announce a piece of work, and how long it took."""
    say(f"== {title}")
    begin = time.monotonic()
    try:
        yield
    finally:
        took = time.monotonic() - begin
        _timings.append((title, took))
        say(f"   {title}: {took:.1f} s")


def timings():
    """Print where the time went."""
    if not _timings:
        return
    width = max(len(title) for title, _ in _timings)
    say("where time went")
    for title, took in _timings:
        say(f"  {title:<{width}}  {took:7.1f} s")


def atomic_write(path, content):
    """Write a file so that a reader sees all of it or the old one."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    data = content.encode() if isinstance(content, str) else content
    handle, temp = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temp, 0o666 & ~umask)
        os.replace(temp, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temp)
        raise
