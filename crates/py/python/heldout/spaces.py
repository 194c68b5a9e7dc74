"""Spaces and observations, as they follow from the spec of a batch."""

import json
import math
import string
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from heldout._native import Batch, HeldoutError

#: The field that says which actions of a ``Discrete`` space are allowed: int8 in Python, as Gymnasium samples by it.
MASK = "action_mask"
#: The same, flat over all components, of a ``MultiDiscrete`` space.
FLAT_MASK = "legal_actions"

_DTYPES: dict[str, type[np.generic]] = {"f32": np.float32, "u8": np.uint8, "i32": np.int32}


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

    @classmethod
    def of(cls, batch: Batch) -> "Spec":
        """Read the spec of a batch."""
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
        )

    def require_single(self) -> None:
        """Refuse a spec of several agents."""
        if len(self.agents) > 1:
            names = ", ".join(f"`{name}`" for name in self.agents)
            raise HeldoutError(
                f"`{self.id}` has {len(self.agents)} agents ({names}), Gymnasium's environments have one: "
                f"use heldout.parallel_env({self.id!r}, **config)"
            )

    def action_space(self, agent: int = 0) -> "spaces.Discrete | spaces.MultiDiscrete":
        """Return what an agent may do."""
        action = self.actions[agent]
        if "discrete" in action:
            return spaces.Discrete(action["discrete"])
        return spaces.MultiDiscrete(action["multi_discrete"])

    def observation_space(self, agent: int = 0, *, text: bool = True) -> spaces.Space[Any]:
        """Return what an agent sees, in its own shapes; ``text`` is whether text is ``str`` or bytes."""
        parts: dict[str, spaces.Space[Any]] = {}
        for field in self.fields:
            shape = field.shape_for(agent)
            if shape is not None:
                as_text = text and field.text
                parts[field.name] = (
                    spaces.Text(max(shape[0], 1), min_length=0, charset=string.printable)
                    if as_text
                    else field.box(shape)
                )
        return next(iter(parts.values())) if len(parts) == 1 else spaces.Dict(parts)

    def observer(self, arrays: dict[str, NDArray[Any]], agent: int = 0) -> Callable[[], Any]:
        """Return a function that makes a fresh observation of an agent out of a batch of one."""
        parts: list[tuple[str, NDArray[Any], bool]] = []
        for field in self.fields:
            shape = field.shape_for(agent)
            if shape is not None:
                array = arrays[field.name]
                row = array[0, ...] if len(self.agents) == 1 else array[0, agent, ...]
                parts.append((field.name, row[tuple(slice(n) for n in shape) or ...], field.text))
        def fresh(name: str, view: NDArray[Any], text: bool) -> Callable[[], Any]:
            if text:
                return lambda: decode(view)
            return (lambda: view.astype(np.int8)) if name == MASK else view.copy

        makers = [(name, fresh(name, view, text)) for name, view, text in parts]
        if len(makers) == 1:
            return makers[0][1]
        return lambda: {name: make() for name, make in makers}

    def mask(self, arrays: dict[str, NDArray[Any]], agent: int = 0) -> NDArray[np.bool_]:
        """Return which actions each copy allows an agent, flat over components; all where no field says."""
        sizes = self.actions[agent].get("multi_discrete") or [self.actions[agent]["discrete"]]
        width = sum(sizes)
        for name in (MASK, FLAT_MASK):
            field = next((f for f in self.fields if f.name == name), None)
            if field is not None and field.shape_for(agent) == (width,):
                array = arrays[name] if len(self.agents) == 1 else arrays[name][:, agent]
                return array[..., :width] != 0
        any_array = next(iter(arrays.values()))
        return np.ones((len(any_array), width), dtype=np.bool_)

    def masked(self, arrays: dict[str, NDArray[Any]], agent: int) -> Callable[[], tuple[NDArray[np.int8], ...]] | None:
        """Return a function that makes Gymnasium's masks of a space of several components, where a field says them."""
        sizes = self.actions[agent].get("multi_discrete")
        field = next((f for f in self.fields if f.name == FLAT_MASK), None)
        if sizes is None or field is None or field.shape_for(agent) is None:
            return None
        ends = np.cumsum(sizes)[:-1]
        return lambda: tuple(np.split(self.mask(arrays, agent)[0].astype(np.int8), ends))


def decode(row: NDArray[Any]) -> str:
    """Return the text of a row of bytes: all before its first zero."""
    return row.tobytes().partition(b"\0")[0].decode("utf-8", errors="replace")


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
