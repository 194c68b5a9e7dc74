"""PettingZoo's own tests pass on every id, and under every split and preset of those with several agents."""

import warnings

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test, parallel_seed_test

import heldout
from cases import IDS, SEVERAL, SEVERAL_CASES, Case
from heldout.parallel import ParallelEnv


@pytest.mark.parametrize("case", SEVERAL_CASES, ids=str)
def test_pettingzoo(case: Case) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(heldout.parallel_env(case.id, **case.config), num_cycles=500)
        parallel_seed_test(lambda: heldout.parallel_env(case.id, **case.config), num_cycles=500)


@pytest.mark.parametrize("env_id", IDS)
def test_pettingzoo_takes_every_id(env_id: str) -> None:
    def make() -> ParallelEnv:
        return heldout.parallel_env(env_id, **heldout.about(env_id)["smallest"])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(make(), num_cycles=50)
        parallel_seed_test(make, num_cycles=50)


@pytest.mark.parametrize("env_id", IDS)
def test_each_agent_sees_its_own_space(env_id: str) -> None:
    env = heldout.parallel_env(env_id)
    for i, name in enumerate(env.possible_agents):
        env.action_space(name).seed(i)
        assert env.observation_space(name) is env.observation_space(name)
    observations, infos = env.reset(seed=1)
    for _ in range(200):
        for name in env.possible_agents:
            assert observations[name] in env.observation_space(name)
        if not env.agents:
            assert all("return" in info for info in infos.values())
            assert env.step({}) == ({}, {}, {}, {}, {})
            observations, infos = env.reset()
            continue
        actions = {name: env.action_space(name).sample() for name in env.agents}
        observations, _, terminated, truncated, infos = env.step(actions)
        assert (not env.agents) == (any(terminated.values()) or any(truncated.values()))


def test_agents_of_the_example_differ() -> None:
    env = heldout.parallel_env("example/signal-v1")
    assert set(env.observation_space("guide")) == {"signs", "word", "spoken"}
    assert set(env.observation_space("walker")) == {"signs", "message", "spoken"}
    observations, _ = env.reset(seed=1)
    assert observations["guide"]["signs"].shape == (1, 8) and observations["walker"]["signs"].shape == (3, 8)
    assert observations["guide"]["word"] == "yellow triangle"
    assert observations["guide"]["signs"].flags.c_contiguous


@pytest.mark.parametrize("env_id", SEVERAL)
def test_the_end_of_an_episode(env_id: str) -> None:
    env = heldout.parallel_env(env_id, max_episode_steps=2)
    env.reset(seed=0)
    env.step(env.act("random"))
    _, _, terminated, truncated, infos = env.step(env.act("random"))
    assert all(truncated.values()) or all(terminated.values())
    assert env.agents == [] and all(info["length"] == 2 for info in infos.values())
    before = env.save()
    with pytest.raises(heldout.HeldoutError, match="has ended"):
        env.step({name: env.action_space(name).sample() for name in env.possible_agents})
    assert env.save() == before


@pytest.mark.parametrize("env_id", SEVERAL)
def test_wrong_actions_change_nothing(env_id: str) -> None:
    env = heldout.parallel_env(env_id)
    env.reset(seed=0)
    before = env.save()
    good = {name: env.action_space(name).sample() for name in env.agents}
    first, last = env.agents[0], env.agents[-1]
    wrong = [
        None, 3, [], {}, {first: good[first]}, {**good, "nobody": 0},
        *({**good, last: bad} for bad in (None, "up", 0.5, -1, 10**9, 2**40, 10**30, [[0]], np.zeros(7, int))),
    ]  # fmt: skip
    for actions in wrong:
        with pytest.raises((ValueError, TypeError)):
            env.step(actions)
        assert env.save() == before and env.agents == env.possible_agents
    env.step(good)


@pytest.mark.parametrize("env_id", SEVERAL)
def test_oracles_beat_random(env_id: str) -> None:
    def score(policy: str) -> float:
        env, total = heldout.parallel_env(env_id), []
        env.reset(seed=0)
        while len(total) < 20:
            _, _, _, _, infos = env.step(env.act(policy))
            if not env.agents:
                total.append(infos[env.possible_agents[0]]["return"])
                env.reset()
        return float(np.mean(total))

    assert score("oracle") > score("random")


def test_policies_by_agent() -> None:
    env = heldout.parallel_env("example/signal-v1")
    env.reset(seed=0)
    actions = env.act({"guide": "oracle", "walker": "random"}, seed=3)
    assert actions["guide"].shape == (2,) and actions["walker"].shape == ()
    for wrong in ({"guide": "oracle"}, {"guide": "oracle", "walker": "best"}, "best"):
        with pytest.raises(heldout.HeldoutError):
            env.act(wrong)
