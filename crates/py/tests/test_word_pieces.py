"""Sentences as the pieces that encoders read, against the package that encoders are published for."""

import pytest
from tokenizers.implementations import BertWordPieceTokenizer

from heldout import _native
from heldout.lilgym import Corpus

MOST = 64
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
ODD = [
    "",
    "   ",
    "Naïve CAFÉ, crème brûlée; Ångström İstanbul señor Việt",
    "tower's top-most (black) block: 3/4 & 50%?!",
    "«quoted» — “dashes” … and‐hyphens",
    "tab\tline\nbreak\r\nno\u00a0break zero\u200bwidth nul\x00l vt\x0bff\x0c",
    "unknown ☃ snowmen Ωmega straße łódź æon",
    "$1+1=2^`~|<>",
    "a" * 100 + " " + "a" * 101,
    "block " * 80,
]


def vocabulary(sentences: list[str], least: int) -> list[str]:
    """Letters and marks, pieces of words, and the words that come often enough."""
    counts: dict[str, int] = {}
    for sentence in sentences:
        for word in "".join(c if c.isalnum() else " " for c in sentence.lower()).split():
            counts[word] = counts.get(word, 0) + 1
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    pieces = [*letters[3:], *("##" + letter for letter in letters[:-4]), *".,;:'-!?()/$+«—"]
    pieces += [word for word in sorted(counts) if counts[word] >= least]
    pieces += ["##" + word[at:] for word in sorted(counts) for at in (2, 3) if len(word) > at + 1]
    return list(dict.fromkeys(SPECIAL + pieces))


@pytest.mark.parametrize("least", [1, 20, 10**9])
def test_agents_check_39_word_pieces_are_those_of_tokenizers(least: int) -> None:
    towers = Corpus("lilgym/tower-scratch-v1").statements[:100]
    scatters = Corpus("lilgym/scatter-scratch-v1").statements[:100]
    statements = [statement.sentence for statement in [*towers, *scatters]]
    assert len(statements) == 200
    pieces = vocabulary(statements, least)
    theirs = BertWordPieceTokenizer(vocab={piece: number for number, piece in enumerate(pieces)}, lowercase=True)
    theirs.enable_truncation(MOST)
    ours = _native.word_pieces("\n".join(pieces) + "\n", statements + ODD, MOST)
    for sentence, found in zip(statements + ODD, ours, strict=True):
        assert found == theirs.encode(sentence).ids, sentence
