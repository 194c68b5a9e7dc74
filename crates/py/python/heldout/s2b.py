"""What only S2B has: how compositional a language is."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heldout import _native


class Language(NamedTuple):
    """Scores of a language; ``None`` where nothing defines one, as of a constant language."""

    topsim: float | None
    posdis: float | None
    bosdis: float | None


def language_metrics(meanings: ArrayLike, messages: ArrayLike, vocabulary: int | None = None) -> Language:
    """Return topographic similarity, positional and bag-of-symbols disentanglement of a language.

    ``meanings`` holds one row of value indices a meaning, ``messages`` the row of tokens said of it, 0 being the end of
    sentence; ``vocabulary`` is the number of the other tokens (the greatest that occurs, unless told).
    """
    tables = [_table("meanings", meanings), _table("messages", messages)]
    most = int(tables[1].max(initial=0)) if vocabulary is None else vocabulary
    return Language(*_native.language_metrics(tables[0], tables[1], most))


def _table(name: str, values: ArrayLike) -> NDArray[np.int64]:
    array: NDArray[Any] = np.asarray(values)
    if array.ndim != 2 or array.dtype.kind not in "iu":
        raise _native.HeldoutError(
            f"`{name}` is an array of {array.dtype} with {array.ndim} dimensions, must be of integers with 2"
        )
    return np.ascontiguousarray(array, dtype=np.int64)
