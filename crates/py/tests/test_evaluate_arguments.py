"""What ``evaluate`` shows a policy, and which arguments it refuses."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.text import UNKNOWN

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


@pytest.fixture
def protocol(tmp_path: Path) -> Any:
    def written(env_id: str) -> str:
        path = tmp_path / "short.toml"
        path.write_text(PROTOCOL.format(id=env_id))
        return str(path)

    return written


def test_a_policy_by_name_within_a_list_was_promised_and_refused_in_words_that_named_it(
    protocol: Any, tmp_path: Path
) -> None:
    for policy in (["oracle"], {"task": "oracle"}, lambda place: "oracle", [Path("run")]):
        with pytest.raises(heldout.HeldoutError, match="is a policy by itself: evaluate it alone"):
            heldout.evaluate(policy, protocol("example/grid-v1"), tmp_path / "out")


def test_a_mask_was_of_floats_in_an_evaluation_and_of_small_integers_elsewhere(protocol: Any, tmp_path: Path) -> None:
    space = heldout.Env("s2b/listener-v1").action_space
    seen = set()

    def policy(observation: dict[str, Any]) -> Any:
        seen.add(observation["action_mask"].dtype.name)
        return np.array([space.sample(row) for row in observation["action_mask"]])

    heldout.evaluate(policy, protocol("s2b/listener-v1"), tmp_path / "out")
    assert seen == {"int8"}


@pytest.mark.parametrize("given", ["tokens", "vocabulary"])
def test_who_learnt_on_the_numbers_of_words_was_shown_bytes(given: str, protocol: Any, tmp_path: Path) -> None:
    env_id = "lilgym/tower-scratch-v1"
    words = heldout.vocabulary(env_id)
    envs = heldout.VectorEnv(env_id, 4, text="tokens")
    expected = envs.reset(seed=0)[0]["sentence"]
    seen = []

    def policy(observation: dict[str, Any]) -> Any:
        seen.append(observation["sentence"])
        return np.zeros(len(observation["sentence"]), np.int64)

    text: Any = "tokens" if given == "tokens" else words
    heldout.evaluate(policy, protocol(env_id), tmp_path / "out", text=text)
    assert all(rows.dtype == np.int32 and rows.shape[1:] == expected.shape[1:] for rows in seen)
    assert all(words.decode(row) for rows in seen for row in rows)
    with pytest.raises(heldout.HeldoutError, match="`text` is `'str'`, must be `bytes`, `tokens` or a Vocabulary"):
        heldout.evaluate(policy, protocol(env_id), tmp_path / "other", text="str")


PUBLIC = """
title = "Public"
summary = "One task of data in a directory."
seeds = 1
[[task]]
name = "task"
id = "{id}"
kind = "problems"
metric = "success"
set = {{ data = '{data}', observation = "objects" }}
[[task.condition]]
name = "dev"
held_out = true
set = {{ split = "dev" }}
"""


def test_words_of_data_in_a_directory_had_the_numbers_of_the_builtin_ones(tmp_path: Path) -> None:
    env_id = "lilgym/tower-scratch-v1"
    sentences = {"train": ["Zebras like a block.", "A zebra likes no block."], "dev": ["A zebra, no okapi."]}
    for split, said in sentences.items():
        rows = {
            str(number): {"sentence": sentence, "lf": "exist(filter_obj(all_items, lambda y: is_black(y)))"}
            for number, sentence in enumerate(said)
        }
        (tmp_path / f"tower_scratch_{split}.json").write_text(json.dumps(rows))
    env = heldout.Env(env_id, text="tokens", data=tmp_path, split="dev", observation="objects")
    expected = env.reset(options={"problem": 0})[0]["sentence"]
    assert env.vocabulary is not None and env.vocabulary.words[0] == "zebras"
    protocol = tmp_path / "public.toml"
    protocol.write_text(PUBLIC.format(id=env_id, data=tmp_path))
    seen = []

    def policy(observation: dict[str, Any]) -> Any:
        seen.append(observation["sentence"])
        return np.zeros(len(observation["sentence"]), np.int64)

    outcome = heldout.evaluate(policy, protocol, tmp_path / "out", text="tokens")
    assert outcome["failures"] == [] and seen
    assert all(np.array_equal(row, expected) for rows in seen for row in rows)
    assert heldout.decode_text(expected, env.vocabulary) == "a zebra no <unknown>"
    assert heldout.vocabulary(env_id).of_bytes(np.array([list(b"zebras")], np.uint8))[0, 0] == UNKNOWN


def test_arguments_that_a_scripted_policy_does_not_have_were_dropped(protocol: Any, tmp_path: Path) -> None:
    for arguments in ({"view": {"nonsense": 1}}, {"deterministic": False}, {"text": "tokens"}):
        name = next(iter(arguments))
        with pytest.raises(heldout.HeldoutError, match=f"`{name}` is not to be chosen for `oracle`"):
            heldout.evaluate("oracle", protocol("example/grid-v1"), tmp_path / "out", **arguments)  # type: ignore[arg-type]


def test_a_view_may_hold_what_a_config_may(protocol: Any, tmp_path: Path) -> None:
    seen = set()

    def policy(observation: dict[str, Any]) -> Any:
        seen.update(observation)
        return np.zeros(len(observation["position"]), np.int64)

    heldout.evaluate(policy, protocol("example/grid-v1"), tmp_path / "out", view={"image": np.True_})
    assert "image" in seen
