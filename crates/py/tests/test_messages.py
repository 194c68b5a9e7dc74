"""Messages name arguments of Python, not flags of the command line."""

import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout

PROTOCOL = """
title = "Short"
summary = "One task, one condition."
seeds = 1
[[task]]
name = "grid"
id = "example/grid-v1"
episodes = 10
metric = "success"
[[task.condition]]
name = "train"
held_out = false
"""


def test_records_that_are_there_are_resumed_by_an_argument(tmp_path: Path) -> None:
    protocol = tmp_path / "short.toml"
    protocol.write_text(PROTOCOL)
    heldout.evaluate("random", protocol, tmp_path / "out")
    with pytest.raises(heldout.HeldoutError, match="continue it with `resume=True`") as caught:
        heldout.evaluate("random", protocol, tmp_path / "out")
    assert "--" not in str(caught.value)


def test_records_of_another_build_are_gone_on_with_by_an_argument(tmp_path: Path) -> None:
    protocol = tmp_path / "short.toml"
    protocol.write_text(PROTOCOL)
    heldout.evaluate("random", protocol, tmp_path / "out")
    (record,) = (tmp_path / "out" / "records").rglob("*.jsonl")
    header, rest = record.read_bytes().split(b"\n", 1)
    own = header.replace(b'"commit":"', b'"commit":"other-', 1).rsplit(b',"check":"', 1)[0]
    record.write_bytes(own + b',"check":"%08x"}\n' % zlib.crc32(own) + rest)
    with pytest.raises(heldout.HeldoutError, match="with `other_build=True`") as caught:
        heldout.evaluate("random", protocol, tmp_path / "out", resume=True)
    assert "--" not in str(caught.value)


def test_a_report_on_a_part_says_how_to_go_on_in_both_languages(tmp_path: Path) -> None:
    protocol = tmp_path / "short.toml"
    protocol.write_text(PROTOCOL.replace("episodes = 10", "episodes = 100"))
    calls = iter(range(60))

    def ends(observation: Any, episode_start: Any) -> Any:
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return np.zeros(len(episode_start), dtype=np.int64)

    with pytest.raises(KeyboardInterrupt):
        heldout.evaluate(ends, protocol, tmp_path / "out")
    heldout.report(tmp_path / "out")
    said = "Asked again with `--resume`, in Python with `resume=True`, it goes on."
    assert said in (tmp_path / "out/report.md").read_text()


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("size", "five", '`size`: invalid type: string "five", must be an integer of 0 to 4294967295'),
        ("walls", "many", '`walls`: invalid type: string "many", must be a number'),
        ("image", "yes", '`image`: invalid type: string "yes", must be `True` or `False`'),
    ],
)
def test_types_are_those_of_python(key: str, value: Any, told: str) -> None:
    with pytest.raises(heldout.HeldoutError) as caught:
        heldout.Env("example/grid-v1", **{key: value})
    assert str(caught.value) == f"config of `example/grid-v1`: {told}"


def test_no_value_of_another_type_is_answered_in_the_words_of_rust() -> None:
    refused = 0
    for env_id in heldout.ids():
        for key in heldout.about(env_id)["defaults"]:
            for value in ("text", -1, 0.5, True, [], {}, 2**40):
                try:
                    heldout.configure(env_id, **{key: value})
                except ValueError as error:
                    refused += 1
                    # What is one of several is told by their names.
                    assert f"`{key}" in str(error) and not re.search(r"expected (?!`|one of `)", str(error)), error
    assert refused > 1000


def test_a_label_with_the_sign_that_ends_labels_took_the_rest_for_a_policy(tmp_path: Path) -> None:
    with pytest.raises(heldout.HeldoutError, match="`label` is `a@b`, must not hold `@`"):
        heldout.evaluate("random", "smoke", tmp_path / "out", label="a@b")


@pytest.mark.parametrize("label", ["", "a\nb", "a\x7f", "x" * 101], ids=["empty", "line", "control", "long"])
def test_a_label_that_cannot_be_one_was_answered_in_the_words_of_the_command_line(label: str, tmp_path: Path) -> None:
    policies: list[Any] = ["random", lambda observation: np.zeros(len(observation), np.int64)]
    for policy in policies:
        with pytest.raises(heldout.HeldoutError, match=r"^`label` is `.*`, must have 1 to 100 characters") as caught:
            heldout.evaluate(policy, "smoke", tmp_path / "out", label=label)
        assert repr(label) in str(caught.value) and "@" not in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_a_label_is_text(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="`label` is `3`, must be a `str`"):
        heldout.evaluate("random", "smoke", tmp_path / "out", label=3)  # type: ignore[arg-type]


DYNAMIC = """
title = "Dynamic"
summary = "Tests made from experience."
seeds = 1
[[task]]
name = "halma"
id = "halma/symbolic-v1"
kind = { name = "halma-dynamic", experience = 60 }
episodes = 2
metric = "rho_p"
set = { mazes = 4, max_steps = 20 }
[[task.condition]]
name = "ST-1"
held_out = true
"""


def test_a_test_without_experience_asks_for_an_argument(tmp_path: Path) -> None:
    protocol = tmp_path / "dynamic.toml"
    protocol.write_text(DYNAMIC)

    def noop(observation: Any) -> Any:
        return np.zeros((len(observation), 6), dtype=np.int64)

    (failure,) = heldout.evaluate(noop, protocol, tmp_path / "out")["failures"]
    assert "bring it (`experience=...`)" in failure["problem"] and "--" not in failure["problem"]
