"""Masks of actions, under the names and in the types that Gymnasium, PettingZoo and MaskablePPO expect."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout

MASKED = ["s2b/listener-v1", "s2b/recall-v1"]


@pytest.mark.parametrize("env_id", MASKED)
def test_amendment_14_gymnasium_samples_by_the_mask(env_id: str) -> None:
    env = heldout.Env(env_id)
    observation, _ = env.reset(seed=3)
    for _ in range(200):
        mask = observation["action_mask"]
        assert mask.dtype == np.int8 and env.observation_space.contains(observation)
        assert env.action_masks().dtype == np.bool_ and np.array_equal(env.action_masks(), mask == 1)
        action = env.action_space.sample(mask)
        assert mask[action] == 1
        observation, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            observation, _ = env.reset()


@pytest.mark.parametrize("env_id", MASKED)
@pytest.mark.parametrize("copy", [True, False])
def test_amendment_14_vectors_have_the_same_masks(env_id: str, copy: bool) -> None:
    envs = heldout.VectorEnv(env_id, 3, copy=copy)
    observation, _ = envs.reset(seed=3)
    for _ in range(50):
        assert observation["action_mask"].dtype == np.int8
        assert np.array_equal(envs.action_masks(), observation["action_mask"] == 1)
        actions = envs.action_masks().argmax(axis=1)
        observation, *_ = envs.step(actions)


@pytest.mark.parametrize("config", [{}, {"distractors": 2, "rounds": 2}], ids=["plain", "wide"])
@pytest.mark.parametrize("form", [{"flat": True}, {"skip_idle": True}, {"flat": True, "skip_idle": True}])
def test_amendment_14_masks_are_the_same_however_observations_are_laid_out(
    config: dict[str, Any], form: dict[str, Any]
) -> None:
    plain, other = heldout.Env("s2b/listener-v1", **config), heldout.Env("s2b/listener-v1", **config, **form)
    envs = heldout.VectorEnv("s2b/listener-v1", 3, **config, **form)
    plain.reset(seed=3)
    seen, _ = other.reset(seed=3)
    envs.reset(seed=3)
    both, ended = set(), [False, False]
    for _ in range(100):
        # What is skipped are the steps at which the listener can do nothing.
        while "skip_idle" in form and not any(ended) and plain.action_masks().sum() == 1:
            _, _, *ended, _ = plain.step(plain.action_masks().argmax())
        if any(ended):
            break
        mask = plain.action_masks()
        assert np.array_equal(other.action_masks(), mask) and envs.action_masks().shape == (3, len(mask))
        if "flat" not in form:
            assert seen["action_mask"].shape == mask.shape and mask[other.action_space.sample(seen["action_mask"])]
        both.add(int(mask.sum()))
        action = mask.argmax()
        _, _, *ended, _ = plain.step(action)
        seen, _, *over, _ = other.step(action)
        envs.step(envs.action_masks().argmax(axis=1))
        assert ended == over or "skip_idle" in form
        if any(over):
            break
    assert ("skip_idle" in form) != (1 in both)
    assert max(both) > 1


def test_amendment_14_a_multi_discrete_space_in_one_vector_has_its_mask() -> None:
    for query in (False, True):
        plain, flat = [heldout.parallel_env("s2b/game-v1", listener_query=query, flat=f) for f in (False, True)]
        plain.reset(seed=3)
        _, infos = flat.reset(seed=3)
        for _ in range(60):
            actions = {}
            for agent in ("speaker", "listener"):
                mask = flat.action_masks(agent)
                assert np.array_equal(mask, plain.action_masks(agent))
                space = flat.action_space(agent)
                parts = infos[agent].get("action_mask")
                assert (parts is not None) == hasattr(space, "nvec")
                actions[agent] = space.sample(mask.astype(np.int8) if parts is None else parts)
            plain.step(actions)
            _, _, _, _, infos = flat.step(actions)
            if not flat.agents:
                break


class _Careful:
    """Takes the last action that is allowed, and asks for the masks as MaskablePPO does."""

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = True,
        action_masks: Any = None,
    ) -> tuple[Any, None]:  # fmt: skip
        assert action_masks is not None and action_masks.shape == (len(observation), 3)
        return 2 - action_masks[:, ::-1].argmax(axis=1), None


def test_amendment_14_a_model_is_given_the_masks_of_flat_observations(tmp_path: Path) -> None:
    protocol = tmp_path / "flat.toml"
    protocol.write_text(
        'title = "Flat"\nsummary = "One vector."\nseeds = 1\n[[task]]\nname = "listener"\nid = "s2b/listener-v1"\nepisodes = 3\n'
        'metric = "zsct_accuracy"\ncondition = [{ name = "query", held_out = true }]\n'
    )
    heldout.evaluate(_Careful(), str(protocol), tmp_path / "out", view={"flat": True})
    record = next((tmp_path / "out" / "records").rglob("*.jsonl")).read_text().splitlines()
    assert len(record) == 4


def test_amendment_14_a_multi_discrete_space_keeps_its_flat_field() -> None:
    env = heldout.parallel_env("s2b/game-v1")
    observations, _ = env.reset(seed=3)
    assert "legal_actions" in observations["speaker"] and "action_mask" not in observations["speaker"]
    assert observations["listener"]["action_mask"].dtype == np.int8


def test_amendment_14_gymnasium_samples_a_multi_discrete_space_by_the_mask() -> None:
    env = heldout.parallel_env("s2b/game-v1")
    space = env.action_space("speaker")
    observations, infos = env.reset(seed=3)
    for _ in range(200):
        mask = infos["speaker"]["action_mask"]
        assert isinstance(mask, tuple) and [m.dtype for m in mask] == [np.int8] * len(space.nvec)
        assert np.array_equal(np.concatenate(mask), observations["speaker"]["legal_actions"] != 0)
        assert [len(m) for m in mask] == list(space.nvec)
        assert "action_mask" not in infos["listener"]
        action = space.sample(mask)
        assert all(m[a] == 1 for m, a in zip(mask, action, strict=True))
        listened = env.action_space("listener").sample(observations["listener"]["action_mask"])
        observations, _, _, _, infos = env.step({"speaker": action, "listener": listened})
        if not env.agents:
            observations, infos = env.reset()


LILGYM = [env_id for env_id in heldout.ids() if env_id.startswith("lilgym/")]


@pytest.mark.parametrize("env_id", LILGYM)
def test_amendment_14_masks_that_a_key_adds(env_id: str) -> None:
    env = heldout.Env(env_id, mask=True, observation="objects")
    for seed in range(5):
        observation, info = env.reset(seed=seed)
        mask = observation["action_mask"]
        assert mask.dtype == np.int8 and env.observation_space.contains(observation) and "action_mask" not in info
        assert np.array_equal(env.action_masks(), mask == 1)
        assert mask[env.action_space.sample(mask)] == 1


@pytest.mark.parametrize("env_id", LILGYM)
def test_amendment_14_factored_actions_had_the_mask_of_flat_ones(env_id: str) -> None:
    config = {"mask": True, "observation": "objects", "actions": "factored"}
    env, envs = heldout.Env(env_id, **config), heldout.VectorEnv(env_id, 5, **config)
    _, infos = envs.reset(seed=[0, 1, 2, 3, 4])
    for seed in range(5):
        observation, info = env.reset(seed=seed)
        assert "action_mask" not in observation and env.observation_space.contains(observation)
        parts = info["action_mask"]
        assert [part.dtype for part in parts] == [np.int8] * len(env.action_space.nvec)
        assert np.array_equal(np.concatenate(parts), observation["legal_actions"])
        assert np.array_equal(env.action_masks(), observation["legal_actions"] == 1)
        assert env.action_space.sample(parts) in env.action_space
        assert all(np.array_equal(a, b) for a, b in zip(infos["action_mask"][seed], parts, strict=True))
        assert np.array_equal(envs.action_masks()[seed], env.action_masks())
        if "scratch" in env_id:
            assert parts[0].tolist() == [1, 1, 0], "there is nothing to remove from empty boxes"


def test_amendment_14_without_a_mask_all_is_allowed() -> None:
    env = heldout.Env("example/grid-v1")
    env.reset(seed=0)
    assert env.action_masks().shape == (env.action_space.n,) and env.action_masks().all()
