"""Saved states, pickles and copies go on as the original does."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import heldout
from cases import IDS, SINGLE, SINGLE_CASES, Case, equal


def play(env, steps: int) -> list:
    """What the random policy meets, restarts included; the policy follows from the seeds."""
    seen = []
    for _ in range(steps):
        if not env.agents:
            seen.append(env.reset())
            continue
        seen.append(env.step(env.act("random")))
    return seen


@pytest.mark.parametrize("env_id", IDS)
def test_restore_resumes_the_same_future(env_id: str) -> None:
    env, other = heldout.parallel_env(env_id), heldout.parallel_env(env_id)
    env.reset(seed=3)
    for point in range(12):
        for _ in range(5 * point % 17):
            env.step(env.act("random")) if env.agents else env.reset()
        state, now = env.save(), env.observe()
        for again in (other, env):
            again.restore(state)
            assert equal(again.observe(), now)
            assert again.save() == state
        script = [{n: env.action_space(n).sample() for n in env.possible_agents} for _ in range(40)]
        futures = []
        for again in (env, other):
            again.restore(state)
            seen = []
            for actions in script:
                seen.append(again.step(actions) if again.agents else again.reset())
            futures.append(seen)
        assert equal(futures[0], futures[1])


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("when", ["fresh", "begun", "later", "ended"])
def test_pickles_and_copies(env_id: str, when: str) -> None:
    env = heldout.parallel_env(env_id, render_mode="ansi", max_episode_steps=9)
    if when != "fresh":
        env.reset(seed=5)
    if when in ("later", "ended"):
        play(env, 3)
    while when == "ended" and env.agents:
        env.step(env.act("random"))
    for twin in (pickle.loads(pickle.dumps(env)), copy.deepcopy(env)):
        assert (twin.config, twin.agents, twin.render_mode) == (env.config, env.agents, env.render_mode)
        assert twin.save() == env.save()
        original = pickle.loads(pickle.dumps(env))
        if when == "fresh":
            assert equal(twin.reset(seed=1), original.reset(seed=1))
        assert equal(play(twin, 40), play(original, 40))
        assert twin.render() == original.render()
    env.close()
    with pytest.raises(heldout.HeldoutError, match="closed"):
        pickle.loads(pickle.dumps(env)).reset()


@pytest.mark.parametrize("env_id", SINGLE)
def test_a_pickle_before_the_first_reset_draws_the_same_seed(env_id: str) -> None:
    env = heldout.Env(env_id)
    env.np_random  # noqa: B018 (draws the generator)
    twin = pickle.loads(pickle.dumps(env))
    assert equal(twin.reset(), env.reset())
    env.action_space.seed(1)
    twin = copy.deepcopy(env)
    for _ in range(30):
        action = env.action_space.sample()
        assert action == pytest.approx(twin.action_space.sample())
        ours, theirs = env.step(action), twin.step(action)
        assert equal(ours, theirs)
        if ours[2] or ours[3]:
            break


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("case", SINGLE_CASES, ids=str)
def test_pickled_batches(case: Case, mode: AutoresetMode) -> None:
    envs = heldout.VectorEnv(case.id, 4, autoreset_mode=mode, max_episode_steps=20, **case.smallest())
    fresh = pickle.loads(pickle.dumps(envs))
    assert equal(fresh.reset(seed=0), envs.reset(seed=0))
    envs.action_space.seed(0)
    for step in range(45):
        if step % 9 == 0:
            fresh = pickle.loads(pickle.dumps(envs))
            assert fresh.autoreset_mode is fresh.metadata["autoreset_mode"] is mode
        actions = envs.action_space.sample()
        ours, theirs = envs.step(actions), fresh.step(actions)
        assert equal(ours, theirs)
        ended = ours[2] | ours[3]
        if mode == AutoresetMode.DISABLED and ended.any():
            options = {"reset_mask": ended}
            assert equal(envs.reset(options=options), fresh.reset(options=options))


@pytest.mark.parametrize("env_id", SINGLE)
def test_states_move_between_single_and_batch(env_id: str) -> None:
    envs, env = heldout.VectorEnv(env_id, 3), heldout.Env(env_id)
    envs.reset(seed=0)
    for _ in range(4):
        envs.step(envs.action_space.sample())
    env.restore(envs.save(1))
    envs.restore(2, env.save())
    observations, infos = envs.observe()
    rows = observations if isinstance(observations, dict) else {"": observations}
    assert all(np.array_equal(row[1], row[2]) for row in rows.values())
    if "problem" in infos:
        assert infos["problem"][1] == infos["problem"][2] == env.observe()[1]["problem"]


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_infos_follow_a_restored_copy_without_observe(mode: AutoresetMode) -> None:
    envs = heldout.VectorEnv("example/grid-v1", 2, autoreset_mode=mode, max_episode_steps=3)
    envs.reset(seed=0)
    states = []
    for _ in range(9):
        states.append([envs.save(i) for i in range(2)])
        envs.step([0, 0])
    # Backwards, so that no copy stands where the step before has left it.
    for state in reversed(states):
        for i in range(2):
            envs.restore(i, state[i])
        assert [envs.save(i) for i in range(2)] == state
        _, _, _, _, infos = envs.step([0, 0])
        assert infos["problem"].tolist() == [envs._batch.problem(i) for i in range(2)]


def test_into_a_fresh_process() -> None:
    env = heldout.Env("example/grid-v1", preset="slippery")
    env.reset(seed=4)
    for _ in range(5):
        env.step(1)
    code = (
        "import heldout, sys\n"
        "env = heldout.Env('example/grid-v1', preset='slippery')\n"
        "env.restore(bytes.fromhex(sys.argv[1]))\n"
        "for action in (0, 1, 2, 3, 2, 1): env.step(action)\n"
        "print(env.save().hex())"
    )
    future = subprocess.run([sys.executable, "-c", code, env.save().hex()], capture_output=True, text=True, check=True)
    for action in (0, 1, 2, 3, 2, 1):
        env.step(action)
    assert future.stdout.strip() == env.save().hex()


def test_experience() -> None:
    env = heldout.Env("example/grid-v1", experience=True)
    env.reset(seed=0)
    for _ in range(5):
        env.step(env.act("random"))
    counts = np.frombuffer(env.experience(), dtype="<u4")
    assert counts.sum() == 6
    env.reset()
    assert np.frombuffer(env.experience(), dtype="<u4").sum() == 7, "experience outlives the episode"
    other = heldout.VectorEnv("example/grid-v1", 2, experience=True)
    other.reset(seed=9)
    other.set_experience(1, env.experience())
    assert other.experience(1) == env.experience() != other.experience(0)
    other.clear_experience(1)
    assert not any(other.experience(1))
    assert heldout.Env("example/grid-v1").experience() is None
    with pytest.raises(heldout.HeldoutError, match="keeps no experience"):
        heldout.Env("example/grid-v1").clear_experience()


def test_experience_is_merged() -> None:
    env = heldout.VectorEnv("example/grid-v1", 3, experience=True)
    env.reset(seed=1)
    for _ in range(40):
        env.step(env.action_space.sample())
    first, second = (np.frombuffer(env.experience(i), dtype=np.uint32) for i in (0, 1))
    other = heldout.Env("example/grid-v1", experience=True)
    other.merge_experience(env.experience(0))
    other.merge_experience(env.experience(1))
    assert (np.frombuffer(other.experience(), dtype=np.uint32) == first + second).all()
    env.clear_experience(2)
    env.merge_experience(2, env.experience(0))
    assert env.experience(2) == env.experience(0)
