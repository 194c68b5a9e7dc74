"""Train RecurrentPPO of sb3-contrib some times on the training level of a memory mini, and get the verdict.

``python results/sb3/train.py OUT [STEPS [SEEDS]]`` with ``heldout[sb3]`` installed. Models are kept in OUT: what was
ended goes on with the next training seed, and more of them are added to the records.
"""

import json
import sys
from pathlib import Path

import numpy as np
import torch
from sb3_contrib import RecurrentPPO
from stable_baselines3.common.vec_env import VecMonitor

import heldout
from heldout.sb3 import HeldoutVecEnv

out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
seeds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
torch.set_num_threads(1)

# Two blocks are shown, then nothing, then the blocks again with one of them in another colour: which? Held out are
# colours and how long nothing is shown.
TASK, HIDDEN = "spot-diff-passive", 64
NETWORK = {"lstm_hidden_size": HIDDEN, "shared_lstm": True, "enable_critic_lstm": False, "net_arch": [64]}


def trained(seed: int) -> RecurrentPPO:
    """Return the model of a training seed, trained or as it was kept."""
    path = out / f"seed{seed}.zip"
    if path.exists():
        return RecurrentPPO.load(path, device="cpu")
    envs = HeldoutVecEnv(f"memory/{TASK}-mini-v1", 256, level="train")
    envs.seed(1000 * seed)
    # An answer is rewarded at once and nothing before it matters, so nothing is expected of the future.
    model = RecurrentPPO("MlpLstmPolicy", VecMonitor(envs), n_steps=64, batch_size=4096, n_epochs=8, learning_rate=2e-3,
                         gamma=0.0, seed=seed, device="cpu", policy_kwargs=NETWORK, verbose=1)  # fmt: skip
    # What an LSTM forgets at first within a few steps it never learns to use: begin with gates that remember.
    with torch.no_grad():
        model.policy.lstm_actor.bias_ih_l0[HIDDEN : 2 * HIDDEN] = 2.0
    model.learn(steps)
    model.save(path)
    return model


out.mkdir(parents=True, exist_ok=True)
models = [trained(seed) for seed in range(seeds)]
heldout.evaluate(models, "memory-mini", out / "evaluation", label="RecurrentPPO", tasks=[TASK], resume=True)
for policy in ("random", "window", "oracle"):
    heldout.evaluate(policy, "memory-mini", out / "evaluation", tasks=[TASK], resume=True)
heldout.report(out / "evaluation")

# The mean return of every run, by agent and condition.
scores: dict[str, dict[str, list[float]]] = {}
for path in sorted((out / "evaluation/records").rglob("*.jsonl")):
    returns: dict[int, list[float]] = {}
    for line in path.read_text().splitlines()[1:]:
        episode = json.loads(line)
        returns.setdefault(episode["seed"], []).append(episode["return"])
    scores.setdefault(path.stem, {})[path.parent.name] = [round(float(np.mean(of)), 4) for of in returns.values()]
(out / "scores.json").write_text(json.dumps(scores, indent=2) + "\n")
