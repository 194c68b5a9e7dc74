"""Whatever is passed in, the answer is a ValueError or a TypeError, and nothing has changed."""

import json
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import heldout
import heldout.lilgym
from cases import IDS, SINGLE

WRONG = (ValueError, TypeError)

ACTIONS = [
    None, "up", b"up", 0.5, float("nan"), -1, 10**6, 2**31, 2**63, 2**64, 10**40, object(), [], {}, [None], "1",
    np.float32(1.0), np.array([0.0]), np.zeros((3, 3), int), np.array([], dtype=int), np.array(["a"]),
    np.array([True]), np.array([2**63], dtype=np.uint64), np.array([-5]), np.zeros((1, 1, 1), int), 1j,
]  # fmt: skip


@pytest.mark.parametrize("env_id", SINGLE)
def test_wrong_actions_of_one(env_id: str) -> None:
    env = heldout.Env(env_id)
    env.reset(seed=0)
    before = env.save()
    for action in ACTIONS:
        with pytest.raises(WRONG):
            env.step(action)
        assert env.save() == before
    env.step(env.action_space.sample())


@pytest.mark.parametrize("env_id", SINGLE)
def test_wrong_actions_of_many(env_id: str) -> None:
    envs = heldout.VectorEnv(env_id, 4, copy=False)
    observation, _ = envs.reset(seed=0)
    fields = observation if isinstance(observation, dict) else {"": observation}
    seen = {k: v.copy() for k, v in fields.items()}
    good = envs.action_space.sample()
    before = [envs.save(i) for i in range(4)]
    last_bad = np.array(good)
    last_bad.reshape(-1)[-1] = 10**6
    wrong = [
        *ACTIONS,
        0,
        [0],
        [0] * 5,
        good.astype(float),
        good[:3],
        last_bad,
        good.astype(object),
        good[None],
        good.T[None],
    ]
    for actions in wrong:
        with pytest.raises(WRONG):
            envs.step(actions)
        assert [envs.save(i) for i in range(4)] == before
        assert all(np.array_equal(fields[k], seen[k]) for k in seen)
    envs.step(good)


def test_messages_name_the_value_and_what_is_allowed() -> None:
    envs = heldout.VectorEnv("example/grid-v1", 3)
    envs.reset(seed=0)
    for actions, message in [
        ([0, 1, 4], r"copy 2, agent `agent`: `\[4\]` is not an action of Discrete\(4\)"),
        ([0, 1], r"`actions` has shape \[2\], must have \[3\]"),
        ([0, 1, 2**40], r"`1099511627776` is not an action: it does not fit into 32 bits"),
        ([0.0, 1.0, 2.0], r"`actions` has elements of float64, must have integers"),
    ]:
        with pytest.raises(WRONG, match=message):
            envs.step(actions)


def test_actions_of_any_integer_type_and_layout() -> None:
    script = np.random.default_rng(0).integers(0, 4, (30, 6))
    played = []
    for form in [
        lambda a: a, list, tuple, lambda a: a[:, None],
        *(lambda a, t=t: a.astype(t) for t in ("i1", "u1", "<i2", ">i4", "<u4", ">i8", "i4")),
        lambda a: np.repeat(a, 2)[::2], lambda a: a[::-1].copy()[::-1],
        lambda a: np.frombuffer(b"x" + a.astype("<i8").tobytes(), dtype=np.uint8)[1:].view("<i8"),
    ]:  # fmt: skip
        envs = heldout.VectorEnv("example/grid-v1", 6)
        envs.reset(seed=0)
        for actions in script:
            envs.step(form(actions))
        played.append([envs.save(i) for i in range(6)])
    assert all(states == played[0] for states in played)
    singles = []
    for form in [int, np.int64, np.int8, np.array, lambda a: [a], lambda a: np.array([a])]:
        env = heldout.Env("example/grid-v1")
        env.reset(seed=0)
        for action in script[:6, 0].tolist():
            env.step(form(action))
        singles.append(env.save())
    assert len(set(singles)) == 1


@pytest.mark.parametrize("env_id", SINGLE)
def test_wrong_resets(env_id: str) -> None:
    env, envs = heldout.Env(env_id), heldout.VectorEnv(env_id, 3)
    env.reset(seed=1)
    envs.reset(seed=1)
    before = env.save(), [envs.save(i) for i in range(3)]
    problems = json.loads(env._batch.about)["spec"]["problems"]
    seeds = [-1, 2**64, 10**30, 0.5, "1", float("nan"), object()]
    options = [3, "problem", [("problem", 1)], {"problm": 1}, {"problem": -1}, {"problem": 0.5}, {"problem": "1"}]
    options += [{"problem": 10**30}, {"problem": problems or 0}, {"problem": 2**32}]
    for seed in [*seeds, [1, 2, 3]]:
        with pytest.raises(WRONG):
            env.reset(seed=seed)
    for seed in [*seeds, [], [1, 2], [1, 2, 3, 4], [1, 2, -3], [1, 2, "3"], np.zeros((3, 3))]:
        with pytest.raises(WRONG):
            envs.reset(seed=seed)
    for option in [*options, {"problem": [1, 2, 3]}, {"reset_mask": np.ones(1, bool)}]:
        with pytest.raises(WRONG):
            env.reset(seed=2, options=option)
    masks = [True, [True] * 3, np.ones(3), np.ones(2, bool), np.ones((3, 1), bool), np.zeros(3, bool), "xxx"]
    for option in [*options, {"problem": [0]}, {"problem": [0, 0, "0"]}, *({"reset_mask": mask} for mask in masks)]:
        with pytest.raises(WRONG):
            envs.reset(seed=2, options=option)
    assert (env.save(), [envs.save(i) for i in range(3)]) == before
    assert env.np_random_seed == envs.np_random_seed == 1


@pytest.mark.parametrize("env_id", IDS)
def test_wrong_constructions(env_id: str) -> None:
    about = heldout.about(env_id)
    with pytest.raises(heldout.HeldoutError, match="no_such_key"):
        heldout.parallel_env(env_id, no_such_key=1)
    with pytest.raises(heldout.HeldoutError, match="no_such_preset"):
        heldout.parallel_env(env_id, preset="no_such_preset")
    for key in about["defaults"]:
        for value in ([{"no": "thing"}], float("nan"), object(), {1, 2}):
            with pytest.raises(WRONG):
                heldout.parallel_env(env_id, **{key: value})
    for options in (
        {"num_envs": 0}, {"num_envs": -1}, {"num_envs": 2**70}, {"num_envs": 2**40}, {"num_envs": 1.5},
        {"num_envs": "4"}, {"num_envs": None}, {"threads": 0}, {"threads": -1}, {"threads": 10**6},
        {"threads": None}, {"max_episode_steps": 0}, {"max_episode_steps": -3}, {"max_episode_steps": 0.5},
        {"autoreset_mode": "no"}, {"autoreset_mode": None}, {"autoreset_mode": 3},
    ):  # fmt: skip
        with pytest.raises(WRONG):
            heldout.make_batch(env_id, **options)
    for mode in ("humane", "", 3):
        with pytest.raises(WRONG):
            heldout.parallel_env(env_id, render_mode=mode)
    with pytest.raises(heldout.HeldoutError, match="no environment"):
        heldout.make_batch(env_id + "0")
    for name in (None, 3, b"x"):
        with pytest.raises(TypeError):
            heldout.make_batch(name)
    with pytest.raises(heldout.HeldoutError):
        heldout._native.Batch(env_id, "not json", 1, "NextStep", 1, None)


@pytest.mark.parametrize("env_id", IDS)
def test_wrong_bytes(env_id: str) -> None:
    env = heldout.parallel_env(env_id)
    env.reset(seed=0)
    state = env.save()
    rng = np.random.default_rng(0)
    damaged = [state[:n] for n in range(0, len(state), 7)] + [state + b"\0", b"", bytes(100)]
    for _ in range(200):
        flipped = bytearray(state)
        flipped[rng.integers(len(state))] ^= 1 << int(rng.integers(8))
        damaged.append(bytes(flipped))
    for wrong in [*damaged, None, 3, "state", [1, 2], object()]:
        with pytest.raises(WRONG):
            env.restore(wrong)
        assert env.save() == state
    about = heldout.about(env_id)
    other = heldout.parallel_env(env_id, **{about["split_key"]: about["splits"][1]})
    with pytest.raises(heldout.HeldoutError, match="another config"):
        env.restore(other.save())
    for wrong in (None, "x", b"", b"x"):
        with pytest.raises(WRONG):
            env.set_experience(wrong)
    assert env.save() == state


@pytest.mark.parametrize("env_id", SINGLE)
def test_indices_and_policies(env_id: str) -> None:
    envs = heldout.VectorEnv(env_id, 2)
    envs.reset(seed=0)
    for index in (2, -1, 10**30, None, "0", 0.5):
        for call in (envs.save, envs.experience, envs.metrics, envs.clear_experience, envs._batch.problem):
            with pytest.raises(WRONG):
                call(index)
        with pytest.raises(WRONG):
            envs.restore(index, envs.save(0))
        with pytest.raises(WRONG):
            envs._batch.draw(index, 0)
        with pytest.raises(WRONG):
            envs._batch.draw(0, index if index != 0 else 1)
    for policy, seed in (("best", 0), (None, 0), ("random", -1), ("random", 0.5), ("random", 2**64)):
        with pytest.raises(WRONG):
            envs.act(policy, seed)


@pytest.mark.parametrize("env_id", SINGLE)
def test_order_of_calls(env_id: str) -> None:
    env, envs = heldout.Env(env_id), heldout.VectorEnv(env_id, 2)
    with pytest.raises(ResetNeeded):
        env.step(env.action_space.sample())
    with pytest.raises(ResetNeeded):
        envs.step(envs.action_space.sample())
    with pytest.raises(ResetNeeded):
        envs.reset(options={"reset_mask": np.array([True, False])})


@pytest.mark.parametrize("env_id", IDS)
def test_after_close(env_id: str) -> None:
    env = heldout.parallel_env(env_id, render_mode="rgb_array")
    env.reset(seed=0)
    actions = env.act("random")
    env.close()
    env.close()
    for call in (
        env.reset, env.save, env.render, env.experience, env.metrics, lambda: env.step(actions),
        lambda: env.act("random"), lambda: env.restore(b""), lambda: env.set_experience(b""), env.clear_experience,
    ):  # fmt: skip
        with pytest.raises(heldout.HeldoutError, match="closed"):
            call()


@pytest.mark.parametrize("env_id", SINGLE)
def test_a_batch_after_close(env_id: str) -> None:
    envs = gymnasium.make_vec(env_id, num_envs=2)
    envs.reset(seed=0)
    envs.close()
    envs.close()
    assert envs.closed
    for call in (envs.reset, lambda: envs.step(envs.action_space.sample()), lambda: envs.save(0), envs.observe):
        with pytest.raises(heldout.HeldoutError, match="closed"):
            call()


@pytest.mark.parametrize("env_id", IDS)
def test_numbers_beyond_32_bits_and_lists_for_tables_were_accepted(env_id: str) -> None:
    for key, value in heldout.about(env_id)["defaults"].items():
        number = value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))
        wrong = [1e308, -1e308, float("inf"), float("-inf"), float("nan")] if number else []
        wrong += [list(value.values())[:2], []] if isinstance(value, dict) else []
        wrong += [{value: None}] if isinstance(value, str) else []
        for one in wrong:
            with pytest.raises(heldout.HeldoutError, match=f"`{key}"):
                heldout.make_batch(env_id, **{key: one})
            for preset in heldout.about(env_id)["presets"]:
                with pytest.raises(heldout.HeldoutError, match=f"`{key}"):
                    heldout.make_batch(env_id, preset=preset["name"], **{key: one})


def test_messages_of_config_values_that_were_accepted() -> None:
    for env_id, config, message in [
        (
            "lilgym/tower-scratch-v1",
            {"horizon_reward": 1e308},
            "`horizon_reward`: is `1e.?308`, must be a number that 32 bits",
        ),
        (
            "lilgym/tower-scratch-v1",
            {"horizon_reward": float("inf")},
            "`horizon_reward` is `inf`, must be made of finite",
        ),
        ("s2b/game-v1", {"rewards": [1, 2]}, r"`rewards`: is `\[1,2\]`, must be a table"),
        (
            "s2b/game-v1",
            {"rewards": {"query_right": 1e308}},
            "`rewards.query_right`: is `1e.?308`, must be a number that 32",
        ),
        ("s2b/game-v1", {"split": {"combinatorial2": None}}, "`split`: is `.*`, must be a single value"),
    ]:
        with pytest.raises(heldout.HeldoutError, match=message):
            heldout.configure(env_id, **config)
    with pytest.raises(heldout.HeldoutError, match="`horizon_reward`"):
        heldout.lilgym.Corpus("lilgym/tower-scratch-v1", horizon_reward=float("nan"))


def test_configs_without_a_bottom_were_a_bare_recursion() -> None:
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(heldout.HeldoutError, match="`mazes` is nested too deep"):
        heldout.Env("halma/symbolic-v1", mazes=deep)


def test_negative_numbers_of_things_were_told_of_64_bits() -> None:
    with pytest.raises(heldout.HeldoutError, match="`num_envs` is `-1`, must be at least 0"):
        heldout.VectorEnv("example/grid-v1", -1)
    with pytest.raises(heldout.HeldoutError, match="`copy` is `-1`, must be at least 0"):
        heldout.VectorEnv("example/grid-v1", 2).save(-1)


def test_nobody_was_evaluated_and_truth_was_a_number(tmp_path: Path) -> None:
    with pytest.raises(heldout.HeldoutError, match="nobody to evaluate"):
        heldout.evaluate(None, "smoke", tmp_path / "out")
    with pytest.raises(TypeError, match="`episodes` is `True`, must be an integer"):
        heldout.evaluate("random", "smoke", tmp_path / "out", episodes=True)
