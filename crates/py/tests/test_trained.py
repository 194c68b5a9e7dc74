"""Policies that ``heldout train`` left behind, in Python."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout

PROTOCOL = """
title = "Short"
summary = "One task, two conditions."
seeds = 1
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


def command(words: list[str]) -> None:
    """Run a command of the wheel as a shell would."""
    subprocess.run([sys.executable, "-m", "heldout", *words], check=True, stdout=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained")
    (folder / "short.toml").write_text(PROTOCOL)
    words = ["train", "ppo-lstm", "--protocol", str(folder / "short.toml"), "--out", str(folder / "run")]
    words += [
        "--steps",
        "4000",
        "--seeds",
        "2",
        "--set",
        "copies=8",
        "--set",
        "rows=32",
        "--set",
        "evaluate_episodes=2",
    ]
    command(words)
    return folder


def test_train_is_part_of_the_wheel_and_load_tells_what_it_left(trained: Path) -> None:
    policy = heldout.load(trained / "run")
    assert (policy.agent, policy.label, policy.id) == ("ppo-lstm", "PPO+LSTM", "example/grid-v1")
    assert [run["seed"] for run in policy.runs] == [0, 1]
    assert heldout.load(trained / "run" / "grid" / "seed-1").sha256 == heldout.load(trained / "run", run=1).sha256
    assert policy.sha256 != heldout.load(trained / "run", run=1).sha256
    with pytest.raises(heldout.HeldoutError, match="`run` is 2, must be 0 to 1"):
        heldout.load(trained / "run", run=2)
    with pytest.raises(heldout.HeldoutError, match="holds no run"):
        heldout.load(trained)


def test_a_loop_of_ones_own_plays_what_the_evaluation_plays(trained: Path) -> None:
    """One episode at a time and many at once, with rewards, memories and draws by the seeds of the episodes."""
    policy = heldout.load(trained / "run")

    def alone(seed: int) -> list[int]:
        env = policy.make()
        observation, _ = env.reset(seed=seed)
        actions, reward, start, ended = [], 0.0, True, False
        while not ended:
            action = policy(observation, episode_start=start, reward=reward, seeds=seed)
            actions.append(action)
            observation, reward, terminated, truncated, _ = env.step(action)
            start, ended = False, terminated or truncated
        return actions

    envs = policy.make_vec(3)
    observation, _ = envs.reset(seed=[5, 6, 7])
    rewards, starts = np.zeros(3), np.ones(3, bool)
    found: list[list[int]] = [[], [], []]
    over = np.zeros(3, bool)
    while not over.all():
        actions = policy(observation, episode_start=starts, reward=rewards, seeds=[5, 6, 7])
        for copy in np.flatnonzero(~over):
            found[copy].append(int(actions[copy]))
        observation, rewards, terminated, truncated, _ = envs.step(actions)
        starts, over = np.zeros(3, bool), over | terminated | truncated
    # Numbers of one row may differ in the last bit from those of three: the draws of such short games do not.
    assert [alone(seed) for seed in (5, 6, 7)] == found


def test_who_is_told_of_the_last_step_needs_its_info(tmp_path: Path) -> None:
    words = ["train", "td3-lstm", "--env", "halma/symbolic-v1", "--out", str(tmp_path / "run"), "--steps", "64"]
    command([*words, "--set", "evaluate_episodes=1", "--set", "evaluate_every=1000"])
    policy = heldout.load(tmp_path / "run")
    env = policy.make()
    observation, _ = env.reset(seed=1)
    observation, reward, _, _, info = env.step(policy(observation, episode_start=True, seeds=1))
    assert {"invalid", "trial_end"} <= set(info)
    policy(observation, reward=float(reward), info=info, seeds=1)
    with pytest.raises(heldout.HeldoutError, match="`td3-lstm` is told `invalid` of the last step: `info` must hold it"):
        policy(observation, reward=float(reward), seeds=1)


def test_evaluate_plays_a_checkpoint_as_the_command_line_does(trained: Path, tmp_path: Path) -> None:
    protocol = str(trained / "short.toml")
    for number, policy in enumerate([str(trained / "run"), trained / "run", heldout.load(trained / "run")]):
        outcome = heldout.evaluate(policy, protocol, tmp_path / str(number))
        assert outcome == {"episodes": 80, "of": 80, "failures": []}
    words = ["eval", protocol, "--policy", str(trained / "run"), "--out", str(tmp_path / "shell")]
    command(words)

    def records(out: Path) -> dict[str, Any]:
        return {path.name: path.read_bytes() for path in sorted(out.glob("records/**/*.jsonl"))}

    expected = records(tmp_path / "shell")
    assert expected
    for number in range(3):
        assert records(tmp_path / str(number)) == expected
    header = json.loads(next(iter(expected.values())).splitlines()[0])
    assert header["agent"] == "PPO+LSTM"


def test_what_does_not_fit_is_named(trained: Path) -> None:
    policy = heldout.load(trained / "run")
    observation, _ = policy.make().reset(seed=0)
    with pytest.raises(heldout.HeldoutError, match="lacks `goal_offset`"):
        policy({key: value for key, value in observation.items() if key != "goal_offset"})
    with pytest.raises(heldout.HeldoutError, match="`blocked` is of the shape"):
        policy({**observation, "blocked": np.zeros((5,), np.uint8)})
