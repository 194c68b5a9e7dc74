"""Train with Stable-Baselines3 on a task's training level, three times, and get the verdict on what is held out."""

import json
import sys
from pathlib import Path

import numpy as np
import torch
from matplotlib.figure import Figure
from stable_baselines3 import PPO

import heldout
from heldout.sb3 import HeldoutVecEnv

out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
torch.set_num_threads(1)

# Find a ball between pillars, again and again from other places. In training the ball lies in two quarters of a small
# or a large world; held out are the other quarters, in worlds between those sizes and beyond them.
TASK, ID = "visible-goal-with-buildings", "memory/visible-goal-with-buildings-mini-v1"


def train(seed: int) -> PPO:
    """Train for a few seconds: enough to go to a ball in sight, far too little to learn more."""
    envs = HeldoutVecEnv(ID, 32, level="train")
    settings = {"n_steps": 64, "batch_size": 512, "n_epochs": 6, "learning_rate": 1e-3, "gamma": 0.95, "ent_coef": 0.01}
    return PPO("MlpPolicy", envs, seed=seed, device="cpu", **settings).learn(50_000)


# Each training seed is a run of its own, and intervals are over runs: they say what another training would give.
models = [train(seed) for seed in range(3)]
heldout.evaluate(models, "memory-mini", out / "sb3", label="PPO", tasks=[TASK], episodes=50, deterministic=False)
for policy in ("random", "memoryless", "window", "oracle"):
    heldout.evaluate(policy, "memory-mini", out / "sb3", tasks=[TASK], episodes=50)
heldout.report(out / "sb3")

# The verdict in words. In training PPO is far above random, but not above the floor: the best player that lacks what
# the task is about, here one with a memory of six steps. The picture says more: it knows the quarters of training by
# heart, and elsewhere it is no better than random.
report = (out / "sb3/report.md").read_text().splitlines()
print(next(line for line in report if line.startswith("- **PPO**")))


def score(policy: str, condition: str) -> float:
    """Return the mean return: the first line of a record says what was played, each other line is an episode."""
    path = out / "sb3/records/memory-mini" / TASK / condition / f"{policy}.jsonl"
    return float(np.mean([json.loads(line)["return"] for line in path.read_text().splitlines()[1:]]))


figure = Figure(figsize=(7, 3.5), layout="tight")
axis = figure.subplots()
for offset, policy in enumerate(("random", "memoryless", "PPO", "window", "oracle")):
    means = [score(policy, condition) for condition in ("train", "holdout_interpolate", "holdout_extrapolate")]
    axis.bar(np.arange(3) + 0.17 * (offset - 2), means, 0.16, label=policy)
axis.set(xticks=range(3), xticklabels=["train", "interpolate", "extrapolate"], ylabel="mean return", title=TASK)
axis.legend(fontsize=8)
figure.savefig(out / "train_with_sb3.png")
