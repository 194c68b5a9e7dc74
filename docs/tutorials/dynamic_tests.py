"""HALMA's dynamic tests: a learner brings its experience, and is asked about what it has not met."""

import json
import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import heldout

out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
rng = np.random.default_rng(0)

# The simplest of learners: a table. It remembers what a good player did when the agent saw exactly this.
# With `experience = true` the environment keeps an account of the relations between digits that its agent has met.
env = heldout.Env("halma/symbolic-v1", mazes=100, experience=True)
env.action_space.seed(0)
table: dict[bytes, np.ndarray] = {}
seen, _ = env.reset(seed=0)
for _ in range(60_000):
    right = env.act("explorer")
    table[seen.tobytes()] = right
    action = right if rng.random() < 0.5 else env.action_space.sample()
    seen, _, terminated, truncated, _ = env.step(action)
    if terminated or truncated:
        seen, _ = env.reset()


def look_up(observation):
    """Answer a batch of observations; who finds nothing in the table tries one move anywhere."""
    anywhere = np.zeros((len(observation), 6), dtype=np.int64)
    anywhere[:, 0], anywhere[:, 1] = rng.integers(4, size=len(observation)), 1
    return np.array([table.get(row.tobytes(), move) for row, move in zip(observation, anywhere, strict=True)])


# The tests ST-1 to AfT-3 are made now, from this experience: they ask for relations that this agent has not met.
# A scripted policy plays the training mazes itself first, and is given tests of its own.
task = {"tasks": ["halma-symbolic"], "seeds": 1}
heldout.evaluate(look_up, "quick", out / "halma", label="table", experience=env.experience(), **task)
heldout.evaluate("oracle", "quick", out / "halma", label="oracle", **task)
heldout.report(out / "halma")


def score(agent: str, condition: str) -> float:
    """Return the mean `rho_p`: the first line of a record says what was played, each other line is an episode."""
    path = out / "halma/records/quick/halma-symbolic" / condition / f"{agent}.jsonl"
    return float(np.mean([json.loads(line)["metrics"]["rho_p"] for line in path.read_text().splitlines()[1:]]))


conditions = ["T", "RT", "ST-1", "ST-2", "AfT-1", "AfT-3"]
figure = Figure(figsize=(7, 3.5), layout="tight")
axis = figure.subplots()
for offset, agent in ((-0.2, "table"), (0.2, "oracle")):
    axis.bar(np.arange(6) + offset, [score(agent, c) for c in conditions], 0.4, label=agent)
axis.set(xticks=range(6), xticklabels=conditions, ylabel="rho_p", title="T is training, all else is held out")
axis.legend(loc="lower right")
figure.savefig(out / "dynamic_tests.png")
