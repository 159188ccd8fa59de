# SPDX-License-Identifier: GPL-2.0-only
"""The workloads of a board: bench/workloads/NAME.conf, one file each, and how each KIND is run.

A workload leaves its samples, its raw output and an account of what it did. What is measured on is
the guest's own counters: the wire's end says what was sent, and both must agree to the frame.
"""

import dataclasses
import json
import os
import re
import shutil

from poolstack import cli, guest, iperf, metrics

METRICS = {                         # metric: (unit, better); others are in metrics.METRICS
    "broken_rules": ("times", "lower"),
    "failed_workloads": ("workloads", "lower"),
    "cache_ops": ("per frame", "lower"),
    "dma_api_errors": ("errors", "lower"),
    "dma_live_maps": ("mappings", "lower"),
    "insns": ("per frame", "lower"),
    "insns_driver": ("per frame", "lower"),
    "loss": ("%", "lower"),
    "mbps": ("Mbit/s", "higher"),
    "mem_growth": ("kB per round", "lower"),
    "pps": ("frames/s", "higher"),
    "pages_recycled": ("per frame", "info"),
    "recycle_cached_share": ("of recycled", "higher"),
}
# The same in every run of a kernel, so that any difference counts. All else moves a little: with
# the number of frames that one poll finds, and with what TCP makes of the host's timing.
EXACT = {("frames", "cache_ops"), ("dma_debug", "dma_api_errors"), ("dma_debug", "dma_live_maps")}
# KIND: (keys it needs, keys it may have)
KINDS = {
    "iperf": ({"SECONDS", "OMIT", "FRAMES"}, {"ARGS", "FRAME_BYTES", "LAB_ARGS"}),
    "forward": ({"SECONDS", "OMIT", "FRAMES"}, {"ARGS"}),
    "frames": ({"PROGRAM", "LENGTH", "COUNT", "COUNTER"}, {"CHECK"}),
    "updown": ({"ROUNDS"}, set()),
    "dma_debug": ({"PROGRAM", "LENGTH", "COUNT"}, set()),
}
NUMBERS = {"COUNT", "FRAME_BYTES", "LENGTH", "OMIT", "ROUNDS", "SECONDS"}
WARM_UP = 2000                      # frames before a measurement; fills the page_pool's caches
MEMORY_SLACK = 32                   # kB per round: 8 of the 512 pages of a ring; dma_debug sees a single one


@dataclasses.dataclass
class Workload:
    """One file of bench/workloads."""
    name: str
    kind: str
    keys: dict

    def __getitem__(self, key):
        return self.keys[key]


@dataclasses.dataclass
class Outcome:
    """What a workload has to show."""
    name: str
    kind: str
    samples: list = dataclasses.field(default_factory=list)
    stdout: str = ""
    info: dict = dataclasses.field(default_factory=dict)

    def add(self, metric, value, **more):
        """One figure; the metric's unit and sense come from METRICS. more: see verdict.py."""
        unit, better = METRICS.get(metric) or metrics.METRICS[metric]
        self.samples.append({"workload": self.name, "batch": None, "metric": metric, "unit": unit,
                             "better": better, "value": value, "exact": (self.kind, metric) in EXACT, **more})

    def save(self, outdir, dmesg):
        """Keep what it said below outdir."""
        folder = outdir / self.name
        cli.atomic_write(folder / "stdout", self.stdout)
        cli.atomic_write(folder / "dmesg", dmesg)
        cli.atomic_write(folder / "info.json", json.dumps(self.info | {"samples": self.samples}, indent=1) + "\n")


def keep(outdir, name, text):
    """Append to a file that several boots share."""
    outdir.mkdir(parents=True, exist_ok=True)
    with open(outdir / name, "a", encoding="utf-8") as file:
        file.write(text)


def kept(failed, short, outdir, name):
    """The failure of a workload, with its evidence moved from the folder of the boot to where it stays."""
    folder = outdir / name
    folder.mkdir(parents=True, exist_ok=True)
    for file in ("console.log", "qemu.log"):
        if (short / file).exists():
            shutil.copyfile(short / file, folder / file)
    outcome = getattr(failed, "outcome", None)
    if outcome and outcome.stdout:
        cli.atomic_write(folder / "stdout", outcome.stdout)
    message = failed.message.replace(str(short), os.path.relpath(folder))
    if str(folder) not in message and "see " not in message:
        message += f": see {os.path.relpath(folder)}/console.log"
    return cli.Failed(message, failed.code)


def load(path):
    """Read a workload file, or stop with file, line and key."""
    keys = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = re.fullmatch(r"([A-Z_]+)=(?:\"([^\"]*)\"|(\S*))", line.strip())
        if not match:
            raise cli.Stop(f"{path}:{number}: want KEY=VALUE or KEY=\"VALUE\"")
        value = match[2] if match[2] is not None else match[3]
        if match[1] in NUMBERS:
            if not value.isdecimal():
                raise cli.Stop(f"{path}:{number}: {match[1]}: want a number, not `{value}`")
            value = int(value)
        keys[match[1]] = value
    kind = keys.pop("KIND", None)
    if kind not in KINDS:
        raise cli.Stop(f"{path}: KIND={kind}: want one of {' '.join(KINDS)}")
    needs, may = KINDS[kind]
    for key in sorted(needs - set(keys)):
        raise cli.Stop(f"{path}: KIND={kind} needs {key}")
    for key in sorted(set(keys) - needs - may):
        raise cli.Stop(f"{path}: KIND={kind} has no key {key}")
    return Workload(path.stem, kind, keys)


def load_all(folder=None):
    """{name: Workload} of bench/workloads."""
    folder = folder or cli.root() / "bench" / "workloads"
    return {path.stem: load(path) for path in sorted(folder.glob("*.conf"))}


def intervals(path):
    """What insn_count has written so far: [{"insns": ..., "kernel": ..., "driver": ..., "cache_ops": ...}]."""
    found = []
    for line in path.read_text().splitlines():
        words = line.split()
        if len(words) == 10 and words[0] == "interval":
            found.append({words[at]: int(words[at + 1]) for at in range(2, 10, 2)})
    return found


def ethtool_stats(text):
    """{name: number} of `ethtool -S`."""
    return {name: int(value) for name, value in re.findall(r"^\s+(\S[^:]*): (\d+)$", text, re.M)}


def growth(before, after):
    """What changed between two ethtool_stats()."""
    return {name: after[name] - before.get(name, 0) for name in after if after[name] != before.get(name, 0)}


class Runner:
    """Runs workloads on one booted board.

    board: guest.Guest; wire: of qemu_net; wire_tool: Path of bench/tools/wire for the host; address: the
    board's; counts: Path of insn_count's output, or None without the plugin.
    """

    times = {}                      # what a sample of a time has beside, see verdict.py

    def __init__(self, board, wire, *, wire_tool, address, counts=None):
        self.guest, self.wire = board, wire
        self.wire_tool, self.address, self.counts = wire_tool, address, counts
        self.serving = False

    def run(self, workload):
        """The Outcome of a workload; a failure names it."""
        outcome = Outcome(workload.name, workload.kind)
        try:
            before = self.stats()
            getattr(self, "_" + workload.kind)(workload, outcome)
            after = self.stats()
        except cli.Failed as failed:
            named = cli.Failed(f"{workload.name}: {failed.message}", failed.code, failed.log, failed.output)
            named.outcome = outcome
            raise named from failed
        outcome.info |= {"workload": workload.name, "keys": workload.keys, "ethtool_before": before,
                         "ethtool_after": after, "ethtool_growth": growth(before, after)}
        return outcome

    # -- parts -----------------------------------------------------------------

    def stats(self):
        """ethtool -S of the port."""
        return ethtool_stats(self.guest.do("ethtool -S $port"))

    def number(self, name):
        """One of the port's statistics."""
        return int(self.guest.do(f"cat $statistics/{name}"))

    def up(self):
        """Bring the port up."""
        self.guest.do(f"port_up {self.address}/24", limit=20)

    def _count(self, outcome, frames, before):
        """Add what the plugin counted in the interval that has just ended."""
        if not self.counts:
            return
        found = intervals(self.counts)
        if len(found) != before + 1:
            raise cli.Failed(f"the instruction counter saw {len(found) - before} intervals instead of 1")
        last = found[-1]
        outcome.info |= {"counts": last, "frames": frames}
        for name in ("kernel", "driver", "cache_ops"):
            if not last[name]:
                raise cli.Failed(f"the instruction counter saw no {name}: {self.counts}")
        outcome.add("cache_ops", last["cache_ops"] / frames)
        outcome.add("insns_driver", last["driver"] / frames)
        outcome.add("insns", last["kernel"] / frames)

    def _intervals(self):
        return len(intervals(self.counts)) if self.counts else 0

    # -- KIND=iperf ------------------------------------------------------------

    def _iperf(self, workload, outcome):
        if not self.serving:
            self.up()
            self.guest.do("iperf3 --server --json >/dev/null 2>&1 & sleep 0.5")
            self.serving = True
        self._iperf_to(self.address, workload, outcome)

    @staticmethod
    def _args(workload):
        """What else an iperf3 client is told."""
        return workload.keys.get("ARGS", "").split()

    def _iperf_to(self, address, workload, outcome):
        """Traffic between the wire's end and a server at that address."""
        limit = workload["SECONDS"] + workload["OMIT"] + 15
        cmd = ["iperf3", "--json", "--get-server-output", "--connect-timeout", "5000",
               *self.wire.iperf(address), "--time", workload["SECONDS"],
               "--omit", workload["OMIT"], *self._args(workload)]
        begun = self._intervals()
        stats = self.stats()
        first = int(self.guest.do(f"cat $statistics/{workload['FRAMES']}; mark begin"))
        done = self.wire.run(cmd, timeout=limit, what=f"{workload.name}: iperf3")
        last = int(self.guest.do(f"mark end; cat $statistics/{workload['FRAMES']}"))
        outcome.stdout = done.stdout + done.stderr
        report = iperf.parse(done.stdout, f"{workload.name}/stdout")
        if done.returncode:
            raise cli.Failed(f"iperf3 ended with {done.returncode}: {workload.name}/stdout")
        outcome.info["command"] = " ".join(str(word) for word in cmd)
        outcome.info["iperf3"], outcome.info["iperf3_guest"] = iperf.versions(report)
        if "--udp" in cmd:
            rate, lost = iperf.udp(report, f"{workload.name}/stdout")
            outcome.add("mbps", rate, **self.times)
            outcome.add("loss", lost)
        else:
            outcome.add("mbps", iperf.received_mbps(report, f"{workload.name}/stdout"), **self.times)
        if last <= first:
            raise cli.Failed(f"{workload['FRAMES']} of the port did not grow")
        frames = (last - first) / workload.keys.get("FRAME_BYTES", 1)
        self._count(outcome, frames, begun)
        self._recycling(outcome, stats, self.stats(), frames)

    @staticmethod
    def _recycling(outcome, before, after, frames):
        """How many pages went back to the page_pool, and how many of them its short way."""
        grown = growth(before, after)
        names = [name for name in after if re.fullmatch(r"rx_pp_recycle_(cached|ring)", name)]
        total = sum(grown.get(name, 0) for name in names)
        if names:
            outcome.add("pages_recycled", total / frames)
        if total:
            outcome.add("recycle_cached_share", grown.get("rx_pp_recycle_cached", 0) / total)

    # -- KIND=frames -----------------------------------------------------------

    def send(self, count, length, *, back, seconds=20):
        """bench/tools/wire sends; its account. Frames lost or altered fail."""
        cmd = [self.wire_tool, "send", *self.wire.sender, "-n", count, "-l", length, "-t", seconds,
               *(["-r"] if back else [])]
        done = self.wire.feed(cmd, timeout=seconds + 10, what="wire send")
        if done.returncode not in (0, 1) or not done.stdout:
            raise cli.Failed(f"wire send: {done.stderr.strip() or done.returncode}")
        account = json.loads(done.stdout)
        if account["sent"] != count:
            raise cli.Failed(f"the board took {account['sent']} of {count} frames")
        if back and done.returncode:
            raise cli.Failed("of {frames} frames {missing} did not come back, {wrong} came back altered, "
                             "{twice} came twice".format(**account))
        return account

    def _until(self, count, send, *, back):
        """Send inside a `mark until`; (send's account, seconds the guest took).

        A frame that goes back is done with when its transmission has been cleaned up, page and all.
        """
        command = f"mark until $statistics/{'tx' if back else 'rx'}_packets {count} 20"
        self.guest.start(command)
        self.guest.wait_line("ready")
        account = send()
        code, text = self.guest.finish(command, 30)
        grown, seconds = text.split()
        if code or int(grown) != count:
            raise cli.Failed(f"the port {'sent back' if back else 'received'} {grown} of {count} frames")
        return account, float(seconds)

    def _listener(self, count, length):
        """Frames reach the stack on the board unaltered."""
        command = f"wire check -i $port -n {count} -l {length} -t 10"
        self.guest.start(command)
        self.guest.wait_line("ready")
        self.send(count, length, back=False)
        code, text = self.guest.finish(command, 20)
        account = json.loads(text.strip().splitlines()[-1])
        if code:
            raise cli.Failed("of {frames} frames {missing} did not reach the stack, {wrong} altered, "
                             "{twice} twice".format(**account))
        return account

    def _returned(self, program):
        """How often the attached program has returned what it is for; None where it does not count."""

    def _frames(self, workload, outcome):
        count, length = workload["COUNT"], workload["LENGTH"]
        back = workload.keys.get("CHECK") == "return"
        self.up()
        self.guest.do(f"attach {workload['PROGRAM']}", limit=20)
        before = self.stats()
        if workload.keys.get("CHECK") == "listener":
            outcome.info["check"] = self._listener(WARM_UP, length)
        else:
            self._until(WARM_UP, lambda: self.send(WARM_UP, length, back=back), back=back)
        begun = self._intervals()
        account, seconds = self._until(count, lambda: self.send(count, length, back=back), back=back)
        self._count(outcome, count, begun)
        grown = growth(before, self.stats())
        returned = self._returned(workload["PROGRAM"])
        self.guest.do("detach")
        outcome.info |= {"wire": account, "seconds": seconds, "program": grown}
        outcome.stdout = json.dumps(account) + "\n"
        wanted = count + WARM_UP
        if grown.get(workload["COUNTER"]) != wanted:
            raise cli.Failed(f"{workload['COUNTER']} is {grown.get(workload['COUNTER'], 0)} after {wanted} frames")
        if returned not in (None, wanted):
            raise cli.Failed(f"the program returned its verdict {returned} times for {wanted} frames")
        for name in ("rx_xdp_tx_errors", "tx_xdp_xmit_errors"):
            if grown.get(name):
                raise cli.Failed(f"{name} is {grown[name]}")
        outcome.add("pps", count / seconds, **self.times)

    # -- KIND=updown -----------------------------------------------------------

    def _updown(self, workload, outcome):
        self.up()
        text = self.guest.do(f"updown {workload['ROUNDS']}", limit=60)
        outcome.stdout = text
        before, after = (int(word) for word in text.split())
        lost = (before - after) / workload["ROUNDS"]
        outcome.info |= {"available_before": before, "available_after": after}
        outcome.add("mem_growth", max(0.0, lost))
        if lost > MEMORY_SLACK:
            raise cli.Failed(f"memory is lost: {lost:.0f} kB with each of {workload['ROUNDS']} rounds of down and up")

    # -- KIND=dma_debug --------------------------------------------------------

    def _dma_debug(self, workload, outcome):
        """Needs the kernel with DMA_API_DEBUG, whose console may complain: that is what is counted."""
        self.guest.do("echo 1 >/sys/kernel/debug/dma-api/all_errors; ip link set lo up; ip link set $port down")
        idle = self._free_entries()
        self.up()
        self.guest.do(f"attach {workload['PROGRAM']}", limit=20)
        self._until(workload["COUNT"], lambda: self.send(workload["COUNT"], workload["LENGTH"], back=True), back=True)
        self.guest.do("detach")
        self._until(workload["COUNT"], lambda: self.send(workload["COUNT"], workload["LENGTH"], back=False),
                    back=False)
        self.guest.do("updown 5; ip link set $port down; sleep 0.5", limit=60)
        live = idle - self._free_entries()
        self.guest.do("ip link set $port up && port_carrier", limit=20)
        errors = int(self.guest.do("cat /sys/kernel/debug/dma-api/error_count"), 0)
        said = guest.splats(self.guest.console())
        foreign = [line for line in said if not re.match(r"DMA-API: |WARNING: .*\bkernel/dma/debug\.c", line)]
        if foreign:
            raise cli.Failed(foreign[0])
        if self.guest.do("cat /sys/kernel/debug/dma-api/disabled").strip() not in ("0", "N"):
            raise cli.Failed("DMA_API_DEBUG turned itself off")
        outcome.stdout = "".join(line + "\n" for line in sorted(set(said)))
        outcome.info |= {"errors": errors, "live_maps": live}
        outcome.add("dma_api_errors", errors)
        outcome.add("dma_live_maps", live)

    def _free_entries(self):
        base = "/sys/kernel/debug/dma-api"
        total, free = self.guest.do(f"cat {base}/nr_total_entries {base}/num_free_entries").split()
        # The table grows on demand: what is live is total less free.
        return int(free) - int(total)
