"""Evaluation from Python: the records of the native runner, whoever answers."""

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout

ONE = """
title = "One"
summary = "One task."
seeds = 2
[[task]]
name = "halma"
id = "halma/symbolic-v1"
episodes = 40
metric = "rho_g"
set = { max_steps = 60 }
[[task.condition]]
name = "train"
held_out = false
[[task.condition]]
name = "test"
held_out = true
set = { split = "test" }
"""

PAIR = """
title = "Pair"
summary = "Two agents."
seeds = 1
[[task]]
name = "signal"
id = "example/signal-v1"
episodes = 10
metric = "accuracy"
[[task.condition]]
name = "train"
held_out = false
"""


@pytest.fixture
def one(tmp_path: Path) -> Path:
    path = tmp_path / "one.toml"
    path.write_text(ONE)
    return path


def records(out: Path) -> dict[str, bytes]:
    return {str(p.relative_to(out)): p.read_bytes() for p in sorted(out.rglob("*")) if p.is_file()}


def lines(out: Path, condition: str, label: str) -> list[bytes]:
    """The episodes of a file, without its header."""
    return (out / "records" / "one" / "halma" / condition / f"{label}.jsonl").read_bytes().splitlines()[1:]


def noop(observation: Any) -> Any:
    return np.zeros((len(observation), 6), dtype=np.int64)


def test_protocols_are_named() -> None:
    assert heldout.protocols()[:2] == ["quick", "smoke"]


def test_a_function_that_plays_like_a_script_has_its_records(one: Path, tmp_path: Path) -> None:
    outcome = heldout.evaluate(noop, one, tmp_path / "out", label="mine")
    assert outcome == {"episodes": 160, "of": 160, "failures": []}
    heldout.evaluate("noop", one, tmp_path / "out", threads=2)
    for condition in ("train", "test"):
        ours, theirs = lines(tmp_path / "out", condition, "mine"), lines(tmp_path / "out", condition, "noop")
        assert len(ours) == 80
        assert ours == theirs
    header = json.loads((tmp_path / "out/records/one/halma/train/mine.jsonl").read_bytes().splitlines()[0])
    assert (header["agent"], header["policy"], header["seeds"]) == ("mine", "noop", [0, 1])


def test_a_run_that_broke_off_is_resumed_to_the_same_bytes(one: Path, tmp_path: Path) -> None:
    def begins(fail: int | None) -> Any:
        calls = 0

        # Answers depend on the whole batch: resuming must put the same copies together again.
        def policy(observation: Any, starts: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == fail:
                raise ZeroDivisionError("enough")
            actions = np.zeros((len(observation), 6), dtype=np.int64)
            actions[:, 0] = (int(starts.sum()) + np.arange(len(observation))) % 4
            actions[:, 1] = 1 + int(observation.sum()) % 3
            return actions

        return policy

    whole, part = tmp_path / "whole", tmp_path / "part"
    heldout.evaluate(begins(None), one, whole, label="a", name="mine", episodes=150)
    expected = records(whole)
    for fail in (1, 200, 700):
        out = part / str(fail)
        with pytest.raises(ZeroDivisionError, match="enough"):
            heldout.evaluate(begins(fail), one, out, label="a", name="mine", episodes=150)
        with pytest.raises(heldout.HeldoutError, match="is already there"):
            heldout.evaluate(begins(None), one, out, label="a", name="mine", episodes=150)
        heard: list[tuple[int, int]] = []
        heldout.evaluate(
            begins(None), one, out, label="a", name="mine", episodes=150, resume=True,
            progress=lambda done, total, heard=heard: heard.append((done, total)),
        )  # fmt: skip
        assert records(out) == expected
        assert heard[-1] == (600, 600)


class Model:
    """What Stable-Baselines3's models look like, with a state that counts steps since the start."""

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> Any:
        assert deterministic and episode_start.shape == (len(observation),)
        state = np.zeros(len(observation), dtype=np.int64) if state is None else state
        state = np.where(episode_start, 0, state + 1)
        actions = np.zeros((len(observation), 6), dtype=np.int64)
        actions[:, 0], actions[:, 1] = state % 4, 1
        return actions, state


def test_a_model_with_predict_is_told_where_episodes_begin(one: Path, tmp_path: Path) -> None:
    heldout.evaluate(Model(), one, tmp_path / "a", episodes=20)
    # A policy whose copies do not see each other plays the same alone.
    heldout.evaluate(Model(), one, tmp_path / "b", episodes=20, seeds=1)
    a, b = lines(tmp_path / "a", "train", "Model"), lines(tmp_path / "b", "train", "Model")
    assert a[:20] == b and len(a) == 40


def test_two_agents_answer_together(tmp_path: Path) -> None:
    path = tmp_path / "pair.toml"
    path.write_text(PAIR)
    seen = []

    def policy(observation: Any) -> Any:
        fields = observation if isinstance(observation, dict) else {"only": observation}
        shape = next(iter(fields.values())).shape
        seen.append(shape[:2])
        return np.zeros((shape[0], 3), dtype=np.int64)

    outcome = heldout.evaluate(policy, [path], tmp_path / "out")
    assert outcome["failures"] == [] and seen[0] == (10, 2)


def test_bad_input_is_refused_by_name(one: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(heldout.HeldoutError, match="there is no protocol `quik`"):
        heldout.evaluate(noop, "quik", out)
    with pytest.raises(heldout.HeldoutError, match="no environment has a policy `best`"):
        heldout.evaluate("best", one, out)
    with pytest.raises(heldout.HeldoutError, match="`policy` is `3`, must be a function"):
        heldout.evaluate(3, one, out)
    with pytest.raises(heldout.HeldoutError, match="`episodes` is `0`"):
        heldout.evaluate(noop, one, out, episodes=0)
    with pytest.raises(TypeError, match="`seeds` is `two`, must be an integer"):
        heldout.evaluate(noop, one, out, seeds="two")  # type: ignore[arg-type]
    with pytest.raises(heldout.HeldoutError, match=r"`actions` has shape \[3\]"):
        heldout.evaluate(lambda observation: np.zeros(3, dtype=int), one, out)
    outcome = heldout.evaluate(
        lambda observation: np.full((len(observation), 6), 77), one, out, label="outside", episodes=2
    )
    assert "is not an action of" in outcome["failures"][0]["problem"]
    assert len(outcome["failures"]) == 2


def test_report(one: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for policy in ("random", "oracle"):
        heldout.evaluate(policy, one, out, episodes=5)
    heldout.report(out)
    assert (out / "report.md").read_text().startswith("# heldout: does it generalise?")
    heldout.report([out], tmp_path / "other.html")
    assert (tmp_path / "other.html").read_bytes() == (out / "report.html").read_bytes()
    with pytest.raises(heldout.HeldoutError, match="holds no records"):
        heldout.report(tmp_path / "nothing")
    with pytest.raises(heldout.HeldoutError, match="there is no directory"):
        heldout.report([])


DYNAMIC = """
title = "Dynamic"
summary = "Tests made from experience."
seeds = 1
[[task]]
name = "halma"
id = "halma/symbolic-v1"
kind = { name = "halma-dynamic", experience = 60 }
episodes = 4
metric = "rho_p"
set = { mazes = 12, max_steps = 80 }
[[task.condition]]
name = "T"
held_out = false
[[task.condition]]
name = "ST-1"
held_out = true
"""


def test_tests_are_made_from_the_experience_that_is_brought(tmp_path: Path) -> None:
    protocol = tmp_path / "dynamic.toml"
    protocol.write_text(DYNAMIC)
    width = heldout.Env("halma/symbolic-v1").action_space.shape

    def noop(observation: Any) -> Any:
        copies = len(next(iter(observation.values())) if isinstance(observation, dict) else observation)
        return np.zeros((copies, *(width or ())), dtype=np.int64)

    def header(out: str) -> Any:
        path = tmp_path / out / "records" / "dynamic" / "halma" / "ST-1" / "noop.jsonl"
        return json.loads(path.read_text().splitlines()[0])

    told = heldout.evaluate(noop, protocol, tmp_path / "none")
    assert [f["condition"] for f in told["failures"]] == ["ST-1"]
    assert "experience" in told["failures"][0]["problem"]
    assert told["episodes"] == 12

    env = heldout.Env("halma/symbolic-v1", mazes=12, max_steps=80, experience=True)
    env.reset(seed=3)
    env.action_space.seed(3)
    for _ in range(5000):
        if any(env.step(env.action_space.sample())[2:4]):
            env.reset()
    experience = env.experience()
    path = tmp_path / "experience"
    path.write_bytes(experience)
    for given, out in [(experience, "bytes"), (path, "path"), (str(path), "text")]:
        assert heldout.evaluate(noop, protocol, tmp_path / out, experience=given)["failures"] == []
        assert header(out)["made_from"].startswith("the experience that came with the agent (CRC-32 ")
    assert header("bytes") == header("path") == header("text")
    assert heldout.evaluate("noop", protocol, tmp_path / "scripted", label="noop")["failures"] == []
    assert header("scripted")["made_from"] == "the experience of noop in 60 training episodes"
    with pytest.raises(heldout.HeldoutError, match="`experience` is `3`, must be bytes or the path of a file"):
        heldout.evaluate(noop, protocol, tmp_path / "bad", experience=3)  # type: ignore[arg-type]


def test_records_of_another_build_could_not_be_continued_from_python(one: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    heldout.evaluate("random", one, out, episodes=10, seeds=1)
    whole = lines(out, "train", "random")
    path = out / "records" / "one" / "halma" / "train" / "random.jsonl"
    header, *rest = path.read_bytes().splitlines(keepends=True)
    other = header.replace(b'"commit":"', b'"commit":"other-', 1)
    assert other != header
    # Each line ends with the CRC-32 of what stands before it.
    own, end = other.rsplit(b',"check":"', 1)
    other = own + b',"check":"%08x"}\n' % zlib.crc32(own)
    assert len(end) == len('00000000"}\n')
    path.write_bytes(b"".join([other, *rest[:4]]))
    with pytest.raises(heldout.HeldoutError, match="another build"):
        heldout.evaluate("random", one, out, episodes=10, seeds=1, resume=True)
    heldout.evaluate("random", one, out, episodes=10, seeds=1, resume=True, other_build=True)
    assert lines(out, "train", "random") == whole
    assert json.loads(path.read_bytes().splitlines()[0])["continued_by"]
