"""How ``heldout eval`` scales over the workers of Ray, in one interleaved run.

``python bench/ray_scaling.py [ROUNDS [EPISODES]]`` with ``heldout[ray]`` installed. Each round plays ``memory-mini`` in
one process and over 1, 2 and 4 workers of a Ray that is up, three times: with 200 episodes of each condition and seed;
with one, where nearly all is the report and what a cell costs beside its episodes; and three cells of one episode,
which is what it takes to begin. The best of the rounds counts, since a busy machine only ever takes time. Prints a
table in Markdown, and what the process that was started spends on a byte.
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
#: What is played: all with all episodes, all with one, and three cells with one.
SIZES = {
    "long": ["--episodes", EPISODES],
    "tiny": ["--episodes", "1"],
    "few": ["--episodes", "1", "--task", "spot-diff", "--policy", "random"],
}


class Told(NamedTuple):
    """What an evaluation took."""

    seconds: float
    #: Seconds that the process itself computed.
    computed: float
    cells: int
    size: int


def played(before: list[str], words: list[str]) -> Told:
    """Return what an evaluation takes."""
    with tempfile.TemporaryDirectory() as out:
        earlier, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run([sys.executable, "-m", *before, *words, "--out", out], check=True, capture_output=True)
        took, now = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        files = list((Path(out) / "records").rglob("*.jsonl"))
        computed = now.ru_utime + now.ru_stime - earlier.ru_utime - earlier.ru_stime
        return Told(took, computed, len(files), sum(path.stat().st_size for path in files))


def one_round(workers: int) -> dict[str, Told]:
    """Return what evaluations of each size take with so many workers, or in one process."""
    if not workers:
        return {size: played(["heldout", "eval", "memory-mini", "--threads", "1"], SIZES[size]) for size in SIZES}
    up = ray.init(
        "local",
        num_cpus=workers,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
        _node_ip_address="127.0.0.1",
    )
    before = ["heldout.ray", "--address", up.address_info["address"], "eval", "memory-mini"]
    try:
        return {size: played(before, SIZES[size]) for size in SIZES}
    finally:
        ray.shutdown()


def main() -> None:
    """Measure and print."""
    best: dict[tuple[int, str], Told] = {}
    for number in range(ROUNDS):
        for workers in WORKERS:
            for size, told in one_round(workers).items():
                best[workers, size] = min(best.get((workers, size), told), told)
                print(f"round {number}: {workers} workers, {size}: {told}", file=sys.stderr, flush=True)
    # Both write the report of all cells, and begin alike: what is left are the other episodes.
    playing = {workers: best[workers, "long"].seconds - best[workers, "tiny"].seconds for workers in WORKERS}
    own, few = best[0, "long"], best[0, "few"]
    beside = best[0, "tiny"].seconds - few.seconds
    print("| who plays | seconds of playing | speed-up | seconds to begin, more than alone | milliseconds a cell, more than alone |")
    print("|---|--:|--:|--:|--:|")
    for workers in WORKERS:
        who = f"{workers} worker{'s' * (workers > 1)}" if workers else "one process, one thread"
        begin = best[workers, "few"].seconds - few.seconds
        cell = best[workers, "tiny"].seconds - best[workers, "few"].seconds - beside
        more = f"{begin:.1f} | {1000 * cell / (own.cells - few.cells):.1f}" if workers else " | "
        print(f"| {who} | {playing[workers]:.1f} | {playing[0] / playing[workers]:.2f} | {more} |")
    long, tiny = best[1, "long"], best[1, "tiny"]
    byte = 1e9 * (long.computed - tiny.computed) / (long.size - tiny.size)
    print(f"\n{own.cells} cells, {own.size / 1e6:.1f} MB of records, {1000 * playing[0] / own.cells:.1f} ms a cell alone")
    print(f"the process that was started computes {byte:.0f} ms for a megabyte of records; {beside:.1f} s are the report's")


if __name__ == "__main__":
    main()
