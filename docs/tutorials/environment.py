"""Try an environment that was just written: is held out what it says, and do its policies give scores a meaning?"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import heldout

out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
ID = "example/grid-v1"  # yours: one line in its family makes it known to Python, to the command line and to the tests
defaults = heldout.about(ID)["defaults"]
levels, size = range(defaults["levels"]), defaults["size"]

# A value that is not allowed is refused by its name.
try:
    heldout.Env(ID, walls=0.9)
except heldout.HeldoutError as error:
    print("refused:", error)


def goals(split: str) -> np.ndarray:
    """Begin each level once, and count the goals in each cell."""
    env, counts = heldout.Env(ID, split=split), np.zeros((size, size))
    for level in levels:
        seen, _ = env.reset(seed=0, options={"problem": level})
        column, row = seen["position"] + np.rint(seen["goal_offset"] * (size - 1)).astype(int)
        counts[row, column] += 1
    return counts


def arrives(policy: str, split: str) -> float:
    """Return the share of levels in which a policy reaches the goal."""
    env, terminated, arrived = heldout.Env(ID, split=split), False, 0
    for level in levels:
        env.reset(seed=1, options={"problem": level})
        ended = False
        while not ended:
            _, _, terminated, truncated, _ = env.step(env.act(policy))
            ended = terminated or truncated
        arrived += terminated
    return arrived / len(levels)


# On the left, what is held out. On the right, `random` below, `oracle` above, and `greedy`, which walks into dead ends.
trained, held_out = goals("train"), goals("heldout")
assert not (trained.any(axis=0) & held_out.any(axis=0)).any(), "a column has goals of both splits"
figure = Figure(figsize=(9, 3), layout="constrained")
left, middle, axis = figure.subplots(1, 3)
for half, counts, split in ((left, trained, "train"), (middle, held_out, "heldout")):
    half.imshow(counts, cmap="Greens")
    half.set(title=f"goals of {split}", xlabel="column", xticks=range(size), yticks=[])
for offset, split in ((-0.2, "train"), (0.2, "heldout")):
    axis.bar(np.arange(3) + offset, [arrives(p, split) for p in ("random", "greedy", "oracle")], 0.4, label=split)
axis.set(xticks=range(3), xticklabels=["random", "greedy", "oracle"], title="share of levels solved")
axis.legend(loc="upper left")
figure.savefig(out / "environment.png")
