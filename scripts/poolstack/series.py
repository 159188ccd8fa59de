# SPDX-License-Identifier: GPL-2.0-only
"""patches/series and patches/base: what the stack is, and what it is made on.

patches/series, one word and its values a line:

    topic <name> <net|net-next>
    patch <file> <pending|submitted|accepted|backport|dropped> <fault or ->

A patch belongs to the topic above it and lies in patches/<topic>/<file>.
Dropped patches are kept for reference and never applied.

patches/base:

    version <kernel version>         package <Debian source package>
    package-version <version>        suite <Debian suite>
    blob <git blob id> <path>        one for each file that the stack touches

'#' begins a comment in both.
"""

from dataclasses import dataclass, field
from pathlib import Path

from poolstack import cli

TARGETS = ("net", "net-next")
STATUSES = ("pending", "submitted", "accepted", "backport", "dropped")
COVER = "0000-cover-letter.patch"


@dataclass
class Patch:
    file: str
    status: str
    fault: str
    path: Path = None

    @property
    def active(self):
        return self.status != "dropped"


@dataclass
class Topic:
    name: str
    target: str
    patches: list = field(default_factory=list)
    folder: Path = None

    @property
    def cover(self):
        return self.folder / COVER

    @property
    def active(self):
        return [patch for patch in self.patches if patch.active]


@dataclass
class Base:
    version: str
    package: str
    package_version: str
    suite: str
    blobs: dict


def patches_dir():
    return cli.root() / "patches"


def _lines(path):
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise cli.Stop(f"no such file: {path}") from error
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("#", 1)[0].split()
        if words:
            yield f"{path}:{number}", words


def load(folder=None):
    """All topics, in the order in which they are applied."""
    folder = Path(folder or patches_dir())
    topics = []
    for where, words in _lines(folder / "series"):
        if words[0] == "topic" and len(words) == 3:
            _, name, target = words
            if target not in TARGETS:
                raise cli.Stop(f"{where}: target {target}: must be one of "
                               + ", ".join(TARGETS))
            if any(topic.name == name for topic in topics):
                raise cli.Stop(f"{where}: topic {name} is there twice")
            topics.append(Topic(name, target, [], folder / name))
        elif words[0] == "patch" and len(words) == 4:
            _, file, status, fault = words
            if not topics:
                raise cli.Stop(f"{where}: patch {file} comes before any topic")
            if status not in STATUSES:
                raise cli.Stop(f"{where}: status {status}: must be one of "
                               + ", ".join(STATUSES))
            topic = topics[-1]
            path = topic.folder / file
            if not path.is_file():
                raise cli.Stop(f"{where}: no such patch: {path}")
            topic.patches.append(Patch(file, status, fault, path))
        else:
            raise cli.Stop(f"{where}: not understood: {' '.join(words)}: want "
                           "'topic NAME TARGET' or 'patch FILE STATUS FAULT'")
    return topics


def find(name, topics=None):
    """The topic of that name."""
    topics = load() if topics is None else topics
    for topic in topics:
        if topic.name == name:
            return topic
    names = ", ".join(topic.name for topic in topics) or "none"
    raise cli.Stop(f"no topic {name} in patches/series: there is: {names}")


def up_to(name=None, topics=None):
    """All topics, or those up to and including the named one."""
    topics = load() if topics is None else topics
    if name is None:
        return topics
    return topics[:topics.index(find(name, topics)) + 1]


def base(folder=None):
    """What patches/base records."""
    folder = Path(folder or patches_dir())
    keys = ("version", "package", "package-version", "suite")
    values, blobs = {}, {}
    for where, words in _lines(folder / "base"):
        if words[0] in keys and len(words) == 2:
            values[words[0]] = words[1]
        elif words[0] == "blob" and len(words) == 3:
            blobs[words[2]] = words[1]
        else:
            raise cli.Stop(f"{where}: not understood: {' '.join(words)}")
    for key in keys:
        if key not in values:
            raise cli.Stop(f"{folder / 'base'}: no line '{key} …'")
    return Base(*(values[key] for key in keys), blobs)
