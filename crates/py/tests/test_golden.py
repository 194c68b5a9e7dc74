"""The golden transcript of every id, replayed from Python: an oracle's episode, and the digest of random steps.

A checksum is zlib's CRC-32 over the little-endian bytes of what one agent sees, field by field, in its own shape.
"""

import json
import re
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import heldout
from cases import IDS, SINGLE, part
from heldout.spaces import Spec

CRATES = Path(__file__).resolve().parents[2]
LINE = re.compile(
    r"(?:reset|\s*(?P<first>\d+)(?:-(?P<last>\d+))? \[(?P<actions>[^]]*)\]) -> \[(?P<rewards>[^]]*)\] (?P<status>\w+)"
    r"(?: problem (?P<problem>\d+))?(?P<crcs>(?: [0-9a-f]{8})+)(?P<metrics>(?: \S+=\S+)*)"
)


class Step(NamedTuple):
    """Some steps alike; what is told is told of the last."""

    times: int
    actions: np.ndarray
    rewards: np.ndarray
    status: str
    crcs: list[int]
    info: dict[str, float]


class Golden(NamedTuple):
    """A transcript: seed and config, the oracle's episode (the reset first), the random actions and their digest."""

    seed: int
    config: dict[str, Any]
    steps: list[Step]
    random: list[int]
    digest: int


def golden(env_id: str) -> Golden:
    family, name = env_id.split("/")
    folder = {"example": "examples"}.get(family, family)
    lines = (CRATES / folder / "tests" / "golden" / f"{name.rsplit('-v', 1)[0]}.txt").read_text().splitlines()
    head = dict(line.split(" ", 1) for line in lines if line.startswith(("seed ", "config ", "random ", "digest ")))
    steps = []
    for found in filter(None, map(LINE.fullmatch, lines)):
        first, last = int(found["first"] or 0), int(found["last"] or found["first"] or 0)
        info = dict(pair.split("=") for pair in found["metrics"].split())
        if found["problem"]:
            info["problem"] = found["problem"]
        steps.append(
            Step(
                last - first + 1,
                np.array([int(n) for n in (found["actions"] or "").split(",") if n], dtype=np.int64),
                np.array([float(n) for n in found["rewards"].split(",")], dtype=np.float32),
                found["status"],
                [int(crc, 16) for crc in found["crcs"].split()],
                {key: float(value) for key, value in info.items()},
            )
        )
    assert steps[-1].status in ("terminated", "truncated"), "the oracle's episode is told to its end"
    random = json.loads(head["random"])
    return Golden(int(head["seed"]), json.loads(head["config"]), steps, random, int(head["digest"], 16))


def fields_of(env_id: str, config: dict[str, Any]) -> list[dict[str, tuple[int, Any]]]:
    """Of each agent the fields that it has, in order, with their elements and the type that Rust writes."""
    spec = Spec.of(heldout.make_batch(env_id, **config))
    own = [[(f, f.shape_for(agent)) for f in spec.fields] for agent in range(len(spec.agents))]
    return [{f.name: (int(np.prod(shape)), f.dtype) for f, shape in fields if shape is not None} for fields in own]


def crc(fields: dict[str, tuple[int, Any]], observation: Any) -> int:
    """The checksum of what one agent sees."""
    value = 0
    for name, (width, dtype) in fields.items():
        field = observation[name] if isinstance(observation, dict) else observation
        if isinstance(field, str):
            value = zlib.crc32(field.encode().ljust(width, b"\0"), value)
        else:
            value = zlib.crc32(field.astype(np.dtype(dtype).newbyteorder("<")).tobytes(), value)
    return value


def status(terminated: bool, truncated: bool) -> str:
    return "terminated" if terminated else "truncated" if truncated else "running"


def check(
    step: Step, fields: list[dict[str, tuple[int, Any]]], observations: list, rewards: list, ended: str, info: dict
) -> None:
    assert [crc(own, seen) for own, seen in zip(fields, observations, strict=True)] == step.crcs
    assert np.array_equal(np.array(rewards, dtype=np.float32), step.rewards)
    assert ended == step.status
    # A mask of several parts repeats what the observation says.
    assert {key: np.float32(value) for key, value in info.items() if key != "action_mask"} == {
        key: np.float32(value) for key, value in step.info.items()
    }


@pytest.mark.parametrize("env_id", IDS)
def test_every_golden_from_python(env_id: str) -> None:
    told = golden(env_id)
    fields = fields_of(env_id, told.config)
    env = heldout.parallel_env(env_id, **told.config)
    names = env.possible_agents
    widths = np.cumsum([max(1, int(np.prod(env.action_space(name).shape))) for name in names])[:-1]
    observations, infos = env.reset(seed=told.seed)
    check(told.steps[0], fields, list(observations.values()), [0.0] * len(names), "running", infos[names[0]])
    for step in told.steps[1:]:
        parts = np.split(step.actions, widths)
        actions = {n: p.reshape(env.action_space(n).shape) for n, p in zip(names, parts, strict=True)}
        for _ in range(step.times):
            observations, rewards, terminated, truncated, infos = env.step(actions)
            assert np.array_equal(np.array([*rewards.values()], dtype=np.float32), step.rewards)
        ended = status(terminated[names[0]], truncated[names[0]])
        check(step, fields, [observations[n] for n in names], [*rewards.values()], ended, infos[names[0]])
    assert not env.agents


@pytest.mark.parametrize("env_id", SINGLE)
def test_every_golden_through_gymnasium(env_id: str) -> None:
    told = golden(env_id)
    fields = fields_of(env_id, told.config)
    env = heldout.Env(env_id, **told.config)
    observation, info = env.reset(seed=told.seed)
    check(told.steps[0], fields, [observation], [0.0], "running", info)
    for step in told.steps[1:]:
        for _ in range(step.times):
            observation, reward, terminated, truncated, info = env.step(step.actions.reshape(env.action_space.shape))
        check(step, fields, [observation], [reward], status(terminated, truncated), info)


@pytest.mark.parametrize("env_id", SINGLE)
def test_every_digest_through_a_batch(env_id: str) -> None:
    """Random steps under the default config, restarts included: the checksums of all rows make the digest."""
    told = golden(env_id)
    (fields,) = fields_of(env_id, {})
    envs = heldout.VectorEnv(env_id, 1)
    observation, _ = envs.reset(seed=told.seed)
    value = zlib.crc32(crc(fields, part(observation, 0)).to_bytes(4, "little"))
    for actions in np.array(told.random).reshape(200, *envs.action_space.shape):
        observation, *_ = envs.step(actions)
        value = zlib.crc32(crc(fields, part(observation, 0)).to_bytes(4, "little"), value)
    assert value == told.digest


@pytest.mark.parametrize("env_id", IDS)
def test_every_digest_of_all_agents(env_id: str) -> None:
    """The same through the parallel interface, where a step after an end is a restart."""
    told = golden(env_id)
    fields = fields_of(env_id, {})
    env = heldout.parallel_env(env_id)
    names = env.possible_agents
    widths = np.cumsum([max(1, int(np.prod(env.action_space(name).shape))) for name in names])[:-1]
    observations, _ = env.reset(seed=told.seed)
    seen = [crc(own, observations[name]) for own, name in zip(fields, names, strict=True)]
    for actions in np.array(told.random).reshape(200, -1):
        if env.agents:
            parts = np.split(actions, widths)
            taken = {n: p.reshape(env.action_space(n).shape) for n, p in zip(names, parts, strict=True)}
            observations, *_ = env.step(taken)
        else:
            observations, _ = env.reset()
        seen += [crc(own, observations[name]) for own, name in zip(fields, names, strict=True)]
    assert zlib.crc32(b"".join(value.to_bytes(4, "little") for value in seen)) == told.digest
