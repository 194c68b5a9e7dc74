"""Scripted policies, for imitation and for the floor and ceiling of a score."""

import numpy as np
import pytest

import heldout
from cases import SINGLE


@pytest.mark.parametrize("env_id", SINGLE)
def test_oracle_and_random(env_id: str) -> None:
    # Pictures would be most of the time, and change nothing here.
    smallest = heldout.about(env_id)["smallest"]

    def score(policy: str) -> float:
        envs, total = heldout.VectorEnv(env_id, 32, **smallest), []
        envs.reset(seed=0)
        while len(total) < 64:
            actions = envs.act(policy)
            assert actions in envs.action_space
            _, _, terminated, truncated, infos = envs.step(actions)
            total += infos["return"][terminated | truncated].tolist() if "return" in infos else []
        return float(np.mean(total))

    assert score("oracle") > score("random")
    names = {policy["name"] for policy in heldout.Env(env_id).policies}
    assert {"oracle", "random"} <= names


@pytest.mark.parametrize("env_id", SINGLE)
def test_single_and_batch_choose_the_same(env_id: str) -> None:
    envs, env = heldout.VectorEnv(env_id, 2), heldout.Env(env_id)
    envs.reset(seed=[8, 9])
    env.reset(seed=9)
    for _ in range(20):
        actions, action = envs.act("random", seed=4), env.act("random", seed=4)
        assert action in env.action_space and np.array_equal(actions[1], action)
        envs.step(actions)
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            break


def test_a_policy_sees_the_environment_not_what_was_written_over_it() -> None:
    envs = heldout.VectorEnv("example/grid-v1", 8, copy=False)
    observation, _ = envs.reset(seed=0)
    actions, rewards = envs.act("greedy"), envs.step(envs.act("greedy"))[1]
    kept = rewards.copy()
    before = envs.act("greedy", seed=1)
    for array in observation.values():
        array.fill(77)
    assert np.array_equal(envs.act("greedy", seed=1), before) and len(actions) == 8
    assert np.array_equal(rewards, kept), "asking a policy changes no array"
