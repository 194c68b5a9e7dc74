"""Ids, cards and configs, and how a batch is made from them."""

import difflib
import functools
import json
import os
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from heldout import _native
from heldout._native import Batch, HeldoutError


class UnknownKeyError(HeldoutError, TypeError):
    """A keyword argument that is no key of an id's config: a ``TypeError`` too, as of any other function."""


def ids() -> list[str]:
    """Return every id, in the order that documents show."""
    return _native.ids()


def card(env_id: str) -> str:
    """Return the card of an id, in Markdown: what a person must know of it."""
    return _native.card(env_id)


def about(env_id: str) -> dict[str, Any]:
    """Return what the registry says about an id: summary, splits, presets, default config."""
    found: dict[str, Any] = json.loads(_native.about(env_id))
    return found


def configure(env_id: str, **config: Any) -> dict[str, Any]:
    """Return the whole config that overrides stand for; ``preset`` applies first."""
    whole: dict[str, Any] = json.loads(_native.configure(env_id, checked(env_id, config)))
    return whole


def make_batch(
    env_id: str,
    num_envs: int = 1,
    *,
    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    threads: int = 1,
    max_episode_steps: int | None = None,
    **config: Any,
) -> Batch:
    """Make the bare batch of an id, of any number of agents: no spaces, no infos, only arrays."""
    return Batch(env_id, checked(env_id, config), num_envs, mode(autoreset_mode).value, threads, max_episode_steps)


def mode(autoreset_mode: AutoresetMode | str) -> AutoresetMode:
    """Return the member of Gymnasium's enum that a name or a member stands for."""
    try:
        return AutoresetMode(autoreset_mode)
    except ValueError:
        allowed = ", ".join(f"`{m.value}`" for m in AutoresetMode)
        raise HeldoutError(f"`autoreset_mode` is `{autoreset_mode}`, must be one of {allowed}") from None


def checked(env_id: str, config: dict[str, Any]) -> str:
    """Return a config as JSON, unless it has keys that the id does not know."""
    _check_keys(env_id, config, _defaults(env_id), "")
    return encode(config)


@functools.cache
def _defaults(env_id: str) -> dict[str, Any]:
    """Return the keys of an id, ``preset`` among them, with what they are unless told."""
    return {**about(env_id)["defaults"], "preset": None}


def _check_keys(env_id: str, config: dict[str, Any], known: dict[str, Any], table: str) -> None:
    """Refuse keys that are not ``known``, in tables within the config too; ``table`` is the name of this one."""
    for key, value in config.items():
        if key not in known:
            near = ", ".join(f"`{table}{name}`" for name in difflib.get_close_matches(str(key), known, 3, 0.0))
            listed = ", ".join(f"`{table}{name}`" for name in known)
            # The wording of Python itself, by which other packages find out what may be passed.
            told = f"`{env_id}` got an unexpected keyword argument '{table}{key}'"
            raise UnknownKeyError(f"{told}; the nearest keys of its config are {near}, of {listed}")
        if isinstance(value, dict) and isinstance(known[key], dict):
            _check_keys(env_id, value, known[key], f"{table}{key}.")


def encode(config: dict[str, Any]) -> str:
    """Return a config as JSON; numpy's numbers and paths are taken for what they stand for."""

    def plain(value: object) -> Any:
        if isinstance(value, (np.generic, np.ndarray)):
            return value.tolist()
        if isinstance(value, os.PathLike):
            return os.fspath(value)
        raise TypeError(f"`{value!r}` cannot be a value of a config")

    for key, value in config.items():
        try:
            json.dumps(value, default=plain, allow_nan=False)
        except ValueError:
            raise HeldoutError(f"`{key}` is `{value!r}`, must be made of finite numbers") from None
        except RecursionError:
            raise HeldoutError(f"`{key}` is nested too deep for a config") from None
    return json.dumps(config, default=plain)


def register() -> None:
    """Register every id with Gymnasium; those that are registered stay as they are."""
    for env_id in ids():
        if env_id not in gymnasium.registry:
            gymnasium.register(
                env_id,
                entry_point="heldout.envs:Env",
                vector_entry_point="heldout.vector:VectorEnv",
                kwargs={"env_id": env_id},
            )
