"""Gymnasium's own checker has nothing to say about any id with one agent, under any split or preset."""

import importlib.util
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import heldout
from cases import SINGLE, SINGLE_CASES, Case, equal


@pytest.mark.parametrize("case", SINGLE_CASES, ids=str)
def test_check_env(case: Case) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(case.id, **case.config).unwrapped
        if case.id.startswith("lilgym/"):
            # The public rules truncate at an invalid action, which a random one often is, and the checker forbids that
            # of a first step: it is given STOP, which all zeros stand for.
            stop = env.action_space.sample() * 0
            env.action_space.sample = lambda *_, **__: stop
        # One of the modes that are checked opens a window.
        check_env(env, skip_render_check=importlib.util.find_spec("pygame") is None)


@pytest.mark.parametrize("env_id", SINGLE)
def test_observations_stay_in_their_space_through_restarts(env_id: str) -> None:
    env = gymnasium.make(env_id)
    env.action_space.seed(3)
    observation, info = env.reset(seed=3)
    for _ in range(300):
        assert observation in env.observation_space
        assert all(type(value) in (float, int) for value in info.values())
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        assert type(reward) is float and type(terminated) is bool and type(truncated) is bool
        if terminated or truncated:
            assert {"return", "length"} <= info.keys()
            observation, info = env.reset()
        else:
            assert "return" not in info


@pytest.mark.parametrize("env_id", SINGLE)
def test_a_seed_fixes_all_that_follows(env_id: str) -> None:
    def play(env: gymnasium.Env, seed: int | None) -> list:
        env.action_space.seed(0)
        seen = [env.reset(seed=seed)]
        for step in range(120):
            seen.append(env.step(env.action_space.sample()))
            # Of few problems two instances may draw the same once, but hardly twelve times.
            if seen[-1][2] or seen[-1][3] or step % 10 == 9:
                seen.append(env.reset())
        return seen

    one, two = heldout.Env(env_id), heldout.Env(env_id)
    two.reset()
    first = play(one, 5)
    assert equal(play(two, 5), first)
    assert not equal(play(two, 6), first)
    a, b, c = (play(heldout.Env(env_id), None) for _ in range(3))
    assert not (equal(a, b) or equal(a, c) or equal(b, c)), "each instance draws its own seed"


def test_a_problem_is_played_as_asked() -> None:
    env = heldout.Env("example/grid-v1")
    for problem in (0, 63, np.int64(7)):
        assert env.reset(options={"problem": problem})[1]["problem"] == problem
    _, info = env.reset(seed=4)
    assert info["problem"] == env.reset(seed=4)[1]["problem"]
