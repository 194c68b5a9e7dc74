"""Stable-Baselines3: its checker, its PPO, and the same trajectories as its own vector environment of singles."""

import hashlib
import json
import os
import pickle
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pygame
import pytest
import torch
from sb3_contrib import MaskablePPO, RecurrentPPO
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

import heldout
import heldout.sb3
from cases import SINGLE, SINGLE_CASES, Case, equal
from heldout.sb3 import HeldoutVecEnv


def plain(observations: object) -> object:
    """Return its dicts, which are ordered, as ours."""
    return dict(observations) if isinstance(observations, dict) else observations


@pytest.mark.parametrize("case", SINGLE_CASES, ids=str)
def test_check_env(case: Case) -> None:
    with warnings.catch_warnings():
        # It advises against integer fields of a dict, which its policies take all the same.
        warnings.simplefilter("ignore")
        # It knows no text.
        check_env(gymnasium.make(case.id, text="bytes", **case.config).unwrapped)


@pytest.mark.parametrize("case", SINGLE_CASES, ids=str)
def test_a_batch_is_what_it_makes_of_singles(case: Case) -> None:
    config = case.smallest()
    ours = HeldoutVecEnv(case.id, 4, max_episode_steps=30, **config)
    theirs = DummyVecEnv([lambda: heldout.Env(case.id, max_episode_steps=30, text="bytes", **config)] * 4)
    assert ours.seed(7) == theirs.seed(7)
    assert equal(ours.reset(), plain(theirs.reset()))
    assert equal(ours.reset_infos, theirs.reset_infos)
    ours.action_space.seed(0)
    ends = 0
    for _ in range(300):
        actions = np.array([ours.action_space.sample() for _ in range(4)])
        a, b = ours.step(actions), theirs.step(actions)
        assert equal(a[0], plain(b[0])) and equal(a[1:3], b[1:3])
        assert equal(a[3], b[3]) and equal(ours.reset_infos, theirs.reset_infos)
        ends += int(a[2].sum())
    assert ends > 0


def test_options_and_copies() -> None:
    envs = HeldoutVecEnv("example/grid-v1", 3, experience=True, render_mode="rgb_array")
    envs.set_options([{"problem": 1}, {}, {"problem": 5}])
    envs.reset()
    assert [envs.reset_infos[i]["problem"] for i in (0, 2)] == [1, 5]
    envs.set_options({"problm": 1})
    with pytest.raises(heldout.HeldoutError, match="problm"):
        envs.reset()
    states = envs.env_method("save")
    assert len(states) == 3 and len(set(states)) == 3
    envs.env_method("restore", states[0], indices=2)
    assert envs.env_method("save", indices=[2]) == [states[0]]
    assert envs.get_attr("render_mode") == ["rgb_array"] * 3
    envs.set_attr("note", 3, indices=1)
    assert envs.get_attr("note", indices=1) == [3] and not envs.has_attr("note")
    assert envs.env_is_wrapped(Monitor) == [False] * 3
    assert len(envs.get_images()) == 3 and envs.render().ndim == 3
    with pytest.raises(heldout.HeldoutError):
        HeldoutVecEnv("example/grid-v1", 3, copy=False)
    envs.close()
    envs.close()


def test_the_experience_of_copies_is_added_up() -> None:
    envs = HeldoutVecEnv("example/grid-v1", 3, experience=True)
    envs.seed(1)
    envs.reset()
    envs.action_space.seed(0)
    for _ in range(40):
        envs.step(np.array([envs.action_space.sample() for _ in range(3)]))
    first, second, _ = envs.env_method("experience")
    envs.env_method("clear_experience", indices=2)
    for told in (first, second):
        envs.env_method("merge_experience", told, indices=2)
    summed = np.frombuffer(first, dtype="<u4") + np.frombuffer(second, dtype="<u4")
    assert np.array_equal(np.frombuffer(envs.env_method("experience", indices=2)[0], dtype="<u4"), summed)
    other = heldout.Env("example/grid-v1", experience=True)
    other.merge_experience(first)
    other.merge_experience(second)
    assert envs.env_method("experience") == [first, second, other.experience()]


def test_the_abstract_class_is_not_to_be_had_here() -> None:
    with pytest.raises(AttributeError, match="no attribute 'VecEnv'; the vector environment here is `HeldoutVecEnv`"):
        heldout.sb3.VecEnv  # noqa: B018
    assert not hasattr(heldout.sb3, "Nothing")


def test_one_window_shows_all_copies() -> None:
    envs = HeldoutVecEnv("example/grid-v1", 3, render_mode="human")
    envs.batch.metadata = {**envs.batch.metadata, "render_fps": 0}
    envs.reset()
    height, width = envs.batch._batch.draw(0, 0).shape[:2]
    surface = pygame.display.get_surface()
    assert surface.get_width() % (2 * width) == 0 and surface.get_height() % (2 * height) == 0
    before = pygame.surfarray.array3d(surface)
    envs.step(np.array([0, 1, 2]))
    envs.step(np.array([1, 2, 3]))
    assert not np.array_equal(before, pygame.surfarray.array3d(surface)), "a step shows itself"
    assert envs.render() is None and envs.render("human") is None
    envs.close()
    assert pygame.display.get_surface() is None


def test_arrays_are_the_callers_to_keep() -> None:
    envs = HeldoutVecEnv("example/grid-v1", 3)
    first = envs.reset()
    kept = {name: array.copy() for name, array in first.items()}
    for _ in range(5):
        envs.step(np.array([0, 1, 2]))
    assert equal(first, kept)


def test_pickle() -> None:
    envs = HeldoutVecEnv("example/grid-v1", 3)
    envs.seed(1)
    envs.reset()
    twin = pickle.loads(pickle.dumps(envs))
    for _ in range(60):
        assert equal(envs.step(np.array([0, 1, 2])), twin.step(np.array([0, 1, 2])))
    assert envs.env_method("save") == twin.env_method("save")


@pytest.mark.parametrize("env_id", SINGLE)
def test_ppo_learns_without_complaint(env_id: str) -> None:
    # Episodes of some ids are longer than this training.
    envs = VecMonitor(HeldoutVecEnv(env_id, 8, max_episode_steps=100))
    dictionary = isinstance(envs.observation_space, gymnasium.spaces.Dict)
    model = PPO(
        "MultiInputPolicy" if dictionary else "MlpPolicy", envs, n_steps=50, batch_size=100, seed=0, device="cpu"
    )
    model.learn(2_000)
    assert model.num_timesteps >= 2_000
    assert len(model.ep_info_buffer) > 0 and all(np.isfinite(e["r"]) for e in model.ep_info_buffer)


PROTOCOL = """
title = "Grid"
summary = "A walk."
seeds = 2
[[task]]
name = "grid"
id = "example/grid-v1"
episodes = 20
metric = "success"
[[task.condition]]
name = "train"
held_out = false
[[task.condition]]
name = "test"
held_out = true
set = { split = "heldout" }
"""


class Flat(torch.nn.Module):
    """A network whose parts learn from what they see, unless they are told not to."""

    def __init__(self) -> None:
        super().__init__()
        env = heldout.Env("example/grid-v1")
        size = gymnasium.spaces.flatdim(env.observation_space)
        self.norm = torch.nn.BatchNorm1d(size)
        self.drop = torch.nn.Dropout(0.5)
        self.head = torch.nn.Linear(size, int(env.action_space.n))  # type: ignore[attr-defined]
        self.frozen = torch.nn.BatchNorm1d(1).eval()

    def forward(self, observation: object) -> torch.Tensor:
        parts = list(observation.values()) if isinstance(observation, dict) else [observation]
        flat = torch.cat([part.reshape(len(part), -1).float() for part in parts], dim=1)
        scores: torch.Tensor = self.head(self.drop(self.norm(flat)))
        return scores


def test_amendment_50_an_evaluation_changes_nothing_in_a_module(tmp_path: Path) -> None:
    protocol = tmp_path / "grid.toml"
    protocol.write_text(PROTOCOL)
    torch.manual_seed(3)
    module = Flat()
    before = {name: value.clone() for name, value in module.state_dict().items()}
    modes = [part.training for part in module.modules()]
    for out in ("once", "twice"):
        assert heldout.evaluate(module, protocol, tmp_path / out)["failures"] == []
        assert [part.training for part in module.modules()] == modes
        assert not module.frozen.training and module.norm.training
    after = module.state_dict()
    assert all(torch.equal(value, after[name]) for name, value in before.items())
    records = [sorted((tmp_path / out / "records").rglob("*.jsonl")) for out in ("once", "twice")]
    assert [p.read_bytes() for p in records[0]] == [p.read_bytes() for p in records[1]]

    def breaks(module: torch.nn.Module, inputs: object) -> None:
        raise RuntimeError("broken")

    module.register_forward_pre_hook(breaks)
    with pytest.raises(RuntimeError, match="broken"):
        heldout.evaluate(module, protocol, tmp_path / "broken")
    assert [part.training for part in module.modules()] == modes


def test_amendment_50_a_model_keeps_its_mode(tmp_path: Path) -> None:
    protocol = tmp_path / "grid.toml"
    protocol.write_text(PROTOCOL)
    envs = HeldoutVecEnv("example/grid-v1", 2)
    model = PPO("MultiInputPolicy", envs, n_steps=8, batch_size=16, seed=0)
    model.policy.set_training_mode(True)
    before = {name: value.clone() for name, value in model.policy.state_dict().items()}
    assert heldout.evaluate(model, protocol, tmp_path / "out")["failures"] == []
    assert model.policy.training
    after = model.policy.state_dict()
    assert all(torch.equal(value, after[name]) for name, value in before.items())


class Remembering(torch.nn.Module):
    """Counts the steps of each copy's episode in its state, and acts by the count: `(answer, state)`."""

    def __init__(self, three: bool) -> None:
        super().__init__()
        self.three = three
        self.unused = torch.nn.Linear(1, 1)
        self.counts: list[list[int]] = []

    def forward(self, observation: object, state: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor]:
        first = next(iter(observation.values())) if isinstance(observation, dict) else observation
        copies = len(first)
        shape = (1, copies, 1) if self.three else (copies, 1)
        state = torch.zeros(shape) if state is None else state
        count = state.view(-1)
        self.counts.append([int(n) for n in count])
        return (count.long() % 4), state + 1


@pytest.mark.parametrize("three", [False, True])
def test_the_state_of_a_recurrent_module_begins_with_each_episode(tmp_path: Path, three: bool) -> None:
    protocol = tmp_path / "grid.toml"
    protocol.write_text(PROTOCOL)
    module = Remembering(three)
    assert heldout.evaluate(module, protocol, tmp_path / "out", seeds=1)["failures"] == []

    def by_hand() -> object:
        counts = np.zeros(0, int)

        def act(observation: dict[str, np.ndarray], episode_start: np.ndarray) -> np.ndarray:
            nonlocal counts
            counts = np.where(episode_start, 0, counts if len(counts) == len(episode_start) else 0)
            actions, counts = counts % 4, counts + 1
            return actions

        return act

    assert heldout.evaluate(by_hand(), protocol, tmp_path / "hand", seeds=1)["failures"] == []

    def lengths(out: str) -> list[object]:
        paths = sorted((tmp_path / out / "records").rglob("*.jsonl"))
        return [json.loads(line)["length"] for path in paths for line in path.read_text().splitlines()[1:]]

    assert lengths("out") == lengths("hand")
    assert any(0 in row and any(row) for row in module.counts), "no copy began while others went on"


class Misshapen(Remembering):
    """Keeps a state that has no row for each copy."""

    def forward(self, observation: object, state: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor]:
        answer, _ = super().forward(observation, None)
        return answer, torch.zeros(3, 1)


def test_a_state_without_rows_is_refused(tmp_path: Path) -> None:
    protocol = tmp_path / "grid.toml"
    protocol.write_text(PROTOCOL)
    with pytest.raises(heldout.HeldoutError, match=r"state has shape \(3, 1\), must have \d+ rows in dimension 0"):
        heldout.evaluate(Misshapen(False), protocol, tmp_path / "out", seeds=1)


class Carried(NamedTuple):
    """What an LSTM carries from step to step, by name."""

    hidden: torch.Tensor
    cell: torch.Tensor


class Lstm(torch.nn.Module):
    """Scores of an LSTM, whose state is torch's own pair or a named one: `(scores, (h, c))`."""

    def __init__(self, named: bool) -> None:
        super().__init__()
        torch.manual_seed(5)
        env = heldout.Env("example/grid-v1")
        self.named = named
        self.core = torch.nn.LSTM(gymnasium.spaces.flatdim(env.observation_space), 16)
        self.head = torch.nn.Linear(16, int(env.action_space.n))  # type: ignore[attr-defined]

    def scores(self, observation: dict[str, torch.Tensor], state: Any) -> tuple[torch.Tensor, Any]:
        rows = torch.cat([part.reshape(len(part), -1).float() for part in observation.values()], dim=1)
        answer, state = self.core(rows[None], state)
        return 4 * self.head(answer[0]), state

    def forward(self, observation: dict[str, torch.Tensor], state: Any) -> tuple[torch.Tensor, Any]:
        assert state is None or type(state) is (Carried if self.named else tuple)
        scores, state = self.scores(observation, None if state is None else tuple(state))
        return scores, Carried(*state) if self.named else state


class ByHand:
    """Plays by a module's scores, and keeps, forgets and draws by itself."""

    def __init__(self, module: Lstm, deterministic: bool) -> None:
        self.module, self.deterministic = module, deterministic
        self.state: Any = None
        self.step = self.begun_among_others = 0

    def __call__(self, observation: dict[str, np.ndarray], episode_start: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        if episode_start.all():
            self.state, self.step = None, 0
        else:
            self.step += 1
            self.begun_among_others += int(episode_start.any())
            for part in self.state:
                part[:, torch.from_numpy(episode_start)] = 0
        with torch.no_grad():
            shown = {name: torch.from_numpy(array) for name, array in observation.items()}
            scores, self.state = self.module.scores(shown, self.state)
        if self.deterministic:
            return scores.argmax(dim=1).numpy()
        digest = hashlib.sha256(seeds.tobytes() + self.step.to_bytes(8, "little")).digest()
        torch.manual_seed(int.from_bytes(digest[:7], "little"))
        return torch.distributions.Categorical(logits=scores).sample().numpy()


@pytest.mark.parametrize("deterministic", [True, False], ids=["greedy", "sampled"])
@pytest.mark.parametrize("named", [False, True], ids=["pair", "named"])
def test_an_lstm_plays_as_a_loop_by_hand_does(tmp_path: Path, named: bool, deterministic: bool) -> None:
    protocol = tmp_path / "grid.toml"
    # Small, so that some arrive while others are still on their way.
    protocol.write_text(PROTOCOL.replace("episodes = 20", "episodes = 20\nset = { size = 3, walls = 0.0 }"))
    module = Lstm(named)
    hand = ByHand(module, deterministic)
    for out, policy in (("module", module), ("hand", hand)):
        told = heldout.evaluate(policy, protocol, tmp_path / out, label="lstm", deterministic=deterministic)
        assert told["failures"] == []
    assert hand.begun_among_others > 0, "no copy began while others went on"
    lines = {
        out: [path.read_text().splitlines()[1:] for path in sorted((tmp_path / out / "records").rglob("*.jsonl"))]
        for out in ("module", "hand")
    }
    assert lines["module"] == lines["hand"] and all(lines["hand"])


@pytest.mark.parametrize("deterministic", [True, False])
def test_models_of_sb3_contrib_are_evaluated(tmp_path: Path, deterministic: bool) -> None:
    protocol = tmp_path / "grid.toml"
    protocol.write_text(PROTOCOL)
    envs = HeldoutVecEnv("example/grid-v1", 2)
    recurrent = RecurrentPPO("MultiInputLstmPolicy", envs, n_steps=8, batch_size=16, seed=0, device="cpu")
    maskable = MaskablePPO("MultiInputPolicy", envs, n_steps=8, batch_size=16, seed=0, device="cpu")
    for name, model in (("recurrent", recurrent), ("maskable", maskable)):
        for out in (f"{name}-once", f"{name}-twice"):
            told = heldout.evaluate(model, protocol, tmp_path / out, label=name, deterministic=deterministic)
            assert told["failures"] == [] and told["episodes"] > 0
        once, twice = (
            [p.read_bytes() for p in sorted((tmp_path / f"{name}-{when}" / "records").rglob("*.jsonl"))]
            for when in ("once", "twice")
        )
        assert once == twice


class Played(torch.utils.data.Dataset):
    """Returns of a threaded batch that was made, and has played, before the loader forks."""

    def __init__(self) -> None:
        self.envs = heldout.VectorEnv("example/grid-v1", 256, threads=4)
        self.envs.reset(seed=1)
        self.envs.step(self.envs.act("random", 3))

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> float:
        self.envs.reset(seed=index)
        return float(sum(self.envs.step(self.envs.act("random", 3))[1].sum() for _ in range(20)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_loaders_of_torch_are_forked_from_a_process_with_threads() -> None:
    played = Played()
    loader = torch.utils.data.DataLoader(played, num_workers=2, multiprocessing_context="fork", timeout=60)
    assert [float(found) for found in loader] == [played[index] for index in range(4)]
