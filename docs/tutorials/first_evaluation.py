"""A first evaluation: three scripted players under a protocol, their records, and the report."""

import json
import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import heldout

out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")

# A protocol says what is played, under which conditions, and what is scored. These are built in:
print("protocols:", ", ".join(heldout.protocols()))

# `memory-mini` asks for memory, one decision a trial. Two of its tasks, 60 episodes of each condition, will do here.
# `random` knows nothing. `shortcut` is the best player that lacks what the task is about. `oracle` knows all.
tasks = ["what-then-where", "continuous-recognition"]
for policy in ("random", "shortcut", "oracle"):
    told = heldout.evaluate(policy, "memory-mini", out / "first", tasks=tasks, episodes=60)
    print(f"{policy}: {told['episodes']} episodes, {len(told['failures'])} failures")

# The report is made from the records alone: `report.html` to look at, `report.md` to read here.
heldout.report(out / "first")
for line in (out / "first/report.md").read_text().splitlines():
    if line.startswith("- **"):
        print(line)


def returns(task: str, condition: str, policy: str) -> list[float]:
    """Return what each episode earned: the first line of a record says what was played."""
    path = out / "first/records/memory-mini" / task / condition / f"{policy}.jsonl"
    return [json.loads(line)["return"] for line in path.read_text().splitlines()[1:]]


# Which mean is good? Only the players beside it tell: of the second task, half of the score needs no memory at all.
conditions = ["train", "holdout_interpolate", "holdout_extrapolate"]
figure = Figure(figsize=(8, 3.5), layout="tight")
for axis, task in zip(figure.subplots(1, 2), tasks, strict=True):
    for offset, policy in enumerate(("random", "shortcut", "oracle")):
        means = [np.mean(returns(task, condition, policy)) for condition in conditions]
        axis.bar(np.arange(3) + 0.27 * (offset - 1), means, 0.25, label=policy)
    axis.set(title=task, xticks=range(3), xticklabels=[c.replace("_", "\n") for c in conditions], ylabel="mean return")
    axis.legend(fontsize=8)
figure.savefig(out / "first_evaluation.png")
