"""What the tests run over: every id of the registry, under its defaults, its splits and its presets."""

import json
from typing import Any, NamedTuple

import numpy as np

import heldout


class Case(NamedTuple):
    id: str
    config: dict[str, Any]

    def __str__(self) -> str:
        return " ".join([self.id, *(f"{key}={value}" for key, value in self.config.items())])

    def smallest(self) -> dict[str, Any]:
        """The config with observations as small as they get."""
        return {**self.config, **heldout.about(self.id)["smallest"]}


def agents(env_id: str) -> int:
    batch = heldout.make_batch(env_id, **heldout.about(env_id)["smallest"])
    return len(json.loads(batch.about)["spec"]["agents"])


def cases() -> list[Case]:
    found = []
    for env_id in heldout.ids():
        about = heldout.about(env_id)
        found.append(Case(env_id, {}))
        found += [Case(env_id, {about["split_key"]: split}) for split in about["splits"][1:]]
        found += [Case(env_id, {"preset": preset["name"]}) for preset in about["presets"]]
    return found


IDS = heldout.ids()
SINGLE = [env_id for env_id in IDS if agents(env_id) == 1]
SEVERAL = [env_id for env_id in IDS if env_id not in SINGLE]
SINGLE_CASES = [case for case in cases() if case.id in SINGLE]
SEVERAL_CASES = [case for case in cases() if case.id in SEVERAL]


def equal(ours: Any, theirs: Any) -> bool:
    """Exact equality of observations or infos; rows of bytes equal the text that they hold."""
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and ours.keys() == theirs.keys() and all(equal(ours[k], theirs[k]) for k in ours)
    if isinstance(theirs, str):
        return (ours if isinstance(ours, str) else heldout.decode_text(ours)) == theirs
    if isinstance(theirs, (tuple, list)) or (isinstance(theirs, np.ndarray) and theirs.dtype == object):
        return len(ours) == len(theirs) and all(equal(a, b) for a, b in zip(ours, theirs, strict=True))
    if isinstance(theirs, np.ndarray):
        return ours.dtype == theirs.dtype and np.array_equal(ours, theirs)
    return type(ours) is type(theirs) and ours == theirs


def part(batch: Any, index: int) -> Any:
    """Copy ``index`` of a batch of observations."""
    return {k: v[index] for k, v in batch.items()} if isinstance(batch, dict) else batch[index]
