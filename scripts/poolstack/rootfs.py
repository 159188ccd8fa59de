# SPDX-License-Identifier: GPL-2.0-only
"""The userland of an emulated board: Debian's arm64 programs and the bench's own, as an initramfs.

The Debian part is made once and kept in the cache; the bench's part (init, workload functions, C
tools, BPF objects) is small, made anew for every run, and appended: the kernel unpacks one archive
after the other. Only programs that a workload calls and the libraries they need go in, since an
emulated CPU has to inflate all of it at every boot.
"""

import gzip
import hashlib
import io
import os
import re
import shutil
import tarfile
from pathlib import Path

from poolstack import cache, cli, mirror

PACKAGES = ("busybox-static", "ethtool", "iperf3", "iproute2")
PROGRAMS = ("bin/busybox", "bin/ip", "sbin/ethtool", "usr/bin/iperf3")
LIBRARIES = ("lib", "usr/lib", "lib/aarch64-linux-gnu", "usr/lib/aarch64-linux-gnu")
DIRECTORIES = ("bench", "bin", "dev", "etc", "lib", "proc", "run", "sbin", "sys", "tmp", "usr", "usr/bin",
               "usr/lib", "usr/sbin", "var")
RECIPE = 4          # raise when what goes into the archive changes
CROSS = "aarch64-linux-gnu-"
BPF = ("back", "drop", "pass", "redirect", "tx")


class Cpio:
    """An initramfs in the "newc" format (Documentation/driver-api/early-userspace/buffer-format.rst)."""

    def __init__(self):
        self._out = io.BytesIO()
        self._inode = 0
        self._names = set()

    def _entry(self, name, mode, data, rdev=(0, 0)):
        if name in self._names:
            return
        self._names.add(name)
        self._inode += 1
        fields = (self._inode, mode, 0, 0, 1, 0, len(data), 0, 0, *rdev, len(name) + 1, 0)
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
        for part in (head, data):
            self._out.write(part + b"\0" * (-len(part) % 4))

    def directory(self, name):
        """A directory, and those above it."""
        for parent in reversed(Path(name).parents):
            if str(parent) != ".":
                self._entry(str(parent), 0o40755, b"")
        self._entry(name, 0o40755, b"")

    def file(self, name, data, mode=0o755):
        """A regular file."""
        if "/" in name:
            self.directory(name.rsplit("/", 1)[0])
        self._entry(name, 0o100000 | mode, data)

    def symlink(self, name, target):
        """A symbolic link."""
        if "/" in name:
            self.directory(name.rsplit("/", 1)[0])
        self._entry(name, 0o120777, target.encode())

    def device(self, name, major, minor):
        """A character device."""
        self._entry(name, 0o20600, b"", (major, minor))

    def done(self):
        """The archive, compressed, the same bytes for the same content."""
        self._entry("TRAILER!!!", 0, b"")
        return gzip.compress(self._out.getvalue(), 6, mtime=0)


class Tree:
    """The files of a tar archive by name; symbolic links are followed inside it."""

    def __init__(self, tar):
        self._tar = tar
        self._members = {member.name.removeprefix("./"): member for member in tar.getmembers()}

    def find(self, name):
        """The name of the file behind that name, or None."""
        for _ in range(20):
            member = self._members.get(name)
            if member is None:
                above, _, rest = name.partition("/")
                link = self._members.get(above)
                if not rest or link is None or not link.issym():
                    return None
                name = f"{link.linkname.lstrip('/')}/{rest}"
            elif member.issym():
                target = member.linkname
                name = target[1:] if target.startswith("/") else self._join(name, target)
            elif member.islnk():
                name = member.linkname.removeprefix("./")
            else:
                return name
        return None

    @staticmethod
    def _join(name, target):
        parts = name.split("/")[:-1]
        for part in target.split("/"):
            if part == "..":
                parts.pop()
            elif part != ".":
                parts.append(part)
        return "/".join(parts)

    def read(self, name):
        """The bytes of a file, or None."""
        found = self.find(name)
        return self._tar.extractfile(self._members[found]).read() if found else None


def needed(data, scratch):
    """The shared libraries and the interpreter that an ELF file asks for."""
    scratch.write_bytes(data)
    text = cli.run([CROSS + "readelf", "-d", "-l", scratch], capture=True, what="reading an arm64 program").stdout
    names = re.findall(r"\(NEEDED\).*\[(.+)\]", text)
    return names + re.findall(r"interpreter: /lib/([^\]]+)\]", text)


def pack(tree, scratch):
    """The archive of PROGRAMS and their libraries out of a Debian tree."""
    cpio = Cpio()
    for name in DIRECTORIES:
        cpio.directory(name)
    cpio.device("dev/console", 5, 1)
    todo, libraries = [], set()
    for name in PROGRAMS:
        data = tree.read(name)
        if data is None:
            raise cli.Stop(f"the arm64 userland has no /{name}: run again with an empty cache: {cache.cache_dir()}")
        cpio.file(name, data)
        todo += needed(data, scratch)
    while todo:
        name = todo.pop()
        if name in libraries:
            continue
        libraries.add(name)
        data = next((data for where in LIBRARIES if (data := tree.read(f"{where}/{name}")) is not None), None)
        if data is None:
            raise cli.Stop(f"the arm64 userland lacks the library {name}: "
                           f"run again with an empty cache: {cache.cache_dir()}")
        cpio.file(f"lib/{name}", data)
        todo += needed(data, scratch)
    cpio.file("etc/passwd", b"root:x:0:0:root:/tmp:/bin/sh\n", 0o644)
    return cpio.done()


def versions(tree):
    """{package: version} of PACKAGES, from their changelogs: nothing is installed, so dpkg knows of none."""
    found = {}
    for name in PACKAGES:
        for file in ("changelog.Debian.gz", "changelog.gz"):
            data = tree.read(f"usr/share/doc/{name}/{file}")
            match = data and re.match(r"\S+ \((\S+)\)", gzip.decompress(data)[:200].decode(errors="replace"))
            if match:
                found[name] = match[1]
                break
    return found


def userland():
    """The Debian part: (Path of the archive, {package: version}). Made on first use, about a minute."""
    suite = mirror.codename()
    key = hashlib.sha256(repr((RECIPE, suite, PACKAGES, PROGRAMS, DIRECTORIES)).encode()).hexdigest()[:12]
    home = cache.cache_dir() / f"rootfs-{key}"
    with cache.lock("rootfs"):
        if not home.is_dir():
            temp = home.with_suffix(".new")
            shutil.rmtree(temp, ignore_errors=True)
            temp.mkdir(parents=True)
            undo = cli.defer(lambda: shutil.rmtree(temp, ignore_errors=True))
            with cli.step("arm64 userland from Debian packages"):
                _make(suite, temp)
            temp.rename(home)
            undo()
    text = (home / "versions").read_text()
    return home / "base.cpio.gz", dict(line.split() for line in text.splitlines())


def _make(suite, folder):
    """Fetch the packages and leave base.cpio.gz and versions in folder."""
    tar = folder / "debian.tar"
    # Nothing is run or owned in the target, so an ordinary user needs no subordinate ids for it.
    mode = "root" if os.geteuid() == 0 else "chrootless"
    try:
        cli.run(["mmdebstrap", "--quiet", f"--mode={mode}", "--variant=extract", "--architectures=arm64",
                 "--include=" + ",".join(PACKAGES), suite, tar, mirror.sources_line(suite)],
                log=folder / "mmdebstrap.log", what="arm64 userland", timeout=600)
    except cli.Failed as failed:
        text = (folder / "mmdebstrap.log").read_text(errors="replace")
        if mirror.DISK_FULL.search(text):
            raise cli.Stop(f"disk full: {folder}: the arm64 userland needs 500 MB for a while") from failed
        if mirror.OFFLINE.search(text):
            raise cli.Stop("no network: the arm64 userland comes from Debian's mirror: connect and run again") \
                from failed
        raise cli.Stop(f"arm64 userland: mmdebstrap: {cli.error_line(text)}") from failed
    with tarfile.open(tar) as archive:
        tree = Tree(archive)
        cli.atomic_write(folder / "base.cpio.gz", pack(tree, folder / "scratch"))
        found = versions(tree)
    cli.atomic_write(folder / "versions", "".join(f"{name} {version}\n" for name, version in found.items()))
    for name in (tar, folder / "scratch", folder / "mmdebstrap.log"):
        name.unlink()


CFLAGS = ("-O2", "-Wall", "-Wextra")


def _compile(compiler, source, target, *flags, what):
    """One tool of bench/tools."""
    cli.run([compiler, *CFLAGS, *flags, "-o", target, cli.root() / "bench" / "tools" / f"{source}.c"], capture=True,
            what=f"compiling {source}.c{what}")
    return target


def compile_bpf(folder, *, count=False):
    """Build the BPF objects into folder; returns {name: Path}. count: with maps of what they return."""
    made = {}
    multiarch = cli.run(["gcc", "-print-multiarch"], capture=True).stdout.strip()
    for name in BPF:
        made[f"{name}.o"] = folder / f"{name}.o"
        # -g: libbpf takes a map from its type information
        more = ["-g", f"-DBENCH_COUNT={name}_count"] if count else []
        cli.run(["clang", "-O2", "-Wall", "-target", "bpf", f"-I/usr/include/{multiarch}", *more, "-c",
                 cli.root() / "bench" / "bpf" / f"{name}.c", "-o", folder / f"{name}.o"], capture=True,
                what=f"compiling {name}.c for BPF")
    return made


def compile_host_tools(folder):
    """Build what a guest that runs the host's programs needs into folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("mark", "verdicts", "wire"):
        _compile("gcc", name, folder / name, what="")
    compile_bpf(folder, count=True)


def compile_tools(folder):
    """Build the C tools and the BPF objects into folder; returns {name in the guest: Path}."""
    folder.mkdir(parents=True, exist_ok=True)
    made = {name: _compile(CROSS + "gcc", name, folder / f"{name}.arm64", "-static", "-s", what=" for arm64")
            for name in ("mark", "seed", "wire")}
    _compile("gcc", "wire", folder / "wire", what="")
    _compile("gcc", "insn_count", folder / "insn_count.so", "-Wno-unused-parameter", "-shared", "-fPIC",
             "-fvisibility=hidden", what="")
    return made | compile_bpf(folder)


def initramfs(folder):
    """Build the whole initramfs in folder; returns (Path, {package: version})."""
    base, found = userland()
    cpio = Cpio()
    guest = cli.root() / "bench" / "workloads" / "guest"
    cpio.file("init", (guest / "init").read_bytes())
    cpio.file("bench/lib.sh", (guest / "lib.sh").read_bytes(), 0o644)
    for name, path in compile_tools(folder).items():
        cpio.file(f"bench/{name}", path.read_bytes())
    path = folder / "initramfs.cpio.gz"
    cli.atomic_write(path, base.read_bytes() + cpio.done())
    return path, found
