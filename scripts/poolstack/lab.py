# SPDX-License-Identifier: GPL-2.0-only
"""Build and run the lab: the real drivers on emulated MACs, in User Mode Linux (UML) under KUnit.

A run first asks the kernel which cases it has and for which targets, then boots UML as plan.py says, as
many side by side as there are CPUs. Every target of every case must come back with a result. Every
boot ends: by itself, by its time limit, or with us.
"""

import collections
import contextlib
import dataclasses
import os
import platform
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

from poolstack import build, cli, expected, ktap, plan
from poolstack.plan import Job

BOOT_LIMIT = 180                    # seconds; the longest suite takes a tenth of it
REAL_TIME = 5                       # times as long where sleeping takes time: two CPUs do not jump
MEMORY = "512M"
MEMORY_KASAN = "4096M"              # its quarantine keeps what was freed, rings of 2048 buffers too
SEED = "1"                          # the lab's own, where none is given
VARIANTS = ("kasan", "lockdep", "dma-debug", "smp")
# SMP needs seccomp mode (ptrace mode refuses it). KASAN reports one error per boot unless told otherwise.
VARIANT_ARGS = {"smp": ["seccomp=on", "ncpus=2"], "kasan": ["kasan_multi_shot"]}
# Where nothing runs, time is at the next timer: no case waits, and none depends on how busy the host is.
# UML with two CPUs cannot do that.
JUMP = "time-travel=inf-cpu"


@dataclasses.dataclass
class Run:
    """All that the boots of one kernel gave."""
    side: str
    variant: str
    uml: object                     # Path of the kernel
    outdir: object                  # Path of the logs
    seed: str = ""                  # as given, empty for the lab's own
    extra: list = dataclasses.field(default_factory=list)   # further kernel arguments
    known: list = dataclasses.field(default_factory=list)   # functions whose warnings are no news
    cases: list = dataclasses.field(default_factory=list)
    figures: list = dataclasses.field(default_factory=list)
    faults: list = dataclasses.field(default_factory=list)
    seconds: float = 0.0


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
                          like="um" if fragment else None,
                          what=f"lab kernel, {tree.side}" + (f", {variant}" if fragment else ""))
    return folder / "linux"


def arguments(uml, glob, soc="", variant=expected.PLAIN, seed=""):
    """The command line of one boot."""
    memory = MEMORY_KASAN if variant == "kasan" else MEMORY
    args = [str(uml), f"mem={memory}", "console=tty", "kunit_shutdown=halt", f"kunit.filter_glob={glob}"]
    if soc:
        args.append(f"poolstack.soc={soc}")
    if seed:
        args.append(f"poolstack.seed={seed}")
    if variant != "smp":
        args.append(JUMP)
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


def _start(job, uml, variant, seed, extra, temp):
    """Boot, output into the job's log."""
    cmd = arguments(uml, job.glob, job.soc, variant, seed) + [f"uml_dir={temp}/"] + extra
    env = dict(os.environ, TMPDIR=temp, HOME=temp)
    # Counters of an instrumented kernel: one folder per boot, so that none waits for another's lock.
    env["GCOV_PREFIX"] = str(job.log.with_suffix(".gcov"))
    with open(job.log, "wb") as out:
        try:
            job.process = subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                           start_new_session=True, env=env)
        except OSError as error:
            raise cli.Stop(f"cannot boot the lab: {uml}: {error.strerror}") from error
    job.begin = time.monotonic()


def kill(process):
    """End a UML and its helpers. It is a kernel: there is nothing to be gained by asking first."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def boot_all(jobs, uml, outdir, *, variant=expected.PLAIN, seed="", extra=(), limit=BOOT_LIMIT, workers=None,
             stop=None):
    """Run the jobs, several at a time; each leaves its log in job.log. Nothing survives this call.

    outdir: for the logs of jobs that have no job.log yet.
    stop: an event that ends it early, for callers that run it in a thread.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    waiting, running = collections.deque(jobs), []
    workers = workers or os.cpu_count() or 1
    with scratch() as temp:
        try:
            while waiting or running:
                if stop and stop.is_set():
                    raise cli.Stop("interrupted", cli.FAIL)
                while waiting and len(running) < workers:
                    job = waiting.popleft()
                    job.log = job.log or outdir / f"{job.name}.log"
                    job.log.parent.mkdir(parents=True, exist_ok=True)
                    _start(job, uml, variant, seed, list(extra), temp)
                    running.append(job)
                for job in list(running):
                    if job.process.poll() is None and time.monotonic() > job.begin + limit:
                        job.overrun = True
                        kill(job.process)
                    if job.process.poll() is not None:
                        job.seconds = time.monotonic() - job.begin
                        kill(job.process)       # helpers of a kernel that died
                        running.remove(job)
                time.sleep(0.01)
        finally:
            for job in running:
                kill(job.process)


def inventory(uml, glob, outdir, *, soc="", variant=expected.PLAIN):
    """The cases that the filter picks, with their targets, and those that have none: see plan.inventory()."""
    job = Job(glob, soc)
    boot_all([job], uml, outdir / "list", variant=variant, extra=["poolstack.list=1"], limit=60)
    text = job.log.read_text(errors="replace")
    cases, skipped = plan.inventory(text)
    if not cases and not skipped:
        last = next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "nothing")
        raise cli.Stop(f"no case matches `{glob}`: see {job.log} (last line: {last})", cli.FAIL)
    return cases, skipped


def forgive(text, functions):
    """The log without the warnings of these functions, what they are about, and the assertions beside."""
    lines = text.splitlines()
    for function in functions:
        for place, line in enumerate(lines):
            found = re.search(rf"\bWARNING: (\S+):(\d+) at {function}\+0x", line)
            if not found:
                continue
            about = f"RTNL: assertion failed at {found[1]} ({found[2]})"
            lines = [f"known of {function}" if about in other else other for other in lines]
            while place < len(lines) and "[ end trace " not in lines[place]:
                lines[place] = f"known of {function}"
                place += 1
    return "\n".join(lines) + "\n"


def collect(job, run, limit=BOOT_LIMIT):
    """Add what one boot's log holds to the run; returns the cases."""
    log = ktap.parse(forgive(job.log.read_text(errors="replace"), run.known))
    where = job.log.name
    late = f"no end within {limit} s: " if job.overrun else ""
    run.figures += log.figures
    if job.alone and log.cases and not log.complete:
        # The last case is the one that ktap made of the cut. Its parameter is unknown, its SoC is not.
        dead = log.cases.pop()
        suite, _, case = job.glob.partition(".")
        run.cases += log.cases + [ktap.Case(suite, case, f"{plan.soc_of(job.soc)}/", "fail", late + dead.reason,
                                            dead.log)]
        return log.cases
    # A case that has none of the boot's SoCs says so by an empty skip: the run knows that already.
    cases = [case for case in log.cases if case.status != "skip" or case.param or case.reason or not job.soc]
    run.cases += cases
    run.faults += [f"{late}{fault} ({where})" for fault in log.faults]
    return cases


def run(uml, outdir, *, side, glob="*", soc="", variant=expected.PLAIN, alone=(), lone_socs=(), seed="", extra=(),
        limit=None, known=()):
    """Run what the filter picks; returns a Run. Verdicts are the caller's (expected.judge).

    alone: names of cases, lone_socs: SoCs that get a boot per case, see plan.py; known: functions whose
    warnings are no news, see expected.forgiven_warnings().
    """
    check_host()
    limit = limit or BOOT_LIMIT * (REAL_TIME if variant == "smp" else 1)
    begin = time.monotonic()
    shutil.rmtree(outdir, ignore_errors=True)
    result = Run(side, variant, uml, outdir, seed, list(extra), known=list(known))
    cases, skipped = inventory(uml, glob, outdir, soc=soc, variant=variant)
    times = outdir.parent / f"times-{variant}.json"
    boots = plan.plan(cases, alone=alone, lone_socs=lone_socs, whole="." not in glob, times=plan.load_times(times),
                      workers=os.cpu_count() or 1, unit=str if "/" in soc else plan.soc_of)
    boot_all(boots, uml, outdir, variant=variant, seed=seed, extra=extra, limit=limit)
    plan.save_times(times, boots, {job.log: collect(job, result, limit) for job in boots})
    result.cases = plan.only(cases, result.cases) + skipped
    order = {(name, target): place for place, (name, target) in enumerate(
        (name, target) for name, targets in cases.items() for target in ["", *targets])}
    result.cases.sort(key=lambda case: order.get((case.name, case.param), order.get((case.name, ""), len(order))))
    if not result.faults:
        lost = plan.missing(cases, result.cases)
        result.faults += [f"no result: {name}" for name in lost[:5]]
        if len(lost) > 5:
            result.faults.append(f"no result: {len(lost) - 5} more")
    if not result.faults and all(case.status == "skip" for case in result.cases):
        result.faults.append(f"nothing ran: no case of `{glob}` has " + (f"a SoC `{soc}`" if soc else "any SoC"))
    result.seconds = time.monotonic() - begin
    return result


def rerun_hint(run_, case, soc=""):
    """How to run one red case again, with its frames in a file, and with a debugger on it."""
    one = plan.soc_of(case.param) or soc
    variant = "" if run_.variant == expected.PLAIN else f" --variant {run_.variant}"
    seed = run_.seed or SEED
    again = f"scripts/kunit --side {run_.side}{variant} --seed {seed} --filter {case.name}" + \
        (f" --soc {one}" if one else "")
    debug = " ".join(arguments(run_.uml, case.name, one, run_.variant, seed))
    # The signals are UML's own; the places are where a rule is broken, a check fails, the case ends.
    words = ["-ex 'handle SIGSEGV SIGUSR1 SIGALRM SIGCHLD SIGIO pass nostop noprint'"]
    words += [f"-ex 'break {place}'" for place in ("lab_dma_violation", "__kunit_do_failed_assertion", "lab_gate_report")]
    return [f"again:    {again}", f"pcap:     {again} --pcap {case.case or case.suite}.pcapng",
            f"debugger: gdb {' '.join(words)} --args {debug}"]
