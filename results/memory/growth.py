"""How the time of an update grows: with the length of an unroll, the slots of the memory and the copies that play.

``python results/memory/growth.py target/release/heldout [growth.svg]`` trains ``impala-mra`` for two short budgets each, and
takes the difference of their CPU seconds, so that starting, saving and the first updates do not count. It prints a table in
Markdown and draws it. All runs have one thread.

Slots only cost where they are filled: an episode of the mapping task has 50 steps, and so at most 50 slots. The slots are
therefore also grown in a goal task whose episodes are as long as the run; its first budget fills them.
"""

import json
import os
import subprocess
import sys
import tempfile
from math import ceil, log
from pathlib import Path

MAPPING = "memory/arbitrary-visuomotor-mapping-mini-v1"
GOAL = "memory/visible-goal-with-buildings-mini-v1"
# What is not grown: the small profile's.
ROWS, SLOTS, COPIES = 50, 512, 8
UPDATES = 24
REPEATS = 3


def cpu(binary: str, env: str, rows: int, slots: int, copies: int, updates: int) -> tuple[float, int]:
    """CPU seconds of a training of about so many updates, and how many there were."""
    keys = {"rows": rows, "slots": slots, "copies": copies, "evaluate_every": 10**9, "save_every": 10**9}
    if env == GOAL:
        keys["env.steps"] = 100_000
    words = [binary, "train", "impala-mra", "--env", env, "--steps", str(rows * copies * updates), "--threads", "1"]
    words += [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.Popen([*words, "--out", f"{folder}/out"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                 env={**os.environ, "RAYON_NUM_THREADS": "1"})
        errors = child.stderr.read().decode()
        _, status, used = os.wait4(child.pid, 0)
        if status:
            sys.exit(f"{' '.join(words)}: {errors}")
        # Its own seconds are rounded to whole ones.
        done = json.loads(Path(folder, "out/seed-0/done.json").read_text())
    return used.ru_utime + used.ru_stime, done["counters"]["updates"]


def update(binary: str, env: str, rows: int = ROWS, slots: int = SLOTS, copies: int = COPIES) -> float:
    """CPU milliseconds of an update: the middle of several differences."""
    # In long episodes the memory is full before the first budget ends.
    first = 4 + (ceil(slots / rows) if env == GOAL else 0)
    found = []
    for _ in range(REPEATS):
        few, more = (cpu(binary, env, rows, slots, copies, updates) for updates in (first, first + UPDATES))
        found.append(1000 * (more[0] - few[0]) / (more[1] - few[1]))
    return sorted(found)[REPEATS // 2]


def plot(panels: list[tuple[str, list[tuple[int, float]]]], path: Path) -> None:
    """Lines on doubled axes beside each other; a dashed line has the slope of what grows in proportion."""
    width, height, left, top, wide, high = 1000, 320, 60, 40, 170, 210
    ink = 'font-family="sans-serif" font-size="12"'
    all_ = [ms for _, points in panels for _, ms in points]
    low, span = log(min(all_)) - 0.2, log(max(all_)) - log(min(all_)) + 0.4
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
           f'aria-label="CPU milliseconds of an update">', f'<rect width="{width}" height="{height}" fill="white"/>']
    for i, (name, points) in enumerate(panels):
        x0, (first, last) = left + i * (wide + 65), (points[0][0], points[-1][0])

        def at(x: float, ms: float, x0: int = x0, first: int = first, last: int = last) -> tuple[float, float]:
            return x0 + wide * log(x / first) / log(last / first), top + high * (1 - (log(ms) - low) / span)

        out.append(f'<text x="{x0}" y="{top - 16}" {ink}>{name}</text>')
        out.append(f'<path d="M{x0} {top}V{top + high}H{x0 + wide}" fill="none" stroke="#57606a"/>')
        marks = [at(x, ms) for x, ms in points]
        (ax, ay), ms0 = marks[0], points[0][1]
        bx, by = at(last, ms0 * last / first)
        # Only as far as the panel goes.
        share = min(1.0, (ay - top) / (ay - by)) if by < ay else 1.0
        out.append(f'<path d="M{ax:.1f} {ay:.1f}L{ax + share * (bx - ax):.1f} {ay + share * (by - ay):.1f}" stroke="#57606a" '
                   'stroke-dasharray="4 4" fill="none"/>')
        line = "L".join(f"{x:.1f} {y:.1f}" for x, y in marks)
        out.append(f'<path d="M{line}" stroke="#0550ae" stroke-width="2" fill="none"/>')
        for (x, ms), (px, py) in zip(points, marks):
            out.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3.5" fill="#0550ae"/>')
            out.append(f'<text x="{px:.1f}" y="{py - 8:.1f}" {ink} text-anchor="middle">{ms:.3g}</text>')
            out.append(f'<text x="{px:.1f}" y="{top + high + 18}" {ink} text-anchor="middle">{x}</text>')
    out.append(f'<text x="{left}" y="{height - 14}" {ink}>CPU ms of an update of impala-mra; dashed: in proportion</text></svg>')
    path.write_text("\n".join(out) + "\n")


binary = sys.argv[1]
drawing = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).with_name("growth.svg")
grown = [
    ("steps of an unroll", MAPPING, "rows", [25, 50, 100, 200, 400]),
    ("slots, episodes of 50 steps", MAPPING, "slots", [64, 256, 512, 1024, 2048]),
    ("slots, all filled", GOAL, "slots", [64, 256, 512, 1024, 2048]),
    ("copies", MAPPING, "copies", [4, 8, 16, 32, 64]),
]
panels = []
print("| `impala-mra`, small | value | CPU ms of an update | steps a second | ratio to the first |\n|---|--:|--:|--:|--:|")
for name, env, key, values in grown:
    points = [(value, update(binary, env, **{key: value})) for value in values]
    panels.append((name, points))
    for value, ms in points:
        rows, copies = (value if key == "rows" else ROWS), (value if key == "copies" else COPIES)
        print(f"| {name} | {value} | {ms:.1f} | {1000 * rows * copies / ms:,.0f} | {ms / points[0][1]:.2f} |", flush=True)
plot(panels, drawing)
print(f"\ndrawn: {drawing.name}", file=sys.stderr)
