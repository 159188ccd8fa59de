# SPDX-License-Identifier: GPL-2.0-only
"""The emulated board's wire, seen from the host. Three kinds, all of them private to the run:

- Namespace: a network namespace of the run's own with a tap in it; the host end is REMOTE_V4. Rootless
  where the system allows user namespaces.
- User: QEMU's user-mode networking on the same addresses, where it does not. TCP and UDP only.
- Frames: a unix socket (QEMU's stream netdev) for bench/tools/wire.c. Ethernet frames, nothing lost.

Whatever they make ends with the processes that use it, however those end.
"""

import ctypes
import os
import shutil
import signal
import socket
import subprocess

from poolstack import cli

MAC = "52:54:00:12:34:56"           # the guest's; QEMU writes it to the MAC's address registers
IPERF_PORT = 5201
TAP = "tap0"
READY = b"ready\n"
PR_SET_PDEATHSIG = 1                # linux/prctl.h


def die_with_us():
    """To run in a child before exec: it gets SIGKILL when this process dies, however it dies."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL) != 0:
        os._exit(127)


def end(process):
    """End a child we started and all it started; safe to call twice."""
    if process.poll() is None:
        cli.stop_process(process)
    for stream in (process.stdin, process.stdout):
        if stream:
            stream.close()


class Wire:
    """What the host's end of every kind can do."""

    sender = ("-f", "0")            # what bench/tools/wire is told to send through

    def run(self, cmd, *, timeout, what):
        """Run a program where the host's end is; its CompletedProcess."""
        return cli.run(self.inside(cmd), capture=True, check=False, timeout=timeout, what=what)

    def feed(self, cmd, *, timeout, what):
        """The same with the wire itself as its standard input; it has to end by itself."""
        # cli.run() gives a child no socket.
        return subprocess.run(self.inside(cmd), stdin=self.fd(), capture_output=True, text=True, timeout=timeout,
                              check=False)


class Namespace(Wire):
    """A network namespace that lives as long as a holder process of ours."""

    def __init__(self, address):
        self.address = address
        self.holder = None

    @staticmethod
    def _unshare():
        words = ["unshare", "--net"]
        return words if os.geteuid() == 0 else words + ["--user", "--map-root-user"]

    @classmethod
    def why_not(cls):
        """Why there can be no namespace with a tap here, or ''."""
        for tool in ("unshare", "nsenter", "setpriv", "ip"):
            if not shutil.which(tool):
                return f"program not found: {tool}"
        done = cli.run([*cls._unshare(), "ip", "tuntap", "add", "dev", TAP, "mode", "tap"], capture=True,
                       check=False, timeout=20)
        return "" if done.returncode == 0 else cli.error_line(done.stderr) or "refused"

    def __enter__(self):
        script = (f"ip link set lo up && ip tuntap add dev {TAP} mode tap && ip addr add {self.address}/24 dev {TAP} "
                  f"&& ip link set {TAP} up && echo ready && exec cat >/dev/null")
        # cat ends when our end of the pipe closes, even by SIGKILL; the namespace ends with its last process.
        self.holder = subprocess.Popen([*self._unshare(), "sh", "-c", script], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                                       preexec_fn=die_with_us)
        if self.holder.stdout.readline() != READY:
            why = self.holder.stderr.read().decode(errors="replace").strip()
            self.close()
            raise cli.Stop(f"network namespace: {why or 'refused'}: use NET=user")
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Let go of the namespace."""
        if self.holder:
            end(self.holder)
            self.holder.stderr.close()
            self.holder = None

    def inside(self, cmd):
        """cmd, to be run in the namespace."""
        words = ["nsenter", f"--target={self.holder.pid}", "--net"]
        if os.geteuid() != 0:
            # Entering a user namespace clears what die_with_us() has set.
            words += ["--user", "--preserve-credentials", "setpriv", "--pdeathsig", "KILL"]
        return words + ["--"] + [str(part) for part in cmd]

    def netdev(self):
        """QEMU's options."""
        return ["-nic", f"tap,ifname={TAP},script=no,downscript=no,mac={MAC}"]

    def iperf(self, guest):
        """What an iperf3 client on the host must be told to reach the guest."""
        return ["-c", guest, "-p", str(IPERF_PORT)]


class User(Wire):
    """User-mode networking: no namespace, no privilege; ports of the guest on the loopback."""

    def __init__(self, address, guest):
        self.address, self.guest = address, guest
        with socket.socket() as probe:      # a free port; QEMU says so if somebody takes it first
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def inside(self, cmd):
        """cmd, to be run where the wire's host end is: here."""
        return [str(part) for part in cmd]

    def netdev(self):
        """QEMU's options."""
        # Not restrict=on, which drops the guest's answers over UDP; the guest has no route beyond this net.
        net = self.address.rsplit(".", 1)[0]
        forward = ",".join(f"hostfwd={proto}:127.0.0.1:{self.port}-{self.guest}:{IPERF_PORT}"
                           for proto in ("tcp", "udp"))
        return ["-nic", f"user,net={net}.0/24,host={self.address},dns={net}.3,{forward},mac={MAC}"]

    def iperf(self, _guest):
        """What an iperf3 client on the host must be told to reach the guest."""
        return ["-c", "127.0.0.1", "-p", str(self.port)]


class Frames(Wire):
    """A unix socket for raw frames: QEMU connects to us when it starts, a tool inherits our end.

    path must be short (108 bytes). The other way round, with QEMU listening, 10.0 crashes.
    """

    LIMIT = 10                      # seconds for QEMU to connect; it does so before it runs the guest

    def __init__(self, path):
        self.path = path
        self._listener = self._peer = None

    def __enter__(self):
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen(1)
        self._listener.settimeout(self.LIMIT)
        return self

    def __exit__(self, *_):
        for end_ in (self._listener, self._peer):
            if end_:
                end_.close()
        self._listener = self._peer = None
        os.unlink(self.path)

    def fd(self):
        """The wire's host end, to be inherited."""
        if not self._peer:
            self._peer = self._listener.accept()[0]
        return self._peer.fileno()

    def inside(self, cmd):
        """cmd, to be run where the wire's host end is: here."""
        return [str(part) for part in cmd]

    def netdev(self):
        """QEMU's options."""
        return ["-netdev", f"stream,id=frames,server=off,addr.type=unix,addr.path={self.path}",
                "-net", f"nic,netdev=frames,macaddr={MAC}"]


def choose(address, guest, wanted=""):
    """The network for TCP and UDP: the namespace where allowed, or as NET= says."""
    wanted = wanted or os.environ.get("NET", "")
    if wanted not in ("", "netns", "user"):
        raise cli.Stop(f"NET={wanted}: want netns or user")
    if wanted == "user":
        return User(address, guest)
    why = Namespace.why_not()
    if not why:
        return Namespace(address)
    if wanted == "netns":
        raise cli.Stop(f"no network namespace here: {why}: leave NET unset for user-mode networking")
    cli.say(f"   no network namespace here ({why}): user-mode networking")
    return User(address, guest)
