# SPDX-License-Identifier: GPL-2.0-only
"""The folder outside the work tree that keeps what is dear to make."""

import contextlib
import fcntl
import os
from pathlib import Path

from poolstack import cli


def cache_dir():
    """Where downloads, kernel trees and ccache objects are kept."""
    named = os.environ.get("POOLSTACK_CACHE")
    if named:
        path = Path(named).absolute()
    else:
        xdg = os.environ.get("XDG_CACHE_HOME")
        path = (Path(xdg) if xdg else Path.home() / ".cache") / "poolstack"
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cli.Stop(f"cannot make the cache folder: {path}: "
                       f"{error.strerror}: set POOLSTACK_CACHE") from error
    return path


@contextlib.contextmanager
def lock(name):
    """Hold cache_dir()/name.lock; says so when it has to wait for another run."""
    path = cache_dir() / f"{name}.lock"
    with open(path, "a", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            cli.say(f"   waiting for another run: {path}")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
