# SPDX-License-Identifier: GPL-2.0-only
"""A tiny kernel, a tiny stack and a cache for tests: no network, no building."""

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SCRIPTS))

from poolstack import cache, cli, kernel, series  # noqa: E402

# A shell without job control starts what runs in its background with the interrupt ignored, and all
# that comes after inherits it; scripts that are interrupted here must hear it.
signal.signal(signal.SIGINT, signal.default_int_handler)

FEC = "drivers/net/ethernet/freescale/fec_main.c"
PACKAGE, PACKAGE_VERSION = "linux-source-7.3", "7.3.4-1~bpo13+1"
LINES = [f"int line_{number};" for number in range(1, 41)]

FILES = {
    "Makefile": "# SPDX\nVERSION = 7\nPATCHLEVEL = 3\nSUBLEVEL = 4\nEXTRAVERSION =\n",
    "Kconfig": "mainmenu \"fake\"\n",
    # As in Debian's tarball: everything is ignored.
    ".gitignore": "*\n",
    "MAINTAINERS": "FEC\nM: Some One <maintainer@example.org>\n",
    "drivers/net/ethernet/Kconfig": "menuconfig ETHERNET\nif ETHERNET\n\nendif\n",
    "drivers/net/ethernet/Makefile": "obj-y += freescale/\n",
    "drivers/net/ethernet/freescale/Makefile": "obj-y += fec_main.o\n",
    "drivers/net/ethernet/freescale/fec.h": "/* fec */\n",
    FEC: "\n".join(LINES) + "\n",
    "drivers/net/ethernet/mediatek/Makefile": "obj-y += mtk_eth_soc.o\n",
}


def write(root, files):
    for name, text in files.items():
        path = Path(root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def git(path, *words, check=True, env=None, stdin=None):
    done = subprocess.run(["git", "-C", str(path), *words], capture_output=True,
                          text=True, check=False, input=stdin,
                          env={**os.environ, **(env or {})})
    if check and done.returncode:
        raise AssertionError(f"git {' '.join(words)}: {done.stderr}")
    return done.stdout.rstrip("\n")


def tarball(files, top="linux-source-7.3"):
    """A kernel tarball as a stream, with a link and an executable in it."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(f"{top}/{name}")
            raw = text.encode()
            info.size = len(raw)
            info.mode = 0o755 if name.endswith(".pl") else 0o644
            tar.addfile(info, io.BytesIO(raw))
        link = tarfile.TarInfo(f"{top}/scripts/link")
        link.type, link.linkname = tarfile.SYMTYPE, "../Makefile"
        tar.addfile(link)
    data.seek(0)
    return data


_templates = {}


def template(key, make, target):
    """Copy what make(folder) built to target; built once a process."""
    if key not in _templates:
        if not _templates:
            _templates[None] = tempfile.TemporaryDirectory(prefix="poolstack-test-")
        folder = Path(_templates[None].name) / str(len(_templates))
        make(folder)
        _templates[key] = folder
    shutil.copytree(_templates[key], target, symlinks=True, dirs_exist_ok=True)


class Case(unittest.TestCase):
    """Each test has a repository, a cache and a home of its own."""

    def setUp(self):
        self.tmp = Path(tempfile.mkdtemp(prefix="poolstack-test-"))
        self.addCleanup(shutil.rmtree, self.tmp, ignore_errors=True)
        self.repo = self.tmp / "repo"
        self.home = self.tmp / "home"
        self.home.mkdir()
        # No test reaches the network: those that want apt bring their own.
        self.program("apt-get", "echo 'E: Could not resolve (test)' >&2; exit 100")
        environment = {
            "POOLSTACK_CACHE": str(self.tmp / "cache"), "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "PATH": f"{self.tmp / 'bin'}:{os.environ['PATH']}",
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": str(self.home / "git"),
        }
        Path(environment["GIT_CONFIG_GLOBAL"]).write_text(
            "[init]\n\tdefaultBranch = main\n", encoding="utf-8")
        for name in ("KSRC", "TREE", "TOPIC", "SIDES", "GIT_DIR", "GIT_WORK_TREE",
                     "GIT_INDEX_FILE", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL",
                     "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"):
            environment.setdefault(name, None)
        self.patch_environment(environment)
        root = cli.root
        cli.root = lambda: self.repo
        self.addCleanup(setattr, cli, "root", root)
        self.said = []
        say = cli.say
        cli.say = self.said.append
        self.addCleanup(setattr, cli, "say", say)
        self.make_repo()

    def program(self, name, text):
        """A shell program that stands before the real one in PATH."""
        path = self.tmp / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)

    def patch_environment(self, values):
        old = dict(os.environ)

        def restore():
            os.environ.clear()
            os.environ.update(old)

        self.addCleanup(restore)
        for name, value in values.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    def make_repo(self):
        """The scripts as they are, a lab of three files and an empty stack."""
        # With what is compiled already: that is most of a script's start.
        shutil.copytree(SCRIPTS / "poolstack", self.repo / "scripts/poolstack")
        for script in SCRIPTS.iterdir():
            if script.is_file():
                shutil.copy2(script, self.repo / "scripts" / script.name)
        write(self.repo, {
            "kunit/Kconfig": "config POOLSTACK_LAB\n\tbool\n",
            "kunit/Makefile": "obj-y += lab/\n",
            "kunit/lab/dma.c": "int dma;\n",
            "kunit/suites/a_kunit.c": "int a;\n",
            "patches/series": "# the stack\ntopic fec-fixes net\n",
        })
        (self.repo / "kunit/socs").mkdir()
        self.write_base()

    def write_base(self, blobs=None, **changes):
        values = {"version": "7.3.4", "package": PACKAGE,
                  "package-version": PACKAGE_VERSION, "suite": "trixie-backports"}
        values.update(changes)
        text = "# the base\n" + "".join(f"{key} {value}\n"
                                        for key, value in values.items())
        text += "".join(f"blob {blob} {path}\n"
                        for path, blob in (blobs or {}).items())
        write(self.repo, {"patches/base": text})

    def seed_cache(self, files=None, version=PACKAGE_VERSION):
        """The fake kernel in the cache, as if it had been fetched."""
        files = files or FILES

        def make(folder):
            folder.parent.mkdir(parents=True, exist_ok=True)
            commit = kernel.import_tar(tarball(files), kernel._bare(folder),
                                       f"{PACKAGE} {version}")
            (folder / "commit").write_text(commit)

        repo = cache.cache_dir() / "linux.git"
        template(("cache", str(files), version), make, repo)
        commit = (repo / "commit").read_text()
        info = {"package": PACKAGE, "package-version": version, "version": "7.3.4",
                "commit": commit}
        cli.atomic_write(kernel._info_path(repo, series.base()), json.dumps(info))
        return commit

    def make_tree(self, name="tree", files=None, identity=True):
        """A user's clone: the fake kernel as one commit on branch main."""
        files = files or FILES

        def make(folder):
            write(folder, files)
            git(folder, "init", "-q", "--template=")
            with open(folder / ".git/config", "a", encoding="ascii") as config:
                config.write("[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n")
                if identity:
                    config.write("[user]\n\tname = A Developer\n"
                                 "\temail = developer@example.org\n")
            git(folder, "add", "-f", "-A")
            git(folder, "commit", "-q", "-m", "Import", env=kernel.PLACEHOLDER_ENV)

        path = self.tmp / name
        template(("tree", str(files), identity), make, path)
        return path

    def make_patched_tree(self, name="tree"):
        """A user's clone with the stack of make_stack() on it."""
        def make(folder):
            shutil.copytree(self.make_tree("am"), folder)
            git(folder, "am", "-q", *sorted(map(str, (
                self.repo / "patches/fec-fixes").glob("000[1-9]*.patch"))))

        path = self.tmp / name
        template("patched tree", make, path)
        return path

    def edit(self, tree, old, new, title, file=FEC, author=None, body="Why."):
        """Commit one edited line as the placeholder."""
        path = Path(tree, file)
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1) if old else new, encoding="utf-8")
        git(tree, "add", "-f", file)
        git(tree, "commit", "-q", "-m", f"{title}\n\n{body}",
            f"--author={author or 'poolstack <poolstack@example.org>'}")

    def make_stack(self, edits=(("line_5;", "fixed_5;", "net: fec: fix five"),
                                ("line_30;", "fixed_30;", "net: fec: fix thirty"))):
        """patches/fec-fixes from edits of the fake kernel, and patches/base."""
        def make(folder):
            tree = self.make_tree("stack-maker")
            for old, new, title in edits:
                self.edit(tree, old, new, title,
                          body="Why.\n\nFixes: 0123456789ab (\"net: fec: begin\")")
            topic = folder / "patches/fec-fixes"
            git(tree, "format-patch", "-q", "--full-index", "--zero-commit",
                "--no-signature", "-N", "--subject-prefix=PATCH net",
                "-o", str(topic), f"main~{len(edits)}")
            names = sorted(file.name for file in topic.glob("*.patch"))
            write(folder, {
                "patches/series": "# the stack\ntopic fec-fixes net\n" + "".join(
                    f"patch {name} pending F{number}\n"
                    for number, name in enumerate(names, 1)),
                "patches/fec-fixes/0000-cover-letter.patch":
                    "Subject: [PATCH net 0/2] net: fec: fix two lines\n\n"
                    "Two lines were wrong.\n",
                "blob": git(tree, "rev-parse", f"main~{len(edits)}:{FEC}"),
            })
            shutil.rmtree(tree)

        template(("stack", edits), make, self.repo)
        self.write_base({FEC: (self.repo / "blob").read_text()})
        (self.repo / "blob").unlink()
        return sorted(file.name for file in
                      (self.repo / "patches/fec-fixes").glob("000[1-9]*.patch"))

    def script(self, name, *words, env=None, cwd=None):
        """Run a script of the test's repository as a user does."""
        return subprocess.run([sys.executable, str(self.repo / "scripts" / name),
                               *map(str, words)],
                              capture_output=True, text=True, check=False,
                              cwd=cwd or self.tmp, env={**os.environ, **(env or {})},
                              stdin=subprocess.DEVNULL)

    def state(self, tree):
        """All that a refused script must leave as it was: HEAD, branch, refs,
        index, and every file with its content and time."""
        files = {str(path.relative_to(tree)): (path.stat().st_mtime_ns,
                                               path.read_bytes())
                 for path in sorted(Path(tree).rglob("*"))
                 if path.is_file() and ".git" not in path.relative_to(tree).parts}
        return (git(tree, "rev-parse", "HEAD"), git(tree, "symbolic-ref", "HEAD"),
                git(tree, "show-ref"), git(tree, "ls-files", "-s"),
                git(tree, "worktree", "list"), files)

    def assert_stop(self, done, code, *parts):
        """One line on stderr that has the parts, and the exit code."""
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        lines = done.stderr.strip().splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        for part in parts:
            self.assertIn(part, lines[0])
        self.assertNotIn("Traceback", done.stderr)
