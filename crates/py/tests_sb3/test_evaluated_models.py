"""Models and modules are evaluated as they were trained, and drawn from by the seeds of the episodes."""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO, RecurrentPPO
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.vec_env import VecNormalize

import heldout
from heldout.sb3 import HeldoutVecEnv

PROTOCOL = """
title = "Short"
summary = "One task."
seeds = 1
[[task]]
name = "task"
id = "{id}"
episodes = 4
metric = "return"
[[task.condition]]
name = "train"
held_out = false
"""
MINI = "memory/spot-diff-mini-v1"


@pytest.fixture
def protocol(tmp_path: Path) -> Any:
    def written(env_id: str) -> str:
        path = tmp_path / "short.toml"
        path.write_text(PROTOCOL.format(id=env_id))
        return str(path)

    return written


def records(out: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted((out / "records").rglob("*.jsonl"))]


def test_a_model_that_was_trained_on_normalised_observations_was_shown_others(protocol: Any, tmp_path: Path) -> None:
    envs = VecNormalize(HeldoutVecEnv(MINI, 4), norm_reward=False)
    model = PPO("MlpPolicy", envs, n_steps=16, batch_size=32, device="cpu", seed=0)
    model.learn(64)
    raw, shown = [], []
    normalise, predict = envs.normalize_obs, model.predict
    envs.normalize_obs = lambda rows: (raw.append(rows), normalise(rows))[1]
    model.predict = lambda rows, **more: (shown.append(rows), predict(rows, **more))[1]  # type: ignore[method-assign]
    heldout.evaluate(model, protocol(MINI), tmp_path / "out")
    assert shown and all(np.array_equal(a, normalise(b)) for a, b in zip(shown, raw, strict=True))
    assert not np.array_equal(shown[0], raw[0])


def test_a_maskable_model_is_told_what_is_legal(protocol: Any, tmp_path: Path) -> None:
    env_id = "s2b/listener-v1"
    model = MaskablePPO("MultiInputPolicy", HeldoutVecEnv(env_id, 2), n_steps=8, batch_size=16, device="cpu")
    told = []
    predict = model.predict

    def listening(rows: Any, action_masks: Any = None, **more: Any) -> Any:
        told.append((rows["action_mask"], action_masks))
        actions, state = predict(rows, action_masks=action_masks, **more)
        assert action_masks[np.arange(len(actions)), actions].all()
        return actions, state

    model.predict = listening
    heldout.evaluate(model, protocol(env_id), tmp_path / "out")
    assert told and all(np.array_equal(mask, rows != 0) for rows, mask in told)


FACTORED = {"mask": True, "actions": "factored", "observation": "objects"}


def test_a_maskable_model_is_told_what_is_legal_in_each_part_of_an_action(protocol: Any, tmp_path: Path) -> None:
    env_id = "lilgym/tower-scratch-v1"
    envs = HeldoutVecEnv(env_id, 2, **FACTORED)
    assert isinstance(envs.action_space, gymnasium.spaces.MultiDiscrete)
    model = MaskablePPO("MultiInputPolicy", envs, n_steps=8, batch_size=16, device="cpu", seed=0)
    first = np.concatenate([[0], np.cumsum(envs.action_space.nvec)[:-1]])
    told = []
    predict = model.predict

    def listening(rows: Any, action_masks: Any = None, **more: Any) -> Any:
        told.append((rows["legal_actions"], action_masks))
        actions, state = predict(rows, action_masks=action_masks, **more)
        assert all(mask[first + action].all() for mask, action in zip(action_masks, actions, strict=True))
        return actions, state

    model.predict = listening
    assert heldout.evaluate(model, protocol(env_id), tmp_path / "out", view=FACTORED)["failures"] == []
    assert told and all(np.array_equal(mask, rows != 0) for rows, mask in told)
    assert not all(mask.all() for _, mask in told), "there was something to forbid"


def test_a_recurrent_model_that_has_learnt_plays_as_a_loop_by_hand_does(protocol: Any, tmp_path: Path) -> None:
    model = RecurrentPPO("MlpLstmPolicy", HeldoutVecEnv(MINI, 4), n_steps=32, batch_size=64, seed=0, device="cpu")
    model.learn(256)
    assert model.num_timesteps >= 256
    state = None

    def by_hand(observation: Any, episode_start: Any) -> Any:
        nonlocal state
        actions, state = model.predict(observation, state=state, episode_start=episode_start, deterministic=True)
        return actions

    for out, policy in (("model", model), ("hand", by_hand)):
        told = heldout.evaluate(policy, protocol(MINI), tmp_path / out, label="recurrent")
        assert told == {"episodes": 4, "of": 4, "failures": []}
    model_lines, hand_lines = (
        [record.split(b"\n")[1:] for record in records(tmp_path / out)] for out in ("model", "hand")
    )
    assert model_lines == hand_lines and model_lines[0]
    told = heldout.evaluate(model, protocol(MINI), tmp_path / "drawn", label="recurrent", deterministic=False)
    assert told == {"episodes": 4, "of": 4, "failures": []}


def test_what_a_model_draws_by_numpy_and_its_space_differed_from_run_to_run(protocol: Any, tmp_path: Path) -> None:
    model = DQN("MlpPolicy", gymnasium.make(MINI), device="cpu", seed=0, buffer_size=100)
    model.exploration_rate = 0.5
    before = (np.random.get_state()[1].copy(), model.action_space.np_random.bit_generator.state)
    for out in ("once", "twice"):
        heldout.evaluate(model, protocol(MINI), tmp_path / out, label="dqn", deterministic=False)
    assert records(tmp_path / "once") == records(tmp_path / "twice")
    assert np.array_equal(before[0], np.random.get_state()[1]), "nothing is left changed"
    assert before[1] == model.action_space.np_random.bit_generator.state


class Tempered(torch.nn.Module):
    """A module whose second argument is no state."""

    def __init__(self, inputs: int, actions: int) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(inputs, actions)

    def forward(self, rows: torch.Tensor, temperature: float = 1.0) -> torch.Tensor:
        return self.layer(rows.float()) / temperature


class Stateless(torch.nn.Module):
    """A module that takes a state and gives none back."""

    def forward(self, rows: torch.Tensor, state: Any) -> torch.Tensor:
        return torch.zeros(len(rows), 4)


class Scores(torch.nn.Module):
    """Answers with the same row of scores whatever it sees, in a shape of one's choice."""

    def __init__(self, row: torch.Tensor) -> None:
        super().__init__()
        self.row = torch.nn.Parameter(row)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return self.row.expand(len(rows), *self.row.shape)


@pytest.mark.parametrize("deterministic", [True, False])
def test_scores_of_an_action_of_several_parts_are_one_row(protocol: Any, tmp_path: Path, deterministic: bool) -> None:
    env_id = "halma/symbolic-v1"
    space = heldout.Env(env_id).action_space
    assert isinstance(space, gymnasium.spaces.MultiDiscrete)
    sizes, option = space.nvec.tolist(), np.array([1, 2, 0, 0, 0, 0])
    row = torch.zeros(sum(sizes))
    # Nothing else has a chance.
    row[torch.from_numpy(np.concatenate([[0], np.cumsum(sizes)[:-1]]) + option)] = 100.0
    heldout.evaluate(Scores(row), protocol(env_id), tmp_path / "scores", label="x", deterministic=deterministic)
    heldout.evaluate(lambda rows: np.tile(option, (len(rows), 1)), protocol(env_id), tmp_path / "told", label="x")
    scores, told = ([line.split(b"\n")[1:] for line in records(tmp_path / out)] for out in ("scores", "told"))
    assert scores == told and scores[0]


def test_scores_of_another_number_of_actions_are_refused(protocol: Any, tmp_path: Path) -> None:
    with pytest.raises(heldout.HeldoutError, match=r"scores of shape \(\d+, 7\), must return a row of \d+ scores"):
        heldout.evaluate(Scores(torch.zeros(7)), protocol(MINI), tmp_path / "out")


class ActorCritic(torch.nn.Module):
    """Answers with scores and a value, as networks in training do."""

    def forward(self, rows: torch.Tensor) -> Any:
        return torch.zeros(len(rows), 4), torch.zeros(len(rows))


def test_a_module_that_returns_more_than_scores_is_told_what_to_do(protocol: Any, tmp_path: Path) -> None:
    with pytest.raises(heldout.HeldoutError, match=r"answers with a `tuple`, must answer with a tensor .* wrap"):
        heldout.evaluate(ActorCritic(), protocol(MINI), tmp_path / "out")


def test_a_second_argument_with_a_value_of_its_own_was_taken_for_a_state(protocol: Any, tmp_path: Path) -> None:
    env = heldout.Env(MINI)
    assert isinstance(env.action_space, gymnasium.spaces.Discrete) and env.observation_space.shape is not None
    module = Tempered(env.observation_space.shape[0], int(env.action_space.n))
    outcome = heldout.evaluate(module, protocol(MINI), tmp_path / "out")
    assert outcome["failures"] == []
    with pytest.raises(heldout.HeldoutError, match=r"must return `\(answer, state\)`"):
        heldout.evaluate(Stateless(), protocol(MINI), tmp_path / "other")
