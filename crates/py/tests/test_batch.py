"""The bare batch: arrays of any number of agents, and an import that brings no optional package."""

import subprocess
import sys

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import heldout
from cases import IDS


@pytest.mark.parametrize("env_id", IDS)
def test_arrays_of_all_agents(env_id: str) -> None:
    batch, env = heldout.make_batch(env_id, 3), heldout.parallel_env(env_id)
    names = env.possible_agents
    batch.reset(None, [4, 5, 6])
    env.reset(seed=5)
    widths = [max(1, int(np.prod(env.action_space(name).shape))) for name in names]
    for _ in range(20):
        actions = env.act("random")
        row = np.concatenate([np.ravel(actions[name]) for name in names])
        assert row.shape == (sum(widths),)
        # The other copies play something, too.
        ended = batch.step(np.tile(row, (3, 1)))
        observations, rewards, terminated, _, _ = env.step(actions)
        assert batch.arrays["rewards"].reshape(3, -1)[1].tolist() == list(rewards.values())
        assert batch.arrays["terminated"][1] == terminated[names[0]]
        assert batch.arrays["ended"].sum() == ended
        for i, name in enumerate(names):
            seen = observations[name] if isinstance(observations[name], dict) else {None: observations[name]}
            for field, value in seen.items():
                array = batch.arrays["observation"][field or next(iter(batch.arrays["observation"]))]
                own = array.reshape(3, len(names), *array.shape[1 if len(names) == 1 else 2 :])[1, i]
                if isinstance(value, str):
                    assert own.tobytes().rstrip(b"\0").decode() == value
                else:
                    assert np.array_equal(own[tuple(slice(n) for n in value.shape)], value)
        if not env.agents:
            break
    with pytest.raises(heldout.HeldoutError, match="`actions` has shape"):
        batch.step(np.zeros((3, sum(widths) + 1), dtype=int))


@pytest.mark.parametrize("env_id", IDS)
def test_arrays_are_made_once(env_id: str) -> None:
    batch = heldout.make_batch(env_id, 2, autoreset_mode=AutoresetMode.SAME_STEP, max_episode_steps=3)
    arrays = batch.arrays
    first = arrays["rewards"]
    batch.reset(0)
    batch.seat(0, "random", 0)
    for _ in range(3):
        ended = batch.step(batch.act())
    assert ended == 2 and batch.arrays["rewards"] is first
    assert arrays["final_metrics"].shape == arrays["metrics"].shape and arrays["final_metrics"][1].tolist() == [3, 3]
    assert "final_observation" not in heldout.make_batch(env_id).arrays


def test_optional_packages_are_imported_only_when_used() -> None:
    code = "import sys, heldout\nprint([m for m in ('pettingzoo', 'stable_baselines3', 'torch') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
