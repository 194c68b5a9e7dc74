"""How fast PPO trains, environment and learner together: heldout against Stable-Baselines3, in one interleaved run.

``python bench/sb3_train.py HELDOUT [ROUNDS]`` with ``heldout[sb3]`` installed; HELDOUT is the binary of a release
build. Both train the same network on the same environment with as many copies, rows, minibatches and epochs, on one
thread, in turn; the best of the rounds counts, since a busy machine only ever takes time. Prints a table in Markdown.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
from sb3_contrib import RecurrentPPO
from stable_baselines3 import PPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from heldout.sb3 import HeldoutVecEnv

BINARY = sys.argv[1]
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 3

GOALS = "memory/visible-goal-with-buildings-mini-v1"
#: What is trained, with how many copies, rows, minibatches and epochs, for how many steps.
CASES: dict[str, dict[str, Any]] = {
    "vectors": {"agent": "ppo", "id": GOALS, "shape": (16, 128, 4, 4), "steps": 40_960},
    "vectors, small batches": {"agent": "ppo", "id": GOALS, "shape": (16, 128, 32, 10), "steps": 16_384},
    "pixels": {"agent": "ppo", "id": "memory/spot-diff-v1", "shape": (8, 128, 4, 4), "steps": 4_096},
    "recurrent": {"agent": "ppo-lstm", "id": GOALS, "shape": (16, 128, 4, 4), "steps": 20_480},
}


class Vectors(BaseFeaturesExtractor):
    """Two layers of 128 and a third, as ``ppo`` has them for vectors."""

    def __init__(self, space: Any) -> None:
        """Make the layers."""
        super().__init__(space, 128)
        sizes = [space.shape[0], 128, 128]
        layers = [part for a, b in zip(sizes, [*sizes[1:], 128], strict=True) for part in (nn.Linear(a, b), nn.ReLU())]
        self.layers = nn.Sequential(*layers)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the features."""
        return self.layers(rows)


class Pixels(BaseFeaturesExtractor):
    """Three convolutions, a layer of 256 and one of 128, as ``ppo`` has them for large pictures."""

    def __init__(self, space: Any) -> None:
        """Make the layers."""
        super().__init__(space, 128)
        convolutions = [nn.Conv2d(3, 32, 8, 4), nn.Conv2d(32, 64, 4, 2), nn.Conv2d(64, 64, 3, 1)]
        self.eye = nn.Sequential(*[part for conv in convolutions for part in (conv, nn.ReLU())], nn.Flatten())
        with torch.no_grad():
            width = self.eye(torch.zeros(1, *space.shape)).shape[1]
        self.join = nn.Sequential(nn.Linear(width, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU())

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the features."""
        return self.join(self.eye(rows))


def theirs(case: dict[str, Any], kind: str) -> float:
    """Return the seconds that Stable-Baselines3 takes."""
    copies, rows, minibatches, epochs = case["shape"]
    envs = HeldoutVecEnv(case["id"], copies)
    extractor = Pixels if kind == "pixels" else Vectors
    network: dict[str, Any] = {"features_extractor_class": extractor, "net_arch": {"pi": [], "vf": [128]}}
    algorithm: type[PPO] | type[RecurrentPPO] = PPO
    policy = "CnnPolicy" if kind == "pixels" else "MlpPolicy"
    if kind == "recurrent":
        network |= {"lstm_hidden_size": 128, "shared_lstm": True, "enable_critic_lstm": False}
        algorithm, policy = RecurrentPPO, "MlpLstmPolicy"
    batch = copies * rows // minibatches
    model = algorithm(policy, envs, n_steps=rows, batch_size=batch, n_epochs=epochs, clip_range_vf=0.2, ent_coef=0.01,
                      policy_kwargs=network, device="cpu", seed=0)  # fmt: skip
    begun = time.perf_counter()
    model.learn(case["steps"])
    return time.perf_counter() - begun


def ours(case: dict[str, Any]) -> float:
    """Return the seconds that heldout takes, as it writes them down."""
    copies, rows, minibatches, epochs = case["shape"]
    steps = case["steps"]
    with tempfile.TemporaryDirectory() as folder:
        words = [BINARY, "train", case["agent"], "--env", case["id"], "--out", folder]
        words += ["--profile", "paper", "--threads", "1"]
        keys = {"copies": copies, "rows": rows, "minibatches": minibatches, "epochs": epochs, "previous": False}
        # Neither plays for a score: an evaluation in the end would be ours alone.
        keys |= {"save_every": steps, "evaluate_every": 10 * steps, "steps": steps}
        for key, value in keys.items():
            words += ["--set", f"{key}={json.dumps(value)}"]
        begun = time.perf_counter()
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "RAYON_NUM_THREADS": "1"})
        seconds = time.perf_counter() - begun
        done = json.loads(Path(folder, "seed-0/done.json").read_text())
        return seconds * steps / done["counters"]["env_steps"]


torch.set_num_threads(1)
print("| what | heldout, steps/s | Stable-Baselines3, steps/s | ratio |\n|---|--:|--:|--:|")
for kind, case in CASES.items():
    best = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        best = [min(best[0], ours(case)), min(best[1], theirs(case, kind))]
    speeds = [case["steps"] / seconds for seconds in best]
    print(f"| {kind}: `{case['id']}` | {speeds[0]:,.0f} | {speeds[1]:,.0f} | {speeds[0] / speeds[1]:.2f} |", flush=True)
