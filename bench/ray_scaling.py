"""How ``heldout eval`` scales over the workers of Ray, in one interleaved run.

``python bench/ray_scaling.py [ROUNDS [EPISODES]]`` with ``heldout[ray]`` installed. Each round plays ``memory-mini`` in
one process and over 1, 2 and 4 workers of a Ray that is up: with 200 episodes of each condition and seed, and with one,
where nearly all is what a cell costs beside its episodes. What a run takes that has nothing left to play (to begin, to
plan, to write the report) is taken off. The best of the rounds counts, since a busy machine only ever takes time.
Prints a table in Markdown, and what the process that was started spends on a cell and on a byte.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import ray

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 2
EPISODES = sys.argv[2] if len(sys.argv) > 2 else "200"
WORKERS = (0, 1, 2, 4)


class Told(NamedTuple):
    """What an evaluation took, the best of all rounds first."""

    #: Seconds of playing, and of all else.
    playing: float
    rest: float
    #: Seconds that the process itself computed while it was played.
    computed: float
    cells: int
    size: int


def spent(words: list[str]) -> tuple[float, float]:
    """Run a command; return the seconds that it took and those that it computed."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([sys.executable, "-m", *words], check=True, capture_output=True)
    took, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def played(workers: int, episodes: str) -> Told:
    """Return what an evaluation takes with so many workers, or in one process."""
    before = ["heldout", "eval", "memory-mini", "--threads", "1"]
    if workers:
        up = ray.init(
            "local",
            num_cpus=workers,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="ERROR",
            _node_ip_address="127.0.0.1",
        )
        before = ["heldout.ray", "--address", up.address_info["address"], "eval", "memory-mini"]
    words = [*before, "--episodes", episodes]
    try:
        with tempfile.TemporaryDirectory() as out:
            whole, computed = spent([*words, "--out", out])
            rest, beside = spent([*words, "--out", out, "--resume"])
            files = list((Path(out) / "records").rglob("*.jsonl"))
            size = sum(path.stat().st_size for path in files)
        return Told(whole - rest, rest, computed - beside, len(files), size)
    finally:
        ray.shutdown()


def main() -> None:
    """Measure and print."""
    best: dict[tuple[int, str], Told] = {}
    for number in range(ROUNDS):
        for episodes in (EPISODES, "1"):
            for workers in WORKERS:
                told = played(workers, episodes)
                best[workers, episodes] = min(best.get((workers, episodes), told), told)
                print(f"round {number}: {workers} workers, {episodes} episodes: {told}", file=sys.stderr, flush=True)
    alone = best[0, EPISODES].playing
    print("| who plays | seconds of playing | speed-up | seconds of all else | one episode a cell: milliseconds a cell |")
    print("|---|--:|--:|--:|--:|")
    for workers in WORKERS:
        long, tiny = best[workers, EPISODES], best[workers, "1"]
        who = f"{workers} worker{'s' * (workers > 1)}" if workers else "one process, one thread"
        cell = 1000 * tiny.playing / tiny.cells
        print(f"| {who} | {long.playing:.1f} | {alone / long.playing:.2f} | {long.rest:.1f} | {cell:.1f} |")
    own, long, tiny = best[0, EPISODES], best[1, EPISODES], best[1, "1"]
    cell, size = 1000 * tiny.computed / tiny.cells, long.size - tiny.size
    print(f"\n{own.cells} cells, {own.size / 1e6:.1f} MB of records, {1000 * own.playing / own.cells:.1f} ms a cell alone")
    print(f"the process that was started computes {cell:.2f} ms for a cell, ", end="")
    print(f"and {1e9 * (long.computed - tiny.computed) / size:.0f} ms for a megabyte of records")


if __name__ == "__main__":
    main()
