"""Learn a task of memory-mini by RLlib's PPO, then ask whether what was learnt carries over."""

import sys
from pathlib import Path

import ray
from ray.rllib.algorithms.ppo import PPOConfig

import heldout
import heldout.rllib

TASK, ENV_ID = "visible-goal-with-buildings", "memory/visible-goal-with-buildings-mini-v1"
#: How the agent sees: with what it did last.
VIEW = {"previous": True}


def train(folder: Path, seed: int, iterations: int) -> Path:
    """Train one seed; return its checkpoint."""
    config = (
        PPOConfig()
        .environment(ENV_ID, env_config={"level": "train", **VIEW})
        .env_runners(num_env_runners=1, num_envs_per_env_runner=32)
        .rl_module(rl_module_spec=heldout.rllib.module(hidden=[64], use_lstm=True, lstm_cell_size=64, max_seq_len=32))
        .training(lr=1e-3, gamma=0.95, train_batch_size_per_learner=2048, minibatch_size=512, num_epochs=4)
        .training(lambda_=0.95, clip_param=0.2, use_kl_loss=False, entropy_coeff=0.01, vf_loss_coeff=0.5, grad_clip=0.5)
        .debugging(seed=seed)
    )
    algorithm = config.build_algo()
    for iteration in range(iterations):
        told = algorithm.train()["env_runners"]
        score = told.get("episode_return_mean", float("nan"))
        print(f"seed {seed}, iteration {iteration}: return {score:.2f}", flush=True)
    place = folder / f"seed-{seed}"
    algorithm.save_to_path(str(place.absolute()))
    algorithm.stop()
    return place


def main(folder: Path, seeds: int = 2, iterations: int = 100) -> None:
    """Train, evaluate under the protocol, and write the report."""
    ray.init("local", include_dashboard=False, log_to_driver=False)
    heldout.rllib.register()
    checkpoints = [train(folder, seed, iterations) for seed in range(seeds)]
    ray.shutdown()
    policies = [heldout.rllib.Policy(checkpoint, ENV_ID, **VIEW) for checkpoint in checkpoints]
    out = folder / "evaluation"
    heldout.evaluate(
        {TASK: policies}, "memory-mini", out, label="RLlib", episodes=50, deterministic=False, view=VIEW
    )
    for policy in ("random", "memoryless", "oracle"):
        heldout.evaluate(policy, "memory-mini", out, tasks=[TASK], episodes=50)
    heldout.report(out)
    report = (out / "report.md").read_text().splitlines()
    print(next(line for line in report if line.startswith("- **RLlib**")))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
