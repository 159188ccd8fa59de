# SPDX-License-Identifier: GPL-2.0-only
"""One boot of an emulated board: QEMU, the kernel's console, and the agent that runs commands.

The guest's init (bench/workloads/guest/init) answers on a UART of its own. Everything that can go
wrong ends as one line that names the console's file: a panic or a splat on the console, a boot that
does not come up, a command that does not come back, a QEMU that ends by itself.
"""

import re
import select
import socket
import subprocess
import time
from pathlib import Path

from poolstack import cli, qemu_net

BOOT_LIMIT = 60                     # seconds until init must have said @ready
ANSI = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")
# What the kernel prints when something is wrong; the first of them on a console is the reason given.
SPLATS = re.compile(
    r"(?:^|\] )(?P<line>(?:WARNING: |BUG: |Kernel panic|Oops|Internal error: |Unable to handle|kernel BUG at|"
    r"DMA-API: (?!preallocated|debugging enabled)|INFO: task|rcu: INFO|watchdog: |RTNL: assertion|refcount_t: |"
    r"(?:\S+ ){0,3}NETDEV WATCHDOG|Out of memory|page_pool_release_retry\(\) stalled).*)", re.M)


def splats(console):
    """Lines of a console that say that the kernel is not well."""
    return [match["line"].strip() for match in SPLATS.finditer(console)]


class Line:
    """A serial line to an agent in the guest. guest: who knows whether it is still alive."""

    def __init__(self, sock, guest):
        self._socket, self._guest = sock, guest
        self._buffer = b""
        self._count = 0

    def close(self):
        """Hang up."""
        self._socket.close()

    def _read_until(self, pattern, limit, what):
        """Bytes up to a line that matches; TimeoutError after limit seconds."""
        pattern = re.compile(pattern, re.M)
        end = time.monotonic() + limit
        while True:
            match = pattern.search(self._buffer)
            if match:
                before, self._buffer = self._buffer[:match.start()], self._buffer[match.end():]
                return before, match
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError(what)
            if not select.select([self._socket], [], [], min(left, 0.25))[0]:
                self._guest.alive(what)
                continue
            try:
                data = self._socket.recv(1 << 16)
            except OSError:
                data = b""
            if not data:
                raise self._guest.gone(f"during {what}")
            self._buffer += ANSI.sub(b"", data.replace(b"\r", b""))

    def wait_ready(self, limit):
        """Wait for the agent's first words; TimeoutError."""
        self._read_until(rb"^@ready$", limit, "boot")

    def start(self, command, limit=10):
        """Begin a command; finish() takes its answer."""
        self._count += 1
        try:
            self._socket.sendall(f"{self._count} {command}\n".encode())
        except OSError:
            raise self._guest.gone(f"before `{command}`") from None
        try:
            self._read_until(rb"^@begin %d$\n?" % self._count, limit, command)
        except TimeoutError:
            raise self._guest.failed(f"hang: the guest did not take `{command}` within {limit} s") from None

    def wait_line(self, text, limit=10):
        """Wait until the running command has printed a line; that line and all before it are consumed."""
        try:
            self._read_until(rb"^%s$\n?" % re.escape(text).encode(), limit, text)
        except TimeoutError:
            raise self._guest.failed(f"hang: `{text}` did not come within {limit} s") from None

    def finish(self, what, limit=30):
        """(exit code, output) of the command that runs."""
        try:
            before, match = self._read_until(rb"\n@end %d (\d+)$\n?" % self._count, limit, what)
        except TimeoutError:
            raise self._guest.failed(f"hang: `{what}` did not end within {limit} s") from None
        return int(match[1]), before.decode(errors="replace")

    def ask(self, command, limit=30):
        """(exit code, output) of a command."""
        self.start(command)
        return self.finish(command, limit)


class Guest:
    """A booted board. Use as a context manager; leaving it ends QEMU."""

    what, program = "emulated board", "QEMU"    # as failures name them

    def __init__(self, cmd, folder, *, expect_splats=False, limit=BOOT_LIMIT):
        """cmd: QEMU's command line but for consoles; folder: short path for sockets and console.log."""
        self.folder = Path(folder)
        self.console_file = self.folder / "console.log"
        self.expect_splats = expect_splats
        self.limit = limit
        self.log_file = self.folder / "qemu.log"
        self._cmd = cmd
        self._process = self._agent = None

    # -- begin and end ---------------------------------------------------------

    def __enter__(self):
        path = self.folder / "agent"
        server = socket.socket(socket.AF_UNIX)
        try:
            server.bind(str(path))
            server.listen(1)
            server.settimeout(self.limit)
            # UART1 is nobody's, UART2 the console, UART3 the agent's.
            cmd = [*self._cmd, "-serial", "null", "-serial", f"file:{self.console_file}",
                   "-chardev", f"socket,id=agent,path={path}", "-serial", "chardev:agent"]
            with open(self.log_file, "wb") as log:
                try:
                    self._process = subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                                     start_new_session=True, preexec_fn=qemu_net.die_with_us)
                except FileNotFoundError as error:
                    raise cli.Stop(f"{self.what}: program not found: {cmd[0]}: run scripts/packages") from error
            self._accept(server)
            self._wait_ready()
        except BaseException:
            self.close()
            raise
        finally:
            server.close()
        return self

    def __exit__(self, kind, *_):
        self.close()
        if kind is None:
            self.check_console()

    def close(self):
        """End QEMU, as hard as needed."""
        if self._agent:
            self._agent.close()
            self._agent = None
        if self._process:
            qemu_net.end(self._process)
            self._process = None

    def _accept(self, server):
        end = time.monotonic() + self.limit
        while time.monotonic() < end:
            if select.select([server], [], [], 0.1)[0]:
                self._agent = Line(server.accept()[0], self)
                return
            self.alive("boot")
        raise self.failed(f"{self.program} did not start within {self.limit} s", self.log_file)

    def _wait_ready(self, line=None):
        try:
            (line or self._agent).wait_ready(self.limit)
        except TimeoutError:
            why = "no init after boot" if self.console().strip() else "nothing on the console"
            raise self.failed(f"{why} within {self.limit} s") from None

    # -- what the kernel says --------------------------------------------------

    def console(self):
        """All that the kernel has printed so far."""
        try:
            return self.console_file.read_bytes().decode(errors="replace").replace("\r", "")
        except FileNotFoundError:
            return ""

    def check_console(self):
        """Fail if the kernel complained."""
        found = splats(self.console())
        if found and not self.expect_splats:
            raise self.failed(found[0])

    def failed(self, why, where=None):
        """A failure that names where to look."""
        return cli.Failed(f"{self.what}: {why}: see {where or self.console_file}")

    def gone(self, when):
        """The failure that a line which broke off means."""
        time.sleep(0.2)             # the console's last words arrive after the socket closed
        self.alive(when.removeprefix("during "))
        return self.failed(f"{self.program} ended {when}", self.log_file)

    def complaint(self):
        """Why QEMU ended, as it says."""
        return next(iter(self.log_file.read_text(errors="replace").strip().splitlines()), "")

    def alive(self, what):
        """Fail if QEMU has ended or the kernel has panicked: no use waiting longer."""
        text = self.console()
        match = re.search(r"Kernel panic.*", text)
        if match:
            raise self.failed(match[0].strip())
        if self._process.poll() is not None:
            why = self.complaint() or f"exit code {self._process.returncode}"
            if "unsupported machine type" in why:
                raise cli.Stop(f"this qemu-system-aarch64 has no machine imx8mp-evk ({why}): "
                               "QEMU 10 or later is needed: run scripts/packages")
            raise self.failed(f"{self.program} ended during {what}: {why}", self.log_file)

    # -- commands --------------------------------------------------------------

    def start(self, command, limit=10):
        """Begin a command; finish() takes its answer."""
        self._agent.start(command, limit)

    def wait_line(self, text, limit=10):
        """As of Line."""
        self._agent.wait_line(text, limit)

    def finish(self, what, limit=30):
        """(exit code, output) of the command that runs."""
        return self._agent.finish(what, limit)

    def ask(self, command, limit=30):
        """(exit code, output) of a command."""
        return self._agent.ask(command, limit)

    def do(self, command, limit=30):
        """The output of a command that has to succeed."""
        code, output = self.ask(command, limit)
        self.check_console()
        if code:
            line = cli.error_line(output) or f"exit code {code}"
            raise cli.Failed(f"{self.what}: `{command}`: {line}: see {self.console_file}")
        return output
