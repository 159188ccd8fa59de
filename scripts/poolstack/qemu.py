# SPDX-License-Identifier: GPL-2.0-only
"""An emulated board (WHERE=qemu): build its kernels, boot them, run the workloads.

One run boots twice: once on a wire that speaks TCP and UDP, once on one that carries raw frames. Both
with one CPU and the counting plugin. The first run of a side also boots the kernel with DMA_API_DEBUG.
A boot takes 2 to 5 s; nothing of it is in the figures.
"""

import re
import shutil
import tempfile
from pathlib import Path

from poolstack import build, cli, guest, qemu_net, rootfs, series, workloads

MACHINE = "imx8mp-evk"
DTB = "freescale/imx8mp-evk.dtb"
MEMORY = "1G"
PLUGIN_API_VERSION = (9, 1)         # bench/tools/insn_count.c speaks version 4 of the interface
DMA_DEBUG = "configs/kernel/dma-debug.config"
# Functions whose instructions count as the driver's: the driver, the page_pool, and DMA with its caches.
DRIVER = re.compile(r"^(?:fec_|page_pool|__page_pool|dma_|__dma_|dcache_|arch_sync_dma|arch_dma_)")


def ranges(symbols):
    """Text for the plugin from `nm -n vmlinux`: a function ends where the next symbol begins."""
    found = []
    rows = [line.split() for line in symbols.splitlines()]
    rows = [row for row in rows if len(row) == 3 and not row[2].startswith("$")]
    for (start, kind, name), follower in zip(rows, rows[1:]):
        if kind in "tT" and DRIVER.match(name) and follower[0] != start:
            found.append(f"{start} {follower[0]}\n")
    if not found:
        raise cli.Failed("nm -n vmlinux names no function of the driver: is CONFIG_FEC=y in the kernel?")
    return "".join(found)


def require_qemu(program="qemu-system-aarch64"):
    """QEMU's version as text; Stop if there is none, or none that has the machine and the plugin interface."""
    if not shutil.which(program):
        raise cli.Stop(f"emulated board: program not found: {program}: run scripts/packages")
    text = cli.run([program, "--version"], capture=True, what=program).stdout
    match = re.search(r"version (\d+)\.(\d+)\S*", text)
    machines = cli.run([program, "-M", "help"], capture=True, what=program).stdout
    if not re.search(rf"^{MACHINE}\s", machines, re.M):
        raise cli.Stop(f"{program} {match[0] if match else '(unknown version)'} has no machine {MACHINE}: "
                       "QEMU 10 or later is needed: run scripts/packages")
    if not match or (int(match[1]), int(match[2])) < PLUGIN_API_VERSION:
        raise cli.Stop(f"{program}: {text.splitlines()[0]}: QEMU 10 or later is needed: run scripts/packages")
    return match[0].removeprefix("version ")


class Kernel:
    """What one build gives the board."""

    def __init__(self, out):
        self.image = out / "arch/arm64/boot/Image"
        self.dtb = out / "arch/arm64/boot/dts" / DTB
        self.vmlinux = out / "vmlinux"


class Board:
    """A board file with WHERE=qemu. prepare(side) once, then run(side) as often as wanted."""

    def __init__(self, conf):
        self.conf = conf
        self.keep = None            # or whether a workload, by its name, is run
        self._kernels = {}
        self._debugged = set()
        self._facts = {}

    def _get(self, key, default=""):
        return self.conf.get(key, default) or default

    # -- preparing -------------------------------------------------------------

    def prepare(self, side, tree, *, debug=True):
        """Build the side's kernels (the one with DMA_API_DEBUG too, unless debug=False, or no workload wants it)."""
        self._facts.setdefault("qemu", require_qemu())
        fragments = [cli.root() / word for word in self._get("KERNEL_CONFIG").split()]
        out = build.kernel(tree, "arm64", fragments=fragments, name="arm64", targets=["Image", DTB])
        self._kernels[side, "arm64"] = Kernel(out)
        if debug and self._works()["dma_debug"]:
            out = build.kernel(tree, "arm64", fragments=fragments + [cli.root() / DMA_DEBUG], name="arm64-dmadebug",
                               like="arm64", targets=["Image", DTB])
            self._kernels[side, "arm64-dmadebug"] = Kernel(out)

    def env(self):
        """What a comparison needs to know: it is void if this differs between sides."""
        return dict(self._facts)

    # -- running ---------------------------------------------------------------

    def run(self, side, tree, outdir, runs=1):
        """[samples of each run]. What the workloads left lies below outdir, per workload."""
        if (side, "arm64") not in self._kernels:
            self.prepare(side, tree)
        outdir = Path(outdir)
        samples = []
        for number in range(1, runs + 1):
            samples.append(self._run(side, tree, outdir if runs == 1 else outdir / f"run-{number}"))
        if runs > 1:
            cli.say(spread(samples))
        return samples

    def _works(self):
        """{kind: its workloads}, those that are run."""
        wanted = [work for name, work in workloads.load_all().items() if not self.keep or self.keep(name)]
        return {kind: [work for work in wanted if work.kind == kind] for kind in workloads.KINDS}

    def _run(self, side, tree, outdir):
        by_kind = self._works()
        samples = []
        # A path for sockets has to be short, so it is not below outdir.
        with tempfile.TemporaryDirectory(prefix="poolstack-") as short:
            initrd, packages = rootfs.initramfs(Path(short) / "tools")
            self._facts["userland"] = " ".join(f"{name} {version}" for name, version in packages.items())
            net = qemu_net.choose(self._get("REMOTE_V4"), self._get("LOCAL_V4"))
            self._facts["net"] = type(net).__name__.lower()
            samples += self._boot(side, net, by_kind["iperf"], Path(short), initrd, outdir)
            frames = qemu_net.Frames(f"{short}/frames")
            samples += self._boot(side, frames, by_kind["frames"] + by_kind["updown"], Path(short), initrd, outdir)
            if by_kind["dma_debug"] and side not in self._debugged:
                debug = self._boot(side, frames, by_kind["dma_debug"], Path(short), initrd, outdir, debug=True)
                self._judge_debug(debug, tree, outdir)
                samples += debug
                self._debugged.add(side)
        return samples

    def smoke(self, tree, outdir):
        """A short run for `make test`: link, TCP, and frames compared byte for byte on return."""
        side = tree.side
        if (side, "arm64") not in self._kernels:
            self.prepare(side, tree, debug=False)
        works = workloads.load_all()
        with tempfile.TemporaryDirectory(prefix="poolstack-") as short:
            initrd, _ = rootfs.initramfs(Path(short) / "tools")
            net = qemu_net.choose(self._get("REMOTE_V4"), self._get("LOCAL_V4"))
            works["tcp_rx"].keys["SECONDS"] = 2
            samples = self._boot(side, net, [works["tcp_rx"]], Path(short), initrd, Path(outdir))
            samples += self._boot(side, qemu_net.Frames(f"{short}/frames"), [works["xdptx_60"]], Path(short), initrd,
                                  Path(outdir))
        return samples

    @staticmethod
    def _judge_debug(samples, tree, outdir):
        """The debug kernel has to see F2 on the kernel it is known in, and nothing on the stack."""
        errors = {sample["metric"]: sample["value"] for sample in samples}
        where = f"see {outdir}/dma_debug"
        if tree.patched and any(errors.values()):
            raise cli.Failed(f"dma_debug: the stack has {errors['dma_api_errors']} DMA API errors and leaves "
                             f"{errors['dma_live_maps']} mappings: {where}")
        if tree.side == "base" and tree.version == series.base().version and not errors["dma_api_errors"]:
            raise cli.Failed(f"dma_debug: no DMA API error on the base, where F2 is known: the check is blind: {where}")

    # -- one boot --------------------------------------------------------------

    def command(self, kernel, initrd, net):
        """QEMU's command line, consoles excepted."""
        # fw_devlink=off: fec would wait for suppliers (fuses) that this kernel has no drivers for.
        append = (f"console={self._get('CONSOLE')} rdinit=/init panic=-1 nokaslr bench_tty=ttymxc2 cpuidle.off=1 "
                  "fw_devlink=off")
        return ["qemu-system-aarch64", "-M", MACHINE, "-smp", "1", "-m", MEMORY, "-display", "none", "-no-reboot",
                "-monitor", "none", "-kernel", str(kernel.image), "-dtb", str(kernel.dtb), "-initrd", str(initrd),
                "-append", append, *net.netdev()]

    def _boot(self, side, net, works, short, initrd, outdir, *, debug=False):
        """Boot, run the workloads, keep all they said below outdir; their samples."""
        if not works:
            return []
        kernel = self._kernels[side, "arm64-dmadebug" if debug else "arm64"]
        short = Path(tempfile.mkdtemp(dir=short))
        cmd = self.command(kernel, initrd, net)
        counts = None
        if not debug:
            counts = short / "counts"
            symbols = cli.run(["aarch64-linux-gnu-nm", "-n", kernel.vmlinux], capture=True, what="nm vmlinux").stdout
            (short / "ranges").write_text(ranges(symbols))
            cmd += ["-plugin", f"{initrd.parent}/insn_count.so,ranges={short}/ranges,out={counts}"]
        samples, board, name = [], None, works[0].name
        try:
            with net, guest.Guest(net.inside(cmd), short, expect_splats=debug) as board:
                workloads.keep(outdir, "env-before", board.do("environment"))
                runner = workloads.Runner(board, net, wire_tool=initrd.parent / "wire",
                                          address=self._get("LOCAL_V4"), counts=counts)
                seen = 0
                for work in works:
                    name = work.name
                    outcome = runner.run(work)
                    text = board.console()
                    outcome.save(outdir, text[seen:])
                    seen = len(text)
                    samples += outcome.samples
                    for tool in ("iperf3", "iperf3_guest"):
                        if outcome.info.get(tool):
                            self._facts[tool] = outcome.info[tool]
                workloads.keep(outdir, "env-after", board.do("environment"))
        except cli.Failed as failed:
            raise workloads.kept(failed, short, outdir, name) from failed
        return samples


def spread(runs):
    """A table of how far runs of one side differ."""
    values = {}
    for samples in runs:
        for sample in samples:
            values.setdefault((sample["workload"], sample["metric"]), []).append(sample["value"])
    lines = []
    for (workload, metric), found in values.items():
        low, high = min(found), max(found)
        wide = (high - low) / high * 100 if high else 0
        lines.append(f"   {workload:12} {metric:22} {low:12.3f} to {high:12.3f}  ({wide:.2f} %)")
    return "\n".join(lines)
