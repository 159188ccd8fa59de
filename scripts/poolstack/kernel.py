# SPDX-License-Identifier: GPL-2.0-only
"""The kernel source: Debian's package as one git commit, or a user's tree.

source() is what everybody calls. Debian's linux-source package is streamed
into a bare repository in the cache once, as a commit whose id depends on the
package alone. A user's tree (KSRC) is never written to: a second bare
repository borrows its objects and takes a snapshot commit of it as it is,
edits that are not committed included.
"""

import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from poolstack import cache, cli, mirror, series

# A fixed author and date make the commit id the same on every machine.
IDENT = "poolstack <poolstack@example.org> 1000000000 +0000"
PLACEHOLDER_ENV = {
    "GIT_AUTHOR_NAME": "poolstack", "GIT_AUTHOR_EMAIL": "poolstack@example.org",
    "GIT_COMMITTER_NAME": "poolstack",
    "GIT_COMMITTER_EMAIL": "poolstack@example.org",
    "GIT_AUTHOR_DATE": "@1000000000 +0000",
    "GIT_COMMITTER_DATE": "@1000000000 +0000",
}
NEED_BYTES = 1_500_000_000  # download, pack, and room to index it
# What a build leaves in a tree without git, which a snapshot must not take.
BUILD_LEFTOVERS = ("*.o", "*.a", "*.ko", "*.cmd", "*.mod", "*.mod.c",
                   "*.so", "*.rej", "*.orig", "vmlinux", ".config", ".config.old",
                   ".tmp_*", "modules.order", "Module.symvers", "System.map")


@dataclass
class Kernel:
    repo: Path      # git directory that holds the commit
    commit: str
    version: str    # as the tree's Makefile says: "7.3.4"
    origin: str     # where it came from, for people
    drift: list = field(default_factory=list)   # how it differs from patches/base


def git(repo, *words, env=None, check=True, what=None, stdin=None):
    """git on a git directory; returns its output without the last newline."""
    # What git was told about some other repository must not reach this one.
    clean = {name: None for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")}
    done = cli.run(["git", f"--git-dir={repo}", *words], capture=True,
                   env={"LC_ALL": "C", **clean, **(env or {})}, check=check,
                   stdin=stdin, what=what or f"git {words[0]}")
    return done.stdout.rstrip("\n") if done.returncode == 0 else None


def makefile_version(text):
    """The version in a kernel's top Makefile, or None."""
    parts = dict(re.findall(r"^(VERSION|PATCHLEVEL|SUBLEVEL|EXTRAVERSION) *= *(\S*)",
                            text, re.M))
    if not parts.get("VERSION", "").isdigit() or "PATCHLEVEL" not in parts:
        return None
    sublevel = parts.get("SUBLEVEL") or "0"
    number = f"{parts['VERSION']}.{parts['PATCHLEVEL']}"
    return (f"{number}.{sublevel}" if sublevel != "0" else number) \
        + parts.get("EXTRAVERSION", "")


def check_tree(path, name="TREE"):
    """Stop unless path is a kernel tree; returns its version."""
    path = Path(path)
    if not path.is_dir():
        raise cli.Stop(f"{name} is no directory: {path}")
    try:
        version = makefile_version((path / "Makefile").read_text(errors="replace"))
    except OSError:
        version = None
    if not version or not (path / "Kconfig").is_file() \
            or not (path / "drivers/net").is_dir():
        raise cli.Stop(f"{name} is no kernel tree: {path}: name a folder that has "
                       "the kernel's Makefile, Kconfig and drivers/net")
    return version


def commit_version(repo, commit):
    """The kernel version of a commit, or None."""
    text = git(repo, "show", f"{commit}:Makefile", check=False)
    return makefile_version(text) if text else None


def compare_blobs(repo, commit, base):
    """How the commit differs from patches/base, one line a file."""
    lines = []
    listed = git(repo, "ls-tree", "-r", commit, "--", *base.blobs) \
        if base.blobs else ""
    there = {}
    for line in listed.splitlines():
        meta, path = line.split("\t", 1)
        there[path] = meta.split()[2]
    for path, blob in base.blobs.items():
        if path not in there:
            lines.append(f"{path} is not in this kernel")
        elif there[path] != blob:
            lines.append(f"{path} is {there[path][:12]}, "
                         f"patches/base has {blob[:12]}")
    return lines


def linux_git():
    """The bare repository of Debian's kernels, made if it is not there."""
    return _bare(cache.cache_dir() / "linux.git")


def _bare(repo):
    if (repo / "HEAD").is_file():
        return repo
    temp = Path(tempfile.mkdtemp(prefix=f".{repo.name}.", dir=repo.parent))
    try:
        cli.run(["git", "init", "-q", "--bare", temp], capture=True)
        # gc would drop what only a worktree's index holds, and takes minutes.
        for key, value in (("gc.auto", "0"), ("core.compression", "1"),
                           ("advice.detachedHead", "false"),
                           ("core.logAllRefUpdates", "false")):
            git(temp, "config", key, value)
        os.replace(temp, repo)
    finally:
        shutil.rmtree(temp, ignore_errors=True)
    return repo


# -- Debian's package ---------------------------------------------------------

def debian(base=None):
    """Debian's kernel as patches/base names it, or the newest there is."""
    base = base or series.base()
    with cache.lock("source"):
        found = _cached(base)
        if found is None:
            found = _fetch(base)
    repo, info = found
    kernel = Kernel(repo, info["commit"], info["version"],
                    f"{info['package']} {info['package-version']}")
    if info["package-version"] != base.package_version:
        cli.say(f"   kernel: {info['package']} {info['package-version']} serves for "
                f"{base.package} {base.package_version}, which the archive "
                "no longer has")
    kernel.drift = compare_blobs(repo, kernel.commit, base)
    if kernel.drift and info["package-version"] == base.package_version:
        raise cli.Stop("patches/base is wrong for "
                       f"{base.package} {base.package_version}: {kernel.drift[0]}: "
                       "correct its blob lines (scripts/refresh does)")
    for line in kernel.drift:
        cli.say(f"   drift: {line}")
    return kernel


def _info_path(repo, base):
    return repo / "poolstack" / f"{base.package}_{base.package_version}.json"


def _cached(base):
    repo = cache.cache_dir() / "linux.git"
    try:
        info = json.loads(_info_path(repo, base).read_text(encoding="utf-8"))
        commit = info["commit"]
        present = git(repo, "cat-file", "-t", f"{commit}^{{tree}}", check=False)
    except FileNotFoundError:
        return None
    except (ValueError, KeyError):
        present = None
    if present != "tree":
        cli.say(f"   the cached kernel is damaged, fetching it again: {repo}")
        return None
    return repo, info


def _choose(apt, base):
    """The package to take: the wanted one, or the newest linux-source."""
    def number(name):
        return tuple(int(part) for part in re.findall(r"\d+", name))

    names = [name for name in apt.names("linux-source-")
             if re.fullmatch(r"linux-source-\d+\.\d+", name)]
    if base.package in names:
        return base.package
    if not names:
        raise cli.Stop(f"no linux-source package in {base.suite} on "
                       f"{mirror.url()}: set KSRC=DIR to a kernel tree you have")
    newest = max(names, key=number)
    cli.say(f"   drift: {base.package} has left {base.suite}; the newest there is "
            f"{newest}")
    return newest


def _fetch(base):
    """Download Debian's package and import it."""
    top = cache.cache_dir()
    free = shutil.disk_usage(top).free
    if free < NEED_BYTES:
        raise cli.Stop(f"disk full: {top}: the kernel needs {NEED_BYTES / 1e9:.1f} GB "
                       f"and {free / 1e9:.1f} GB are free: free some, or set "
                       "POOLSTACK_CACHE to another disk")
    with cli.step(f"fetching the kernel ({base.suite})"):
        apt = mirror.Apt(base.suite)
        apt.update()
        package = _choose(apt, base)
        version = apt.candidate(package)
        if version != base.package_version:
            cli.say(f"   drift: {base.suite} has {package} {version}, patches/base "
                    f"was made on {base.package} {base.package_version}")
        temp = Path(tempfile.mkdtemp(prefix=".fetch-", dir=top))
        try:
            deb = apt.download(package, temp)
            repo = linux_git()
            commit = import_deb(deb, repo, f"{package} {version}")
        finally:
            shutil.rmtree(temp, ignore_errors=True)
        tree_version = commit_version(repo, commit)
        if tree_version is None:
            raise cli.Stop(f"{package} {version} holds no kernel source: "
                           f"{base.suite} on {mirror.url()}")
        if version == base.package_version and tree_version != base.version:
            raise cli.Stop(f"wrong version: {package} {version} is kernel "
                           f"{tree_version}, patches/base says {base.version}")
        git(repo, "update-ref", f"refs/poolstack/import/{tree_version}", commit)
        info = {"package": package, "package-version": version,
                "version": tree_version, "commit": commit}
        # Written last: only what is whole has one.
        cli.atomic_write(_info_path(repo, base), json.dumps(info, indent=1) + "\n")
    return repo, info


def import_deb(deb, repo, title):
    """Stream the kernel tarball in a .deb into repo; returns the commit.

    Nothing is unpacked to the disk, and no .gitignore is asked (Debian's
    ignores everything), since fast-import takes files, not a work tree.
    """
    unpack = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb],
                              stdout=subprocess.PIPE, start_new_session=True)
    inner = subprocess.Popen(["tar", "-xO", "--wildcards",
                              "*/linux-source-*.tar.xz"], stdin=unpack.stdout,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             start_new_session=True)
    plain = subprocess.Popen(["xz", "-dcT0"], stdin=inner.stdout,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             start_new_session=True)
    unpack.stdout.close()
    inner.stdout.close()
    try:
        commit = import_tar(plain.stdout, repo, title)
        while plain.stdout.read(1 << 20):   # padding behind the tar's end
            pass
        codes = [child.wait() for child in (unpack, inner, plain)]
        if any(codes):
            raise cli.Stop(f"{title}: the package cannot be unpacked: {deb}: "
                           "run again to fetch it anew")
        return commit
    except (tarfile.TarError, EOFError) as error:
        raise cli.Stop(f"{title}: no kernel tarball in the package, or it is cut "
                       f"short: {deb}: {error}") from error
    finally:
        for child in (unpack, inner, plain):
            if child.poll() is None:
                cli.stop_process(child)
        plain.stdout.close()


def import_tar(stream, repo, title, every=10_000):
    """Turn a tar stream into a commit without parents; returns its id."""
    with tempfile.TemporaryDirectory(prefix=".import-", dir=repo) as temp:
        marks = Path(temp) / "marks"
        errors = open(Path(temp) / "stderr", "w+b")
        child = subprocess.Popen(
            ["git", f"--git-dir={repo}", "-c", "pack.compression=1",
             "-c", "fastimport.unpackLimit=0", "fast-import", "--quiet", "--force",
             "--depth=0", f"--export-marks={marks}"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=errors,
            start_new_session=True)
        try:
            count = _feed(stream, child.stdin, title, every)
            child.stdin.close()
            if child.wait() != 0:
                raise BrokenPipeError
        except BrokenPipeError as error:
            child.wait()
            errors.seek(0)
            text = errors.read().decode(errors="replace")
            if "No space left" in text:
                raise cli.Stop(f"disk full: {repo}: free some space and "
                               "run again") from error
            raise cli.Stop(f"importing {title}: git fast-import: "
                           f"{cli.error_line(text)}") from error
        finally:
            with contextlib.suppress(OSError):
                child.stdin.close()
            if child.poll() is None:
                cli.stop_process(child)
            errors.close()
            for left in (*repo.glob("fast_import_crash_*"),
                         *repo.glob("objects/pack/tmp_*")):
                left.unlink(missing_ok=True)
        cli.say(f"   {title}: {count} files imported")
        return marks.read_text(encoding="ascii").split()[1]


def _feed(stream, sink, title, every):
    """Write the tar's files as one commit in fast-import's language."""
    message = f"Import {title}\n".encode()
    # Without a "from" the commit is a root, whatever the ref was before.
    sink.write(b"reset refs/poolstack/incoming\n\n"
               b"commit refs/poolstack/incoming\nmark :1\n"
               b"author %s\ncommitter %s\ndata %d\n%s"
               % (IDENT.encode(), IDENT.encode(), len(message), message))
    count = 0
    with tarfile.open(fileobj=stream, mode="r|") as tar:
        for member in tar:
            # "linux-source-7.3/drivers/…": the first part goes.
            name = member.name.removeprefix("./").partition("/")[2]
            if not name:
                continue
            if member.issym():
                mode, data = b"120000", member.linkname.encode()
            elif member.isfile():
                mode = b"100755" if member.mode & 0o100 else b"100644"
                data = tar.extractfile(member).read()
            else:
                continue
            quoted = name.replace("\\", "\\\\").replace('"', '\\"').encode()
            sink.write(b'M %s inline "%s"\ndata %d\n' % (mode, quoted, len(data)))
            sink.write(data)
            sink.write(b"\n")
            count += 1
            if count % every == 0:
                cli.say(f"   {title}: {count} files")
    if not count:
        raise tarfile.ReadError("it is empty")
    return count


# -- a user's tree ------------------------------------------------------------

def source(ksrc=None):
    """The kernel to work on: Debian's, or the user's tree or git address.

    ksrc: a kernel folder with or without git, "DIR#BRANCH", or a git address,
    "URL#BRANCH" too. None means Debian's package as patches/base names it.
    """
    if not ksrc:
        return debian()
    text = str(ksrc)
    if re.match(r"(\w+://|[\w.-]+@[\w.-]+:)", text):
        return _from_url(text)
    branch = None
    if not Path(text).is_dir() and "#" in text:
        text, _, branch = text.rpartition("#")
    path = Path(text).absolute()
    if branch is None:
        check_tree(path, "KSRC")
    elif not path.is_dir():
        raise cli.Stop(f"KSRC is no directory: {path}")
    return _from_dir(path, branch)


def _from_url(address):
    """A shallow clone of a git address, kept in the cache and fetched anew."""
    where, _, branch = address.partition("#")
    name = hashlib.sha256(address.encode()).hexdigest()[:16]
    with cache.lock("ksrc"), cli.step(f"fetching {address}"):
        repo = _bare(_ksrc_dir() / f"url-{name}.git")
        try:
            git(repo, "fetch", "-q", "--depth=1", "--no-tags", where,
                f"+{branch or 'HEAD'}:refs/poolstack/ksrc",
                env={"GIT_TERMINAL_PROMPT": "0"}, what=f"fetching {address}")
        except cli.Failed as failed:
            raise cli.Stop(failed.message) from failed
        commit = git(repo, "rev-parse", "refs/poolstack/ksrc^{commit}")
    return _user_kernel(repo, commit, address)


def _ksrc_dir():
    path = cache.cache_dir() / "ksrc"
    path.mkdir(exist_ok=True)
    return path


def _user_kernel(repo, commit, origin):
    version = commit_version(repo, commit)
    if not version or not git(repo, "ls-tree", commit, "--", "Kconfig"):
        raise cli.Stop(f"KSRC is no kernel tree: {origin}: name one that has the "
                       "kernel's Makefile and Kconfig")
    drift = compare_blobs(repo, commit, series.base())
    for line in drift:
        cli.say(f"   drift: {line}")
    return Kernel(repo, commit, version, origin, drift)


def tree_git(path, *words, check=True, env=None, stdin=None):
    """git in a user's work tree, without touching its index's stat data."""
    done = cli.run(["git", "-C", path, *words], capture=True, check=check,
                   env={"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", **(env or {})},
                   stdin=stdin, what=f"git {words[0]} in {path}")
    return done.stdout.rstrip("\n") if done.returncode == 0 else None


def is_git_tree(path):
    """Whether path is the top of a git work tree."""
    top = tree_git(path, "rev-parse", "--show-toplevel", check=False)
    return top is not None and Path(top).resolve() == Path(path).resolve()


def _from_dir(path, branch):
    name = hashlib.sha256(str(path).encode()).hexdigest()[:16]
    with cache.lock("ksrc"):
        repo = _bare(_ksrc_dir() / "trees.git")
        if branch is not None or is_git_tree(path):
            _borrow(repo, path)
            commit = tree_git(path, "rev-parse", "-q", "--verify",
                              f"{branch or 'HEAD'}^{{commit}}", check=False)
            if commit is None:
                raise cli.Stop(f"KSRC: no branch or commit {branch or 'HEAD'} "
                               f"in {path}")
            if branch is None:
                commit = _snapshot_git(repo, path, name, commit)
        else:
            commit = _snapshot_plain(repo, path, name)
        git(repo, "update-ref", f"refs/poolstack/ksrc/{name}", commit)
    return _user_kernel(repo, commit, str(path) + (f"#{branch}" if branch else ""))


def _borrow(repo, path):
    """Let repo see the objects of the user's repository, and Debian's."""
    common = tree_git(path, "rev-parse", "--git-common-dir")
    wanted = [Path(path, common).resolve() / "objects",
              cache.cache_dir() / "linux.git" / "objects"]
    file = repo / "objects/info/alternates"
    have = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    lines = dict.fromkeys(str(entry) for entry in [*have, *wanted]
                          if Path(entry).is_dir())
    cli.atomic_write(file, "".join(f"{line}\n" for line in lines))


def _snapshot_commit(repo, env, parent, path):
    tree = git(repo, "write-tree", env=env)
    if parent and git(repo, "rev-parse", f"{parent}^{{tree}}") == tree:
        return parent
    words = ["commit-tree", tree, "-m", f"Snapshot of {path}"]
    if parent:
        words += ["-p", parent]
    return git(repo, *words, env=PLACEHOLDER_ENV)


def _snapshot_git(repo, path, name, head):
    """Commit a git tree as it is: tracked files, and new ones git would add."""
    index = repo / f"{name}.index"
    env = {"GIT_INDEX_FILE": str(index)}
    work = f"--work-tree={path}"
    user_index = tree_git(path, "rev-parse", "--git-path", "index")
    # The user's index carries the stat data that spares reading every file.
    temp = repo / f"{name}.index.tmp"
    shutil.copyfile(Path(path, user_index), temp)
    os.replace(temp, index)
    if git(repo, work, "ls-files", "-u", env=env, check=False) != "":
        raise cli.Stop(f"KSRC has unmerged files, or an index that cannot be read: "
                       f"{path}: finish the merge first")
    git(repo, work, "add", "-u", ":/", env=env, what=f"reading {path}")
    new = tree_git(path, "ls-files", "-o", "-z", "--exclude-standard")
    new = [entry for entry in new.split("\0") if entry and not _leftover(entry)]
    if new:
        git(repo, work, "--literal-pathspecs", "add", "-f", "--pathspec-from-file=-",
            "--pathspec-file-nul", env=env, stdin="\0".join(new),
            what=f"reading {path}")
    return _snapshot_commit(repo, env, head, path)


def _leftover(entry):
    path = Path(entry)
    return (len(path.parts) > 1 and path.parts[0].startswith("build-")
            or any(path.match(pattern) for pattern in BUILD_LEFTOVERS))


def _snapshot_plain(repo, path, name):
    """Commit a folder without git: everything but what a build leaves."""
    env = {"GIT_INDEX_FILE": str(repo / f"{name}.index")}
    exclude = [":(exclude,glob)build-*/**",
               *(f":(exclude,glob)**/{pattern}" for pattern in BUILD_LEFTOVERS)]
    with cli.step(f"reading {path}"):
        git(repo, f"--work-tree={path}", "add", "-f", "-A", "--", ":/", *exclude,
            env=env, what=f"reading {path}")
    return _snapshot_commit(repo, env, None, path)


def export(found, path):
    """A git tree of the user's own with the kernel checked out on a branch."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise cli.Stop(f"already there: {path}: name a folder that is new or empty")
    temp = path.absolute().parent / f".{path.name}.{os.getpid()}"
    with cli.step(f"checking out into {path}"):
        try:
            # Hard links where they can be made, so that the tree does not need the
            # cache later on.
            git(found.repo, "clone", "-q", "--local", "--no-checkout", found.repo,
                temp, what=f"cloning into {path}")
            tree_git(temp, "remote", "remove", "origin")
            tree_git(temp, "checkout", "-q", "-B", "base", found.commit)
            if path.exists():
                path.rmdir()
            os.replace(temp, path)
        finally:
            shutil.rmtree(temp, ignore_errors=True)
