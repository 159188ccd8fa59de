# SPDX-License-Identifier: GPL-2.0-only
"""An edited kernel branch back into patches/<topic>.

The commits of the topic become its patches. A patch whose message and diff
are as they were keeps its bytes. Order comes from the branch; status and fault
of a patch go with its subject, or with its change when the subject was edited;
the cover letter is not touched.
"""

import os
import re
import shutil
import tempfile
from pathlib import Path

from poolstack import apply, cli, kernel, series, trees

# Whatever the user's settings are, the same commit gives the same bytes.
QUIET = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null",
         "LC_ALL": "C", "TZ": "UTC"}
FORMAT = ("-c", "diff.algorithm=myers", "-c", "diff.noprefix=false",
          "-c", "diff.mnemonicPrefix=false", "-c", "diff.context=3",
          "-c", "diff.interHunkContext=0", "-c", "diff.indentHeuristic=true",
          "-c", "core.quotePath=true", "-c", "diff.renames=true",
          "format-patch", "-q", "--full-index", "--zero-commit", "--no-signature",
          "--no-numbered", "--no-base", "--no-cover-letter", "--no-thread",
          "--no-attach", "--no-to", "--no-cc", "--no-add-header", "--no-color",
          "--no-ext-diff", "--no-textconv", "--encode-email-headers",
          "--no-force-in-body-from", "--stat=72", "--summary")


def unfold(text):
    return re.sub(r"\n[ \t]+", " ", text)


def essence(text):
    """What makes a patch that patch: who, subject, message and diff; not its
    date, number, statistics or the blob ids of an older base."""
    head, _, rest = text.partition("\n\n")
    who = re.search(r"^From: (.*)$", unfold(head), re.M)
    message, _, diff = rest.partition("\ndiff --git ")
    message = re.split(r"^---$", message, flags=re.M)[0]
    diff = re.sub(r"\n-- \n[^\n]*\n*$", "", diff)
    diff = re.sub(r"^index .*$", "", diff, flags=re.M)
    return (who.group(1) if who else "", apply.subject(text), message.strip(),
            diff.strip("\n"))


def topic_commits(tree, topics, topic, base=None):
    """(the commit before the topic, its commits in order) on tree's branch."""
    earlier = topics[:topics.index(topic)]
    later = topics[topics.index(topic) + 1:]

    def titles(some):
        return {apply.subject(apply.read(patch.path)) for entry in some
                for patch in entry.active}

    start = base and kernel.tree_git(tree, "rev-parse", "-q", "--verify",
                                     f"{base}^{{commit}}", check=False)
    if base and not start:
        raise cli.Stop(f"no commit {base} in {tree}: --base names the commit that "
                       "the topic begins after")
    start = start or _find_base(tree, titles([*earlier, topic, *later]))
    lines = kernel.tree_git(tree, "log", "--reverse", "--topo-order",
                            "--format=%H %P%x09%s", f"{start}..HEAD").splitlines()
    commits = []
    for line in lines:
        ids, _, title = line.partition("\t")
        if len(ids.split()) > 2:
            raise cli.Stop(f"a merge among the commits: {tree}: {ids[:12]} "
                           f"{title}: rebase the branch so that it is linear")
        if re.match(r"(fixup|squash|amend)! ", title):
            raise cli.Stop(f"a commit not folded in yet: {tree}: {ids[:12]} {title}: "
                           "run git rebase -i --autosquash first")
        commits.append((ids.split()[0], title))
    # Topics lie on each other in order, so the last commit of an earlier one
    # and the first of a later one bound this one.
    first = max((place + 1 for place, (_, title) in enumerate(commits)
                 if title in titles(earlier)), default=0)
    last = min((place for place, (_, title) in enumerate(commits)
                if title in titles(later) and place >= first), default=len(commits))
    before = commits[first - 1][0] if first else start
    return start, before, commits[first:last]


def _find_base(tree, titles):
    """The commit below the stack: the parent of its oldest commit."""
    log = kernel.tree_git(tree, "log", "--first-parent", "-1000",
                          "--format=%H %P%x09%s").splitlines()
    oldest = None
    for place, line in enumerate(log):
        ids, _, title = line.partition("\t")
        if title in titles:
            oldest = place
    if oldest is None:
        # None of the patches is there yet: then a branch that begins at an
        # import, or at its upstream, still says where.
        upstream = kernel.tree_git(tree, "merge-base", "HEAD", "@{upstream}",
                                   check=False)
        if upstream:
            return upstream
        root = log[-1].partition("\t")[0].split()
        if len(root) == 1 and len(log) < 1000:
            return root[0]
        raise cli.Stop(f"cannot tell where the topic begins: {tree}: none of its "
                       "patches is on the branch: name the commit before it with "
                       "--base COMMIT")
    ids = log[oldest].partition("\t")[0].split()
    if len(ids) < 2:
        raise cli.Stop(f"cannot tell where the topic begins: {tree}: its first "
                       "commit has no parent: name a base with --base COMMIT")
    # A commit put in front of the oldest known one belongs to the stack too,
    # when the whole history below is one import.
    root = log[-1].partition("\t")[0].split()
    if len(root) == 1 and len(log) < 1000:
        return root[0]
    upstream = kernel.tree_git(tree, "merge-base", "HEAD", "@{upstream}", check=False)
    return upstream or ids[1]


def require_same_base(tree, start, base):
    """Stop if the branch stands on another kernel than patches/base."""
    version = kernel.makefile_version(
        kernel.tree_git(tree, "show", f"{start}:Makefile", check=False) or "")
    for path, blob in base.blobs.items():
        have = kernel.tree_git(tree, "rev-parse", "-q", "--verify",
                               f"{start}:{path}", check=False)
        if have != blob:
            raise cli.Stop(f"the branch stands on another kernel than patches/base: "
                           f"{tree}: {path} differs at {start[:12]} (version "
                           f"{version}, wanted {base.version}): rebase it onto that "
                           "(scripts/fetch-kernel --to DIR makes one), or name the "
                           "stack's first parent with --base")


def without_signoffs(text):
    """A patch without Signed-off-by lines: only who submits it signs."""
    message, mark, rest = text.partition("\n---\n")
    message = re.sub(r"^Signed-off-by: .*\n?", "", message + "\n", flags=re.M)
    return message.rstrip("\n") + mark + rest


def format_commits(tree, before, commits, target, folder):
    """format-patch of the commits into folder; returns the files in order."""
    if not commits:
        return []
    prefix = f"--subject-prefix=PATCH {target}"
    kernel.tree_git(tree, *FORMAT, prefix, "-o", str(folder),
                    f"{before}..{commits[-1][0]}", env=QUIET)
    files = sorted(folder.glob("*.patch"))
    if len(files) != len(commits):
        raise cli.Stop(f"empty commits on the branch: {tree}: {len(commits)} commits "
                       f"gave {len(files)} patches: drop the empty ones")
    for file in files:
        text = file.read_text(encoding="utf-8")
        clean = without_signoffs(text)
        if clean != text:
            cli.say(f"   without its Signed-off-by: {file.name}")
            file.write_text(clean, encoding="utf-8")
    return files


def match(old, new):
    """{new file: old Patch}: by subject, then by what is changed."""
    left = {patch.file: patch for patch in old}
    found = {}
    for key in (lambda text: apply.subject(text), apply.change_id):
        keys = {}
        for patch in left.values():
            keys.setdefault(key(apply.read(patch.path)), patch)
        for file in new:
            patch = None if file in found else keys.get(key(apply.read(file)))
            if patch is not None and patch.file in left:
                found[file] = left.pop(patch.file)
    return found


def refresh(tree, topic_name, base_commit=None):
    """Rewrite the topic's patches from tree; returns what changed, as lines."""
    tree = Path(tree).absolute()
    topics = series.load()
    topic = series.find(topic_name, topics)
    apply.require_git_tree(tree)
    apply.require_clean(tree)
    start, before, commits = topic_commits(tree, topics, topic, base_commit)
    if not commits:
        raise cli.Stop(f"no commit of topic {topic_name} on the branch: {tree}: "
                       "apply the topic first (scripts/apply), or name the commit "
                       "before it with --base COMMIT")
    base = series.base()
    require_same_base(tree, start, base)
    topic.folder.mkdir(exist_ok=True)
    temp = Path(tempfile.mkdtemp(prefix=".refresh-", dir=topic.folder))
    try:
        return _replace(tree, topics, topic, start,
                        format_commits(tree, before, commits, topic.target, temp))
    finally:
        shutil.rmtree(temp, ignore_errors=True)


def _replace(tree, topics, topic, start, files):
    matched = match(topic.active, files)
    changes, entries = [], []
    for file in files:
        old = matched.get(file)
        if old is None:
            changes.append(f"new: {file.name}")
        else:
            was, now = apply.read(old.path), apply.read(file)
            if essence(was) == essence(now):
                file.write_bytes(old.path.read_bytes())
            else:
                changes.append(f"changed: {file.name}")
            if old.file != file.name:
                changes.append(f"renamed: {old.file} -> {file.name}")
        entries.append(series.Patch(file.name, old.status if old else "pending",
                                    old.fault if old else "-",
                                    topic.folder / file.name))
    kept = {entry.file for entry in entries}
    stay = {old.file for old in matched.values()}
    for old in topic.active:
        if old.file not in stay:
            changes.append(f"removed: {old.file}")
    # Dropped patches are not on the branch; each stays behind the one before it.
    for place, old in enumerate(topic.patches):
        if not old.active:
            if old.file in kept:
                raise cli.Stop(f"patches/series: dropped patch {old.file} has the "
                               "name of one that is on the branch: rename it first")
            entries.insert(min(place, len(entries)), old)
    for file in files:
        target = topic.folder / file.name
        if not target.exists() or target.read_bytes() != file.read_bytes():
            os.chmod(file, 0o644)
            os.replace(file, target)
    write_series(topic.name, entries)
    for old in topic.active:
        if old.file not in kept:
            old.path.unlink(missing_ok=True)
    write_blobs(tree, start, topics, topic, entries)
    return changes


def write_series(name, entries):
    """Put the topic's patch lines into patches/series; all else stays."""
    path = series.patches_dir() / "series"
    out, inside = [], False
    lines = path.read_text(encoding="utf-8").splitlines()
    comments = {}
    for line in lines:
        words = line.split("#", 1)[0].split()
        if words[:1] == ["topic"]:
            inside = words[1] == name
            out.append(line)
            if inside:
                out.append(None)
        elif inside and words[:1] == ["patch"]:
            if "#" in line:
                comments[words[1]] = "  #" + line.split("#", 1)[1]
        else:
            out.append(line)
    new = [f"patch {entry.file} {entry.status} {entry.fault}"
           + comments.get(entry.file, "") for entry in entries]
    text = "\n".join(part for line in out
                     for part in (new if line is None else [line])) + "\n"
    if text != path.read_text(encoding="utf-8"):
        cli.atomic_write(path, text)


def write_blobs(tree, start, topics, topic, entries):
    """patches/base: the id, below the stack, of every file it touches."""
    names = set()
    for entry in topics:
        patches = entries if entry.name == topic.name else entry.patches
        for patch in patches:
            if patch.active:
                names.update(trees.touched(patch.path))
    blobs = {}
    for name in sorted(names):
        blob = kernel.tree_git(tree, "rev-parse", "-q", "--verify",
                               f"{start}:{name}", check=False)
        if blob:            # else a patch adds it
            blobs[name] = blob
    path = series.patches_dir() / "base"
    lines = [line for line in path.read_text(encoding="utf-8").splitlines()
             if line.split()[:1] != ["blob"]]
    lines += [f"blob {blob} {name}" for name, blob in blobs.items()]
    text = "\n".join(lines) + "\n"
    if text != path.read_text(encoding="utf-8"):
        cli.atomic_write(path, text)
