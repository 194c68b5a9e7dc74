"""Trainings: a run a worker, whose files come to the process that began it whenever they are saved."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import ray
import ray.exceptions

from heldout import _native
from heldout._native import HeldoutError
from heldout.ray._files import Sent, receive, scratch, send, tidy
from heldout.ray._parts import _MOMENT, _lost

#: Seconds that a worker waits before it tells how far it is.
_PATIENCE = 1.0

#: Names and bytes of a run's files.
_Files = list[tuple[str, bytes]]


class Trainer:
    """One run on a worker."""

    def __init__(
        self, words: list[str], sent: Sent, below: str, files: _Files | None, threads: int, sync: float
    ) -> None:
        """Begin to train, from ``files`` if there are any."""
        places = receive(sent)
        words = [places.get(word, word) for word in words]
        words = [
            f"--protocol={places.get(word[11:], word[11:])}" if word[:11] == "--protocol=" else word for word in words
        ]
        scratch().mkdir(parents=True, exist_ok=True)
        tidy()
        self._out = tempfile.mkdtemp(prefix=f"run-{os.getpid()}-", dir=scratch())
        self._folder = Path(self._out) / below
        if files:
            _native.run_restore(os.fspath(self._folder), files)
            words += [] if "--resume" in words else ["--resume"]
        self._sync, self._told = sync, (time.monotonic(), self._saved())
        command = [sys.executable, "-m", "heldout._child", str(os.getpid()), *words]
        command += ["--out", self._out, "--threads", str(threads)]
        # What it says is little: there is no terminal to draw a bar on.
        self._words = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=self._words)

    def _saved(self) -> float | None:
        """Return when the run was saved last."""
        try:
            return (self._folder / "state").stat().st_mtime_ns
        except OSError:
            return None

    def look(self) -> tuple[_Files | None, tuple[int, int], int | None, str]:
        """Wait a moment; return the run's files if they were saved since the last time, the steps and episodes so far,
        and how it ended if it did.
        """
        try:
            code: int | None = self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            code = None
        now, saved = time.monotonic(), self._saved()
        due = saved != self._told[1] and now - self._told[0] >= self._sync
        files = None
        if self._folder.exists() and (due or code is not None):
            files = _native.run_snapshot(os.fspath(self._folder))
            self._told = (now, saved)
        far = _native.run_so_far(os.fspath(self._folder))
        if code is None:
            return files, far, None, ""
        self._words.seek(0)
        said = self._words.read().decode(errors="replace").strip().splitlines()
        shutil.rmtree(self._out, ignore_errors=True)
        return files, far, code, said[-1] if said else f"its process ended with code {code}"

    def stop(self) -> None:
        """Have the run save its state and end."""
        self._process.terminate()


class _Run:
    """One run, as the process that began it sees it."""

    def __init__(self, words: list[str], folder: str, below: str) -> None:
        self.words, self.folder, self.below = words, folder, below
        self.lost = 0
        self.far = (0, 0)
        self.trainer: Any = None


class Runs:
    """What the native side asks: room, runs to begin, runs that have ended."""

    def __init__(self, words: list[str], told: argparse.Namespace) -> None:
        """Make ready to have the runs of the training that ``words`` are trained."""
        self._told = told
        largest = max(_processors(), default=0)
        if largest < told.cpus:
            raise HeldoutError(f"`--cpus` is `{told.cpus}`, must be at most {largest}: no node has more processors")
        self._sent = send(words)
        self._trainer = ray.remote(Trainer).options(num_cpus=told.cpus, max_restarts=0)
        self._runs: dict[int, _Run] = {}
        self._looks: dict[Any, int] = {}
        self._stopped = False

    def room(self) -> int:
        """Return how many runs may be under way at once."""
        room = max(1, sum(processors // self._told.cpus for processors in _processors()))
        return min(room, self._told.at_once or room)

    def begin(self, number: int, words: list[str], folder: str, below: str) -> None:
        """Have a run trained, or gone on with."""
        self._runs[number] = _Run([os.fspath(word) for word in words], os.fspath(folder), os.fspath(below))
        self._start(number)

    def _start(self, number: int) -> None:
        run = self._runs[number]
        there = os.path.exists(os.path.join(run.folder, "run.json"))
        files = _native.run_snapshot(run.folder) if there else None
        run.trainer = self._trainer.remote(run.words, self._sent, run.below, files, self._told.cpus, self._told.sync)
        self._looks[run.trainer.look.remote()] = number

    def ended(self) -> tuple[int, int, list[tuple[int, str | None]]]:
        """Return the steps and episodes of all runs so far, and the runs that have ended, each with what went wrong."""
        looks = list(self._looks)
        ready, _ = ray.wait(looks, num_returns=1, timeout=_MOMENT)
        if ready:
            ready, _ = ray.wait(looks, num_returns=len(looks), timeout=0)
        ended: list[tuple[int, str | None]] = []
        for ref in ready:
            number = self._looks.pop(ref)
            run = self._runs[number]
            try:
                files, run.far, code, said = ray.get(ref)
            except ray.exceptions.RayError as error:
                # If it is only this look that failed, two would train the run.
                ray.kill(run.trainer)
                run.lost += 1
                if self._stopped:
                    ended.append((number, None))
                elif run.lost > self._told.retries:
                    ended.append((number, _lost(error, self._told.retries)))
                else:
                    self._start(number)
                continue
            if files is not None:
                _native.run_restore(run.folder, files)
                # It got on: what is lost from here on counts anew.
                run.lost = 0
            if code is None:
                self._looks[run.trainer.look.remote()] = number
            else:
                ray.kill(run.trainer)
                # Who is told to stop before it has begun is ended by that.
                ended.append((number, None if code == 0 or (self._stopped and code < 0) else said))
        far = [run.far for run in self._runs.values()]
        return sum(steps for steps, _ in far), sum(episodes for _, episodes in far), ended

    def stop(self) -> None:
        """Have all runs save their state and end."""
        self._stopped = True
        for number in self._looks.values():
            self._runs[number].trainer.stop.remote()

    def close(self) -> None:
        """Let go of what is still under way."""
        for number in self._looks.values():
            ray.kill(self._runs[number].trainer)
        self._looks.clear()


def _processors() -> list[int]:
    """Return the number of processors of each node."""
    return [int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]]
