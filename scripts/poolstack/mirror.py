# SPDX-License-Identifier: GPL-2.0-only
"""Debian packages of other suites, from the mirror that apt already uses.

For everybody who takes something from Debian's archive: url(), keyring() and
sources_line(suite) name the source (mmdebstrap takes the line as it is), and
Apt is an apt with a state of its own, so that the system's stays as it is.
No host name is written down anywhere: the mirror is what apt itself says.
"""

import functools
import os
import re
import shutil
from pathlib import Path

from poolstack import cache, cli

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_URI = re.compile(r"'((?:\S+?:)?\S+?)/dists/([^/']+)/(?:InRelease|Release)'")

OFFLINE = re.compile(r"Could not resolve|Temporary failure|Could not connect|"
                     r"Unable to connect|Connection (timed out|failed|refused)|"
                     r"Network is unreachable|Cannot initiate the connection|"
                     r"Failed to fetch", re.I)
DISK_FULL = re.compile(r"No space left on device|enough free space", re.I)


def codename(path="/etc/os-release"):
    """This Debian's code name, such as bookworm."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError:
        text = ""
    found = re.search(r'^VERSION_CODENAME="?([a-z]+)', text, re.M)
    return found.group(1) if found else ""


def parse(text, suite):
    """The mirror in the output of `apt-get update --print-uris`."""
    found = _URI.findall(text)
    for wanted in (suite, "stable", "oldstable"):
        for address, name in found:
            if name == wanted and "security" not in address:
                return address
    return None


@functools.cache
def url():
    """The Debian mirror of this machine, without a slash at the end."""
    # Both formats of sources, and all of apt's own rules, as apt reads them.
    done = cli.run(["apt-get", "update", "--print-uris"], capture=True,
                   env={"LC_ALL": "C"}, what="reading apt's configuration")
    address = parse(done.stdout, codename())
    if not address:
        raise cli.Stop("no Debian mirror in apt's configuration: "
                       "apt-get update --print-uris names none for "
                       f"{codename() or 'this system'}: add one, or set KSRC=DIR")
    return address


def keyring():
    """The keys that Debian's archive is signed with."""
    if not KEYRING.is_file():
        raise cli.Stop(f"no archive keys: {KEYRING}: "
                       "install debian-archive-keyring")
    return KEYRING


def sources_line(suite, components="main"):
    """One line of a sources.list for that suite."""
    return f"deb [signed-by={keyring()}] {url()} {suite} {components}"


class Apt:
    """apt for the named suites, with lists and archives of its own.

    state: a folder in the cache; foreign architectures and pins of the
    system's dpkg and apt stay in force, its sources do not.
    """

    def __init__(self, *suites):
        self.suites = suites
        self.state = cache.cache_dir() / "apt" / "+".join(suites)
        for part in ("lists/partial", "cache/archives/partial"):
            (self.state / part).mkdir(parents=True, exist_ok=True)
        cli.atomic_write(self.state / "sources.list", "".join(
            sources_line(suite) + "\n" for suite in suites))

    def options(self):
        """What makes apt-get and apt-cache use this state."""
        pairs = {
            "Dir::Etc::sourcelist": self.state / "sources.list",
            "Dir::Etc::sourceparts": "/dev/null",
            "Dir::State::Lists": self.state / "lists",
            "Dir::Cache": self.state / "cache",
            "Acquire::Languages": "none",
            "Acquire::Retries": "2",
            "APT::Get::List-Cleanup": "false",
        }
        if os.geteuid() == 0:
            # The download user may not reach a folder in root's home.
            pairs["APT::Sandbox::User"] = "root"
        else:
            pairs["Debug::NoLocking"] = "1"
        return [word for key, value in pairs.items()
                for word in ("-o", f"{key}={value}")]

    def update(self):
        """Fetch the lists."""
        self._run(["update", "-q"], "reading the package lists of "
                  + ", ".join(self.suites))

    def names(self, prefix):
        """Names of packages that begin with prefix."""
        done = cli.run(["apt-cache", *self.options(), "pkgnames", prefix],
                       capture=True, env={"LC_ALL": "C"})
        return sorted(done.stdout.split())

    def candidate(self, package):
        """The version that would be installed, or None."""
        done = cli.run(["apt-cache", *self.options(), "show", "--no-all-versions",
                        package], capture=True, check=False, env={"LC_ALL": "C"})
        found = re.search(r"^Version: (\S+)", done.stdout, re.M)
        return found.group(1) if found else None

    def size(self, package):
        """The size of the package's file in bytes, 0 if not known."""
        done = cli.run(["apt-cache", *self.options(), "show", "--no-all-versions",
                        package], capture=True, check=False, env={"LC_ALL": "C"})
        found = re.search(r"^Size: (\d+)", done.stdout, re.M)
        return int(found.group(1)) if found else 0

    def download(self, package, folder):
        """Put the package's file into folder, with progress; returns it."""
        folder = Path(folder)
        total = self.size(package)

        def progress():
            there = sum(file.stat().st_size for file in folder.rglob("*")
                        if file.is_file())
            cli.say(f"   {package}: {there / 1e6:.0f} of {total / 1e6:.0f} MB")

        free = shutil.disk_usage(folder).free
        if free < total:
            raise cli.Stop(f"disk full: {folder}: {package} needs "
                           f"{total / 1e6:.0f} MB, {free / 1e6:.0f} MB are free")
        self._run(["download", "-q", package], f"downloading {package}",
                  cwd=folder, progress=progress, every=5)
        files = list(folder.glob(f"{package}_*.deb"))
        if len(files) != 1:
            raise cli.Stop(f"downloading {package}: no file came: {folder}")
        return files[0]

    def _run(self, words, what, **more):
        try:
            return cli.run(["apt-get", *self.options(), *words], capture=True,
                           env={"LC_ALL": "C"}, what=what, **more)
        except cli.Failed as failed:
            if DISK_FULL.search(failed.output):
                raise cli.Stop(f"disk full: {self.state}: {what}: free some "
                               "space and run again") from failed
            if OFFLINE.search(failed.output):
                raise cli.Stop(f"no network: {what}: the mirror {url()} cannot be "
                               "reached: connect and run again, or set "
                               "KSRC=DIR to a kernel tree you have") from failed
            raise cli.Stop(failed.message) from failed


def main(argv):
    """Print the sources line of each suite named (scripts/packages uses it)."""
    for suite in argv:
        print(sources_line(suite))


if __name__ == "__main__":
    cli.main(main)
