"""Bring your own torch agent: a network with a memory learns by imitation, and is asked about digits it never saw."""

import json
import sys
from pathlib import Path

import numpy as np
import torch
from matplotlib.figure import Figure

import heldout

out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
torch.set_num_threads(1)


class Agent(torch.nn.Module):
    """Any module will do. This one remembers the last two rows that showed digits, and a small network decides."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.network = torch.nn.Sequential(torch.nn.Linear(200, 256), torch.nn.ReLU(), torch.nn.Linear(256, 4))

    def predict(self, observation, state=None, episode_start=None, deterministic=True):  # as SB3's models
        seen, start = torch.from_numpy(observation[:, 1:]), torch.from_numpy(episode_start)
        state = torch.zeros(len(seen), 200) if state is None else state * ~start[:, None]
        state = torch.where((seen != 0).any(1, keepdim=True), torch.cat([state[:, 100:], seen], 1), state)
        return self.network(state).argmax(1).numpy(), state


def train(seed: int) -> Agent:
    """Learn the oracle's answers at the training level: at which edge was the digit that was shown before?"""
    agent, state, rows, answers = Agent(seed), None, [], []
    envs = heldout.VectorEnv("memory/what-then-where-mini-v1", 256, autoreset_mode="SameStep", level="train")
    (seen, _), terminated = envs.reset(seed=seed), np.ones(256, dtype=bool)
    for _ in range(400):
        right, (_, state), asked = envs.act("oracle"), agent.predict(seen, state, terminated), seen[:, 0] == 1
        rows, answers = [*rows, state[asked]], [*answers, torch.from_numpy(right[asked])]
        seen, _, terminated, _, _ = envs.step(right)
    x, y, learner = torch.cat(rows), torch.cat(answers), torch.optim.Adam(agent.parameters(), lr=1e-3)
    for chosen in torch.randint(len(x), (600, 256)):
        learner.zero_grad()
        torch.nn.functional.cross_entropy(agent.network(x[chosen]), y[chosen]).backward()
        learner.step()
    return agent


# Three training seeds are three runs. Digits 0 to 4 are those of training, 5 to 9 are held out.
agents = [train(seed) for seed in range(3)]
heldout.evaluate({"what-then-where": agents}, "memory-mini", out / "torch", label="agent", episodes=50)
heldout.report(out / "torch")
print(next(line for line in (out / "torch/report.md").read_text().splitlines() if line.startswith("- **agent**")))
axis = Figure(figsize=(6, 3), layout="tight").subplots()
for condition in ("train", "holdout_interpolate", "holdout_extrapolate"):
    record = (out / "torch/records/memory-mini/what-then-where" / condition / "agent.jsonl").read_text()
    axis.bar(condition, np.mean([json.loads(line)["return"] for line in record.splitlines()[1:]]))
axis.set(ylabel="right answers of 5", title="Digits of training, and digits that are held out (random: 1.25)")
axis.figure.savefig(out / "torch_agent.png")
