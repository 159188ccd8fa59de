# SPDX-License-Identifier: GPL-2.0-only
"""Lab kernels that differ from one that is built in a few objects of a driver.

kbuild takes half a minute to compile one file again: it looks at every folder, and links three times for
the symbol table. Here the compiler is called as kbuild called it (the .cmd files beside the objects say
how), for a copy of the sources, and the kernel is linked once, with the symbol table of the one that is
built: a backtrace may name a neighbour of the function. The kernel's tree stays untouched, so that many
such kernels can be made at a time.
"""

import shlex
import shutil
from pathlib import Path

from poolstack import build, cli

LINK = "poolstack.link"             # in the build folder: how the kernel was linked


class Kit:
    """A kernel that is built, and what it takes to make others of it."""

    def __init__(self, tree, out):
        self.tree, self.out = tree, out
        self.members = _ask(["ar", "t", "vmlinux.a"], out).split()
        self.link_words = _link_words(tree, out)
        if not self.members or "vmlinux.a" not in self.link_words:
            raise cli.Stop(f"{out}: cannot tell how this kernel is linked: remove the folder and run again", cli.FAIL)

    def objects(self, file):
        """The objects that change with a source file: its own, or for a header those of its folder."""
        path = Path(file)
        own = str(path.with_suffix(".o"))
        if path.suffix == ".c":
            found = [own] if own in self.members else []
        else:
            found = [member for member in self.members if Path(member).parent == path.parent]
        if not found:
            raise cli.Failed(f"{file}: nothing of the lab's kernel is made from it")
        return found

    def copy(self, files, folder):
        """Copy the folders that these files are in, sources only."""
        for parent in {Path(file).parent for file in files}:
            (folder / parent).mkdir(parents=True, exist_ok=True)
            for file in (self.tree.path / parent).iterdir():
                if file.suffix in (".c", ".h"):
                    shutil.copyfile(file, folder / parent / file.name)

    def compile(self, member, folder, extra=()):
        """Compile an object's source in folder, as kbuild did; returns the new object's path."""
        source, made = folder / Path(member).with_suffix(".c"), folder / member
        command = self.out / Path(member).parent / f".{Path(member).name}.cmd"
        words = shlex.split(command.read_text().splitlines()[0].partition(":=")[2].partition(";")[0])
        words = [str(made) if word == member else str(source) if word == f"../{source.relative_to(folder)}" else
                 f"-Wp,-MMD,{made}.d" if word.startswith("-Wp,-MMD,") else word for word in words]
        if str(made) not in words or str(source) not in words:
            raise cli.Failed(f"{command}: does not say how to compile {member}")
        _make([*words, *extra], self.out, f"compiling {member}")
        return made

    def link(self, changed, target, extra=()):
        """Link with changed ({member: path of the new object}) into target; returns it."""
        objects = target.with_suffix(".objects")
        objects.write_text("\n".join(str(changed.get(member, member)) for member in self.members) + "\n")
        words = [f"@{objects}" if word == "vmlinux.a" else word for word in self.link_words]
        words[words.index("-o") + 1] = str(target)
        _make([*words, *extra], self.out, "linking")
        return target

    def kernel(self, files, folder, *, extra=(), link_extra=()):
        """A kernel with these source files, taken from folder, compiled anew; returns the program."""
        changed = {member: None for file in files for member in self.objects(file)}
        changed = {member: self.compile(member, folder, extra) for member in changed}
        return self.link(changed, folder / "linux", link_extra)


def _ask(words, folder):
    return cli.run(words, cwd=folder, capture=True).stdout


def _make(words, folder, what):
    """Run the compiler; the error is the first that it names."""
    done = cli.run(words, cwd=folder, capture=True, check=False, env=build.environment(), what=what, timeout=300)
    if done.returncode:
        raise cli.Failed(f"{what} failed: {build.first_error(done.stderr + done.stdout)}", output=done.stderr)


def _link_words(tree, out):
    """The last link of the kernel, as words; asked of kbuild once for each kernel that it linked."""
    saved, program = out / LINK, out / "vmlinux.unstripped"
    if not saved.is_file() or saved.stat().st_mtime_ns < program.stat().st_mtime_ns:
        log = out / "link.log"
        log.unlink(missing_ok=True)
        program.unlink()
        build.make(tree, out, build.require_host("um") | {"V": "1"}, ["linux"], log=log, what="linking, with words")
        lines = [line[2:] for line in log.read_text().splitlines()
                 if line.startswith("+ ") and f" -o {program.name} " in line]
        if not lines:
            raise cli.Stop(f"{log}: no link of {program.name} in it: this kernel is built in another way", cli.FAIL)
        cli.atomic_write(saved, lines[-1] + "\n")
    return shlex.split(saved.read_text())
