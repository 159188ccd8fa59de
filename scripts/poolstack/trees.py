# SPDX-License-Identifier: GPL-2.0-only
"""Kernel work trees, one per side, kept so that a build stays incremental.

A side's tree is a git worktree in the cache. It moves between commits by
git's own checkout, which leaves files alone whose content stays, and so their
objects. The lab is copied in on top, again only where it differs.
"""

import contextlib
import filecmp
import hashlib
import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from poolstack import cache, cli, kernel, series

SIDES = ("base", "patched", "mine")
LAB = Path("drivers/net/ethernet/poolstack")
LAB_PARTS = ("lab", "socs", "suites", "Kconfig", "Makefile")
HOOKS = {
    Path("drivers/net/ethernet/Kconfig"):
        'source "drivers/net/ethernet/poolstack/Kconfig"',
    Path("drivers/net/ethernet/Makefile"):
        "obj-$(CONFIG_POOLSTACK_LAB) += poolstack/",
    # calls of the driver that the lab can let fail; its source stays as it is
    Path("drivers/net/ethernet/freescale/Makefile"):
        "CFLAGS_fec_main.o += $(if $(CONFIG_POOLSTACK_LAB),"
        "-include $(srctree)/drivers/net/ethernet/poolstack/lab/seam.h)",
    # and what differs between the architectures it is for
    Path("drivers/net/ethernet/mediatek/Makefile"):
        "CFLAGS_mtk_eth_soc.o += $(if $(CONFIG_POOLSTACK_LAB),-DNET_IP_ALIGN=lab_net_ip_align "
        "-include $(srctree)/drivers/net/ethernet/poolstack/lab/seam.h)",
}
# What no build here reads: a third of the files, and half of the bytes.
SPARSE_TREE = """\
/*
!/Documentation/
/Documentation/Kconfig
/Documentation/devicetree/
!/arch/*/
/arch/**/Kconfig*
/arch/arm/
/arch/arm64/
/arch/m68k/
/arch/um/
/arch/x86/
!/drivers/gpu/drm/amd/include/
!/tools/perf/
!/tools/testing/
/tools/testing/kunit/
"""


@dataclass
class Tree:
    path: Path
    side: str
    commit: str
    patched: bool
    describe: str       # one line for people: kernel, and what is on it
    version: str = ""


def prepare(side, *, ksrc=None, topic=None, sides=None, lab=True):
    """The tree of one side, ready to build, with the lab in it.

    side: "base", "patched" (all topics, or up to and including `topic`), or
    "mine" (KSRC as it is, uncommitted edits included). For base and patched,
    ksrc replaces Debian's kernel, unless sides (a list of names) has "mine".
    """
    if side not in SIDES:
        raise cli.Stop(f"no such side: {side}: want one of {', '.join(SIDES)}")
    ksrc = ksrc or os.environ.get("KSRC") or None
    if side == "mine":
        if not ksrc:
            raise cli.Stop("side mine needs a kernel tree: set KSRC=DIR")
        source = kernel.source(ksrc)
        return _ready(side, source, source.commit, False,
                      f"{source.version}, {source.origin} as it is", lab)
    if sides and "mine" in sides:
        ksrc = None
    source = kernel.source(ksrc)
    name = f"ksrc-{side}" if ksrc else side
    if side == "base":
        return _ready(name, source, source.commit, False,
                      f"{source.version}, {source.origin}", lab)
    topics = series.up_to(topic)
    commit = patched_commit(source, topics)
    names = " ".join(entry.name for entry in topics if entry.active) or "no patch"
    return _ready(name, source, commit, True,
                  f"{source.version}, {source.origin} + {names}", lab)


def at_commit(name, source, commit, describe="", lab=False):
    """A tree named `name` at any commit of a Kernel, by default without the lab."""
    return _ready(name, source, commit, commit != source.commit, describe, lab)


def _ready(name, source, commit, patched, describe, lab):
    side = name.removeprefix("ksrc-")
    with cache.lock(f"tree-{name}"):
        path = checkout(name, source.repo, commit)
        if lab:
            mirror_lab(path)
    return Tree(path, side, commit, patched, describe, source.version)


# -- the stack on a kernel, as a commit ---------------------------------------

def stack_key(commit, topics):
    """Changes with the kernel and with every byte of the patches."""
    digest = hashlib.sha256(commit.encode())
    for topic in topics:
        for patch in topic.active:
            data = patch.path.read_bytes()
            digest.update(f"\n{topic.name}/{patch.file} {len(data)}\n".encode())
            digest.update(data)
    return digest.hexdigest()[:20]


def patched_commit(source, topics):
    """git am of the topics onto the kernel, in a scratch worktree, once."""
    return patched_commits(source, topics)[-1]


def patched_commits(source, topics):
    """The kernel's commit, and the commit after each patch, in order."""
    if not any(topic.active for topic in topics):
        return [source.commit]
    ref = f"refs/poolstack/patched/{stack_key(source.commit, topics)}"
    with cache.lock("patched"):
        head = kernel.git(source.repo, "rev-parse", "-q", "--verify",
                          f"{ref}^{{commit}}", check=False)
        if head is None:
            head = _am(source, topics)
            kernel.git(source.repo, "update-ref", ref, head)
    listed = kernel.git(source.repo, "rev-list", "--reverse",
                        f"{source.commit}..{head}").split()
    return [source.commit, *listed]


def commit_of_each(source, topics):
    """[(topic, patch, the commit after it), ...]; each patch has to change something."""
    patches = [(topic, patch) for topic in topics for patch in topic.active]
    commits = patched_commits(source, topics)[1:]
    if len(commits) != len(patches):
        raise cli.Stop(f"{len(patches)} patches gave {len(commits)} commits: one is "
                       "in this kernel already: set it to accepted and drop it")
    return [(topic, patch, commit) for (topic, patch), commit in zip(patches, commits)]


def touched(patch_file):
    """The files that a patch names, old and new."""
    text = Path(patch_file).read_text(encoding="utf-8", errors="replace")
    found = re.findall(r"^diff --git a/(\S+) b/(\S+)$", text, re.M)
    return sorted({name for pair in found for name in pair})


def _am(source, topics):
    """Apply in a sparse worktree: only the touched files are checked out."""
    with scratch(source, [name for topic in topics for patch in topic.active
                          for name in touched(patch.path)]) as path:
        for topic in topics:
            for patch in topic.active:
                am_one(path, patch.path, f"{topic.name}/{patch.file}",
                       source.origin, env=am_env())
        return kernel.tree_git(path, "rev-parse", "HEAD")


@contextlib.contextmanager
def scratch(source, files):
    """A worktree at the kernel's commit that has only the files named: paths,
    or lines as a .gitignore has them."""
    top = cache.cache_dir()
    path = Path(tempfile.mkdtemp(prefix="scratch-", dir=top))
    try:
        _sparse_worktree(source.repo, path, source.commit, "".join(
            f"/{name.removeprefix('/')}\n" for name in files))
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        kernel.git(source.repo, "worktree", "prune")


def _sparse_worktree(repo, path, commit, patterns):
    """A worktree that has only what the patterns (as in .gitignore) name."""
    kernel.git(repo, *NO_HOOKS, "worktree", "add", "-q", "-f", "--no-checkout",
               "--detach", path, commit, what=f"checking out {path.name}")
    _set_sparse(path, patterns)


def _set_sparse(path, patterns):
    """Have in the worktree what the patterns name."""
    file = Path(kernel.tree_git(path, "rev-parse", "--absolute-git-dir"),
                "info/sparse-checkout")
    if _content(file) == patterns.encode():
        return
    cli.atomic_write(file, patterns)
    try:
        kernel.tree_git(path, *SPARSE, "read-tree", "-m", "-u", "HEAD")
    except BaseException:
        file.unlink()   # so that the next run does it again
        raise


NO_HOOKS = ("-c", "core.hooksPath=/dev/null")
SPARSE = ("-c", "core.sparseCheckout=true", "-c", "core.sparseCheckoutCone=false")
# Nobody's own git settings may change what git am makes of a patch.
AM = (*SPARSE, "-c", "commit.gpgSign=false", "-c", "core.hooksPath=/dev/null",
      "-c", "core.autocrlf=false", "-c", "apply.whitespace=nowarn",
      "-c", "am.keepcr=false", "-c", "rerere.enabled=false")


def am_env():
    """The placeholder as committer, at a fixed date: the same commit each time."""
    return {key: value for key, value in kernel.PLACEHOLDER_ENV.items()
            if "COMMITTER" in key}


def am_one(path, file, name, onto, env=None, extra=()):
    """git am -3 of one patch; on failure say where it conflicts and undo it."""
    done = cli.run(["git", "-C", path, *AM, "am", "-3", "--quiet", *extra, file],
                   capture=True, check=False, env={"LC_ALL": "C", **(env or {})})
    if done.returncode == 0:
        return
    text = done.stdout + done.stderr
    places = conflict(path, text)
    cli.run(["git", "-C", path, *AM, "am", "--abort"], capture=True, check=False)
    raise cli.Stop(f"patch does not apply: {name} onto {onto}: {places}",
                   cli.FAIL)


def conflict(path, text):
    """Where a failed git am stopped: file, and the line of its first conflict."""
    listed = kernel.tree_git(path, "diff", "--name-only", "--diff-filter=U",
                             check=False) or ""
    places = []
    for name in listed.splitlines():
        where = name
        with contextlib.suppress(OSError):
            lines = (Path(path) / name).read_text(errors="replace").splitlines()
            for number, line in enumerate(lines, 1):
                if line.startswith("<<<<<<< "):
                    where = f"{name}:{number}"
                    break
        places.append(where)
    if places:
        return "conflict in " + ", ".join(places)
    for pattern in (r"error: patch failed: (\S+)", r"error: (\S+): does not exist",
                    r"CONFLICT \([^)]*\): (.*)"):
        found = re.search(pattern, text)
        if found:
            return f"conflict in {found.group(1)}"
    return cli.error_line(text) or "git am failed"


# -- work trees ---------------------------------------------------------------

def checkout(name, repo, commit):
    """The worktree of that name at that commit, changed files put back."""
    path = cache.cache_dir() / "trees" / name
    if path.exists() and not _usable(path, repo):
        shutil.rmtree(path)
    if not path.exists():
        _create(path, repo, commit)
        return path
    _set_sparse(path, SPARSE_TREE)
    # The lab's hooks may stay when both commits have the same file below them.
    changed = set(_names(path, "diff", "--name-only", "-z", "HEAD"))
    head = kernel.tree_git(path, "rev-parse", "HEAD")
    hooks = {str(hook) for hook in HOOKS}
    moved = set(_names(path, "diff", "--name-only", "-z", head, commit)) \
        if head != commit else set()
    restore = sorted(changed - (hooks - moved))
    if restore:
        kernel.tree_git(path, *SPARSE, *NO_HOOKS, "--literal-pathspecs", "checkout",
                        "-q", "HEAD", "--", *restore)
    if head != commit:
        kernel.tree_git(path, *SPARSE, *NO_HOOKS, "checkout", "-q", "--detach",
                        commit)
    return path


def _names(path, *words):
    return [entry for entry in kernel.tree_git(path, *words).split("\0") if entry]


def _usable(path, repo):
    """Whether path is a whole worktree of repo."""
    if not (path / "Makefile").is_file():
        return False
    common = kernel.tree_git(path, "rev-parse", "--path-format=absolute",
                             "--git-common-dir", check=False)
    return (common is not None and Path(common).resolve() == Path(repo).resolve()
            and kernel.tree_git(path, "rev-parse", "-q", "--verify",
                                "HEAD^{tree}", check=False) is not None)


def _create(path, repo, commit):
    """Check out beside, then rename: a tree is whole or not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(f".{path.name}.*"):
        shutil.rmtree(left, ignore_errors=True)     # of an interrupted run
    temp = path.parent / f".{path.name}.{os.getpid()}"
    with cli.step(f"checking out tree {path.name}"):
        try:
            kernel.git(repo, "worktree", "prune")
            _sparse_worktree(repo, temp, commit, SPARSE_TREE)
            kernel.git(repo, "worktree", "move", temp, path)
        except cli.Failed as failed:
            if "No space left" in failed.output:
                raise cli.Stop(f"disk full: {path}: a kernel tree needs 1 GB: "
                               "free some space and run again") from failed
            raise
        finally:
            if temp.exists():
                shutil.rmtree(temp, ignore_errors=True)
                kernel.git(repo, "worktree", "prune")


# -- the lab in a tree --------------------------------------------------------

def _content(path):
    with contextlib.suppress(FileNotFoundError):
        return path.read_bytes()
    return None


def mirror_lab(tree, lab=None):
    """Copy kunit/ into the tree and hook it; files that are equal stay as they
    are. Returns the names of the files that changed."""
    lab = Path(lab or cli.root() / "kunit")
    tree = Path(tree)
    target = tree / LAB
    wanted = {}
    for part in LAB_PARTS:
        source = lab / part
        files = [source] if source.is_file() else \
            sorted(file for file in source.rglob("*") if file.is_file())
        for file in files:
            if not file.name.startswith("."):
                wanted[file.relative_to(lab)] = file
    for part in ("Kconfig", "Makefile"):
        if Path(part) not in wanted:
            raise cli.Stop(f"the lab has no {part}: {lab}")
    changed = []
    for name, file in wanted.items():
        there = target / name
        if not there.is_file() or not filecmp.cmp(file, there, shallow=False):
            cli.atomic_write(there, file.read_bytes())
            changed.append(str(LAB / name))
    for there in sorted(target.rglob("*"), reverse=True):
        if there.is_dir():
            with contextlib.suppress(OSError):
                there.rmdir()
        elif there.relative_to(target) not in wanted:
            there.unlink()
            changed.append(str(LAB / there.relative_to(target)))
    for file, line in HOOKS.items():
        if _hook(tree / file, line):
            changed.append(str(file))
    return changed


def _hook(file, line):
    """Have line, and no other of the lab's, in file: before Kconfig's last endif,
    at a Makefile's end."""
    content = _content(file)
    if content is None:
        raise cli.Stop(f"no kernel tree: no such file: {file}")
    text = content.decode()
    lines = text.splitlines()
    ours = [old for old in lines if "POOLSTACK_LAB" in old or "/poolstack/" in old]
    if ours == [line]:
        return False
    text = "\n".join(old for old in lines if old not in ours) + "\n"
    if file.name == "Kconfig":
        before, endif, after = text.rpartition("\nendif")
        if not endif:
            raise cli.Stop(f"cannot hook the lab in: no endif in {file}")
        text = f"{before}\n{line}\n{endif}{after}"
    else:
        text = text.rstrip("\n") + f"\n{line}\n"
    cli.atomic_write(file, text)
    return True
