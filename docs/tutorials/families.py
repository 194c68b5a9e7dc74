"""One picture of the four families, each as its agents see it: `python docs/tutorials/families.py docs`."""

import sys
import textwrap
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import heldout

out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)

# HALMA: a panel of handwritten digits. They are distances, and all that the agent is told of its maze.
panel, _ = heldout.Env("halma/visual-v1").reset(seed=4)

# Memory: a room in first person. In the second room, behind the corridor, one of the blocks has another colour.
room, _ = heldout.Env("memory/spot-diff-multi-v1").reset(seed=1)

# S2B: an agent sees rows of numbers. The picture for people draws them: a game per line, what was said, what is there.
pair = heldout.parallel_env("s2b/game-v1", render_mode="rgb_array")
pair.reset(seed=0)
for _ in range(31):
    pair.step(pair.act({"speaker": "posdis", "listener": "nearest"}))
games = pair.render()[34:450]

# lilGym: three boxes, and a sentence that is to become true, or false.
boxes, _ = heldout.Env("lilgym/scatter-flipit-v1").reset(seed=2)
sentence = textwrap.fill(f"“{boxes['sentence']}”", 52)

figure, axes = plt.subplots(2, 2, figsize=(9.6, 6.8), dpi=100)
shown = [
    (panel, "black", "HALMA: find the way by distances alone"),
    (room, "black", "Memory: which block will differ in the next room?"),
    (games, games[0, 0] / 255, "S2B: bind words to values, then recombine them"),
    (boxes["image"], "white", "lilGym: change the boxes until the sentence flips"),
]
for axis, (picture, around, caption) in zip(axes.flat, shown, strict=True):
    axis.imshow(picture, interpolation="antialiased" if picture is games else "nearest")
    axis.set(aspect="equal", adjustable="datalim", facecolor=around, xticks=[], yticks=[])
    axis.set_title(caption, fontsize=12)
axes[1, 1].text(0.5, 0.8, sentence, transform=axes[1, 1].transAxes, ha="center", va="center", fontsize=11)
figure.tight_layout()
figure.savefig(out / "families.png", pil_kwargs={"optimize": True})
