"""Who plays where: policies by task, by training seed and by place, and what each is told."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout

TWO = """
title = "Two"
summary = "Two tasks."
seeds = 2
[[task]]
name = "small"
id = "example/grid-v1"
episodes = 12
metric = "success"
[[task.condition]]
name = "train"
held_out = false
[[task]]
name = "more"
id = "example/grid-v1"
episodes = 12
metric = "success"
set = { levels = 50 }
[[task.condition]]
name = "train"
held_out = false
[[task.condition]]
name = "test"
held_out = true
set = { split = "heldout" }
"""


@pytest.fixture
def two(tmp_path: Path) -> Path:
    path = tmp_path / "two.toml"
    path.write_text(TWO)
    return path


def files(out: Path) -> list[str]:
    return sorted("/".join(p.relative_to(out / "records" / "two").parts) for p in (out / "records").rglob("*.jsonl"))


def header(out: Path, cell: str, label: str) -> Any:
    return json.loads((out / "records" / "two" / cell / f"{label}.jsonl").read_text().splitlines()[0])


def records(out: Path, cell: str, label: str) -> list[str]:
    return (out / "records" / "two" / cell / f"{label}.jsonl").read_text().splitlines()[1:]


def copies(observation: Any) -> int:
    return len(next(iter(observation.values())) if isinstance(observation, dict) else observation)


def going(direction: int) -> Any:
    """A policy that always goes one way."""

    def goes(observation: Any) -> Any:
        return np.full(copies(observation), direction, dtype=np.int64)

    return goes


def test_a_dictionary_plays_the_tasks_it_names(two: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    outcome = heldout.evaluate({"more": going(0)}, two, out, label="mine")
    assert outcome == {"episodes": 48, "of": 48, "failures": []}
    assert files(out) == ["more/test/mine.jsonl", "more/train/mine.jsonl"]
    with pytest.raises(heldout.HeldoutError, match="has a task `mor`; there are `small`, `more`"):
        heldout.evaluate({"mor": going(0)}, two, tmp_path / "bad")


def test_tasks_are_chosen_by_name(two: Path, tmp_path: Path) -> None:
    for policy in ("random", going(1)):
        out = tmp_path / str(policy)[:6]
        heldout.evaluate(policy, two, out / "whole", label="a")
        heldout.evaluate(policy, two, out / "part", label="a", tasks=["small"])
        assert files(out / "part") == ["small/train/a.jsonl"]
        name = "records/two/small/train/a.jsonl"
        assert (out / "part" / name).read_bytes() == (out / "whole" / name).read_bytes()
    with pytest.raises(heldout.HeldoutError, match="has a task `none`"):
        heldout.evaluate("random", two, tmp_path / "bad", tasks=["none"])


def test_a_list_is_a_run_for_each_training_seed(two: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    heldout.evaluate([going(0), going(1), going(2)], two, out, label="mine", tasks=["small"])
    told = header(out, "small/train", "mine")
    assert (told["seeds"], told["policy"]) == ([0, 1, 2], "goes")
    assert told["policies"] == ["goes run 0", "goes run 1", "goes run 2"]
    for run in range(3):
        heldout.evaluate(going(run), two, tmp_path / str(run), label="mine", tasks=["small"], seed=run, seeds=1)
        own = records(out, "small/train", "mine")[12 * run : 12 * (run + 1)]
        assert own == records(tmp_path / str(run), "small/train", "mine")
    # One policy twice is one run.
    same = going(3)
    heldout.evaluate([same, same], two, tmp_path / "same", label="mine", tasks=["small"])
    assert "policies" not in header(tmp_path / "same", "small/train", "mine")
    with pytest.raises(heldout.HeldoutError, match="`policy` is an empty list"):
        heldout.evaluate([], two, tmp_path / "none", label="mine")


def test_a_function_of_the_place_says_who_plays_there(two: Path, tmp_path: Path) -> None:
    asked: list[heldout.Place] = []

    def factory(place: heldout.Place) -> Any:
        asked.append(place)
        return going(place.run) if place.task == "more" else None

    out = tmp_path / "out"
    outcome = heldout.evaluate(factory, two, out, label="mine", seed=7)
    assert outcome == {"episodes": 48, "of": 48, "failures": []}
    assert set(asked) == {
        heldout.Place("example/grid-v1", "two", "small", 0, 7),
        heldout.Place("example/grid-v1", "two", "more", 0, 7),
        heldout.Place("example/grid-v1", "two", "more", 1, 8),
    }
    assert files(out) == ["more/test/mine.jsonl", "more/train/mine.jsonl"]
    assert header(out, "more/test", "mine")["policies"] == ["goes run 0", "goes run 1"]
    heldout.evaluate([going(0), going(1)], two, tmp_path / "list", label="mine", tasks=["more"], seed=7)
    assert records(out, "more/test", "mine") == records(tmp_path / "list", "more/test", "mine")

    def breaks(place: heldout.Place) -> Any:
        raise LookupError("no such checkpoint")

    with pytest.raises(LookupError, match="no such checkpoint"):
        heldout.evaluate(breaks, two, tmp_path / "broken")


def test_arguments_are_found_by_name(two: Path, tmp_path: Path) -> None:
    def plain(observation: Any, episode_start: Any) -> Any:
        assert episode_start.dtype == bool
        return np.where(episode_start, 1, 2)

    def keyword(observation: Any, *, reward: Any, episode_start: Any = None, metrics: Any, deterministic: bool) -> Any:
        assert deterministic and isinstance(metrics, dict)
        assert reward.shape == episode_start.shape and not reward[episode_start].any()
        return np.where(episode_start, 1, 2)

    def unnamed(observation: Any, starts: Any) -> Any:
        return np.where(starts, 1, 2)

    def optional(observation: Any, episode_start: Any = None, temperature: float = 1.0) -> Any:
        return np.where(episode_start, 1, 2)

    told = []
    for policy in (plain, keyword, unnamed, optional):
        heldout.evaluate(policy, two, tmp_path / policy.__name__, label="a", tasks=["small"])
        told.append(records(tmp_path / policy.__name__, "small/train", "a"))
    assert all(own == told[0] for own in told)


def test_a_policy_is_told_what_the_last_step_paid(tmp_path: Path) -> None:
    path = tmp_path / "paid.toml"
    path.write_text(
        'title = "Paid"\nsummary = "One task."\nseeds = 1\n[[task]]\nname = "halma"\nid = "halma/symbolic-v1"\n'
        "episodes = 3\nset = { max_steps = 20, reward_invalid = -5.0 }\n"
        '[[task.condition]]\nname = "train"\nheld_out = false\n'
    )
    paid: list[float] = []

    def policy(observation: Any, reward: Any, metrics: Any) -> Any:
        paid.extend(reward.tolist())
        assert metrics["invalid"].shape == reward.shape
        actions = np.zeros((copies(observation), 6), dtype=np.int64)
        actions[:, 1] = 1
        return actions

    assert heldout.evaluate(policy, path, tmp_path / "out")["failures"] == []
    assert -5.0 in paid


class Model:
    """A model that says in its actions how it was asked."""

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> Any:
        return np.full(copies(observation), 1 if deterministic else 2), None


def test_a_model_is_asked_greedily_or_not(two: Path, tmp_path: Path) -> None:
    for deterministic, direction in ((True, 1), (False, 2)):
        out = tmp_path / str(direction)
        heldout.evaluate(Model(), two, out, label="a", tasks=["small"], deterministic=deterministic)
        heldout.evaluate(going(direction), two, out, label="b", tasks=["small"])
        assert records(out, "small/train", "a") == records(out, "small/train", "b")
        policy = header(out, "small/train", "a")["policy"]
        assert policy == ("Model" if deterministic else "Model (sampled)")


def test_a_view_is_how_a_policy_sees(two: Path, tmp_path: Path) -> None:
    seen: list[bool] = []

    def policy(observation: Any) -> Any:
        seen.append(isinstance(observation, dict) and "image" in observation)
        return np.ones(copies(observation), dtype=np.int64)

    views: list[Any] = [{"image": True}, lambda place: {"image": place.task == "small"}]
    for number, view in enumerate(views):
        out = tmp_path / str(number)
        heldout.evaluate(policy, two, out, label="a", tasks=["small"], view=view)
        assert header(out, "small/train", "a")["config"]["image"] is True
    outcome = heldout.evaluate(policy, two, tmp_path / "bad", tasks=["small"], view={"levels": 3})
    assert "`policy` asks for `levels` = `3`" in outcome["failures"][0]["problem"]


def test_records_are_extended(two: Path, tmp_path: Path) -> None:
    whole, part = tmp_path / "whole", tmp_path / "part"
    heldout.evaluate(going(1), two, whole, label="a")
    heldout.evaluate(going(1), two, part, label="a", seeds=1, episodes=5)
    heldout.evaluate(going(1), two, part, label="a", resume=True)
    for name in files(whole):
        assert (part / "records/two" / name).read_bytes() == (whole / "records/two" / name).read_bytes()
    with pytest.raises(heldout.HeldoutError, match="was recorded with 2 seeds, this evaluation has 1"):
        heldout.evaluate(going(1), two, part, label="a", seeds=1, resume=True)


def test_experience_is_told_by_place(tmp_path: Path) -> None:
    path = tmp_path / "dynamic.toml"
    path.write_text(
        'title = "Dynamic"\nsummary = "One test."\nseeds = 1\n[[task]]\nname = "halma"\nid = "halma/symbolic-v1"\n'
        'kind = { name = "halma-dynamic", experience = 60 }\nepisodes = 4\nmetric = "rho_p"\n'
        "set = { mazes = 12, max_steps = 80 }\n"
        '[[task.condition]]\nname = "ST-1"\nheld_out = true\n'
    )
    env = heldout.Env("halma/symbolic-v1", mazes=12, max_steps=80, experience=True)
    env.reset(seed=3)
    env.action_space.seed(3)
    for _ in range(5000):
        if any(env.step(env.action_space.sample())[2:4]):
            env.reset()
    experience = env.experience()
    asked = []

    def brings(place: heldout.Place) -> Any:
        asked.append(place)
        return experience

    def noop(observation: Any) -> Any:
        return np.zeros((copies(observation), 6), dtype=np.int64)

    assert heldout.evaluate(noop, path, tmp_path / "out", experience=brings)["failures"] == []
    assert asked == [heldout.Place("halma/symbolic-v1", "dynamic", "halma", 0, 0)]


def test_a_policy_that_speaks_has_a_language(tmp_path: Path) -> None:
    path = tmp_path / "language.toml"
    path.write_text(
        'title = "Language"\nsummary = "One language."\nseeds = 1\n[[task]]\nname = "language"\nid = "s2b/game-v1"\n'
        'kind = "s2b-language"\nepisodes = 2\nmetric = "posdis"\nset = { min_values = 5, samples = 2 }\n'
        '[[task.condition]]\nname = "language"\nheld_out = true\n'
    )

    class Speaker:
        def __call__(self, observation: Any) -> Any:
            raise AssertionError("a language is not played")

        def speak(self, stimuli: Any, vocabulary: int, length: int) -> Any:
            assert stimuli.shape == (250, length) and vocabulary == 6
            return np.clip(np.floor((stimuli.astype(float) + 1) * 2.5), 0, 4).astype(int) + 1

    assert heldout.evaluate(Speaker(), path, tmp_path / "out")["failures"] == []
    lines = (tmp_path / "out/records/language/language/language/Speaker.jsonl").read_text().splitlines()[1:]
    assert [round(json.loads(line)["metrics"]["posdis"], 9) for line in lines] == [1.0, 1.0]
    outcome = heldout.evaluate(going(0), path, tmp_path / "silent")
    assert "cannot be asked what it says" in outcome["failures"][0]["problem"]
