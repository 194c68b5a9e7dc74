"""Clusters of two nodes on one machine, commands on them, and processes to kill."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

#: A policy that takes its time, so that there is something to interrupt.
SLOW = """
import time
import numpy as np

def make():
    def waits(observation):
        time.sleep(0.01)
        first = next(iter(observation.values())) if isinstance(observation, dict) else observation
        return np.zeros(len(first), int)
    return waits

def raises():
    def broken(observation):
        raise RuntimeError("no idea")
    return broken

def once(place):
    import os, pathlib, signal
    mark = pathlib.Path(os.environ["MARK"])
    policy = make()
    def killed(observation):
        # The first that comes here is ended in the middle of its part.
        try:
            mark.mkdir()
        except FileExistsError:
            return policy(observation)
        os.kill(os.getpid(), signal.SIGKILL)
    return killed
"""


def wait(condition: Callable[[], Any], seconds: float = 120) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("waited for nothing")


def command(*words: str, module: str = "heldout") -> list[str]:
    return [sys.executable, "-m", module, *words]


def run(
    *words: str, module: str = "heldout", cwd: Path | None = None, code: int = 0
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command(*words, module=module), capture_output=True, text=True, cwd=cwd, timeout=900)
    assert done.returncode == code, f"{done.returncode}: {done.stdout}\n{done.stderr}"
    return done


def tree(folder: Path, *without: str) -> dict[str, bytes]:
    """Return the files below a folder that do not end so."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(p.relative_to(folder)): p.read_bytes() for p in files if not p.name.endswith(without)}


def lines(folder: Path) -> int:
    """Return the number of records."""
    return sum(max(0, p.read_bytes().count(b"\n") - 1) for p in (folder / "records").rglob("*.jsonl"))


def below(process: int) -> Iterator[int]:
    """Return the processes that a process began, and those that these began."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            own, rest = path.read_text().rsplit(")", 1)
        except OSError:
            continue
        children.setdefault(int(rest.split()[1]), []).append(int(own.split()[0]))
    waiting = [process]
    while waiting:
        for child in children.get(waiting.pop(), []):
            yield child
            waiting.append(child)


def at_work(name: str, whose: int | None = None) -> list[int]:
    """Return the workers of a process's cluster, this one's unless told, that are at something of a name."""
    found = []
    for process in below(whose or os.getpid()):
        try:
            title = Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if title.startswith("ray::") and name in title:
            found.append(process)
    return found


def kill(process: int) -> None:
    os.kill(process, signal.SIGKILL)
