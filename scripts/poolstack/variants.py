# SPDX-License-Identifier: GPL-2.0-only
"""Ways to do one thing, side by side: the kernel as it is, each variant of bench/variants/<name> on it, the stack.

A variant is one patch (git format-patch) onto the unpatched kernel; none is part of the stack. They are
measured as the steps of a walk are (walk.py), in the order of their file names, and each is compared with
the one before it. What they are about is in <name>/workloads: globs, all others are left out.

    results/<board or group>/variants-<name>/...            as of a walk
"""

import fnmatch
import hashlib

from poolstack import apply, board, cache, cli, kernel, series, trees, walk

BASE, STACK = "base", "stack"


def folder():
    """Where the sets of variants are."""
    return cli.root() / "bench" / "variants"


def place(name):
    """The folder of a set."""
    there = sorted(path.name for path in folder().glob("*") if path.is_dir())
    if name not in there:
        raise cli.Stop(f"no variants {name}: there are: {' '.join(there) or 'none'}")
    return folder() / name


def patches(name):
    """The files of a set, in order."""
    found = sorted(place(name).glob("*.patch"))
    if not found:
        raise cli.Stop(f"no variant in {place(name)}", cli.FAIL)
    return found


def wanted(name):
    """The workloads that a set is about: globs."""
    path = place(name) / "workloads"
    if not path.is_file() or not path.read_text().split():
        raise cli.Stop(f"{path}: want the workloads to measure, as globs", cli.FAIL)
    return path.read_text().split()


def commit_of(source, patch):
    """The kernel with one variant on it, as a commit."""
    key = hashlib.sha256(source.commit.encode() + patch.read_bytes()).hexdigest()[:20]
    ref = f"refs/poolstack/variant/{key}"
    with cache.lock("patched"):
        head = kernel.git(source.repo, "rev-parse", "-q", "--verify", f"{ref}^{{commit}}", check=False)
        if head is None:
            with trees.scratch(source, trees.touched(patch)) as path:
                trees.am_one(path, patch, f"{patch.parent.name}/{patch.name}", source.origin, env=trees.am_env())
                head = kernel.tree_git(path, "rev-parse", "HEAD")
            kernel.git(source.repo, "update-ref", ref, head)
    return head


def steps(source, name):
    """The unpatched kernel, each variant alone on it, and the stack: [walk.Step]."""
    found = [walk.Step(BASE, source.version, source.commit, source.version)]
    for patch in patches(name):
        found.append(walk.Step(patch.stem, apply.subject(apply.read(patch)), commit_of(source, patch),
                               f"{name}/{patch.name}"))
    stack = trees.patched_commit(source, series.up_to(None))
    return found + [walk.Step(STACK, "all topics of patches/series", stack, STACK)]


def run(name, words, *, runs, soc="", ksrc=None):
    """Measure a set; [variants.json's content of each board or group]."""
    globs = wanted(name)
    patches(name)
    chosen = board.select(words, soc=soc)
    job = walk.Job("variants", name, keep=lambda workload: any(fnmatch.fnmatchcase(workload, glob) for glob in globs))
    groups = walk.machines(walk.boards(chosen, runs), keep=job.keep)
    source = kernel.source(ksrc)
    with cli.step(f"applying the variants {name}"):
        walked = steps(source, name)
    return walk.measure(job, walked, chosen, groups, source, runs=runs, ksrc=ksrc)
