"""Pictures for people."""

import numpy as np
import pytest

import heldout
from cases import IDS, SINGLE


@pytest.mark.parametrize("env_id", IDS)
def test_pictures(env_id: str) -> None:
    frames = {}
    for mode in ("rgb_array", "ansi", None):
        env = heldout.parallel_env(env_id, render_mode=mode)
        env.reset(seed=1)
        frames[mode] = env.render()
        for agent in env.possible_agents:
            assert type(env.render(agent)) is type(frames[mode])
    rgb, ansi = frames["rgb_array"], frames["ansi"]
    assert rgb.dtype == np.uint8 and rgb.ndim == 3 and rgb.shape[2] == 3 and len(np.unique(rgb)) > 1
    assert isinstance(ansi, str) and "▀" in ansi and max(line.count("▀") for line in ansi.splitlines()) <= 80
    assert frames[None] is None
    with pytest.raises(heldout.HeldoutError, match="no agent `nobody`"):
        env.render("nobody")


@pytest.mark.parametrize("env_id", SINGLE)
def test_pictures_of_a_batch(env_id: str) -> None:
    envs = heldout.VectorEnv(env_id, 3, render_mode="rgb_array")
    envs.reset(seed=[1, 2, 1])
    frames = envs.render()
    assert isinstance(frames, tuple) and len(frames) == 3
    assert np.array_equal(frames[0], frames[2])
    single = heldout.Env(env_id, render_mode="rgb_array")
    single.reset(seed=2)
    assert np.array_equal(frames[1], single.render())
    envs = heldout.VectorEnv(env_id, 2, render_mode="ansi")
    envs.reset(seed=0)
    assert all(isinstance(frame, str) for frame in envs.render())
    assert heldout.VectorEnv(env_id, 2).render() is None
