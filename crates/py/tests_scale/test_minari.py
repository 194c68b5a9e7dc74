"""Minari datasets of any policy: what is stored is what was played, metrics included, and can be played again."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import heldout
from heldout.minari import collect


@pytest.fixture(autouse=True)
def _datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))


def rows(value: Any, i: int) -> Any:
    return {name: rows(part, i) for name, part in value.items()} if isinstance(value, dict) else np.asarray(value[i])


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return np.array_equal(np.asarray(one), np.asarray(other))


CASES = [
    ("example/grid-v1", {"split": "heldout"}),
    ("halma/symbolic-v1", {}),
    ("memory/spot-diff-mini-v1", {}),
    ("lilgym/tower-scratch-v1", {"observation": "objects"}),
]


@pytest.mark.parametrize(("env_id", "config"), CASES, ids=[case[0] for case in CASES])
def test_minari_recovers_what_an_oracle_played(env_id: str, config: dict[str, Any]) -> None:
    data = collect("oracle", env_id, "heldout/test-v0", episodes=2, seed=5, **config)
    assert data.total_episodes == 2 and data.storage.metadata["algorithm_name"] == "oracle"
    env = data.recover_environment()
    for number, episode in enumerate(data.iterate_episodes()):
        observation, _ = env.reset(seed=5 + number)
        assert same(observation, rows(episode.observations, 0))
        for i, action in enumerate(episode.actions):
            observation, reward, terminated, truncated, _ = env.step(action)
            assert same(observation, rows(episode.observations, i + 1)) and reward == episode.rewards[i]
            told = env.unwrapped.metrics()
            assert set(told) == set(episode.infos)
            for name, value in told.items():
                assert np.array_equal(np.float32(value), episode.infos[name][i + 1], equal_nan=True), name
        assert terminated or truncated


def test_any_policy_can_be_collected_from() -> None:
    starts = []

    def policy(observation: Any, episode_start: Any, seeds: Any) -> Any:
        starts.append((bool(episode_start[0]), int(seeds[0])))
        return np.zeros(1, int)

    data = collect(policy, "example/grid-v1", "heldout/function-v0", episodes=3, max_episode_steps=4)
    assert data.total_steps == 12 and sum(start for start, _ in starts) == 3
    assert {seed for _, seed in starts} == {0, 1, 2} and data.storage.metadata["algorithm_name"] == "policy"


def test_a_module_a_model_and_a_trained_policy_can_be_collected_from(tmp_path: Path) -> None:
    class Model:
        def predict(self, observation: Any, state: Any, episode_start: Any, deterministic: bool) -> Any:
            return np.zeros(len(episode_start), int), state

    class Module(torch.nn.Module):
        def forward(self, observation: Any) -> Any:
            assert not self.training
            first = next(iter(observation.values())) if isinstance(observation, dict) else observation
            return torch.zeros(len(first), 4)

    words = ["train", "ppo", "--env", "example/grid-v1", "--steps", "600", "--out", str(tmp_path / "run")]
    subprocess.run([sys.executable, "-m", "heldout", *words], check=True, capture_output=True)
    module = Module()
    for number, (policy, name) in enumerate([(Model(), "Model"), (module, "Module"), (tmp_path / "run", "PPO")]):
        data = collect(policy, "example/grid-v1", f"heldout/of-{number}-v0", episodes=1, max_episode_steps=4)
        assert 1 <= data.total_steps <= 4 and data.storage.metadata["algorithm_name"] == name
    assert module.training
    with pytest.raises(heldout.HeldoutError, match="`env_id` is `halma/symbolic-v1`, must be `example/grid-v1`"):
        collect(tmp_path / "run", "halma/symbolic-v1", "heldout/no-v0", episodes=1)


def test_what_cannot_be_stored_is_refused() -> None:
    with pytest.raises(heldout.HeldoutError, match="`text` is `str`"):
        collect("oracle", "example/grid-v1", "heldout/no-v0", episodes=1, text="str")
    with pytest.raises(heldout.HeldoutError, match="`episodes` is `0`"):
        collect("oracle", "example/grid-v1", "heldout/no-v0", episodes=0)
