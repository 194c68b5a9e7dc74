"""Rewards of single environments print as people write them, and are in 32 bits those of a batch."""

import numpy as np
import pytest

import heldout
from cases import IDS, SINGLE
from heldout.single import shortest


def test_rewards_print_as_the_card_writes_them() -> None:
    env = heldout.Env("example/grid-v1")
    env.reset(seed=0)
    assert str(env.step(0)[1]) == "-0.01", "it was -0.009999999776482582"
    env = heldout.Env("lilgym/tower-scratch-v1")
    env.reset(seed=0)
    assert str(env.step(1)[1]) == "-0.1"


@pytest.mark.parametrize("env_id", SINGLE)
def test_a_single_reward_is_the_batch_s_in_32_bits(env_id: str) -> None:
    single, pair, batch = heldout.Env(env_id), heldout.parallel_env(env_id), heldout.VectorEnv(env_id, 1)
    for env in (single, pair):
        env.reset(seed=1)
    batch.reset(seed=[1])
    batch.action_space.seed(2)
    for _ in range(100):
        action = batch.action_space.sample()
        _, reward, terminated, truncated, _ = single.step(action[0])
        assert pair.step({"agent": action[0]})[1] == {"agent": reward}
        assert type(reward) is float and np.float32(reward) == np.float32(batch.step(action)[1][0])
        if terminated or truncated:
            break


@pytest.mark.parametrize("env_id", IDS)
def test_parallel_rewards_are_of_fewest_digits(env_id: str) -> None:
    env = heldout.parallel_env(env_id)
    env.reset(seed=1)
    while env.agents:
        _, rewards, *_ = env.step(env.act("random"))
        assert all(str(reward) == str(shortest(reward)) for reward in rewards.values())


def test_every_32_bit_number_is_told_by_itself() -> None:
    bits = np.random.default_rng(0).integers(0, 2**32, 20_000, dtype=np.uint32)
    values = bits.view(np.float32)
    for value in values[np.isfinite(values)]:
        told = shortest(float(value))
        assert np.float32(told) == value and len(repr(told)) <= len(repr(float(value)))
    assert str(shortest(-0.0)) == str(shortest(0.0)) == "0.0"
