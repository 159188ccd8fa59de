# SPDX-License-Identifier: GPL-2.0-only
"""Board files, configs/boards/NAME.conf: KEY=VALUE, `#` comments, value optionally in double quotes.

The keys are those of the kernel's tools/testing/selftests/drivers/net (net.config) and some of our
own. Nothing is expanded and no shell is involved. What a board needs depends on WHERE it is.
"""

import dataclasses
import fnmatch
import re

from poolstack import cli

NET_CONFIG = ("NETIF", "LOCAL_V4", "LOCAL_V6", "LOCAL_PREFIX_V6", "REMOTE_V4", "REMOTE_V6", "REMOTE_TYPE",
              "REMOTE_ARGS")
OWN = ("BOARD", "SOC", "DRIVER", "WHERE", "ARCH", "KERNEL_CONFIG", "DEPLOY", "CONSOLE")
KEYS = OWN + NET_CONFIG
ALWAYS = ("BOARD", "SOC", "DRIVER", "WHERE", "ARCH", "DEPLOY")
NEEDED = {
    "lab": (),
    "qemu": ("KERNEL_CONFIG", "CONSOLE", "NETIF", "LOCAL_V4", "REMOTE_V4", "REMOTE_TYPE"),
    "board": ("KERNEL_CONFIG", "CONSOLE", "NETIF", "LOCAL_V4", "REMOTE_V4", "REMOTE_TYPE", "REMOTE_ARGS"),
}
ALLOWED = {
    "WHERE": tuple(NEEDED),
    "ARCH": ("um", "arm64", "arm", "mips"),
    "DEPLOY": ("uml", "qemu", "ssh-kexec", "command"),
    "REMOTE_TYPE": ("netns", "ssh"),
}
FITS = {"lab": ("uml",), "qemu": ("qemu",), "board": ("ssh-kexec", "command")}


@dataclasses.dataclass
class Conf:
    """One board file."""
    path: object
    keys: dict                      # KEY -> value
    lines: dict                     # KEY -> line number

    def __getitem__(self, key):
        return self.keys[key]

    def get(self, key, default=None):
        """The value of an optional key."""
        return self.keys.get(key, default)

    @property
    def name(self):
        """The board's name."""
        return self.keys["BOARD"]


def folder():
    """Where the board files are."""
    return cli.root() / "configs" / "boards"


def load(path):
    """Read one board file, or stop with file, line and key."""
    keys, lines = {}, {}
    for number, raw in enumerate(path.read_text().splitlines(), 1):
        where = f"{path}:{number}"
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        match = re.fullmatch(r"([A-Za-z_][A-Za-z0-9_]*)=(?:\"([^\"]*)\"|([^\"#]*?))\s*(?:#.*)?", line)
        if not match:
            raise cli.Stop(f"{where}: `{line}`: want KEY=VALUE or KEY=\"VALUE\"")
        key, value = match[1], match[2] if match[2] is not None else match[3].strip()
        if key not in KEYS:
            raise cli.Stop(f"{where}: unknown key {key}: known are {' '.join(KEYS)}")
        if key in keys:
            raise cli.Stop(f"{where}: key {key} stands already at line {lines[key]}: drop one")
        if not value:
            raise cli.Stop(f"{where}: key {key} has no value: give it one or drop the line")
        if value not in ALLOWED.get(key, (value,)):
            raise cli.Stop(f"{where}: key {key}: `{value}` is none of {' '.join(ALLOWED[key])}")
        keys[key], lines[key] = value, number
    end = len(path.read_text().splitlines()) or 1
    for key in ALWAYS:
        if key not in keys:
            raise cli.Stop(f"{path}:{end}: key {key} is missing")
    where = f"{path}:{lines['WHERE']}"
    for key in NEEDED[keys["WHERE"]]:
        if key not in keys:
            raise cli.Stop(f"{where}: key {key} is missing: WHERE={keys['WHERE']} needs it")
    if keys["DEPLOY"] not in FITS[keys["WHERE"]]:
        raise cli.Stop(f"{path}:{lines['DEPLOY']}: key DEPLOY: `{keys['DEPLOY']}` does not go with "
                       f"WHERE={keys['WHERE']}: want {' or '.join(FITS[keys['WHERE']])}")
    if keys["BOARD"] != path.stem:
        raise cli.Stop(f"{path}:{lines['BOARD']}: key BOARD: `{keys['BOARD']}` is not the file's name, {path.stem}")
    return Conf(path, keys, lines)


def load_all(where=None):
    """All board files, by name; a broken one stops the run, whether or not it was asked for."""
    return {path.stem: load(path) for path in sorted((where or folder()).glob("*.conf"))}


def _members(name, boards):
    """The boards of a group, or None where name is no group."""
    if name == "all-emulated":
        return [conf for conf in boards.values() if conf["WHERE"] == "qemu"]
    match = re.fullmatch(r"lab-(\w+)", name)
    if match:
        return [conf for conf in boards.values() if conf["WHERE"] == "lab" and conf["DRIVER"] == match[1]]
    return None


def select(words, *, soc="", where=None):
    """Boards and groups as the user names them -> [(name, [Conf])]; soc narrows groups (a glob)."""
    boards = load_all(where)
    chosen = []
    for word in words:
        if word in boards:
            chosen.append((word, [boards[word]]))
            continue
        members = _members(word, boards)
        if not members:
            raise cli.Stop(f"unknown board: {word}: no {(where or folder()) / word}.conf, and no group of that name "
                           f"(boards: {' '.join(boards)})")
        members = [conf for conf in members if not soc or fnmatch.fnmatchcase(conf["SOC"], soc)]
        if not members:
            raise cli.Stop(f"board group {word} has no SoC `{soc}`")
        chosen.append((word, members))
    if not chosen:
        raise cli.Stop("no board named: BOARD=\"lab-fec\" or another of configs/boards")
    return chosen
