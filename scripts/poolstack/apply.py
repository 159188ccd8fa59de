# SPDX-License-Identifier: GPL-2.0-only
"""The stack onto a user's clone, all of it or nothing.

The patches are applied in a worktree of the user's repository that holds only
the files they touch. When the last one is in, the user's branch is moved
forward to it; until then the user's HEAD, index and files are not touched, so
there is nothing to undo when a patch does not apply.
"""

import hashlib
import re
import tempfile
from pathlib import Path

from poolstack import cli, kernel, trees

# How far back commits are searched for patches that are already there.
HISTORY = 20_000
UNFINISHED = ("rebase-apply", "rebase-merge", "MERGE_HEAD", "CHERRY_PICK_HEAD",
              "REVERT_HEAD", "BISECT_START")


def change_id(text):
    """What a patch or commit changes: its files and lines, without context or
    places, so that a patch that was merged three-way is still known."""
    digest = hashlib.sha256()
    inside = False
    for line in text.splitlines():
        if line.startswith("diff --git "):
            inside = False
            digest.update(line.encode() + b"\n")
        elif line.startswith("@@ "):
            inside = True
        elif line == "-- ":     # a mail's signature, not a removed line
            inside = False
        elif inside and line[:1] in "+-" and line:
            digest.update(line.encode(errors="replace") + b"\n")
    return digest.hexdigest()


def subject(text):
    """A patch file's subject, unfolded and without [PATCH …]."""
    found = re.search(r"^Subject: (.*(?:\n[ \t].*)*)", text, re.M)
    if not found:
        return ""
    line = re.sub(r"\s*\n[ \t]", " ", found.group(1))
    return re.sub(r"^(\[[^\]]*\]\s*)+", "", line).strip()


def read(path):
    return Path(path).read_text(encoding="utf-8", errors="replace")


def find_applied(tree, patches, tip="HEAD"):
    """{patch file: commit} of those patches that tip's history already has."""
    wanted = {}
    for patch in patches:
        text = read(patch.path)
        wanted.setdefault(subject(text), []).append((patch.file, change_id(text)))
    log = kernel.tree_git(tree, "log", f"-{HISTORY}", "--no-merges",
                          "--format=%H %s", tip)
    found = {}
    for line in log.splitlines():
        commit, _, title = line.partition(" ")
        for file, change in wanted.get(title, ()):
            if file not in found and change_id(show(tree, commit)) == change:
                found[file] = commit
    return found


def show(tree, commit):
    """A commit's diff, whatever the user's settings say about diffs."""
    return kernel.tree_git(tree, "-c", "diff.noprefix=false",
                           "-c", "diff.mnemonicPrefix=false",
                           "-c", "diff.algorithm=myers", "show", "--format=",
                           "--no-color", "--no-ext-diff", "--no-textconv",
                           "--no-renames", commit)


def require_git_tree(tree, name="TREE"):
    """Stop unless tree is the top of a git kernel tree at rest."""
    version = kernel.check_tree(tree, name)
    if not kernel.is_git_tree(tree):
        raise cli.Stop(f"{name} is no git tree: {tree}: name a clone "
                       "(scripts/fetch-kernel --to DIR makes one)")
    if kernel.tree_git(tree, "rev-parse", "-q", "--verify", "HEAD^{commit}",
                       check=False) is None:
        raise cli.Stop(f"{name} has no commit: {tree}: commit its files first")
    asked = [word for state in UNFINISHED for word in ("--git-path", state)]
    places = kernel.tree_git(tree, "rev-parse", *asked).splitlines()
    for state, place in zip(UNFINISHED, places):
        if Path(tree, place).exists():
            raise cli.Stop(f"{name} is in the middle of something "
                           f"({state}): {tree}: finish or abort that first")
    return version


def require_clean(tree, files=(), name="TREE"):
    """Stop if the tree has changes that are not committed.

    Tracked files must be as HEAD has them. Others are the user's own (Debian's
    .gitignore hides every one of them, a build leaves thousands) and stay as
    they are, unless one lies where a patch would put a file.
    """
    changed = kernel.tree_git(tree, "status", "--porcelain",
                              "--untracked-files=no", "--ignore-submodules")
    if changed:
        raise cli.Stop(f"{name} is dirty: {tree}: {changed.splitlines()[0][3:]} "
                       "differs from HEAD: commit or undo it first")
    tracked = set(kernel.tree_git(tree, "ls-files", "--", *files).splitlines()) \
        if files else set()
    for file in files:
        if file not in tracked and Path(tree, file).exists():
            raise cli.Stop(f"{name} is dirty: {tree}: {file} is in the way of a "
                           "patch and git does not track it: move it first")


def identity_env(tree):
    """The user's own identity commits; the placeholder where there is none."""
    have = kernel.tree_git(tree, "config", "user.email", check=False)
    name = kernel.tree_git(tree, "config", "user.name", check=False)
    if have and name:
        return {}
    return {key: value for key, value in kernel.PLACEHOLDER_ENV.items()
            if key in ("GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL")}


def preimages(patch_file):
    """The blob ids that a patch made with --full-index starts from."""
    return [blob for blob in re.findall(r"^index ([0-9a-f]{40})\.\.[0-9a-f]{40}",
                                        read(patch_file), re.M)
            if set(blob) != {"0"}]


def lend_blobs(tree, topics):
    """Give the clone the blobs that a three-way merge starts from, if it lacks
    some; returns whether it now has more than before.

    They are written into it as loose objects. Borrowing the import's objects
    through GIT_ALTERNATE_OBJECT_DIRECTORIES instead would leave commits whose
    parts git did not write, because it found them there.
    """
    wanted = {blob for topic in topics for patch in topic.active
              for blob in preimages(patch.path)}
    answers = kernel.tree_git(tree, "cat-file", "--batch-check",
                              stdin="".join(f"{blob}\n" for blob in wanted))
    missing = [line.split()[0] for line in answers.splitlines()
               if line.endswith(" missing")]
    if not missing:
        return False
    try:
        source = kernel.debian()
        trees.patched_commits(source, topics)   # later patches start from earlier
    except cli.Stop as stop:
        cli.say(f"   without three-way merges: {stop.message}")
        return False
    return any([lend(source.repo, tree, blob) for blob in missing])


def lend(repo, tree, blob):
    """Copy one blob, byte for byte; returns whether it was there."""
    with tempfile.TemporaryDirectory() as temp:
        log = Path(temp) / "blob"
        done = cli.run(["git", f"--git-dir={repo}", "cat-file", "blob", blob],
                       log=log, check=False)
        if done.returncode == 0:
            kernel.tree_git(tree, "hash-object", "-w", "--no-filters", str(log))
    return done.returncode == 0


def apply_topics(tree, topics):
    """git am of the topics onto tree; returns (applied, already there)."""
    tree = Path(tree).absolute()
    require_git_tree(tree)
    patches = [(topic, patch) for topic in topics for patch in topic.active]
    if not patches:
        return 0, 0
    files = sorted({name for _, patch in patches
                    for name in trees.touched(patch.path)})
    there = find_applied(tree, [patch for _, patch in patches])
    todo = [(topic, patch) for topic, patch in patches if patch.file not in there]
    # Only then is a file that a patch adds in the way.
    require_clean(tree, files if todo else ())
    for topic, patch in patches:
        if patch.file in there:
            cli.say(f"   already applied: {topic.name}/{patch.file}: "
                    f"{there[patch.file][:12]}")
    if not todo:
        return 0, len(there)
    head = kernel.tree_git(tree, "rev-parse", "HEAD")
    new = apply_beside(tree, head, todo, files, identity_env(tree), topics)
    kernel.tree_git(tree, *trees.NO_HOOKS, "merge", "-q", "--ff-only",
                    "--no-verify-signatures", new)
    return len(todo), len(there)


def apply_beside(tree, head, todo, files, env, topics):
    """git am of [(topic, patch)] on head in a scratch worktree of tree's
    repository; returns the last commit."""
    common = Path(tree, kernel.tree_git(tree, "rev-parse",
                                        "--git-common-dir")).resolve()
    source = kernel.Kernel(common, head, "", str(tree))
    with trees.scratch(source, files) as path:
        for topic, patch in todo:
            am_lending(path, patch.path, f"{topic.name}/{patch.file}", tree, topics,
                       env=env)
            cli.say(f"   applied: {topic.name}/{patch.file}")
        return kernel.tree_git(path, "rev-parse", "HEAD")


def am_lending(path, file, name, tree, topics, **more):
    """git am of one patch; only one that needs a merge has blobs lent for it,
    since that can mean to fetch a kernel."""
    try:
        trees.am_one(path, file, name, str(tree), **more)
    except cli.Stop:
        if not lend_blobs(tree, topics):
            raise
        trees.am_one(path, file, name, str(tree), **more)
