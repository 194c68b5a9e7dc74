"""Writes ``configs.py`` and ``making.pyi``: the keys of every id for editors and type checkers.

``python -m heldout._typed`` writes them beside this file; a test compares them with the registry.
"""

import json
from pathlib import Path
from typing import Any

from heldout._native import HeldoutError
from heldout.registry import about, configure, ids, make_batch

#: What a key may be beside the type of its default, and a value that only such a key takes.
_PROBES: dict[str, Any] = {"bool": True, "int": 1, "float": 0.5, "str": "x", "None": None}

_CONFIGS = '''# ruff: noqa: E501
# fmt: off
"""The config of every id, as types: what :func:`heldout.make` and :func:`heldout.make_vec` take as keywords.

``python -m heldout._typed`` writes this file; do not edit it.
"""

import os
from typing import Any, Literal, TypedDict

'''

_MAKING = """from typing import Literal, overload

from gymnasium.vector import AutoresetMode
from typing_extensions import Unpack

from heldout import configs
from heldout.envs import Env
from heldout.parallel import ParallelEnv
from heldout.parallel_vector import ParallelVectorEnv
from heldout.vector import VectorEnv
"""

_MAKE = """
@overload
def make(
    env_id: Literal["{id}"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.{name}],
) -> {single}: ...
"""

_MAKE_VEC = """
@overload
def make_vec(
    env_id: Literal["{id}"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.{name}],
) -> {vector}: ...
"""


def class_name(env_id: str) -> str:
    """Return the name of an id's type: ``ExampleGridV1`` of ``example/grid-v1``."""
    return "".join(part.capitalize() for part in env_id.replace("/", "-").split("-"))


def _agents(env_id: str) -> int:
    batch = make_batch(env_id, **about(env_id)["smallest"])
    return len(json.loads(batch.about)["spec"]["agents"])


def _accepted(env_id: str, key: str, value: Any) -> bool:
    try:
        configure(env_id, **{key: value})
    except HeldoutError:
        return False
    return True


def _type(env_id: str, key: str, default: Any) -> str:
    """Return the type of a key: that of its default, and of all else that it is seen to take."""
    if isinstance(default, list):
        return "Any"
    own = "None" if default is None else type(default).__name__
    found = {own} | {name for name, value in _PROBES.items() if name != own and _accepted(env_id, key, value)}
    if "float" in found:
        found.discard("int")
    if found == {"None"}:
        return "Any"
    if _accepted(env_id, key, _PROBES["str"]):
        found.add("os.PathLike[str]")
    return " | ".join(sorted(found, key=lambda name: (name == "None", name)))


def _literal(values: list[str]) -> str:
    listed = ", ".join(json.dumps(value) for value in values)
    return f"Literal[{listed}]"


def _table(name: str, doc: str, keys: dict[str, str]) -> str:
    lines = [f"    {key}: {kind}" for key, kind in keys.items()]
    return "\n".join([f"\nclass {name}(TypedDict, total=False):", f'    """{doc}"""', "", *lines, ""])


def _config(env_id: str) -> str:
    """Return the types of an id: its own, and before it those of the tables within."""
    found, name = about(env_id), class_name(env_id)
    keys: dict[str, str] = {}
    tables = []
    if found["presets"]:
        keys["preset"] = _literal([preset["name"] for preset in found["presets"]])
    for key, default in found["defaults"].items():
        if isinstance(default, dict):
            keys[key] = f"{name}{key.capitalize()}"
            within = {inner: type(value).__name__ for inner, value in default.items()}
            tables.append(_table(keys[key], f"``{key}`` of ``{env_id}``.", within))
        elif key == found["split_key"]:
            keys[key] = f"{_literal(found['splits'])} | str"
        else:
            keys[key] = _type(env_id, key, default)
    return "\n".join([*tables, _table(name, f"``{env_id}``: {found['summary']}", keys)])


def configs() -> str:
    """Return the text of ``configs.py``."""
    several = "".join(f'    "{env_id}",\n' for env_id in ids() if _agents(env_id) > 1)
    told = f"#: The ids with several agents.\nSEVERAL = (\n{several})\n\n"
    return _CONFIGS + told + "\n".join(_config(env_id) for env_id in ids())


def making() -> str:
    """Return the text of ``making.pyi``."""
    singles, vectors = [], []
    for env_id in ids():
        several = _agents(env_id) > 1
        names = {"id": env_id, "name": class_name(env_id)}
        singles.append(_MAKE.format(**names, single="ParallelEnv" if several else "Env"))
        vectors.append(_MAKE_VEC.format(**names, vector="ParallelVectorEnv" if several else "VectorEnv"))
    return _MAKING + "".join(singles + vectors).replace("\n\n@", "\n@")


def files() -> dict[str, str]:
    """Return the files by name."""
    return {"configs.py": configs(), "making.pyi": making()}


if __name__ == "__main__":
    for file, text in files().items():
        (Path(__file__).parent / file).write_text(text)
