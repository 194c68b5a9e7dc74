"""Language metrics on arrays, with the values of the specification's section 6.3."""

import itertools

import numpy as np
import pytest

import heldout
from heldout.s2b import language_metrics


def posdis_speaker(sizes: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    meanings = np.array(list(itertools.product(*map(range, sizes))))
    return meanings, np.hstack([meanings + 1, np.zeros((len(meanings), 1), dtype=int)])


@pytest.mark.parametrize(
    ("sizes", "topsim", "bosdis"),
    [((2, 2, 2), 0.9803, 0.0), ((5, 5, 3), 0.9567, 0.0589), ((2, 3, 5), 0.9664, 0.4519)],
)
def test_the_posdis_speaker(sizes: tuple[int, ...], topsim: float, bosdis: float) -> None:
    scores = language_metrics(*posdis_speaker(sizes))
    assert scores.posdis == pytest.approx(1, abs=1e-12)
    assert scores.topsim == pytest.approx(topsim, abs=1e-3)
    assert scores.bosdis == pytest.approx(bosdis, abs=1e-3)


def test_a_constant_language_has_no_scores() -> None:
    meanings, messages = posdis_speaker((2, 2))
    assert language_metrics(meanings, np.zeros_like(messages)) == (None, None, None)


@pytest.mark.parametrize(
    "wrong",
    [
        ([[0, 1]], [[1, 2], [1, 2]]), ([[0.5, 1]], [[1, 2]]), ([0, 1], [1, 2]), ([[-1, 0]], [[1, 2]]), ([[]], [[1]]),
        ([["a"]], [[1]]),
    ],
)  # fmt: skip
def test_wrong_tables(wrong: tuple) -> None:
    with pytest.raises(heldout.HeldoutError):
        language_metrics(*wrong)


def test_a_token_outside_the_vocabulary() -> None:
    with pytest.raises(heldout.HeldoutError, match="token `7`"):
        language_metrics([[0], [1]], [[7], [1]], vocabulary=6)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_empty_tables_panicked(shape: tuple[int, int]) -> None:
    empty, full = np.zeros(shape, dtype=int), np.ones((3, 3), dtype=int)
    for tables in ((empty, empty), (empty, full), (full, empty)):
        with pytest.raises(heldout.HeldoutError, match=f"is {shape[0]} x {shape[1]}, must have at least one"):
            language_metrics(*tables)


@pytest.mark.parametrize("huge", [2**62, -(2**62), 2**32])
def test_huge_tokens_were_a_bare_overflow(huge: int) -> None:
    for tables in (([[huge], [1]], [[2], [1]]), ([[0], [1]], [[huge], [1]])):
        with pytest.raises(heldout.HeldoutError, match=f"holds `{huge}`, must hold integers of 0 to 4294967295"):
            language_metrics(*tables)
    with pytest.raises(heldout.HeldoutError, match=f"`vocabulary` is `{huge}`, must be at "):
        language_metrics([[0], [1]], [[2], [1]], vocabulary=huge)
