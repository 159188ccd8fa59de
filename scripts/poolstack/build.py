# SPDX-License-Identifier: GPL-2.0-only
"""Building a kernel from a tree, with ccache, progress and a short error.

The output folder lies inside the tree: kbuild then names sources by relative
paths, which are the same in every tree, so that ccache serves all sides.
"""

import contextlib
import hashlib
import os
import platform
import re
import shutil
import time
from pathlib import Path

from poolstack import cache, cli
from poolstack.kernel import tree_git
from poolstack.trees import LAB

ARCHES = {
    # arch: (ARCH=, compiler prefix, targets by default)
    "um": ("um", "", ("linux",)),
    "x86": ("x86_64", "", ("bzImage",)),
    "arm64": ("arm64", "aarch64-linux-gnu-", ("Image",)),
    "arm": ("arm", "arm-linux-gnueabihf-", ("zImage",)),
    "m68k": ("m68k", "m68k-linux-gnu-", ("vmlinux",)),
}
HOST = {"x86_64": ("um", "x86"), "aarch64": ("arm64",)}
# Set by a user or by the make that called us, these would steer kbuild.
FOREIGN = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "ARCH", "SUBARCH",
           "CROSS_COMPILE", "LLVM", "CC", "O", "V", "W", "C", "M", "CF", "CHECK",
           "KBUILD_OUTPUT", "KBUILD_EXTMOD", "KBUILD_VERBOSE", "KCONFIG_CONFIG",
           "KCONFIG_ALLCONFIG", "KCFLAGS", "KCPPFLAGS", "LOCALVERSION",
           "INSTALL_MOD_PATH", "CFLAGS", "CPPFLAGS", "LDFLAGS")
FEW = 500                           # files that a stack may touch
_ASSIGN = re.compile(r"^(?:(CONFIG_\w+)=(.*)|# (CONFIG_\w+) is not set)$")
_ERRORS = (
    re.compile(r"^\S+:\d+(:\d+)?: (fatal )?error: ", re.I),
    re.compile(r"undefined reference to|multiple definition of"),
    re.compile(r"^\S*Kconfig\S*:\d+: "),
    re.compile(r"^(ERROR|error|FATAL)[: ]"),
    re.compile(r"^make.*No rule to make target"),
)


def require_host(arch):
    """Stop unless this machine can build for arch; returns make's settings."""
    if arch not in ARCHES:
        raise cli.Stop(f"no such architecture: {arch}: want one of "
                       + ", ".join(ARCHES))
    name, prefix, _ = ARCHES[arch]
    machine = platform.machine()
    native = HOST.get(machine, ())
    if arch == "um" and "um" not in native:
        raise cli.Stop(f"UML runs on amd64 hosts only: this one is {machine}: use "
                       "an amd64 machine for the lab")
    if arch in native:
        prefix = ""
    elif not prefix:
        raise cli.Stop(f"cannot build {arch} on a {machine} host: use an amd64 "
                       "machine")
    for tool in ("ccache", f"{prefix}gcc", f"{prefix}ld"):
        if not shutil.which(tool):
            raise cli.Stop(f"building for {arch}: program not found: {tool}: "
                           "run scripts/packages")
    settings = {"ARCH": name, "CC": f"ccache {prefix}gcc"}
    if prefix:
        settings["CROSS_COMPILE"] = prefix
    return settings


def environment():
    """The environment of every kernel build, as changes to ours."""
    env = dict.fromkeys(FOREIGN)
    env |= {
        "CCACHE_DIR": str(cache.cache_dir() / "ccache"), "CCACHE_NOHASHDIR": "1",
        # Misses cost a compile, not a preprocessor run on top: a quarter of a
        # build from nothing. The other side hits by its unchanged headers.
        "CCACHE_DEPEND": "1",
        "KBUILD_BUILD_TIMESTAMP": "@0", "KBUILD_BUILD_USER": "poolstack",
        "KBUILD_BUILD_HOST": "lab", "KBUILD_BUILD_VERSION": "1",
        # Set, though empty: no "+" for a tree without a tag.
        "LOCALVERSION": "", "LC_ALL": "C",
    }
    return env


def parse_config(text):
    """{option: value} of a .config or fragment; None for "is not set"."""
    values = {}
    for line in text.splitlines():
        found = _ASSIGN.match(line.strip())
        if found:
            value = found.group(2)
            values[found.group(1) or found.group(3)] = \
                None if value in (None, "n") else value
    return values


def merge(fragments):
    """({option: value}, {option: file}) of fragments; later ones win."""
    values, origin = {}, {}
    for file in fragments:
        try:
            text = Path(file).read_text(encoding="utf-8")
        except OSError as error:
            raise cli.Stop(f"config fragment: {file}: {error.strerror}") from error
        for option, value in parse_config(text).items():
            values[option] = value
            origin[option] = file
    return values, origin


def lost(values, config):
    """Options that did not survive: [(option, wanted, is)]."""
    return [(option, value or "n", config.get(option) or "n")
            for option, value in values.items() if config.get(option) != value]


def _kconfig_key(tree, arch, base_config, values):
    """Changes with all that decides about the .config."""
    digest = hashlib.sha256(f"{arch} {base_config}\n{values}\n".encode())
    if base_config != "allnoconfig":
        digest.update(Path(base_config).read_bytes())
    listed = tree_git(tree.path, "ls-tree", "-r", "HEAD")
    digest.update("\n".join(line for line in listed.splitlines()
                            if "Kconfig" in line).encode())
    lab = tree.path / "drivers/net/ethernet/poolstack"
    for file in sorted(lab.rglob("Kconfig*")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def make(tree, out, settings, targets, *, log, what, jobs=None, check=True,
         keep_going=False):
    """One make of kbuild with progress; returns the CompletedProcess."""
    words = ["make", "-C", tree.path, f"O={out.name}", f"-j{jobs or os.cpu_count() + 1}"]
    if keep_going:
        words.append("-k")
    words += [f"{key}={value}" for key, value in settings.items()]
    begin = time.monotonic()
    start = log.stat().st_size if log.exists() else 0

    def progress():
        with open(log, "rb") as file:
            file.seek(start)
            done = len(re.findall(rb"^  (?:CC|AS|LD|AR|HOSTCC|CHECK) ", file.read(),
                                  re.M))
        cli.say(f"   {what}: {done} objects, {time.monotonic() - begin:.0f} s")

    try:
        return cli.run([*words, *targets], env=environment(), log=log, what=what,
                       progress=progress, check=check)
    except cli.Failed as failed:
        raise cli.Failed(f"{what} failed: {first_error(failed.output)}: see {log}",
                         log=log, output=failed.output) from failed


def first_error(text):
    """The line a reader needs: the first error of a compiler or linker."""
    for pattern in _ERRORS:
        for line in text.splitlines():
            if pattern.search(line):
                return line.strip()
    return cli.error_line(text)


def configure(tree, out, arch, settings, fragments, base_config, what):
    """Write out/.config if its inputs changed; stop if an option got lost."""
    values, origin = merge(fragments)
    key = _kconfig_key(tree, arch, base_config, values)
    key_file, config = out / "poolstack.key", out / ".config"
    with contextlib.suppress(FileNotFoundError):
        if config.is_file() and key_file.read_text(encoding="ascii") == key:
            return
    key_file.unlink(missing_ok=True)
    wanted = out / "poolstack.config"
    lines = [f"{option}={value}" if value is not None else f"# {option} is not set"
             for option, value in values.items()]
    new = out / ".config.new"
    settings = settings | {"KCONFIG_CONFIG": new.resolve()}
    if base_config == "allnoconfig":
        cli.atomic_write(wanted, "\n".join(lines) + "\n")
        settings["KCONFIG_ALLCONFIG"] = wanted.resolve()
        target = "allnoconfig"
    else:
        start = parse_config(Path(base_config).read_text(encoding="utf-8")) | values
        cli.atomic_write(new, "".join(
            f"{option}={value}\n" if value is not None else f"# {option} is not set\n"
            for option, value in start.items()))
        target = "olddefconfig"
    make(tree, out, settings, [target], log=out / "config.log",
         what=f"configuring {what}")
    text = new.read_text(encoding="utf-8")
    gone = lost(values, parse_config(text))
    if gone:
        option, want, have = gone[0]
        new.unlink()
        more = f" (and {len(gone) - 1} more)" if len(gone) > 1 else ""
        raise cli.Stop(f"config option lost: {option}: {origin[option]} wants "
                       f"{want}, this kernel gives {have}{more}: add what it "
                       "depends on, or drop it")
    if config.is_file() and config.read_text(encoding="utf-8") == text:
        new.unlink()
    else:
        os.replace(new, config)
    cli.atomic_write(key_file, key)


def kernel_options(out):
    """{option: value} of what was built in an output folder."""
    return parse_config((out / ".config").read_text(encoding="utf-8"))


def seed(out, folder, changed=()):
    """Begin an output folder as a copy of another one.

    kbuild then compiles only what depends on the options or files that differ:
    its commands name nothing of the output folder, and cp keeps times.
    changed: files and folders, relative to the tree, of which nothing that was
    compiled may stay.
    """
    if out.is_dir() or not (folder / "poolstack.key").is_file():
        return
    new = out.with_name(f"{out.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    cli.run(["cp", "-a", folder, new], what=f"copying {folder.name}")
    (new / "poolstack.key").unlink()
    for name in changed:
        shutil.rmtree(new / name, ignore_errors=True)
        (new / name).with_suffix(".o").unlink(missing_ok=True)
    new.rename(out)


def seed_from_base(tree, out):
    """Begin a build of the stack with the base's: a few files differ.

    Files that are the same must be older than the base's objects, or kbuild
    compiles them again; files that are not get the time of now.
    """
    base = tree.path.with_name("base")
    if tree.side != "patched" or tree.path.name != "patched" or out.is_dir() or \
            not (base / out.name / "poolstack.key").is_file():
        return
    commit = tree_git(base, "rev-parse", "-q", "--verify", "HEAD", check=False)
    names = commit and tree_git(tree.path, "diff", "--name-only", "-z", commit,
                                tree.commit, check=False)
    if names is None:
        return
    changed = [name for name in names.split("\0") if name]
    if len(changed) > FEW:          # of another kernel
        return
    for name in changed:
        with contextlib.suppress(FileNotFoundError):
            os.utime(tree.path / name)
    seed(out, base / out.name, [*changed, LAB])


def kernel(tree, arch, *, fragments, base_config="allnoconfig", name, targets=None,
          what=None, variables=None, like=None):
    """Configure and build; returns the output folder, tree.path/build-<name>.

    fragments: config files, later ones win; base_config: "allnoconfig" or a
    file to start from; targets: make targets, the architecture's image by
    default; variables: further make variables; like: the name of a build that
    differs in a few options, to start from if it is there. One build runs at a
    time.
    """
    what = what or f"kernel {name} ({tree.side})"
    settings = require_host(arch) | (variables or {})
    out = tree.path / f"build-{name}"
    targets = list(ARCHES[arch][2] if targets is None else targets)
    with cache.lock("build"), cli.step(f"building {what}"):
        seed_from_base(tree, out)
        if like:
            seed(out, tree.path / f"build-{like}")
        out.mkdir(exist_ok=True)
        log = out / "build.log"
        log.unlink(missing_ok=True)
        (out / "config.log").unlink(missing_ok=True)
        configure(tree, out, arch, settings, fragments, base_config, what)
        make(tree, out, settings, targets, log=log, what=f"building {what}")
    return out
