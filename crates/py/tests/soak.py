"""Every id for millions of steps, with saves, restores, resets and closes at seeded times.

``python crates/py/tests/soak.py --steps 10000000``; ids whose observations are pictures take a tenth of the steps. Each
id is played twice with the same actions and resets: once straight, once with copies that are saved, put into an older
state and back, with batches that play on from older states before they are put back, and with batches that are saved,
closed and made anew. The digests of both must be the same.

Memory is the resident set of the process (``/proc/self/statm``, or its peak where there is none), read twenty times in
the second run, after Python's collector has run. It is flat if no reading of the second half is more than
``SLACK`` above the highest of the first half.
"""

import argparse
import contextlib
import gc
import hashlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import heldout

#: Steps of an id unless told.
STEPS = 10_000_000
#: An id whose observations are pictures takes this part of the steps.
PICTURES = 10
#: Copies of a batch, and of one whose observations are pictures.
COPIES, PICTURE_COPIES = 64, 16
#: Readings of the memory.
READINGS = 20
#: Bytes that the memory may vary by: what allocators keep, not what is lost.
SLACK = 16 << 20
#: How often, of all calls, some copies are reset, a copy is saved and put back, all play on from older states and are
#: put back, the batch is closed and made anew.
RESETS, RESTORES, RETURNS, CLOSES = 0.01, 0.05, 0.002, 0.002
#: Steps from older states at the most.
DETOUR = 8


class Played(NamedTuple):
    """What a run gave."""

    digest: str
    steps: int
    memory: list[int]
    saves: int
    returns: int
    closes: int

    def growth(self) -> int:
        """Return by how many bytes the second half of the readings exceeds the first."""
        half = len(self.memory) // 2
        return max(self.memory[half:]) - max(self.memory[:half]) if half else 0


def memory() -> int:
    """Return the resident bytes of this process."""
    gc.collect()
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def spec_of(env_id: str) -> dict[str, Any]:
    spec: dict[str, Any] = json.loads(heldout.make_batch(env_id).about)["spec"]
    return spec


def is_picture(spec: dict[str, Any]) -> bool:
    return any(len(field["shape"]) == 3 for field in spec["observation"])


def sizes(spec: dict[str, Any]) -> list[int]:
    """Return the number of choices of each integer of an action."""
    found: list[int] = []
    for agent in spec["agents"]:
        (space,) = agent["action"].values()
        found += [space] if isinstance(space, int) else space
    return found


def play(env_id: str, steps: int, seed: int, disturbed: bool, hear: Callable[[int, int], None]) -> Played:
    """Play ``env_id`` by random actions; with ``disturbed`` copies are saved and put back all the while."""
    spec = spec_of(env_id)
    copies = PICTURE_COPIES if is_picture(spec) else COPIES
    calls = max(steps // copies, 2 * READINGS)
    choices = np.array(sizes(spec))
    # What happens in both runs, and what only the disturbed one does.
    both, own = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    digest = hashlib.blake2b(digest_size=16)
    batch = heldout.make_batch(env_id, copies)
    batch.reset(seed)
    older = [batch.save(copy) for copy in range(copies)]
    readings: list[int] = []
    saves = returns = closes = 0
    for call in range(calls):
        ended = batch.step(both.integers(choices, size=(copies, len(choices))))
        arrays = batch.arrays
        for array in arrays["observation"].values():
            digest.update(array)
        for name in ("rewards", "terminated", "truncated", "problems"):
            digest.update(arrays[name])
        if ended:
            digest.update(arrays["metrics"])
        if both.random() < RESETS:
            seeds = [int(n) if n % 2 else None for n in both.integers(2**62, size=copies)]
            mask = both.random(copies) < 0.2
            if mask.any():
                batch.reset(None, seeds, None, mask.tolist())
        if disturbed and own.random() < RESTORES:
            copy = int(own.integers(copies))
            saved = batch.save(copy)
            batch.restore(copy, older[copy])
            batch.restore(copy, saved)
            older[copy] = saved
            saves += 1
            if own.random() < 0.5:
                batch.observe()
        if disturbed and own.random() < RETURNS:
            whole = [batch.save(copy) for copy in range(copies)]
            for copy in range(copies):
                batch.restore(copy, older[copy])
            for _ in range(own.integers(1, DETOUR, endpoint=True)):
                batch.step(own.integers(choices, size=(copies, len(choices))))
            for copy, saved in enumerate(whole):
                batch.restore(copy, saved)
            batch.observe()
            older = whole
            returns += 1
        if disturbed and own.random() < CLOSES:
            whole = [batch.save(copy) for copy in range(copies)]
            batch.close()
            batch = heldout.make_batch(env_id, copies)
            for copy, saved in enumerate(whole):
                batch.restore(copy, saved)
            batch.observe()
            closes += 1
        if disturbed and (call + 1) * READINGS // calls > call * READINGS // calls:
            readings.append(memory())
        if call % 64 == 0:
            hear(call * copies, calls * copies)
    batch.close()
    return Played(digest.hexdigest(), calls * copies, readings, saves, returns, closes)


def soak(env_id: str, steps: int, seed: int, hear: Callable[[int, int], None] = lambda done, total: None) -> Played:
    """Play ``env_id`` twice; raise ``AssertionError`` if saving and restoring changed anything."""
    straight = play(env_id, steps, seed, False, hear)
    disturbed = play(env_id, steps, seed, True, hear)
    assert disturbed.digest == straight.digest, f"{env_id}: {disturbed.digest}, without saves {straight.digest}"
    return disturbed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("ids", nargs="*", help="which ids; all unless told")
    parser.add_argument("--steps", type=int, default=STEPS, help=f"steps of an id; 1/{PICTURES} with pictures")
    parser.add_argument("--seed", type=int, default=0, help="of actions and times")
    told = parser.parse_args()
    shown = sys.stderr.isatty()
    failed = []
    for env_id in told.ids or heldout.ids():
        steps = max(told.steps // (PICTURES if is_picture(spec_of(env_id)) else 1), 1)
        begin = time.monotonic()

        def hear(done: int, total: int, env_id: str = env_id) -> None:
            if shown:
                print(f"\r{env_id}: {done * 100 // total:3} %", end="", file=sys.stderr, flush=True)

        played, problem = None, ""
        try:
            played = soak(env_id, steps, told.seed, hear)
        except AssertionError as error:
            problem = str(error)
        if played is not None and played.growth() > SLACK:
            problem = f"memory grew by {played.growth() >> 10} KiB: {[n >> 10 for n in played.memory]}"
        if shown:
            print("\r" + " " * (len(env_id) + 8) + "\r", end="", file=sys.stderr, flush=True)
        if problem:
            failed.append(env_id)
            print(f"{env_id}: FAILED: {problem}", flush=True)
        elif played is not None:
            print(
                f"{env_id}: {played.steps} steps twice, {played.saves} saves, {played.returns} returns, "
                f"{played.closes} closes, digest {played.digest[:8]}, "
                f"memory {played.memory[-1] >> 10} KiB ({played.growth() >> 10:+} KiB), "
                f"{time.monotonic() - begin:.1f} s",
                flush=True,
            )
    print(f"{len(failed)} failed: {', '.join(failed)}" if failed else "none failed")
    return 1 if failed else 0


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        try:
            sys.exit(main())
        except KeyboardInterrupt:
            print("\nstopped", file=sys.stderr)
            sys.exit(130)
