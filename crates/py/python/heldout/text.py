"""Text in observations: as ``str``, as bytes or as the numbers of words, and back.

Every environment takes ``text``:

- ``"str"``: Gymnasium's ``Text``; a tuple of ``str`` for a batch. Gymnasium's ``AsyncVectorEnv`` loses it in the memory
  that its processes share, so that it is refused there: choose one of the others, or ``shared_memory=False``.
- ``"bytes"``: uint8, padded with zeros to the most bytes that the field can hold.
- ``"tokens"``: int32, the numbers of the words in the :func:`vocabulary` of the id, padded with zeros to the most words
  that the bytes could hold.

:func:`decode_text` turns arrays of the last two into ``str``.
"""

import functools
import json
import re
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout import _native
from heldout._native import HeldoutError
from heldout.registry import checked, make_batch

#: The forms that text can have.
FORMS = ("str", "bytes", "tokens")
#: The number of no word, which fills the end of a row.
PADDING = 0
#: The number of every word that training does not have.
UNKNOWN = 1

_WORD = re.compile(r"[a-z0-9]+(?:['-][a-z0-9]+)*")
#: The keys that say which corpus there is; others choose from it, which must not change the numbers of words.
_CORPUS_KEYS = ("data", "max_sentence")


def words(text: str) -> list[str]:
    """Return the words of a text, in small letters and without punctuation."""
    return _WORD.findall(text.lower())


def most_words(size: int) -> int:
    """Return how many words ``size`` bytes can hold: at least one byte is between two."""
    return (size + 1) // 2


class Vocabulary:
    """Words by their numbers: 0 pads, 1 is any word that is not among them, the first of them is 2."""

    def __init__(self, words: Iterable[str]) -> None:
        """Number ``words`` in their order."""
        self.words = tuple(words)
        self._numbers = {word: number for number, word in enumerate(self.words, UNKNOWN + 1)}
        self._rows: dict[bytes, NDArray[np.int32]] = {}

    def __len__(self) -> int:
        """Return how many numbers there are, padding and the unknown word included: rows of an embedding."""
        return len(self.words) + UNKNOWN + 1

    def encode(self, text: str, length: int) -> NDArray[np.int32]:
        """Return the numbers of the first ``length`` words of a text, padded to as many."""
        row = np.zeros(length, dtype=np.int32)
        numbers = [self._numbers.get(word, UNKNOWN) for word in words(text)][:length]
        row[: len(numbers)] = numbers
        return row

    def decode(self, row: NDArray[Any]) -> str:
        """Return the words of a row of numbers, ``<unknown>`` for those that have none of their own."""
        told = [int(number) for number in row if number != PADDING]
        for number in told:
            if not 0 < number < len(self):
                raise HeldoutError(f"`{number}` is no number of a word, must be 0 to {len(self) - 1}")
        return " ".join("<unknown>" if n == UNKNOWN else self.words[n - UNKNOWN - 1] for n in told)

    def of_bytes(self, rows: NDArray[np.uint8]) -> NDArray[np.int32]:
        """Return the numbers of the words of each row of zero-padded bytes."""
        length = most_words(rows.shape[-1])
        return np.stack([self._of_row(row.tobytes(), length) for row in rows])

    def _of_row(self, row: bytes, length: int) -> NDArray[np.int32]:
        """Return the numbers of one row; texts come again and again, so those met are kept."""
        found = self._rows.get(row)
        if found is None:
            if len(self._rows) >= 1 << 14:
                self._rows.clear()
            found = self._rows[row] = self.encode(decode(row), length)
        return found


def vocabulary(env_id: str, **config: Any) -> Vocabulary:
    """Return the vocabulary of an id: the words of its training problems, in order of first appearance.

    It is the same in every process, and for every split and view of an id: of the config only ``data``, which names
    another corpus, changes it. Where the problems have no end, it is what the first 1024 copies of seed 0 are shown.
    """
    checked(env_id, config)
    return _vocabulary(env_id, checked(env_id, {key: config[key] for key in _CORPUS_KEYS if key in config}))


@functools.lru_cache(maxsize=64)
def _vocabulary(env_id: str, config: str) -> Vocabulary:
    texts = _corpus(env_id, config) if env_id.startswith("lilgym/") else _shown(env_id, json.loads(config))
    return Vocabulary(dict.fromkeys(word for text in texts for word in words(text)))


def _corpus(env_id: str, config: str) -> list[str]:
    """Return the statements of the training split."""
    return [statement[1] for statement in json.loads(_native.lilgym_corpus(env_id, config))["statements"]]


def _shown(env_id: str, config: dict[str, Any]) -> list[str]:
    """Return the texts at the start of the first 1024 copies of seed 0."""
    batch = make_batch(env_id, 1024, **config)
    batch.reset(0)
    fields = [field["name"] for field in json.loads(batch.about)["spec"]["observation"] if field["text"]]
    rows = [batch.arrays["observation"][name] for name in fields]
    return [decode(row.tobytes()) for array in rows for row in array.reshape(-1, array.shape[-1])]


def decode(row: bytes) -> str:
    """Return the text of zero-padded bytes: all before the first zero."""
    return row.partition(b"\0")[0].decode("utf-8", errors="replace")


def decode_text(array: Any, vocabulary: Vocabulary | None = None) -> Any:
    """Return the text of an array: of bytes (uint8), or of the numbers of words in ``vocabulary``.

    The last axis is the text: of one there is a ``str``, of more a list.
    """
    rows = np.asarray(array)
    if rows.ndim == 0 or rows.dtype.kind not in "iu" or (vocabulary is None and rows.dtype != np.uint8):
        allowed = "uint8, or integers with a `vocabulary`"
        raise HeldoutError(f"`array` has shape {rows.shape} and elements of {rows.dtype}, must have rows of {allowed}")
    if rows.ndim > 1:
        return [decode_text(row, vocabulary) for row in rows]
    return decode(rows.tobytes()) if vocabulary is None else vocabulary.decode(rows)


def check_form(text: str) -> str:
    """Refuse a form of text that there is not."""
    if text not in FORMS:
        raise HeldoutError(f"`text` is `{text}`, must be one of {', '.join(f'`{form}`' for form in FORMS)}")
    return text
