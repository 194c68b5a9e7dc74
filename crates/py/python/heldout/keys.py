"""Keys for ``gymnasium.utils.play``: what a person presses for each action."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from heldout._native import HeldoutError

#: Up, right, down, left of a map.
_COMPASS = "wdsa"
#: Forward, backward, aside to the left and right, look left and right; the last two with forward.
_WALK = ("w", "s", "a", "d", "q", "e", "wq", "we")
#: Look left, right, up, down; without a key nothing is done.
_GAZE = ("", "a", "d", "w", "s")
#: STOP; a row of keys for each box, a key for each colour; take away from each box.
_TOWER = (" ", "q", "w", "e", "a", "s", "d", "z", "x", "c", "1", "2", "3")
#: Buttons at the top, bottom, left and right.
_BUTTONS = "wsad"
_SIDES = "ad"

#: Tasks whose buttons stand at the sides of a screen, and what is pressed for each.
_MINIS = {
    "arbitrary-visuomotor-mapping": _BUTTONS,
    "what-then-where": _BUTTONS,
    "continuous-recognition": _SIDES,
    "change-detection": _SIDES,
    "transitive-inference": _SIDES,
}
#: Tasks that are looked at on a screen.
_SCREENS = (
    "arbitrary-visuomotor-mapping", "continuous-recognition", "change-detection", "what-then-where",
)  # fmt: skip


def keys_to_action(env_id: str, action: dict[str, Any], config: dict[str, Any]) -> dict[tuple[int, ...], Any]:
    """Return the actions by the keys that are pressed together, as codes of characters.

    Where actions have directions they are on ``w``, ``a``, ``s`` and ``d``; where they are numbers, on the digits.
    """
    if "multi_discrete" in action:
        return _hops(env_id, action["multi_discrete"], config)
    pressed = _pressed(env_id, action["discrete"])
    if pressed is None:
        raise _unplayable(env_id, f"{action['discrete']} actions")
    return {codes(keys): number for number, keys in enumerate(pressed) if keys}


def codes(keys: str) -> tuple[int, ...]:
    """Return the codes of characters, in order."""
    return tuple(sorted(ord(key) for key in keys))


def _pressed(env_id: str, actions: int) -> Sequence[str] | None:
    """Return the keys of each action; ``None`` where there are more than keys."""
    family, _, name = env_id.partition("/")
    task = name.rpartition("-v")[0]
    chosen: Sequence[str] | None
    if task.endswith("-mini"):
        task = task.removesuffix("-mini")
        chosen = _COMPASS if "goal" in task else _MINIS.get(task)
    elif family == "memory":
        chosen = _GAZE if task in _SCREENS else _WALK
    else:
        chosen = {"example/grid": _COMPASS, "lilgym/tower-scratch": _TOWER, "lilgym/tower-flipit": _TOWER}.get(
            f"{family}/{task}"
        )
    if chosen is not None and len(chosen) == actions:
        return chosen
    return "0123456789"[:actions] if actions <= 10 else None


def _hops(env_id: str, sizes: list[int], config: dict[str, Any]) -> dict[tuple[int, ...], Any]:
    """Return HALMA's options of a single hop: a direction alone is a move by one, with a digit by as many."""
    if not env_id.startswith("halma/") or not config["zero_is_eos"]:
        raise _unplayable(env_id, f"an action of {len(sizes)} components")
    found: dict[tuple[int, ...], Any] = {}
    for direction, key in enumerate("awds"):
        for moves in range(1, sizes[1]):
            option = np.zeros(len(sizes), dtype=np.int64)
            option[:2] = direction, moves
            found[codes(key if moves == 1 else f"{key}{moves}")] = option
    return found


def _unplayable(env_id: str, what: str) -> HeldoutError:
    return HeldoutError(f"`{env_id}` has {what}, too many for keys: play it with `play(env, keys_to_action=...)`")
