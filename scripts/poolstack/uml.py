# SPDX-License-Identifier: GPL-2.0-only
"""Traffic on a lab board: the real driver on its model, under the host's own iperf3, ip and ethtool.

The lab's kernel is booted with a userland: the host's root folder, read only, through hostfs. The model's
wire is an interface of the same kernel, labwire0 (kunit/lab/labwire.c), in a network namespace of its own.
No test runs in such a boot, the network of the host is not touched, and what programs write is in memory.

Times are those of this machine, which runs the model as well: they compare two kernels, measured in turn.
Counts are the lab's, over the frames of the workload.
"""

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

from poolstack import build, cli, guest, lab, qemu_net, rootfs, workloads

KINDS = ("iperf", "forward", "frames", "updown")
MEMORY = "512M"
INTERFACE = "labwire0"
# Of the overlays of kunit/socs, and of kunit/lab/labwire.c.
MAC, STATION = "02:00:00:00:00:01", "02:00:00:00:00:aa"
# Of the second network on the wire, which the board routes to.
ROUTER, FAR = "198.18.1.1", "198.18.1.2"
COUNTS, BROKEN = "/sys/module/poolstack/parameters/counts", "/sys/module/poolstack/parameters/broken"
METRICS = ("dma_lines_for_device", "dma_lines_for_cpu", "dma_sync_calls", "dma_empty_syncs", "dma_maps",
           "mmio_writes", "mmio_reads")
BUFFER = 1 << 20                    # of a line's sockets: no answer of an agent may block the kernel
PROGRAMS = ("iperf3", "ip", "ethtool", "clang")
# How many frames one interrupt finds depends on when it comes, and with it what is paid per interrupt.
TOLERANCE = 0.05
# Of times: less than this machine can tell.
TIME_TOLERANCE = 0.02


class Wire(qemu_net.Wire):
    """The other end of the wire: an agent in the namespace that holds labwire0."""

    sender = ("-i", INTERFACE, "-d", MAC, "-s", STATION)

    def __init__(self, line):
        self.line = line

    def run(self, cmd, *, timeout, what):
        """Run a program there."""
        cmd = [str(word) for word in cmd]
        code, text = self.line.ask(shlex.join(cmd), timeout)
        return subprocess.CompletedProcess(cmd, code, text, "")

    feed = run

    def do(self, command):
        """Run a line of shell there; it has to succeed."""
        code, text = self.line.ask(command)
        if code:
            raise cli.Failed(f"lab: `{command}`: {cli.error_line(text) or code}")

    def begin(self, address):
        """Give the wire's end its address."""
        self.do(f"ip addr add {address}/24 dev {INTERFACE} && ip link set {INTERFACE} up")

    def second_station(self, address, router, behind):
        """Another station on the same wire, in the namespace "far", which is there; both reach each other by the router only."""
        self.do(f"ip route add {address}/32 via {behind} && "
                f"ip link add far0 link {INTERFACE} type macvlan mode private && ip link set far0 netns far && "
                f"ip -n far link set lo up && ip -n far addr add {address}/24 dev far0 && "
                f"ip -n far link set far0 up && ip -n far route add default via {router}")

    @staticmethod
    def iperf(address):
        """What an iperf3 client must be told."""
        return ["-c", address, "-p", str(qemu_net.IPERF_PORT)]


class Guest(guest.Guest):
    """A booted lab with a userland; far is the wire's end."""

    what, program = "lab", "UML"

    def __init__(self, cmd, folder):
        super().__init__(cmd, folder)
        self.log_file = self.console_file
        self.far = None

    def __enter__(self):
        pairs = [socket.socketpair() for _ in range(2)]
        cmd = list(self._cmd)
        for number, (_, theirs) in enumerate(pairs):
            theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
            cmd.append(f"ssl{number}=fd:{theirs.fileno()}")
        try:
            with open(self.console_file, "wb") as log:
                try:
                    self._process = subprocess.Popen(
                        cmd, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
                        pass_fds=[theirs.fileno() for _, theirs in pairs], preexec_fn=qemu_net.die_with_us,
                        env=dict(os.environ, TMPDIR=str(self.folder), HOME=str(self.folder)))
                except OSError as error:
                    raise cli.Stop(f"cannot boot the lab: {cmd[0]}: {error.strerror}") from error
            self._agent, self.far = (guest.Line(ours, self) for ours, _ in pairs)
            for _, theirs in pairs:
                theirs.close()
            self._wait_ready()
            self._wait_ready(self.far)
        except BaseException:
            for pair in pairs:
                for end in pair:
                    end.close()
            self.close()
            raise
        return self

    def close(self):
        """End the kernel and its processes; first of all: an init whose line breaks off ends, and panics."""
        if self._process:
            lab.kill(self._process)
            self._process = None
        for line in (self._agent, self.far):
            if line:
                line.close()
        self._agent = self.far = None

    def kernel_ns(self):
        """How long the kernel has computed so far. Its programs are processes of the host of their own."""
        tasks = Path(f"/proc/{self._process.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks)

    def complaint(self):
        """UML's last words."""
        lines = [line for line in self.console().splitlines() if line.strip()]
        return lines[-1].strip() if lines else ""


class Runner(workloads.Runner):
    """Runs workloads on a booted lab; counts are the lab's."""

    times = {"paired": True, "tolerance": TIME_TOLERANCE}

    def counts_now(self):
        """{name: number} of all that the lab has counted."""
        return {name: int(value) for name, value in re.findall(r"^(\S+) (\d+)$", self.guest.do(f"cat {COUNTS}"), re.M)}

    def _intervals(self):
        return self.counts_now() | {"ns": self.guest.kernel_ns()}

    def _count(self, outcome, frames, before):
        grown = workloads.growth(before, self._intervals())
        outcome.info |= {"counts": grown, "frames": frames}
        outcome.add("ns", grown.get("ns", 0) / frames, **self.times)
        for name in METRICS:
            outcome.add(name, grown.get(name, 0) / frames, tolerance=TOLERANCE)

    def _returned(self, program):
        text = self.guest.do(f"verdicts {program}_count")
        return int(re.search(rf"^{program} (\d+)$", text, re.M)[1])

    @staticmethod
    def _args(workload):
        return workload.keys.get("LAB_ARGS", workload.keys.get("ARGS", "")).split()

    def has_native_xdp(self):
        """Whether the driver takes a program at all."""
        self.up()
        code, text = self.guest.ask("attach pass && detach", 20)
        if code and "not supported" not in text:
            raise cli.Failed(f"no program can be attached: {cli.error_line(text)}")
        return not code

    def _forward(self, workload, outcome):
        self.up()
        self.guest.do(f"router {ROUTER}/24 && ip netns add far")
        self.wire.second_station(FAR, ROUTER, self.address)
        self.guest.do("ip netns exec far iperf3 --server --json >/dev/null 2>&1 & sleep 0.5")
        self._iperf_to(FAR, workload, outcome)


def require():
    """Stop unless the host has the programs that the guest borrows."""
    for name in PROGRAMS:
        if not shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"):
            raise cli.Stop(f"traffic on a lab board: program not found: {name}: run scripts/packages")


class Board:
    """The traffic of a board file with WHERE=lab. prepare(side) once, then run(side) as often as wanted."""

    built = {}                      # side -> kernel: one serves all boards of a run

    def __init__(self, conf):
        self.conf = conf
        self._kernels = {}
        self._stack = {}
        self._facts = {}

    def prepare(self, side, tree):
        """Build the side's kernel."""
        require()
        if side not in self.built:
            fragments = [cli.root() / word for word in self.conf["KERNEL_CONFIG"].split()]
            self.built[side] = build.kernel(tree, "um", fragments=fragments, name="um-traffic", targets=["linux"],
                                            like="um", what=f"lab kernel with a userland, {side}") / "linux"
        self._kernels[side] = self.built[side]
        self._stack[side] = tree.patched

    def env(self):
        """What a comparison needs to know."""
        return dict(self._facts)

    def command(self, side, init, temp):
        """The kernel's command line, its serial lines excepted."""
        return [str(self._kernels[side]), f"mem={MEMORY}", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro",
                f"init={init}", "kunit.enable=0", "panic=-1", "seccomp=auto", f"poolstack.labwire={self.conf['SOC']}",
                f"uml_dir={temp}/"]

    def run(self, side, outdir):
        """One boot: the samples of its workloads."""
        works = [work for kind in KINDS for work in workloads.load_all().values() if work.kind == kind]
        total = workloads.Outcome("all", "rules")
        with tempfile.TemporaryDirectory(prefix="poolstack-uml-") as temp:
            short = Path(temp)
            tools = short / "tools"
            rootfs.compile_host_tools(tools)
            here = cli.root() / "bench" / "workloads" / "guest"
            for name, source in (("init", "init-lab"), ("lib.sh", "lib.sh")):
                shutil.copy(here / source, tools / name)
            name = works[0].name
            try:
                with Guest(self.command(side, tools / "init", short), short) as board:
                    runner = Runner(board, Wire(board.far), wire_tool="wire", address=self.conf["LOCAL_V4"])
                    runner.wire.begin(self.conf["REMOTE_V4"])
                    workloads.keep(outdir, "env-before", board.do("environment"))
                    if not runner.has_native_xdp():
                        works = [work for work in works if work.kind != "frames"]
                    failed = 0
                    for work in works:
                        name = work.name
                        failed += not self._one(side, runner, work, outdir, total.samples)
                    workloads.keep(outdir, "env-after", board.do("environment"))
                    total.add("failed_workloads", failed)
                    total.add("broken_rules", runner.counts_now()["broken_rules"])
            except cli.Failed as error:
                raise workloads.kept(error, short, outdir, name) from error
        return total.samples

    def _one(self, side, runner, work, outdir, samples):
        """Run a workload and keep what it said; whether it passed. Without the stack it may fail, which counts."""
        board = runner.guest
        begun = len(board.console())
        before = runner.counts_now()["broken_rules"]
        try:
            outcome = runner.run(work)
        except cli.Failed as error:
            board.alive(work.name)
            outcome = getattr(error, "outcome", None)
            if self._stack[side] or not outcome:
                raise
            why = error.message.partition(": see ")[0]
            cli.say(f"   {self.conf.name}, {side}: {why}: see {os.path.relpath(outdir / work.name / 'dmesg')}")
            outcome.info |= {"workload": work.name, "failed": why}
            outcome.samples.clear()
        outcome.save(outdir, board.console()[begun:])
        self._judge(side, work, runner.counts_now()["broken_rules"] - before, board.do(f"cat {BROKEN}"))
        if outcome.info.get("iperf3"):
            self._facts["iperf3"] = outcome.info["iperf3"]
        samples += outcome.samples
        return "failed" not in outcome.info

    def _judge(self, side, work, broken, which=""):
        """The stack may break no rule of the lab."""
        if broken and self._stack[side]:
            raise cli.Failed(f"{work.name}: {broken} times a rule was broken, first: {which.partition(chr(10))[0]}")
