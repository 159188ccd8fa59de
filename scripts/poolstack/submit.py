# SPDX-License-Identifier: GPL-2.0-only
"""A topic as a b4 branch and as mails in a folder; nothing is ever sent.

b4 works in a worktree beside the user's, on a new branch of the user's
repository, so that what is checked out there stays as it is. All that must not
reach a mailing list is taken out before the mails are handed over, and looked
for once more afterwards.
"""

import contextlib
import email
import email.policy
import email.utils
import os
import re
import shutil
import tempfile
from pathlib import Path

from poolstack import apply, check, cli, kernel, series, trees

PLACEHOLDER = "poolstack@example.org"
# Linux 2.6.12-rc2, the first commit of every real kernel history.
LINUX_ROOT = "1da177e4c3f41524e886b7f1b8a0c1fc7321cac2"
# get_maintainer.pl wants these before it takes a folder for a kernel.
KERNEL_TOP = ("COPYING", "CREDITS", "Kbuild", "Kconfig", "MAINTAINERS", "Makefile",
              "README", ".get_maintainer.ignore", ".mailmap", "scripts/",
              "Documentation/Kconfig", "arch/Kconfig", "include/linux/kernel.h",
              "drivers/Kconfig", "fs/Kconfig", "init/Kconfig", "ipc/Makefile",
              "kernel/Makefile", "lib/Kconfig")


def identity(tree):
    """(name, address) of who submits, from git; never the placeholder."""
    name = kernel.tree_git(tree, "config", "user.name", check=False)
    address = kernel.tree_git(tree, "config", "user.email", check=False)
    if not name or not address:
        raise cli.Stop(f"no identity: {tree}: patches go out under your name: git "
                       "config user.name and user.email")
    if address == PLACEHOLDER or name == "poolstack":
        raise cli.Stop(f"the identity is this project's placeholder: {tree}: "
                       f"{name} <{address}>: set git config user.name and "
                       "user.email to your own")
    return name, address


def place(tree, topic):
    """The commit to put the topic on: HEAD, or below the topic if it is there."""
    there = apply.find_applied(tree, topic.active)
    if not there:
        return kernel.tree_git(tree, "rev-parse", "HEAD")
    if len(there) < len(topic.active):
        missing = next(patch.file for patch in topic.active
                       if patch.file not in there)
        raise cli.Stop(f"only a part of {topic.name} is on the branch: {tree}: "
                       f"{missing} is not: apply it (scripts/apply) or check out a "
                       "branch without the topic")
    commits = set(there.values())
    line = kernel.tree_git(tree, "rev-list", "--first-parent",
                           f"-{len(commits)}", "HEAD").split()
    if set(line) != commits:
        raise cli.Stop(f"{topic.name} is on the branch with other commits on top of "
                       f"it: {tree}: check out a branch that ends with it, or one "
                       "without it")
    return kernel.tree_git(tree, "rev-parse", f"{line[-1]}^")


def foreign_base(tree, commit):
    """Whether the commit is of no public history (an import, say), so that its
    id means nothing to anybody else."""
    if kernel.tree_git(tree, "rev-parse", "--is-shallow-repository") == "true":
        roots = set()
        file = Path(tree, kernel.tree_git(tree, "rev-parse", "--git-path", "shallow"))
        with contextlib.suppress(FileNotFoundError):
            roots = set(file.read_text(encoding="ascii").split())
        found = set(kernel.tree_git(tree, "rev-list", "--max-parents=0",
                                    commit).split())
        return not found & roots
    return kernel.tree_git(tree, "merge-base", "--is-ancestor", LINUX_ROOT, commit,
                           check=False) is None


def own_patch(patch, who, sign_off):
    """The patch's text under the submitter's name, without the placeholder."""
    text = apply.read(patch.path)
    head, mark, rest = text.partition("\n\n")
    name, address = who
    head = re.sub(r"^From: .*<" + re.escape(PLACEHOLDER) + r">$",
                  f"From: {email.utils.formataddr((name, address), 'utf-8')}", head,
                  flags=re.M)
    if sign_off:
        # git am -s adds one for the committer; others must not be in it.
        if re.search(r"^Signed-off-by:", rest, re.M):
            raise cli.Stop(f"{patch.file}: it is signed off already: take that out, "
                           "the submitter signs")
    return head + mark + rest


def cover_text(topic, who, sign_off):
    """The cover letter as b4 keeps it: title, empty line, text."""
    if not topic.cover.is_file():
        if len(topic.active) > 1:
            raise cli.Stop(f"no cover letter: {topic.cover}: write it first")
        title, body = apply.subject(apply.read(topic.active[0].path)), ""
    else:
        text = apply.read(topic.cover)
        title = apply.subject(text)
        body = text.partition("\n\n")[2]
        # b4 makes the shortlog and the diffstat itself, and signs for nobody.
        body = re.split(r"^-- $", body, flags=re.M)[0]
        body = re.split(r"^\S.* \(\d+\):\n  ", body, flags=re.M)[0]
        body = re.sub(r"^base-commit: .*\n?", "", body, flags=re.M)
    if not title or "***" in title:
        raise cli.Stop(f"the cover letter has no subject: {topic.cover}")
    name, address = who
    signed = f"\nSigned-off-by: {name} <{address}>\n" if sign_off else ""
    return f"{title}\n\n{body.strip()}\n{signed}"


def b4(path, *words, what, more=()):
    """Run b4 with settings that are ours for this call only."""
    settings = [
        # b4 0.12 wants a server before it writes mails to a folder.
        ("sendemail.smtpserver", "localhost"),
        ("b4.prep-cover-strategy", "commit"),
        ("b4.send-endpoint-web", ""),
        ("b4.send-no-patatt-sign", "yes"),
        ("core.hooksPath", "/dev/null"), ("commit.gpgSign", "false"),
        ("core.sparseCheckout", "true"), ("core.sparseCheckoutCone", "false"),
        *more,
    ]
    env = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings):
        env[f"GIT_CONFIG_KEY_{number}"] = key
        env[f"GIT_CONFIG_VALUE_{number}"] = value
    env |= {name: None for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")}
    try:
        return cli.run(["b4", *words], cwd=path, capture=True, env=env, what=what)
    except cli.Failed as failed:
        lines = [line.strip() for line in failed.output.splitlines()
                 if line.strip().startswith(("CRITICAL", "ERROR"))]
        raise cli.Failed(f"{what}: b4 says: " + (lines[0] if lines else
                         cli.error_line(failed.output))) from failed


def clean_mail(text, foreign):
    """A mail without the base of an import."""
    if foreign:
        text = re.sub(r"^base-commit: .*\n", "", text, flags=re.M)
    return text


def inspect(files, base):
    """Stop if a mail has anything that must not go out. base: its commit if it
    is foreign, else None."""
    for file in files:
        text = file.read_text(encoding="utf-8", errors="replace")
        message = email.message_from_string(text, policy=email.policy.default)
        body = message.get_content() if not message.is_multipart() else text
        whole = text + "\n" + body
        for bad, why in ((PLACEHOLDER, "the placeholder author"), ("EDITME", "EDITME"),
                         (base, "the import's commit"),
                         ("*** SUBJECT HERE", "no subject")):
            if bad and bad in whole:
                raise cli.Stop(f"a mail has {why} in it: {file.name}: nothing was "
                               "kept", cli.FAIL)
        if not message["To"]:
            raise cli.Stop(f"a mail has no recipient: {file.name}: get_maintainer.pl "
                           "found none", cli.FAIL)


def branch_name(tree, topic):
    """A name b4/<topic>, with a number where that is taken."""
    number = 1
    while True:
        name = topic.name if number == 1 else f"{topic.name}-{number}"
        if kernel.tree_git(tree, "show-ref", "--verify", "-q",
                           f"refs/heads/b4/{name}", check=False) is None:
            return name
        number += 1


def submit(tree, topic_name, out, sign_off=False):
    """Prepare the topic; returns (branch, folder, number of mails)."""
    tree = Path(tree).absolute()
    topic = series.find(topic_name)
    if not topic.active:
        raise cli.Stop(f"nothing to submit: topic {topic_name} has no patch",
                       cli.SKIP)
    unknown = check.unfixed([topic])
    if unknown:
        raise cli.Stop("no Fixes: line, which a patch for net needs: "
                       f"{' '.join(unknown)}: find the commit that brought the fault "
                       "with git log -S in a clone with history, and put it into the "
                       "message and into kunit/faults", cli.FAIL)
    out = Path(out).absolute()
    if out.exists() and any(out.iterdir()):
        raise cli.Stop(f"the folder for the mails is not empty: {out}: name another "
                       "with --out, or empty it")
    apply.require_git_tree(tree)
    who = identity(tree)
    if not shutil.which("b4"):
        raise cli.Stop("program not found: b4: run scripts/packages check")
    base = place(tree, topic)
    for name in ("scripts/get_maintainer.pl", "MAINTAINERS"):
        if not kernel.tree_git(tree, "ls-tree", base, "--", name):
            raise cli.Stop(f"TREE has no {name}: {tree}: recipients come from it")
    foreign = foreign_base(tree, base)
    files = [*KERNEL_TOP, *sorted({name for patch in topic.active
                                   for name in trees.touched(patch.path)})]
    common = Path(tree, kernel.tree_git(tree, "rev-parse",
                                        "--git-common-dir")).resolve()
    source = kernel.Kernel(common, base, "", str(tree))
    name = branch_name(tree, topic)
    branch = f"b4/{name}"
    out.parent.mkdir(parents=True, exist_ok=True)
    temp = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    made = False
    try:
        with trees.scratch(source, files) as path:
            try:
                mails = _prepare(path, tree, topic, name, who, sign_off, temp)
                mails = _sort_out(mails, foreign, base)
                if out.exists():
                    out.rmdir()
                os.replace(mails[0].parent, out)
                made = True
            finally:
                # The branch can go, or stay, once nothing has it checked out.
                kernel.tree_git(path, *trees.SPARSE, "checkout", "-q", "--detach",
                                check=False)
                if not made:
                    _forget(tree, branch)
    finally:
        shutil.rmtree(temp, ignore_errors=True)
    return branch, out, len(mails), foreign


def _prepare(path, tree, topic, name, who, sign_off, temp):
    """Branch, cover, patches, recipients and mails; returns the mails."""
    b4(path, "prep", "-n", name, "--set-prefixes", topic.target,
       what=f"making branch b4/{name}")
    cover = temp / "cover"
    cover.write_text(cover_text(topic, who, sign_off), encoding="utf-8")
    b4(path, "prep", "--edit-cover", what="storing the cover letter",
       more=[("core.editor", f"cp {_quote(cover)}")])
    extra = ("-s",) if sign_off else ()
    env = dict(zip(("GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"), who))
    for patch in topic.active:
        file = temp / patch.file
        file.write_text(own_patch(patch, who, sign_off), encoding="utf-8")
        apply.am_lending(path, file, f"{topic.name}/{patch.file}", tree, [topic],
                         env=env, extra=extra)
    b4(path, "prep", "--auto-to-cc", what="asking get_maintainer.pl")
    folder = temp / "mails"
    b4(path, "send", "-o", folder, "--no-sign", what="writing the mails")
    mails = sorted(folder.iterdir())
    want = len(topic.active) + (len(topic.active) > 1)
    if len(mails) != want:
        raise cli.Stop(f"b4 wrote {len(mails)} mails, {want} were due", cli.FAIL)
    return mails


def _quote(path):
    """For the shell that git and b4 hand an editor to."""
    return "'" + str(path).replace("'", "'\\''") + "'"


def _sort_out(mails, foreign, base):
    for mail in mails:
        text = mail.read_text(encoding="utf-8", errors="surrogateescape")
        mail.write_text(clean_mail(text, foreign), encoding="utf-8",
                        errors="surrogateescape")
    inspect(mails, base if foreign else None)
    return mails


def _forget(tree, branch):
    """Take a half-made branch and its settings away again."""
    kernel.tree_git(tree, "update-ref", "-d", f"refs/heads/{branch}", check=False)
    kernel.tree_git(tree, "config", "--remove-section", f"branch.{branch}",
                    check=False)
