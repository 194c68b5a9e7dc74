"""The statistics are rliable's on the same matrix: points to 1e-12, intervals within their Monte Carlo error."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from rliable import library, metrics

from heldout import HeldoutError, stats

Matrix = NDArray[np.float64]

#: Draws of an interval. The 2.5th percentile of that many draws of a Gaussian has a standard error of
#: sqrt(0.025 * 0.975 / n) / density(-1.96) = 0.042 standard deviations, and the two are independent.
DRAWS = 4000
SIGMAS = 5 * np.sqrt(2) * 0.042


def matrix(runs: int, tasks: int, shift: float = 0.0) -> Matrix:
    generator = np.random.default_rng(runs * 100 + tasks)
    difficulty = generator.uniform(0.0, 1.0, tasks)
    return np.asarray(shift + difficulty + generator.normal(0.0, 0.2, (runs, tasks)))


MATRICES = [matrix(3, 13), matrix(5, 7), matrix(10, 1), matrix(1, 4), matrix(2, 2), matrix(9, 26)]
AGGREGATES: list[tuple[str, Callable[[Matrix], float]]] = [
    ("mean", metrics.aggregate_mean),
    ("median", metrics.aggregate_median),
    ("iqm", metrics.aggregate_iqm),
    ("optimality_gap", metrics.aggregate_optimality_gap),
]


@pytest.mark.parametrize(("name", "reference"), AGGREGATES)
@pytest.mark.parametrize("scores", MATRICES, ids=lambda m: str(m.shape))
def test_points(name: str, reference: Callable[[Matrix], float], scores: Matrix) -> None:
    assert getattr(stats, name)(scores) == pytest.approx(reference(scores), abs=1e-12)


def test_other_target() -> None:
    scores = matrix(5, 7)
    expected = metrics.aggregate_optimality_gap(scores, gamma=0.3)
    assert stats.optimality_gap(scores, target=0.3) == pytest.approx(expected, abs=1e-12)


def test_improvement() -> None:
    x, y = matrix(5, 7, shift=0.1), matrix(8, 7)
    x[0] = y[0]  # ties
    assert stats.probability_of_improvement(x, y) == pytest.approx(metrics.probability_of_improvement(x, y), abs=1e-12)
    assert stats.probability_of_improvement(x, x) == 0.5


def test_profile() -> None:
    scores, thresholds = matrix(5, 7), np.linspace(-0.5, 2.0, 26)
    expected = library.score_distributions(scores, thresholds)
    assert stats.profile(scores, thresholds) == pytest.approx(list(expected), abs=1e-12)


def near(ours: tuple[float, float] | None, theirs: NDArray[np.float64], spread: float) -> None:
    assert ours is not None
    assert np.abs(np.array(ours) - theirs).max() < SIGMAS * spread, (ours, theirs, spread)


@pytest.mark.parametrize(("name", "reference"), AGGREGATES)
def test_intervals(name: str, reference: Callable[[Matrix], float]) -> None:
    scores = matrix(10, 13)
    np.random.seed(1)
    _, theirs = library.get_interval_estimates({"a": scores}, lambda s: np.array([reference(s)]), reps=DRAWS)
    low, high = theirs["a"][:, 0]
    near(stats.interval(scores, name, resamples=DRAWS), theirs["a"][:, 0], (high - low) / (2 * 1.96))


def test_improvement_interval() -> None:
    x, y = matrix(10, 13, shift=0.1), matrix(8, 13)
    np.random.seed(1)
    estimate = library.get_interval_estimates(
        {"a": [x, y]}, lambda a, b: np.array([metrics.probability_of_improvement(a, b)]), reps=1000
    )[1]["a"][:, 0]
    # A quarter of the draws: twice the error of theirs.
    near(stats.improvement_interval(x, y, resamples=DRAWS), estimate, 2 * (estimate[1] - estimate[0]) / (2 * 1.96))


def test_profile_interval() -> None:
    scores, thresholds = matrix(10, 26), np.array([0.25, 0.5, 0.75])
    np.random.seed(1)
    _, theirs = library.create_performance_profile({"a": scores}, thresholds, reps=DRAWS)
    ours = stats.profile_interval(scores, thresholds, resamples=DRAWS)
    assert ours is not None
    # Shares of 260 runs: the spread is at least that of one run.
    for mine, low, high in zip(ours, *theirs["a"], strict=True):
        near(mine, np.array([low, high]), max((high - low) / (2 * 1.96), 1 / 260 / SIGMAS * 1.01))


def test_the_same_seed_gives_the_same_bits() -> None:
    scores = matrix(5, 7)
    assert stats.interval(scores, seed=3) == stats.interval(scores, seed=3)
    assert stats.interval(scores, seed=3) != stats.interval(scores, seed=4)
    assert stats.interval(scores[:1]) is None


def test_bad_input_is_refused() -> None:
    scores = matrix(3, 3)
    with pytest.raises(HeldoutError, match="`harmonic`"):
        stats.interval(scores, "harmonic")
    with pytest.raises(HeldoutError, match="`scores` is an array"):
        stats.mean(scores[0])
    with pytest.raises(HeldoutError, match="`NaN`"):
        stats.mean([[0.0, float("nan")]])
    with pytest.raises(HeldoutError, match="0 x 3"):
        stats.mean(np.empty((0, 3)))
    with pytest.raises(HeldoutError, match="`x` has 3 tasks and `y` has 2"):
        stats.probability_of_improvement(scores, scores[:, :2])
    with pytest.raises(HeldoutError, match="`resamples` is 0"):
        stats.interval(scores, resamples=0)


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_targets_and_thresholds_that_are_no_numbers_were_accepted(value: float) -> None:
    scores = matrix(5, 7)
    for call in (
        lambda: stats.optimality_gap(scores, target=value),
        lambda: stats.interval(scores, "optimality_gap", target=value),
        lambda: stats.profile(scores, [0.5, value]),
        lambda: stats.profile_interval(scores, [0.5, value]),
    ):
        with pytest.raises(HeldoutError, match=r"`(target|thresholds)` (is|holds) `.*`, must (be|hold) finite"):
            call()
