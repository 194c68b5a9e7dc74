"""Spaces and observations, as they follow from the spec of a batch."""

import json
import math
import string
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_differing_spaces, create_shared_memory
from numpy.typing import NDArray

from heldout._native import Batch, HeldoutError
from heldout.text import Vocabulary, check_form, decode, most_words, vocabulary

#: The field that says which actions of a ``Discrete`` space are allowed: int8 in Python, as Gymnasium samples by it.
MASK = "action_mask"
#: The same, flat over all components, of a ``MultiDiscrete`` space.
FLAT_MASK = "legal_actions"

_DTYPES: dict[str, type[np.generic]] = {"f32": np.float32, "u8": np.uint8, "i32": np.int32}


class Sentence(spaces.Text):
    """Gymnasium's ``Text``, but that it is refused where Gymnasium would lose it."""


@create_shared_memory.register(Sentence)
def _unshared(space: Sentence, n: int = 1, ctx: Any = None) -> NoReturn:
    """Refuse memory that processes share: Gymnasium's ``AsyncVectorEnv`` reads text of it once, before there is any."""
    raise HeldoutError(
        "`text` is `str`, which Gymnasium's AsyncVectorEnv loses in the memory that its processes share: "
        'choose `text="bytes"` or `text="tokens"`, or `shared_memory=False` among its arguments'
    )


# Gymnasium looks this one up by the class itself.
batch_differing_spaces.register(Sentence, batch_differing_spaces.dispatch(spaces.Text))


@dataclass(frozen=True)
class Field:
    """One named array of an observation."""

    name: str
    dtype: type[Any]
    shape: tuple[int, ...]
    low: float
    high: float
    text: bool
    agents: tuple[tuple[int, ...] | None, ...]
    #: Where in a row each agent's mask begins, if it stands among other numbers.
    masks: tuple[int, ...] = ()

    def shape_for(self, agent: int) -> tuple[int, ...] | None:
        """Return the shape that an agent sees, ``None`` if it lacks the field."""
        return self.agents[agent] if self.agents else self.shape

    def box(self, shape: tuple[int, ...]) -> spaces.Box:
        """Return the space of an array of this field."""
        low, high = self.low, self.high
        if self.name == MASK:
            return spaces.Box(0, 1, shape, np.int8)
        if np.issubdtype(self.dtype, np.integer):
            # Bounds are floats in the spec: the greatest 32-bit integer is beyond its type there.
            limits = np.iinfo(self.dtype)
            return spaces.Box(max(int(low), int(limits.min)), min(int(high), int(limits.max)), shape, self.dtype)
        return spaces.Box(low, high, shape, self.dtype)

    def space(self, shape: tuple[int, ...], text: str, words: Vocabulary | None) -> spaces.Space[Any]:
        """Return the space of this field, with text in the form ``text``."""
        if not self.text or text == "bytes":
            return self.box(shape)
        if words is not None:
            return spaces.Box(0, len(words) - 1, (most_words(shape[0]),), np.int32)
        return Sentence(max(shape[0], 1), min_length=0, charset=string.printable)


@dataclass(frozen=True)
class Spec:
    """What a batch says about itself."""

    id: str
    config: dict[str, Any]
    fields: tuple[Field, ...]
    agents: tuple[str, ...]
    actions: tuple[dict[str, Any], ...]
    metrics: tuple[str, ...]
    step_metrics: tuple[int, ...]
    problems: int | None
    policies: tuple[dict[str, Any], ...]
    #: The form of text fields, and the numbers of their words where that is ``tokens``.
    text: str
    words: Vocabulary | None

    @classmethod
    def of(cls, batch: Batch, text: str = "str") -> "Spec":
        """Read the spec of a batch, whose text fields are to be shown in the form ``text``."""
        check_form(text)
        about = json.loads(batch.about)
        spec = about["spec"]
        fields = tuple(
            Field(
                name=field["name"],
                dtype=_DTYPES[field["dtype"]],
                shape=tuple(field["shape"]),
                # JSON has no infinities.
                low=-math.inf if field["low"] is None else field["low"],
                high=math.inf if field["high"] is None else field["high"],
                text=field["text"],
                agents=tuple(None if own is None else tuple(own) for own in field["agents"]),
                masks=tuple(field["masks"]),
            )
            for field in spec["observation"]
        )
        return cls(
            id=about["id"],
            config=about["config"],
            fields=fields,
            agents=tuple(agent["name"] for agent in spec["agents"]),
            actions=tuple(agent["action"] for agent in spec["agents"]),
            metrics=tuple(metric["name"] for metric in spec["metrics"]),
            step_metrics=tuple(i for i, metric in enumerate(spec["metrics"]) if metric["scope"] == "step"),
            problems=spec["problems"],
            policies=tuple(about["policies"]),
            text=text,
            words=(
                vocabulary(about["id"], **about["config"])
                if text == "tokens" and any(field.text for field in fields)
                else None
            ),
        )

    def require_single(self) -> None:
        """Refuse a spec of several agents."""
        if len(self.agents) > 1:
            names = ", ".join(f"`{name}`" for name in self.agents)
            raise HeldoutError(
                f"`{self.id}` has {len(self.agents)} agents ({names}), Gymnasium's environments have one: "
                f"use heldout.parallel_env({self.id!r}, **config), or for many copies "
                f"heldout.ParallelVectorEnv({self.id!r}, num_envs, **config)"
            )

    def action_space(self, agent: int = 0) -> "spaces.Discrete | spaces.MultiDiscrete":
        """Return what an agent may do."""
        action = self.actions[agent]
        if "discrete" in action:
            return spaces.Discrete(action["discrete"])
        return spaces.MultiDiscrete(action["multi_discrete"])

    def observation_space(self, agent: int = 0) -> spaces.Space[Any]:
        """Return what an agent sees, in its own shapes."""
        shapes = [(field, field.shape_for(agent)) for field in self.fields]
        parts = {field.name: field.space(own, self.text, self.words) for field, own in shapes if own is not None}
        return next(iter(parts.values())) if len(parts) == 1 else spaces.Dict(parts)

    def _columns(self, arrays: dict[str, NDArray[Any]], agent: int) -> list[tuple[Field, NDArray[Any]]]:
        """Return the fields of an agent with the views of what all copies show it of them."""
        columns = []
        for field in self.fields:
            shape = field.shape_for(agent)
            if shape is not None:
                array = arrays[field.name] if len(self.agents) == 1 else arrays[field.name][:, agent]
                columns.append((field, array[(slice(None), *(slice(n) for n in shape))]))
        return columns

    def observer(self, arrays: dict[str, NDArray[Any]], agent: int = 0) -> Callable[[], Any]:
        """Return a function that makes a fresh observation of an agent out of a batch of one."""
        makers = [(field.name, self._fresh(field, rows[0])) for field, rows in self._columns(arrays, agent)]
        if len(makers) == 1:
            return makers[0][1]
        return lambda: {name: make() for name, make in makers}

    def _fresh(self, field: Field, view: NDArray[Any]) -> Callable[[], Any]:
        """Return a function that makes what Python sees of one row of a field."""
        words = self.words
        if field.text and words is not None:
            return lambda: words.of_bytes(view[None])[0]
        if field.text and self.text == "str":
            return lambda: decode(view.tobytes())
        return (lambda: view.astype(np.int8)) if field.name == MASK else view.copy

    def viewer(
        self, arrays: dict[str, NDArray[Any]], agent: int, copy: bool
    ) -> Callable[[NDArray[np.intp] | None], Any]:
        """Return a function that makes the observations of an agent: of all copies, or of those that are named.

        Unless ``copy``, they are arrays that the next call overwrites.
        """
        makers = [(field.name, self._batched(field, rows, copy)) for field, rows in self._columns(arrays, agent)]
        if len(makers) == 1:
            return makers[0][1]
        return lambda which: {name: make(which) for name, make in makers}

    def _batched(self, field: Field, rows: NDArray[Any], copy: bool) -> Callable[[NDArray[np.intp] | None], Any]:
        """Return a function that makes what Python sees of the rows of a field, or of those that are named."""
        words = self.words
        if field.text and self.text == "str":
            return lambda which: tuple(decode(row.tobytes()) for row in (rows if which is None else rows[which]))
        made: Callable[[NDArray[Any]], NDArray[Any]] | None = None
        if field.text and words is not None:
            made = words.of_bytes
        elif field.name == MASK:
            made = _small
        if made is not None:
            return _remade(made, rows, copy)
        if copy:
            return lambda which: rows.copy() if which is None else rows[which]
        return lambda which: rows if which is None else rows[which]

    def mask(self, arrays: dict[str, NDArray[Any]], agent: int = 0) -> NDArray[np.bool_]:
        """Return which actions each copy allows an agent, flat over components; all where nothing says."""
        sizes = self.actions[agent].get("multi_discrete") or [self.actions[agent]["discrete"]]
        width = sum(sizes)
        for field in self.fields:
            if field.masks:
                array = arrays[field.name] if len(self.agents) == 1 else arrays[field.name][:, agent]
                among: NDArray[np.bool_] = array.reshape(len(array), -1)[:, field.masks[agent] :][:, :width] != 0
                return among
        for name in (MASK, FLAT_MASK):
            field = next((f for f in self.fields if f.name == name), None)
            if field is not None and field.shape_for(agent) == (width,):
                array = arrays[name] if len(self.agents) == 1 else arrays[name][:, agent]
                allowed: NDArray[np.bool_] = array[..., :width] != 0
                return allowed
        any_array = next(iter(arrays.values()))
        return np.ones((len(any_array), width), dtype=np.bool_)

    def has_parts(self, agent: int) -> bool:
        """Say whether an agent has an action of several components, and something says which of them are allowed."""
        said = any(f.masks or (f.name == FLAT_MASK and f.shape_for(agent) is not None) for f in self.fields)
        return "multi_discrete" in self.actions[agent] and said

    def parts(self, arrays: dict[str, NDArray[Any]], agent: int) -> list[tuple[NDArray[np.int8], ...]]:
        """Return Gymnasium's masks of an action of several components, a tuple for each copy."""
        ends = np.cumsum(self.actions[agent]["multi_discrete"])[:-1]
        return [tuple(np.split(row, ends)) for row in self.mask(arrays, agent).astype(np.int8)]


def _small(mask: NDArray[Any]) -> NDArray[np.int8]:
    """Return a mask as Gymnasium samples by it."""
    return mask.astype(np.int8)


def _remade(
    made: Callable[[NDArray[Any]], NDArray[Any]], rows: NDArray[Any], copy: bool
) -> Callable[[NDArray[np.intp] | None], Any]:
    """Return a function of what is ``made`` of rows: in new arrays, or unless ``copy`` in one that is overwritten."""
    if copy:
        return lambda which: made(rows if which is None else rows[which])
    kept = made(rows)

    def overwritten(which: NDArray[np.intp] | None) -> Any:
        if which is not None:
            return made(rows[which])
        np.copyto(kept, made(rows))
        return kept

    return overwritten


def check_render_mode(render_mode: str | None, allowed: list[str]) -> None:
    """Refuse a render mode that there is not."""
    if render_mode is not None and render_mode not in allowed:
        modes = ", ".join(f"`{mode}`" for mode in allowed)
        raise HeldoutError(f"`render_mode` is `{render_mode}`, must be None or one of {modes}")


def check_options(options: dict[str, Any] | None, known: tuple[str, ...]) -> dict[str, Any]:
    """Refuse options of a reset that there are not."""
    if options is None:
        return {}
    if not isinstance(options, dict):
        raise TypeError(f"`options` is `{options!r}`, must be a dict or None")
    for key in options:
        if key not in known:
            names = ", ".join(f"`{name}`" for name in known)
            raise HeldoutError(f"there is no option `{key}` of reset; there is {names}")
    return options
