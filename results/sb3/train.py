"""Train RecurrentPPO of sb3-contrib three times on the training level of a memory mini, and get the verdict.

``python results/sb3/train.py OUT [STEPS [TASK]]`` with ``heldout[sb3]`` installed; models are kept in OUT, and a run
that was ended goes on with the next seed.
"""

import sys
from pathlib import Path

import torch
from sb3_contrib import RecurrentPPO

import heldout
from heldout.sb3 import HeldoutVecEnv

out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
TASK = sys.argv[3] if len(sys.argv) > 3 else "spot-diff"
torch.set_num_threads(1)


def trained(seed: int) -> RecurrentPPO:
    """Return the model of a training seed, trained or as it was kept."""
    path = out / f"seed{seed}.zip"
    if path.exists():
        return RecurrentPPO.load(path, device="cpu")
    envs = HeldoutVecEnv(f"memory/{TASK}-mini-v1", 64, level="train")
    envs.seed(seed)
    network = {"lstm_hidden_size": 64, "enable_critic_lstm": False, "shared_lstm": True, "net_arch": [64]}
    model = RecurrentPPO("MlpLstmPolicy", envs, n_steps=64, batch_size=1024, n_epochs=4, learning_rate=1e-3, gamma=0.9,
                         ent_coef=0.01, seed=seed, device="cpu", policy_kwargs=network, verbose=1)  # fmt: skip
    model.learn(steps)
    model.save(path)
    return model


out.mkdir(parents=True, exist_ok=True)
models = [trained(seed) for seed in range(3)]
heldout.evaluate(models, "memory-mini", out / "evaluation", label="RecurrentPPO", tasks=[TASK], resume=True)
for policy in ("random", "memoryless", "oracle"):
    heldout.evaluate(policy, "memory-mini", out / "evaluation", tasks=[TASK], resume=True)
heldout.report(out / "evaluation")
