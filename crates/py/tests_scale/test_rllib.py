"""RLlib: every id on its workers, every shape of observation, masks, and a mini that is learnt and evaluated."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import ray
import torch
from gymnasium import spaces
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns

import heldout
from heldout import rllib

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "docs/rllib_mini.py"
SINGLE = [env_id for env_id in heldout.ids() if len(heldout.rllib._spec(env_id, {}).agents) == 1]


@pytest.fixture(scope="module", autouse=True)
def _ray() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    rllib.register()
    yield
    ray.shutdown()


@pytest.mark.parametrize("env_id", SINGLE)
def test_every_observation_is_flat_and_what_its_space_says(env_id: str) -> None:
    env = rllib.FlatEnv(env_id)
    env.action_space.seed(0)
    observation, _ = env.reset(seed=1)
    for _ in range(3):
        assert env.observation_space.contains(observation)
        parts = observation if isinstance(observation, dict) else {"": observation}
        assert all(part.dtype == np.float32 and part.ndim in (1, 3) for part in parts.values())
        mask = env.env.action_masks()
        scores = env.action_space.sample()
        if isinstance(env.action_space, spaces.Discrete) and not mask[scores]:
            scores = int(np.flatnonzero(mask)[0])
        elif isinstance(env.action_space, spaces.MultiDiscrete):
            starts = np.concatenate([[0], np.cumsum(env.action_space.nvec)[:-1]])
            ends = starts + env.action_space.nvec
            scores = np.array([np.flatnonzero(mask[a:b])[0] for a, b in zip(starts, ends, strict=True)])
        observation, _, terminated, truncated, _ = env.step(scores)
        if terminated or truncated:
            observation, _ = env.reset()
    env.close()


@pytest.mark.parametrize("use_lstm", [False, True])
@pytest.mark.parametrize("env_id", SINGLE)
def test_the_module_takes_every_observation_and_never_what_is_forbidden(env_id: str, use_lstm: bool) -> None:
    env = rllib.FlatEnv(env_id)
    spec = rllib.module(hidden=[8], use_lstm=use_lstm, lstm_cell_size=8)
    spec.observation_space, spec.action_space = env.observation_space, env.action_space
    module = spec.build()
    observation, _ = env.reset(seed=2)

    def shown(array: Any) -> Any:
        tensor = torch.from_numpy(np.stack([array, array]))
        return tensor.unsqueeze(1) if use_lstm else tensor

    one = {k: shown(v) for k, v in observation.items()} if isinstance(observation, dict) else shown(observation)
    batch: dict[str, Any] = {Columns.OBS: one}
    if use_lstm:
        batch[Columns.STATE_IN] = rllib._repeated(module.get_initial_state(), 2)
    told = module.forward_exploration(batch)
    scores = told[Columns.ACTION_DIST_INPUTS]
    allowed = torch.from_numpy(env.env.action_masks())
    drawn = scores.reshape(2, -1)[0] > rllib._FORBIDDEN / 2
    if isinstance(observation, dict) and "action_mask" in observation:
        assert torch.equal(drawn, allowed)
    else:
        assert drawn.all()
    assert module.compute_values(batch).numel() == 2
    env.close()


def test_rllibs_own_models_get_a_config_for_pictures_and_for_tables() -> None:
    for env_id, config in (("halma/symbolic-v1", {}), ("memory/spot-diff-v1", {})):
        made = rllib.model_config(env_id, settings={"fcnet_hiddens": [16]}, **config)
        assert made.fcnet_hiddens == [16]
        algorithm = (
            PPOConfig()
            .environment(env_id, env_config=config)
            .env_runners(num_env_runners=0, rollout_fragment_length=8)
            .rl_module(model_config=made)
            .training(train_batch_size_per_learner=8, minibatch_size=8, num_epochs=1)
            .build_algo()
        )
        assert algorithm.train()["num_env_steps_sampled_lifetime"] >= 8
        algorithm.stop()


@pytest.mark.parametrize(
    ("env_id", "config"),
    [
        ("lilgym/tower-scratch-v1", {"mask": True, "observation": "objects"}),
        ("lilgym/tower-scratch-v1", {"mask": True, "actions": "factored"}),
        ("s2b/listener-v1", {}),
    ],
    ids=["text-and-mask", "picture-and-parts", "listener"],
)
def test_ppo_learns_on_workers_what_has_masks_and_text(env_id: str, config: dict[str, Any]) -> None:
    algorithm = (
        PPOConfig()
        .environment(env_id, env_config=config)
        .env_runners(num_env_runners=1, num_envs_per_env_runner=2, rollout_fragment_length=16)
        .rl_module(rl_module_spec=rllib.module(hidden=[16]))
        .training(train_batch_size_per_learner=32, minibatch_size=16, num_epochs=1)
        .build_algo()
    )
    told = algorithm.train()
    assert told["num_env_steps_sampled_lifetime"] >= 32
    losses = told["learners"]["default_policy"]
    assert np.isfinite(losses["total_loss"])
    algorithm.stop()


def test_several_agents_are_a_multi_agent_environment() -> None:
    several = [env_id for env_id in heldout.ids() if env_id not in SINGLE]
    assert several
    for env_id in several:
        env = rllib.FlatMultiAgentEnv(env_id)
        observations, _ = env.reset(seed=0)
        for name, own in observations.items():
            assert env.observation_spaces[name].contains(own)
        env.close()


def test_what_is_not_to_be_had_is_refused() -> None:
    with pytest.raises(heldout.HeldoutError, match="`text` is not to be chosen"):
        rllib.FlatEnv("lilgym/tower-scratch-v1", text="str")
    with pytest.raises(heldout.HeldoutError, match="no setting `depth`"):
        rllib.module(depth=3)
    with pytest.raises(heldout.HeldoutError, match=r"use heldout\.rllib\.module"):
        rllib.model_config("lilgym/tower-scratch-v1", mask=True)
    with pytest.raises(heldout.HeldoutError, match="which is no folder"):
        rllib.Policy("nowhere", "example/grid-v1")


def test_a_plain_id_is_registered_in_every_process() -> None:
    @ray.remote
    def made(env_id: str) -> bool:
        from ray.tune.registry import ENV_CREATOR, _global_registry

        return isinstance(_global_registry.get(ENV_CREATOR, env_id)({}), gymnasium.Env)

    assert all(ray.get([made.remote(env_id) for env_id in SINGLE[:4]]))


def test_a_mini_is_learnt_above_memoryless_and_evaluated_with_a_verdict(tmp_path: Path) -> None:
    ray.shutdown()
    done = subprocess.run([sys.executable, str(EXAMPLE), str(tmp_path)], capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, done.stderr
    scores: dict[str, float] = {}
    for label in ("RLlib", "memoryless"):
        path = next((tmp_path / "evaluation/records").rglob(f"train/{label}.jsonl"))
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        scores[label] = float(np.mean([line["return"] for line in lines[1:]]))
        if label == "RLlib":
            assert len(lines[0]["policies"]) == 2 and all("sha256:" in who for who in lines[0]["policies"])
    assert scores["RLlib"] > scores["memoryless"]
    verdict = done.stdout.splitlines()[-1]
    assert verdict.startswith("- **RLlib**"), "the report has no verdict on it"
    print(scores, verdict)
