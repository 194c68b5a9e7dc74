"""RLlib: every id on its workers, every shape of observation, masks, and a mini that is learnt and evaluated."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ray
import torch
from cases import IDS, SEVERAL, SINGLE, equal
from gymnasium import spaces
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.env.multi_agent_env import MultiAgentEnv

import heldout
from heldout import rllib

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "docs/rllib_mini.py"
STEPS = 20


@pytest.fixture(scope="module", autouse=True)
def _ray() -> Iterator[None]:
    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
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


@ray.remote
def played(env_id: str, config: dict[str, Any], actions: list[Any]) -> list[Any]:
    """Play actions in a worker, which has not imported the package: what was observed and paid until the end."""
    from ray.rllib.env.env_context import EnvContext
    from ray.tune.registry import ENV_CREATOR, _global_registry

    env = _global_registry.get(ENV_CREATOR, env_id)(EnvContext(config, worker_index=1))
    told: list[Any] = [env.reset(seed=3)[0]]
    for action in actions:
        observation, reward, terminated, truncated, _ = env.step(action)
        told.append((observation, reward))
        if any(np.any(list(end.values()) if isinstance(end, dict) else end) for end in (terminated, truncated)):
            break
    return told


@pytest.mark.parametrize("env_id", SINGLE)
def test_a_plain_id_is_played_on_a_worker_as_it_is_here(env_id: str) -> None:
    here = heldout.Env(env_id, text="bytes")
    flat = rllib.Flat(here._spec)
    here.action_space.seed(0)
    actions = [here.action_space.sample() for _ in range(STEPS)]
    there = ray.get(played.remote(env_id, {}, actions))
    assert equal(there[0], flat.one(here.reset(seed=3)[0]))
    for action, (observation, reward) in zip(actions, there[1:], strict=False):
        step = here.step(action)
        assert equal(observation, flat.one(step[0])) and reward == step[1]
    assert len(there) > 1


@pytest.mark.parametrize("env_id", SEVERAL)
def test_several_agents_are_one_of_its_own_environments(env_id: str) -> None:
    own = rllib.FlatMultiAgentEnv(env_id)
    assert isinstance(own, MultiAgentEnv)
    here = heldout.parallel_env(env_id, text="bytes")
    for agent in here.possible_agents:
        here.action_space(agent).seed(0)
    actions = [{name: here.action_space(name).sample() for name in here.possible_agents} for _ in range(STEPS)]
    there = ray.get(played.remote(env_id, {}, actions))

    def flat(observations: dict[str, Any]) -> dict[str, Any]:
        assert all(own.observation_spaces[name].contains(own.flats[name].one(o)) for name, o in observations.items())
        return {name: own.flats[name].one(o) for name, o in observations.items()}

    assert equal(there[0], flat(here.reset(seed=3)[0]))
    for action, (observation, reward) in zip(actions, there[1:], strict=False):
        step = here.step(action)
        assert equal(observation, flat(step[0])) and reward == step[1]
    assert len(there) > 1


def test_every_id_is_registered_and_its_config_is_checked_there() -> None:
    from ray.tune.registry import ENV_CREATOR, _global_registry

    assert all(_global_registry.contains(ENV_CREATOR, env_id) for env_id in IDS)
    made = _global_registry.get(ENV_CREATOR, "example/grid-v1")({"split": "heldout"})
    assert made.env.config["split"] == "heldout"
    with pytest.raises(TypeError, match="spilt"):
        ray.get(played.remote("example/grid-v1", {"spilt": "heldout"}, []))


def test_what_is_not_to_be_had_is_refused() -> None:
    with pytest.raises(heldout.HeldoutError, match="`text` is not to be chosen"):
        rllib.FlatEnv("lilgym/tower-scratch-v1", text="str")
    with pytest.raises(heldout.HeldoutError, match="no setting `depth`"):
        rllib.module(depth=3)
    with pytest.raises(heldout.HeldoutError, match=r"use heldout\.rllib\.module"):
        rllib.model_config("lilgym/tower-scratch-v1", mask=True)
    with pytest.raises(heldout.HeldoutError, match="which is no folder"):
        rllib.Policy("nowhere", "example/grid-v1")


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
