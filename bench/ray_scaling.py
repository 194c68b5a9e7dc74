"""How ``heldout eval`` scales over the workers of Ray, in one interleaved run.

``python bench/ray_scaling.py [ROUNDS [EPISODES]]`` with ``heldout[ray]`` installed. Each round plays ``memory-mini`` in
one process and over 1, 2 and 4 workers of a Ray that is up, with 200 episodes of each condition and seed and with one,
where nearly all is what a part costs beside its episodes. What a run takes that has nothing left to play (to begin, to
plan, to write the report) is taken off. The best of the rounds counts, since a busy machine only ever takes time.
Prints a table in Markdown.
"""

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ray

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 2
EPISODES = sys.argv[2] if len(sys.argv) > 2 else "200"
WORKERS = (0, 1, 2, 4)


def seconds(words: list[str]) -> float:
    """Run a command; return what it took."""
    began = time.monotonic()
    subprocess.run([sys.executable, "-m", *words], check=True, capture_output=True)
    return time.monotonic() - began


def played(workers: int, episodes: str) -> tuple[float, float, int, int]:
    """Return the seconds of playing, those of all else, the number of cells and of bytes recorded."""
    before = ["heldout.ray", "--address", "auto", "--workers", str(workers)] if workers else ["heldout"]
    words = [*before, "eval", "memory-mini", "--episodes", episodes]
    words += [] if workers else ["--threads", "1"]
    with tempfile.TemporaryDirectory() as out:
        whole = seconds([*words, "--out", out])
        rest = seconds([*words, "--out", out, "--resume"])
        files = list((Path(out) / "records").rglob("*.jsonl"))
        return whole - rest, rest, len(files), sum(path.stat().st_size for path in files)


def main() -> None:
    """Measure and print."""
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)
    best: dict[tuple[int, str], tuple[float, float, int, int]] = {}
    for number in range(ROUNDS):
        for episodes in (EPISODES, "1"):
            for workers in WORKERS:
                told = played(workers, episodes)
                best[workers, episodes] = min(best.get((workers, episodes), told), told)
                print(f"round {number}: {workers} workers, {episodes} episodes: {told}", file=sys.stderr, flush=True)
    alone = best[0, EPISODES][0]
    print("| who plays | seconds of playing | speed-up | seconds of all else | tiny cells: milliseconds of each |")
    print("|---|--:|--:|--:|--:|")
    for workers in WORKERS:
        (long, rest, cells, _), (tiny, *_) = best[workers, EPISODES], best[workers, "1"]
        who = f"{workers} worker{'s' * (workers > 1)}" if workers else "one process, one thread"
        print(f"| {who} | {long:.1f} | {alone / long:.2f} | {rest:.1f} | {1000 * tiny / cells:.1f} |")
    print(f"\n{best[0, EPISODES][2]} cells, {best[0, EPISODES][3]} bytes of records, {re.sub(r' .*', '', sys.version)}")


if __name__ == "__main__":
    main()
