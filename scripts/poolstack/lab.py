# SPDX-License-Identifier: GPL-2.0-only
"""Build and run the lab: the real drivers on emulated MACs, in User Mode Linux (UML) under KUnit.

A run boots one UML per suite, as many side by side as there are CPUs. A suite that has a case which
may bring the kernel down (marked `alone` in kunit/expected-red) is booted case by case, and such a
case once per SoC, so that a dead kernel costs no other result. Every boot ends: by itself, by its
time limit, or with us.
"""

import collections
import contextlib
import dataclasses
import fnmatch
import os
import platform
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

from poolstack import build, cli, expected, ktap

BOOT_LIMIT = 180                    # seconds; the longest suite takes a tenth of it
MEMORY = "512M"
VARIANTS = ("kasan", "lockdep", "dma-debug", "smp")
# SMP needs seccomp mode (ptrace mode refuses it). Under DMA debugging only the first error of a boot is
# printed, so cases and SoCs must not share one.
VARIANT_ARGS = {"smp": ["seccomp=on", "ncpus=2"]}
ONE_BY_ONE = ("dma-debug",)


@dataclasses.dataclass
class Run:
    """All that the boots of one kernel gave."""
    side: str
    variant: str
    uml: object                     # Path of the kernel
    outdir: object                  # Path of the logs
    cases: list = dataclasses.field(default_factory=list)
    figures: list = dataclasses.field(default_factory=list)
    faults: list = dataclasses.field(default_factory=list)
    seconds: float = 0.0


@dataclasses.dataclass
class Job:
    """One boot to be made."""
    glob: str                       # kunit.filter_glob
    soc: str = ""                   # poolstack.soc, empty for all
    alone: bool = False             # no result is a red case here, not a broken run
    log: object = None
    process: object = None
    deadline: float = 0.0
    overrun: bool = False


def check_host():
    """UML runs on x86 alone, and the lab is built for 64 bits."""
    if platform.machine() not in ("x86_64", "amd64"):
        raise cli.Stop(f"the lab needs an amd64 host (User Mode Linux): this one is {platform.machine()}: "
                       "use `make bench BOARD=…` with an emulated or real board, or another machine")


def variant_fragment(variant):
    """The config fragment of a variant, or None for the plain lab."""
    if variant == expected.PLAIN:
        return None
    path = cli.root() / "kunit" / "variants" / f"{variant}.config"
    if variant not in VARIANTS or not path.is_file():
        have = sorted(file.stem for file in path.parent.glob("*.config"))
        raise cli.Stop(f"unknown variant: {variant}: want one of {' '.join([expected.PLAIN] + have)}")
    return path


def build_kernel(tree, variant=expected.PLAIN):
    """Build UML with the lab in it; returns the program."""
    check_host()
    fragment = variant_fragment(variant)
    name = "um" if fragment is None else f"um-{variant}"
    fragments = [cli.root() / "kunit" / "kunitconfig"] + ([fragment] if fragment else [])
    folder = build.kernel(tree, "um", fragments=fragments, name=name, targets=["linux"],
                          what=f"lab kernel, {tree.side}" + (f", {variant}" if fragment else ""))
    return folder / "linux"


def socs():
    """Every SoC that has an overlay."""
    return sorted({re.split("[-_]", path.stem)[-1] for path in (cli.root() / "kunit" / "socs").glob("*.dtso")})


def arguments(uml, glob, soc="", variant=expected.PLAIN):
    """The command line of one boot."""
    args = [str(uml), f"mem={MEMORY}", "console=tty", "kunit_shutdown=halt", f"kunit.filter_glob={glob}"]
    if soc:
        args.append(f"poolstack.soc={soc}")
    return args + VARIANT_ARGS.get(variant, [])


@contextlib.contextmanager
def scratch():
    """A folder for UML's control sockets and memory files, gone afterwards."""
    path = tempfile.mkdtemp(prefix="poolstack-uml-")
    cli.defer(lambda: shutil.rmtree(path, ignore_errors=True))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _start(job, uml, variant, extra, temp, limit):
    """Boot, output into the job's log."""
    cmd = arguments(uml, job.glob, job.soc, variant) + [f"uml_dir={temp}/"] + extra
    env = dict(os.environ, TMPDIR=temp, HOME=temp)
    with open(job.log, "wb") as out:
        try:
            job.process = subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                           start_new_session=True, env=env)
        except OSError as error:
            raise cli.Stop(f"cannot boot the lab: {uml}: {error.strerror}") from error
    job.deadline = time.monotonic() + limit


def kill(process):
    """End a UML and its helpers. It is a kernel: there is nothing to be gained by asking first."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def boot_all(jobs, uml, outdir, *, variant=expected.PLAIN, extra=(), limit=BOOT_LIMIT, workers=None):
    """Run the jobs, several at a time; each leaves its log in job.log. Nothing survives this call."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    outdir.mkdir(parents=True, exist_ok=True)
    waiting, running = collections.deque(jobs), []
    workers = workers or os.cpu_count() or 1
    with scratch() as temp:
        try:
            while waiting or running:
                while waiting and len(running) < workers:
                    job = waiting.popleft()
                    name = job.glob.replace("*", "all").replace("?", "any") + (f"@{job.soc}" if job.soc else "")
                    job.log = outdir / f"{name.replace('/', '_')}.log"
                    _start(job, uml, variant, list(extra), temp, limit)
                    running.append(job)
                for job in list(running):
                    if job.process.poll() is None and time.monotonic() > job.deadline:
                        job.overrun = True
                        kill(job.process)
                    if job.process.poll() is not None:
                        kill(job.process)       # helpers of a kernel that died
                        running.remove(job)
                time.sleep(0.02)
        finally:
            for job in running:
                kill(job.process)


def names(uml, glob, outdir, *, variant=expected.PLAIN):
    """suite.case of every case that the filter picks, in the order of the kernel."""
    job = Job(glob)
    boot_all([job], uml, outdir / "list", variant=variant, extra=["kunit.action=list"], limit=60)
    text = job.log.read_text(errors="replace")
    found = [line for line in map(ktap.clean, text.splitlines())
             if line.count(".") == 1 and all(part.isidentifier() for part in line.split("."))]
    if not found:
        last = next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "nothing")
        raise cli.Stop(f"no case matches `{glob}`: see {job.log} (last line: {last})", cli.FAIL)
    return found


def plan(cases, alone, *, soc="", all_socs=(), whole=True):
    """The boots that run these suite.case names: see the head of this file. whole=False: case by case."""
    suites = {}
    for name in cases:
        suites.setdefault(name.partition(".")[0], []).append(name)
    jobs = []
    for suite, members in suites.items():
        if whole and not any(name in alone for name in members):
            jobs.append(Job(suite, soc))
            continue
        for name in members:
            jobs += [Job(name, each, alone=True) for each in all_socs] if name in alone else [Job(name, soc)]
    return jobs


def collect(job, run, limit=BOOT_LIMIT):
    """Add what one boot's log holds to the run."""
    log = ktap.parse(job.log.read_text(errors="replace"))
    where = job.log.name
    late = f"no end within {limit} s: " if job.overrun else ""
    run.figures += log.figures
    if job.alone and log.cases and not log.complete:
        # The last case is the one that ktap made of the cut. Its parameter is unknown, its SoC is not.
        dead = log.cases.pop()
        suite, _, case = job.glob.partition(".")
        run.cases += log.cases + [ktap.Case(suite, case, f"{job.soc}/", "fail", late + dead.reason, dead.log)]
        return
    if job.soc and len(log.cases) == 1 and log.cases[0].status == "skip" and not log.cases[0].param \
            and not log.cases[0].reason:
        return                      # this case has no such SoC
    run.cases += log.cases
    run.faults += [f"{late}{fault} ({where})" for fault in log.faults]


def run(uml, outdir, *, side, glob="*", soc="", variant=expected.PLAIN, alone=(), limit=BOOT_LIMIT):
    """Run what the filter picks; returns a Run. Verdicts are the caller's (expected.judge)."""
    check_host()
    begin = time.monotonic()
    shutil.rmtree(outdir, ignore_errors=True)
    result = Run(side, variant, uml, outdir)
    cases = names(uml, glob, outdir, variant=variant)
    targets = [name for name in socs() if not soc or fnmatch.fnmatchcase(name, soc)]
    one_by_one = variant in ONE_BY_ONE
    boots = plan(cases, cases if one_by_one else set(alone), soc=soc, all_socs=targets,
                 whole="." not in glob and not one_by_one)
    boot_all(boots, uml, outdir, variant=variant, limit=limit)
    for job in boots:
        collect(job, result, limit)
    if not result.faults and all(case.status == "skip" for case in result.cases):
        result.faults.append(f"nothing ran: no case of `{glob}` has " + (f"a SoC `{soc}`" if soc else "any SoC"))
    result.seconds = time.monotonic() - begin
    return result


def rerun_hint(run_, case, soc=""):
    """How to run one red case again, and with a debugger on it."""
    one = case.param.partition("/")[0] or soc
    variant = "" if run_.variant == expected.PLAIN else f" --variant {run_.variant}"
    again = f"scripts/kunit --side {run_.side}{variant} --filter {case.name}" + (f" --soc {one}" if one else "")
    debug = " ".join(arguments(run_.uml, case.name, one, run_.variant))
    # The signals are UML's own; the places are where a rule is broken, a check fails, the case ends.
    words = ["-ex 'handle SIGSEGV SIGUSR1 SIGALRM SIGCHLD SIGIO pass nostop noprint'"]
    words += [f"-ex 'break {place}'" for place in ("lab_dma_violation", "__kunit_do_failed_assertion", "lab_gate_report")]
    return [f"again:    {again}", f"debugger: gdb {' '.join(words)} --args {debug}"]
