"""Copies x agents in one native call are so many parallel environments."""

import pickle
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

import heldout
from cases import IDS, SEVERAL, SEVERAL_CASES, Case, equal, part

COPIES = 4


def told(infos: dict[str, Any], index: int) -> dict[str, Any]:
    """What infos tell of copy ``index``, as a single environment tells it."""
    keys = [k for k in infos if not k.startswith("_") and infos[f"_{k}"][index]]
    return {k: infos[k][index] for k in keys if k not in ("final_obs", "final_info")}


def same(ours: Any, theirs: Any) -> bool:
    """Equality of infos, numbers of numpy being those of Python."""
    if not isinstance(theirs, dict):
        return equal(ours, theirs)
    return ours.keys() == theirs.keys() and all(
        equal(ours[k], theirs[k]) if isinstance(theirs[k], tuple) else ours[k] == theirs[k] for k in theirs
    )


def play(case: Case, mode: AutoresetMode, copy: bool) -> int:
    """Step a batch beside single environments that are reset as the mode says; return how many episodes ended."""
    options = {"max_episode_steps": 25, "text": "bytes", **case.config}
    envs = heldout.ParallelVectorEnv(case.id, COPIES, autoreset_mode=mode, copy=copy, **options)
    singles = [heldout.parallel_env(case.id, **options) for _ in range(COPIES)]
    observations, infos = envs.reset(seed=[5, 6, 7, 8])
    for i, single in enumerate(singles):
        own, own_infos = single.reset(seed=5 + i)
        for name in envs.possible_agents:
            assert equal(part(observations[name], i), own[name]) and same(told(infos[name], i), own_infos[name])
    for name in envs.possible_agents:
        envs.action_space(name).seed(1)
    over, ends = [False] * COPIES, 0
    for _ in range(80):
        actions = {name: envs.action_space(name).sample() for name in envs.possible_agents}
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        for i, single in enumerate(singles):
            if over[i]:
                own, own_infos = single.reset()
                own_rewards = dict.fromkeys(envs.possible_agents, 0.0)
                cut = stopped = dict.fromkeys(envs.possible_agents, False)
            else:
                own, own_rewards, stopped, cut, own_infos = single.step({k: v[i] for k, v in actions.items()})
            ended = stopped[envs.possible_agents[0]] or cut[envs.possible_agents[0]]
            ends += ended
            over[i] = ended and mode == AutoresetMode.NEXT_STEP
            last, last_infos = own, own_infos
            if ended and mode == AutoresetMode.SAME_STEP:
                own, own_infos = single.reset()
            for name in envs.possible_agents:
                assert equal(part(observations[name], i), own[name])
                assert rewards[name][i] == own_rewards[name]
                assert (terminated[name][i], truncated[name][i]) == (stopped[name], cut[name])
                assert same(told(infos[name], i), own_infos[name])
                if ended and mode == AutoresetMode.SAME_STEP:
                    assert equal(infos[name]["final_obs"][i], last[name])
                    assert same(told(infos[name]["final_info"], i), last_infos[name])
        if mode == AutoresetMode.DISABLED and ended_copies(terminated, truncated).any():
            which = ended_copies(terminated, truncated).copy()
            observations, infos = envs.reset(options={"reset_mask": which})
            for i in np.flatnonzero(which):
                own, own_infos = singles[i].reset()
                for name in envs.possible_agents:
                    assert equal(part(observations[name], i), own[name]) and same(told(infos[name], i), own_infos[name])
    assert all(envs.save(i) == single.save() for i, single in enumerate(singles))
    return ends


def ended_copies(terminated: dict[str, Any], truncated: dict[str, Any]) -> Any:
    name = next(iter(terminated))
    return terminated[name] | truncated[name]


@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("case", SEVERAL_CASES, ids=str)
def test_a_batch_is_so_many_parallel_environments(case: Case, mode: AutoresetMode, copy: bool) -> None:
    assert play(case, mode, copy) >= COPIES


@pytest.mark.parametrize("env_id", IDS)
def test_spaces_hold_what_is_shown(env_id: str) -> None:
    envs = heldout.ParallelVectorEnv(env_id, 2, **heldout.about(env_id)["smallest"])
    observations, _ = envs.reset(seed=0)
    for name in envs.possible_agents:
        assert observations[name] in envs.observation_space(name)
        assert envs.observation_space(name) is envs.observation_space(name)
    actions = envs.act("random")
    assert all(actions[name] in envs.action_space(name) for name in envs.possible_agents)
    envs.step(actions)


@pytest.mark.parametrize("env_id", SEVERAL)
def test_threads_pickles_and_policies_change_nothing(env_id: str) -> None:
    one, two = heldout.ParallelVectorEnv(env_id, 9), heldout.ParallelVectorEnv(env_id, 9, threads=2)
    for envs in (one, two):
        envs.reset(seed=4)
        for _ in range(30):
            envs.step(envs.act("oracle"))
    states = [one.save(i) for i in range(9)]
    assert states == [two.save(i) for i in range(9)]
    twin = pickle.loads(pickle.dumps(one))
    assert [twin.save(i) for i in range(9)] == states and equal(twin.observe()[0], one.observe()[0])
    two.restore(0, states[8])
    assert two.save(0) == states[8]


@pytest.mark.parametrize("env_id", SEVERAL)
def test_wrong_actions_change_nothing(env_id: str) -> None:
    envs = heldout.ParallelVectorEnv(env_id, 2)
    names = envs.possible_agents
    good = {name: envs.action_space(name).sample() for name in names}
    with pytest.raises(ResetNeeded):
        envs.step(good)
    envs.reset(seed=0)
    before = [envs.save(i) for i in range(2)]
    bad = [None, 3, {}, {names[0]: good[names[0]]}, {**good, "nobody": good[names[0]]}]
    bad += [{**good, names[1]: wrong} for wrong in (None, 0, [0], [0, 10**9], [0.0, 1.0], [[0], [0]], "01")]
    for actions in bad:
        with pytest.raises((ValueError, TypeError)):
            envs.step(actions)
        assert [envs.save(i) for i in range(2)] == before
    envs.step(good)
    for wrong in ("best", {names[0]: "oracle"}):
        with pytest.raises(heldout.HeldoutError):
            envs.act(wrong)
    with pytest.raises(heldout.HeldoutError, match="no agent `nobody`"):
        envs.render("nobody")
    envs.close()
    envs.close()
    with pytest.raises(heldout.HeldoutError, match="closed"):
        envs.reset()


def test_pictures_and_masks_by_agent() -> None:
    envs = heldout.ParallelVectorEnv("s2b/game-v1", 3, render_mode="rgb_array")
    observations, infos = envs.reset(seed=3)
    assert len(envs.render("listener")) == 3 and envs.render()[0].dtype == np.uint8
    assert np.array_equal(envs.action_masks("listener"), observations["listener"]["action_mask"] == 1)
    assert np.array_equal(envs.action_masks("speaker"), observations["speaker"]["legal_actions"] != 0)
    assert [len(mask) for mask in infos["speaker"]["action_mask"]] == [3, 3, 3]
    assert "action_mask" not in infos["listener"]
