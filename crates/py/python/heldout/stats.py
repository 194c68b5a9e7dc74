"""Aggregates over runs and tasks with stratified bootstrap intervals, as rliable computes them.

Reports use Student's and Wilson's intervals. ``scores`` is a matrix with a row per run and a column per task, as
rliable takes it. Intervals are percentile intervals of 95 %; runs are drawn within each task by heldout's own
generator, so that the same seed gives the same bits everywhere.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heldout import _native

#: How often an interval draws unless told.
RESAMPLES = 2000


def mean(scores: ArrayLike) -> float | None:
    """Return the mean over tasks of the mean over runs."""
    return _native.aggregate("mean", _matrix("scores", scores), 1.0)


def median(scores: ArrayLike) -> float | None:
    """Return the median over tasks of the mean over runs."""
    return _native.aggregate("median", _matrix("scores", scores), 1.0)


def iqm(scores: ArrayLike) -> float | None:
    """Return the interquartile mean over all runs of all tasks."""
    return _native.aggregate("iqm", _matrix("scores", scores), 1.0)


def optimality_gap(scores: ArrayLike, target: float = 1.0) -> float | None:
    """Return how far runs fall short of ``target``, those above it counting as at it."""
    return _native.aggregate("optimality_gap", _matrix("scores", scores), target)


def interval(
    scores: ArrayLike, aggregate: str = "iqm", *, target: float = 1.0, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[float, float] | None:
    """Return the interval of ``mean``, ``median``, ``iqm`` or ``optimality_gap``; ``None`` of a single run."""
    return _native.aggregate_interval(aggregate, _matrix("scores", scores), target, resamples, seed)


def probability_of_improvement(x: ArrayLike, y: ArrayLike) -> float | None:
    """Return the probability that a run of ``x`` scores above one of ``y``, ties counting half, mean over tasks."""
    return _native.improvement(_matrix("x", x), _matrix("y", y))


def improvement_interval(
    x: ArrayLike, y: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[float, float] | None:
    """Return the interval of :func:`probability_of_improvement`."""
    return _native.improvement_interval(_matrix("x", x), _matrix("y", y), resamples, seed)


def profile(scores: ArrayLike, thresholds: ArrayLike) -> list[float] | None:
    """Return the share of runs that score above each threshold."""
    return _native.performance_profile(_matrix("scores", scores), _list(thresholds))


def profile_interval(
    scores: ArrayLike, thresholds: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0
) -> list[tuple[float, float]] | None:
    """Return the interval of :func:`profile` at each threshold."""
    return _native.performance_profile_interval(_matrix("scores", scores), _list(thresholds), resamples, seed)


def _matrix(name: str, values: ArrayLike) -> NDArray[np.float64]:
    array: NDArray[Any] = np.asarray(values)
    if array.ndim != 2 or array.dtype.kind not in "iufb":
        raise _native.HeldoutError(
            f"`{name}` is an array of {array.dtype} with {array.ndim} dimensions, must be of numbers, runs x tasks"
        )
    return np.ascontiguousarray(array, dtype=np.float64)


def _list(values: ArrayLike) -> list[float]:
    return [float(value) for value in np.ravel(np.asarray(values, dtype=np.float64))]
