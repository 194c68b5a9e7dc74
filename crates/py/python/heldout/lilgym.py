"""What only lilGym has: its statements and problems to read, the value of a program, the planner's solutions."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from heldout import _native
from heldout.registry import checked, encode, ids

Scene = Sequence[Sequence[dict[str, Any]]]
"""Three boxes of objects as public files write them: ``x_loc``, ``y_loc``, ``size``, ``type``, ``color`` of each."""


class Statement(NamedTuple):
    """A sentence and the program that decides it; ``categories`` is ``None`` where nobody labelled the corpus."""

    key: str
    sentence: str
    program: str
    categories: tuple[str, ...] | None


class Problem(NamedTuple):
    """A statement, by its index, with the scene that episodes begin with and the value that it is to be given."""

    key: str
    statement: int
    scene: Scene
    target: bool


class Plan(NamedTuple):
    """The planner's solution: flat numbers of its actions, STOP included, or ``None``; ``value`` is its return.

    ``proven`` says that nothing shorter, or nothing at all within the horizon, reaches the goal.
    """

    actions: tuple[int, ...] | None
    proven: bool
    value: float


class Corpus:
    """The statements and problems of one id under one config; its length is the number of problems."""

    def __init__(self, id: str, **config: Any) -> None:
        """Open the corpus of ``id``."""
        # The native part tells which ids have a corpus.
        self._id, self._config = id, checked(id, config) if id in ids() else encode(config)
        read = json.loads(_native.lilgym_corpus(id, self._config))
        self.statements = tuple(
            Statement(key, sentence, program, None if names is None else tuple(names))
            for key, sentence, program, names in read["statements"]
        )
        self.problems = tuple(Problem(*problem) for problem in read["problems"])
        self.vocabulary: tuple[str, ...] = tuple(read["vocabulary"])

    def __len__(self) -> int:
        """Return the number of problems."""
        return len(self.problems)

    def plan(self, problem: int) -> Plan:
        """Return what the planner finds for a problem."""
        return self.plans([problem])[0]

    def plans(self, problems: Iterable[int] | None = None) -> list[Plan]:
        """Return what the planner finds for each of ``problems``, or for all."""
        indices = list(range(len(self)) if problems is None else problems)
        for index in indices:
            if not 0 <= index < len(self):
                raise _native.HeldoutError(f"the problem is `{index}`, must be 0 to {len(self) - 1}")
        found = _native.lilgym_plans(self._id, self._config, indices)
        return [Plan(None if ids is None else tuple(ids), proven, value) for ids, proven, value in found]


def truth(program: str, scene: Scene) -> bool:
    """Return the value of a program in a scene."""
    return _native.lilgym_truth(program, json.dumps(scene))
