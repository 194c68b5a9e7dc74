"""Rewards and metrics have 32 bits, and print as people write them wherever they are shown."""

from typing import Any

import numpy as np
import pytest

import heldout
from cases import IDS, SINGLE
from heldout._native import shortest


def written(value: float) -> bool:
    """Whether a number is the one with the fewest digits that it is in 32 bits."""
    return type(value) is float and repr(value) == repr(float(str(np.float32(value))) + 0.0)


def numbers(info: dict[str, Any]) -> list[float]:
    """The metrics of an info, of one copy or of all."""
    shown = {k: v for k, v in info.items() if not k.startswith("_") and k not in ("problem", "action_mask")}
    return [float(x) for k, v in shown.items() if not k.startswith("final") for x in np.ravel(v)]


def test_rewards_print_as_the_card_writes_them() -> None:
    env = heldout.Env("example/grid-v1")
    env.reset(seed=0)
    assert str(env.step(0)[1]) == "-0.01", "it was -0.009999999776482582"
    env = heldout.Env("lilgym/tower-scratch-v1")
    env.reset(seed=0)
    assert str(env.step(1)[1]) == "-0.1"
    batch = heldout.VectorEnv("example/grid-v1", 2)
    batch.reset(seed=0)
    assert batch.step([0, 0])[1].tolist() == [-0.01, -0.01]


def test_metrics_print_as_people_write_them() -> None:
    env = heldout.Env("example/grid-v1", max_episode_steps=3)
    env.reset(seed=0)
    for _ in range(3):
        info = env.step(0)[4]
    assert str(info["return"]) == "-0.03", "it was -0.029999999329447746"
    assert env.metrics()["return"] == -0.03
    batch = heldout.VectorEnv("example/grid-v1", 1, max_episode_steps=3, autoreset_mode="SameStep")
    batch.reset(seed=[0])
    for _ in range(3):
        infos = batch.step([0])[4]
    assert infos["final_info"]["return"].tolist() == [-0.03] and batch.metrics(0)["return"] == 0.0


@pytest.mark.parametrize("env_id", SINGLE)
def test_a_single_environment_tells_what_a_batch_does(env_id: str) -> None:
    single, pair, batch = heldout.Env(env_id), heldout.parallel_env(env_id), heldout.VectorEnv(env_id, 1)
    for env in (single, pair):
        env.reset(seed=1)
    batch.reset(seed=[1])
    batch.action_space.seed(2)
    for _ in range(100):
        action = batch.action_space.sample()
        _, reward, terminated, truncated, info = single.step(action[0])
        _, rewards, _, _, infos = batch.step(action)
        assert pair.step({"agent": action[0]})[1] == {"agent": reward} and rewards.tolist() == [reward]
        assert written(reward) and all(map(written, numbers(info))) and numbers(infos) == numbers(info)
        if terminated or truncated:
            break
    assert all(map(written, single.metrics().values())) and pair.metrics() == single.metrics()


@pytest.mark.parametrize("env_id", IDS)
def test_parallel_rewards_and_metrics_are_of_fewest_digits(env_id: str) -> None:
    env = heldout.parallel_env(env_id)
    env.reset(seed=1)
    while env.agents:
        _, rewards, _, _, infos = env.step(env.act("random"))
        assert all(map(written, rewards.values()))
        assert all(written(x) for info in infos.values() for x in numbers(info))


def test_every_32_bit_number_is_told_by_itself() -> None:
    random = np.random.default_rng(0)
    bits = random.integers(0, 2**32, 20_000, dtype=np.uint32).view(np.float32)
    shares = random.integers(0, 100, 20_000) / np.float32(random.integers(1, 100, 20_000))
    sums = np.cumsum(np.full(1000, -0.01, np.float32), dtype=np.float32)
    for value in np.concatenate([bits[np.isfinite(bits)], shares.astype(np.float32), sums]):
        told = shortest(float(value))
        assert written(told) and np.float32(told) == value and len(repr(told)) <= len(repr(float(value)))
    assert str(shortest(-0.0)) == str(shortest(0.0)) == "0.0"
    assert str(shortest(float("-inf"))) == "-inf" and str(shortest(float("nan"))) == "nan"
