"""Evaluations: parts that workers play, brought to the process that puts them in order."""

import argparse
import atexit
import hashlib
import os
import shutil
import sys
import time
import traceback
from typing import Any

import ray
import ray.exceptions

from heldout import _native
from heldout.ray._files import Sent, receive, scratch, send, tidy

#: Seconds that a look for ended parts waits, and for which the size of the cluster is remembered.
_MOMENT = 0.2
_REMEMBERED = 2.0

#: What a worker has read of the command that it was asked about last: what it plans, it plans once.
_known: tuple[str, Any] | None = None


def _reader(words: list[str], sent: Sent) -> Any:
    """Return what plays the parts of a command on this node."""
    global _known
    key = repr((words, {path: digest for path, (digest, _) in sent.items()}))
    if _known is None or _known[0] != key:
        tidy()
        folder = scratch() / f"plans-{os.getpid()}"
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        _known = None
        _known = (key, _native.Parts(words, receive(sent), os.fspath(folder)))
    return _known[1]


def play(words: list[str], sent: Sent, modules: list[str], part: str) -> tuple[bytes, str | None]:
    """Play a part: the bytes of its file, and why its cell cannot be played further."""
    sys.path.extend(place for place in modules if place not in sys.path)
    # Of this job alone: what a function of Python's did in another is none of it.
    told = repr((ray.get_runtime_context().get_job_id(), part))
    folder = os.fspath(scratch() / "parts" / hashlib.sha256(told.encode()).hexdigest()[:32])
    # What fails here is the node's fault, and is tried again elsewhere; what a policy raises is its cell's.
    reader = _reader(words, sent)
    try:
        try:
            answer: tuple[bytes, str | None] = reader.play(part, folder)
        except _native.HeldoutError as error:
            # Somebody who is thought to be gone still plays it there.
            if "is being written to" not in str(error):
                raise
            answer = reader.play(part, f"{folder}-{os.getpid()}")
    except _native.HeldoutError:
        raise
    except Exception as error:
        answer = (b"", "".join(traceback.format_exception_only(error)).strip())
    return answer


class Parts:
    """What the native side asks: room, parts to begin, parts that have ended."""

    def __init__(self, words: list[str], told: argparse.Namespace) -> None:
        """Make ready to have the evaluation that ``words`` are played."""
        self._words, self._told = words, told
        self._sent = send(words)
        self._modules = [os.path.abspath(place or os.curdir) for place in sys.path]
        remote = ray.remote(play)
        self._play = remote.options(
            num_cpus=1, max_retries=told.retries, retry_exceptions=True, name="heldout-part"
        )
        self._under_way: dict[Any, int] = {}
        self._room, self._counted = 0, 0.0
        self._waits = False

    def room(self) -> int:
        """Return how many parts may be under way: twice the processors, so that none waits for this process."""
        now = time.monotonic()
        if self._room == 0 or now - self._counted > _REMEMBERED:
            processors = int(ray.cluster_resources().get("CPU", 0))
            if processors == 0 and not self._waits:
                self._waits = True
                print("heldout: the cluster has no processor now; parts wait for one", file=sys.stderr)
            self._room, self._counted = min(2 * max(1, processors), self._told.at_once or sys.maxsize), now
        return self._room

    def begin(self, number: int, part: str) -> None:
        """Have a part played."""
        self._under_way[self._play.remote(self._words, self._sent, self._modules, part)] = number

    def ended(self) -> list[tuple[int, bytes | None, str | None, str | None]]:
        """Return the parts that have ended, with their files, or why nothing came of them."""
        under_way = list(self._under_way)
        ready, _ = ray.wait(under_way, num_returns=1, timeout=_MOMENT, fetch_local=False)
        if ready:
            ready, _ = ray.wait(under_way, num_returns=len(under_way), timeout=0, fetch_local=False)
        told: list[tuple[int, bytes | None, str | None, str | None]] = []
        for ref in ready:
            number = self._under_way.pop(ref)
            try:
                file, problem = ray.get(ref)
                told.append((number, file, problem, None))
            except ray.exceptions.RayError as error:
                told.append((number, None, None, _lost(error, self._told.retries)))
        return told

    def close(self) -> None:
        """Let go of what is still under way."""
        for ref in self._under_way:
            ray.cancel(ref, force=True)
        self._under_way.clear()


def _lost(error: Exception, retries: int) -> str:
    """Say why nothing came of a part or a run."""
    raised = getattr(error, "cause", None)
    shown = error if raised is None else raised
    first = next((line.strip() for line in str(shown).splitlines() if line.strip()), "")
    what = "was lost" if raised is None else "failed"
    return f"whoever worked on it {what} {retries + 1} times, last by {type(shown).__name__}: {first}"
