# SPDX-License-Identifier: GPL-2.0-only
"""What a netdev maintainer's robots would say about the stack.

form        each patch as the project wants it: author, Fixes:, no sign-off
checkpatch  scripts/checkpatch.pl --strict of the kernel that it is for
builds      the touched folders build after every patch (arm64)
warnings    W=1 on arm64, arm, x86 and, for the drivers it has, m68k (ColdFire),
            and sparse on arm64, say nothing that they did not say on the base
lab         where a topic is named: after each of its patches the lab runs, and
            no case is red but those of faults that a later patch mends
"""

import collections
import re
import shutil
from pathlib import Path

from poolstack import (affected, apply, build, cache, cli, expected, kernel, kunit, lab,
                       series, trees, walk)

CONFIG = "configs/kernel/check.config"
ARCHES = ("arm64", "arm", "x86", "m68k")
# 32-bit ARM with an MMU has a fec with descriptors in its own byte order. ColdFire
# is a configuration of its own, and has one of the drivers only.
CONFIGS = {"arm": "configs/kernel/check-arm.config",
           "m68k": "configs/kernel/check-coldfire.config"}
ONLY = {"m68k": ("drivers/net/ethernet/freescale/",)}
LIMIT = 15      # patches a series may have on netdev
# The kernel is an import without history, so no commit id is known there.
# "form" looks at the style of Fixes: lines instead.
IGNORE = ("UNKNOWN_COMMIT_ID",)
# What Debian 12's sparse does not know: kbuild leaves out, without failing, a
# sparse without __typeof_unqual__ (__typeof__ differs by qualifiers only); and
# __builtin_strlen in a static_assert (MODULE_*) is an error to it, after which
# it says nothing more about the file.
SPARSE = {"C": "2", "CF": '-D__typeof_unqual__=__typeof__ '
                          '-D"__builtin_strlen(s)=(sizeof(s)-1)"'}
PLACEHOLDER = "poolstack <poolstack@example.org>"
_FIXES = re.compile(r'[0-9a-f]{12,16} \("[^\n]+"\)$')
_MESSAGE = re.compile(r"^(?:\.\./)*(\S+?):(\d+)(?::\d+)?: (.*)$")


class Report:
    """Counts checks and prints each as a line."""

    def __init__(self):
        self.passed = self.failed = 0

    def add(self, name, problems):
        """problems: lines; none means passed."""
        if problems:
            self.failed += 1
            cli.say(f"not ok {name}")
            for line in problems:
                cli.say(f"   {line}")
        else:
            self.passed += 1
            cli.say(f"ok {name}")

    def verdict(self):
        cli.say(f"{self.passed} checks passed, {self.failed} failed")
        return cli.FAIL if self.failed or not self.passed else cli.PASS


def untraced():
    """Faults of which kunit/faults says that the commit that brought them is unknown."""
    path = cli.root() / "kunit" / "faults"
    if not path.is_file():
        return set()
    return {fault.name for fault in affected.load(path).values() if fault.commit == "unknown"}


def fixes(patch):
    """What stands behind Fixes: in the patch's message."""
    message = re.split(r"^---$", apply.read(patch.path).partition("\n\n")[2],
                       flags=re.M)[0]
    return re.findall(r"^Fixes: *(.*)$", message, re.M)


def unfixed(topics):
    """Patches for net without a Fixes: line, as topic/file."""
    return [f"{topic.name}/{patch.file}" for topic in topics if topic.target == "net"
            for patch in topic.active if not fixes(patch)]


def form(topic, patch):
    """What is wrong with a patch file itself."""
    text = apply.read(patch.path)
    head = text.partition("\n\n")[0]
    title, tags = apply.subject(text), fixes(patch)
    problems = []
    author = re.search(r"^From: (.*)$", head, re.M)
    if not author or author.group(1) != PLACEHOLDER:
        problems.append(f"From: must be {PLACEHOLDER}, who submits puts the name")
    if re.search(r"^Signed-off-by:", text, re.M):
        problems.append("Signed-off-by: only who submits signs")
    if not re.match(r"[\w/,. -]+: \S", title):
        problems.append(f"subject names no subsystem: {title!r}")
    if title.endswith(".") or len(title) > 75:
        problems.append(f"subject ends in a dot or is longer than 75: {title!r}")
    problems += [f"Fixes: {line}: want 12 digits and (\"subject\")"
                 for line in tags if not _FIXES.match(line)]
    if topic.target == "net" and not tags and patch.fault not in untraced():
        problems.append("no Fixes: line, which a patch for net needs (or `unknown` in kunit/faults)")
    problems += [f"not --full-index: {line}" for line in re.findall(
        r"^index .*$", text, re.M) if not re.match(r"index [0-9a-f]{40}\.\.", line)]
    if not trees.touched(patch.path):
        problems.append("no diff in it")
    return problems


def checkpatch(tree, patch):
    """What checkpatch of that tree says, as lines."""
    done = cli.run(["perl", "scripts/checkpatch.pl", "--strict", "--no-signoff",
                    "--terse", "--show-types", "--no-summary", "--color=never",
                    f"--ignore={','.join(IGNORE)}", patch.path], cwd=tree.path,
                   capture=True, check=False, env={"LC_ALL": "C"})
    lines = [line.partition(f"{patch.path}:")[2] or line
             for line in done.stdout.splitlines() if line.strip()]
    if done.returncode not in (0, 1) or (done.returncode and not lines):
        return [f"checkpatch.pl did not run: {cli.error_line(done.stderr)}"]
    return lines


def folders(topics):
    """Folders of the C files that the stack touches, as kbuild targets."""
    found = {str(Path(name).parent) + "/" for topic in topics
             for patch in topic.active for name in trees.touched(patch.path)
             if name.endswith((".c", ".h")) and name.startswith(("drivers/", "net/"))}
    return sorted(found)


def messages(text):
    """Counter of (file, message) of compiler and sparse output, lines dropped."""
    found = collections.Counter()
    for line in text.splitlines():
        match = _MESSAGE.match(line)
        if match and ("warning:" in line or "error:" in line):
            found[(match.group(1), match.group(3))] += 1
    return found


def fresh(before, after):
    """The messages of `after` that `before` does not have, as lines."""
    return [f"{file}: {text}" for (file, text), _ in
            sorted((messages(after) - messages(before)).items())]


def objects(tree, arch, targets, label, variables=None):
    """Build the folders and return all that was said: about every file of them with
    variables (of make: W=, C=), without them of what has changed."""
    out = tree.path / f"build-check-{arch}"
    for target in targets if variables else ():
        for file in (out / target).glob("*.o"):
            file.unlink()
    config = CONFIGS.get(arch, CONFIG)
    log = build.kernel(tree, arch, fragments=[cli.root() / config],
                       name=f"check-{arch}", targets=targets,
                       what=f"{label} ({arch})", variables=variables) / "build.log"
    made = [file for target in targets for file in (out / target).glob("*.o")]
    if not made:
        raise cli.Stop(f"nothing was built of {' '.join(targets)}: {config}: add the "
                       "driver's option")
    return log.read_text(encoding="utf-8", errors="replace")


def quick(report, tree, topics):
    """The checks that build nothing."""
    for topic in topics:
        count = len(topic.active)
        report.add(f"{topic.name}: at most {LIMIT} patches",
                   [f"it has {count}"] if count > LIMIT else [])
        report.add(f"{topic.name}: cover letter", cover(topic))
        for patch in topic.active:
            name = f"{topic.name}/{patch.file}"
            report.add(f"form: {name}", form(topic, patch))
            report.add(f"checkpatch: {name}", checkpatch(tree, patch))


def cover(topic):
    """What is wrong with the topic's cover letter."""
    if not topic.cover.is_file():
        return [] if len(topic.active) < 2 else [f"no such file: {topic.cover}"]
    text = apply.read(topic.cover)
    problems = []
    if not apply.subject(text) or "***" in apply.subject(text):
        problems.append("it has no subject")
    if "BLURB HERE" in text or len(text.partition("\n\n")[2].split()) < 10:
        problems.append("it says nothing")
    if re.search(r"^Signed-off-by:", text, re.M):
        problems.append("Signed-off-by: only who submits signs")
    return problems


def after_patch(step, uml, left):
    """What is red in the lab after a patch and must not be. left: faults that no
    patch up to here mends."""
    lone = expected.lone_socs(cli.root() / "kunit/expected-red")
    # As on the base, as long as a SoC binds only once per boot.
    side = "mine" if left & set(lone.values()) else "patched"
    _, verdict = kunit.run(side, uml, out=cli.root() / "results/check" / step.name, left=left)
    problems = [f"{case.name} {case.param}: {case.reason}" for case in verdict.unexpected]
    problems += [f"{case.name} {case.param}: still red, though {entry.fault} is mended"
                 for case, entry in verdict.expected if entry.fault not in left]
    more = [f"and {len(problems) - 10} more"] if len(problems) > 10 else []
    return verdict.faults + problems[:10] + more


def in_lab(report, source, topic_name, ksrc):
    """The lab after each patch of a topic: no patch breaks what a later one mends."""
    lab.check_host()
    topics = series.up_to(topic_name)
    known = {entry.fault for entry in expected.load(cli.root() / "kunit/expected-red")}
    known |= set(expected.lone_socs(cli.root() / "kunit/expected-red").values())
    left = known - {patch.fault for topic in topics[:-1] for patch in topic.active}
    steps = walk.steps(source, topic_name)[1:]
    for step, patch in zip(steps, topics[-1].active):
        left -= {patch.fault}
        try:
            uml = lab.build_kernel(walk.tree_at(source, step, ksrc))
            problems = after_patch(step, uml, left)
        except cli.Failed as failed:
            problems = [failed.message]
        report.add(f"lab: {step.label}", problems)


def slow(report, source, topics, commits, names):
    """The checks that build: the base first, then the stack patch by patch."""
    touched = folders(topics)
    targets = {arch: [folder for folder in touched if folder in ONLY.get(arch, touched)]
               for arch in ARCHES}
    arches = [arch for arch in ARCHES if targets[arch]]
    if not shutil.which("sparse"):
        raise cli.Stop("program not found: sparse: run scripts/packages check")
    said = {}
    for place, (commit, name) in enumerate(zip(commits, ["base", *names])):
        tree = trees.at_commit("check", source, commit)
        ends = place in (0, len(commits) - 1)
        for arch in arches if ends else arches[:1]:
            problems = []
            try:
                # One pass for both on arm64: a second would cost a kbuild run. In between
                # only the compiler's errors count.
                variables = {"W": "1"} | (SPARSE if arch == "arm64" else {})
                said[arch, place] = objects(tree, arch, targets[arch], name, variables if ends else None)
            except cli.Failed as failed:
                if place == 0:
                    raise cli.Stop("the base itself does not build: "
                                   + failed.message) from failed
                problems = [failed.message]
            if place:
                report.add(f"builds: {name} ({arch})", problems)
    last = len(commits) - 1
    for arch in arches:
        after = said.get((arch, last))
        if after is None:
            problems = ["it did not build"]
        else:
            problems = fresh(said[arch, 0], after)
            if arch == "arm64":
                problems += blind_sparse(after)
        report.add("warnings: W=1 and sparse on arm64" if arch == "arm64"
                   else f"warnings: W=1 on {arch}", problems)


def blind_sparse(text):
    """A sparse that did not run, or gave up, must not pass for one that found
    nothing. In the log of a build that succeeded, errors are sparse's."""
    if not re.search(r"^  CHECK ", text, re.M):
        return ["sparse did not run"]
    return [f"sparse gave up: {file}: {said}" for file, said in messages(text)
            if said.startswith("error:")]


def check(topic_name=None, build_too=True, ksrc=None, lab_too=False):
    """All checks of the stack up to the topic; returns the exit code. lab_too: the
    lab after each patch of the topic."""
    topics = [topic for topic in series.up_to(topic_name) if topic.active]
    if not topics:
        raise cli.Stop("nothing to check: patches/series has no patch", cli.SKIP)
    source = kernel.source(ksrc)
    report = Report()
    with cli.step("applying the stack"):
        each = trees.commit_of_each(source, topics)
    commits = [source.commit, *(commit for _, _, commit in each)]
    names = [f"{topic.name}/{patch.file}" for topic, patch, _ in each]
    with cache.lock("check"):
        tree = trees.at_commit("check", source, source.commit)
        quick(report, tree, topics)
        if build_too:
            slow(report, source, topics, commits, names)
    if lab_too:
        with cache.lock("lab"):
            in_lab(report, source, topic_name, ksrc)
    unknown = unfixed(topics)
    if unknown:
        cli.say(f"{len(unknown)} patches whose Fixes: is not known yet: "
                + " ".join(unknown))
    return report.verdict()
