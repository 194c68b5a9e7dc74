"""The golden transcript of every id, replayed from Python: actions, rewards, ends, metrics and what agents see.

A checksum is zlib's CRC-32 over the little-endian bytes of what one agent sees, field by field, in its own shape.
"""

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
    r"(?:reset|\s*\d+ \[(?P<actions>[^]]*)\]) -> \[(?P<rewards>[^]]*)\] (?P<status>\w+)"
    r"(?: problem (?P<problem>\d+))?(?P<crcs>(?: [0-9a-f]{8})+)(?P<metrics>(?: \S+=\S+)*)"
)


class Step(NamedTuple):
    actions: np.ndarray
    rewards: np.ndarray
    status: str
    crcs: list[int]
    info: dict[str, float]


def transcript(env_id: str) -> tuple[int, list[Step]]:
    """The seed and the steps; the first is the reset."""
    seed, steps = None, []
    family, name = env_id.split("/")
    folder = CRATES / {"example": "examples"}.get(family, family) / "tests" / "golden"
    for line in (folder / f"{name.rsplit('-v', 1)[0]}.txt").read_text().splitlines():
        if line.startswith("seed "):
            seed = int(line.split()[1])
        elif found := LINE.fullmatch(line):
            numbers = (found["actions"] or "").split(",")
            info = dict(pair.split("=") for pair in found["metrics"].split())
            if found["problem"]:
                info["problem"] = found["problem"]
            steps.append(
                Step(
                    np.array([int(n) for n in numbers if n], dtype=np.int64),
                    np.array([float(n) for n in found["rewards"].split(",")], dtype=np.float32),
                    found["status"],
                    [int(crc, 16) for crc in found["crcs"].split()],
                    {key: float(value) for key, value in info.items()},
                )
            )
    assert seed is not None and len(steps) == 201
    return seed, steps


def fields_of(env_id: str) -> list[dict[str, int]]:
    """Of each agent the fields that it has, in order, with their elements."""
    spec = Spec.of(heldout.make_batch(env_id))
    own = [[(f.name, f.shape_for(agent)) for f in spec.fields] for agent in range(len(spec.agents))]
    return [{name: int(np.prod(shape)) for name, shape in fields if shape is not None} for fields in own]


def crc(fields: dict[str, int], observation: Any) -> int:
    """The checksum of what one agent sees."""
    value = 0
    for name, width in fields.items():
        field = observation[name] if isinstance(observation, dict) else observation
        if isinstance(field, str):
            value = zlib.crc32(field.encode().ljust(width, b"\0"), value)
        else:
            value = zlib.crc32(field.astype(field.dtype.newbyteorder("<")).tobytes(), value)
    return value


def status(terminated: bool, truncated: bool) -> str:
    return "terminated" if terminated else "truncated" if truncated else "running"


def check(step: Step, fields: list[dict[str, int]], observations: list, rewards: list, ended: str, info: dict) -> None:
    assert [crc(own, seen) for own, seen in zip(fields, observations, strict=True)] == step.crcs
    assert np.array_equal(np.array(rewards, dtype=np.float32), step.rewards)
    assert ended == step.status
    assert {key: np.float32(value) for key, value in info.items()} == {
        key: np.float32(value) for key, value in step.info.items()
    }


@pytest.mark.parametrize("env_id", IDS)
def test_every_golden_from_python(env_id: str) -> None:
    (seed, steps), fields = transcript(env_id), fields_of(env_id)
    # All ids through the parallel interface; a line after an end is the restart.
    env = heldout.parallel_env(env_id)
    names = env.possible_agents
    widths = np.cumsum([max(1, int(np.prod(env.action_space(name).shape))) for name in names])[:-1]
    observations, infos = env.reset(seed=seed)
    check(steps[0], fields, list(observations.values()), [0.0] * len(names), "running", infos[names[0]])
    for step in steps[1:]:
        if env.agents:
            parts = np.split(step.actions, widths)
            actions = {n: p.reshape(env.action_space(n).shape) for n, p in zip(names, parts, strict=True)}
            observations, rewards, terminated, truncated, infos = env.step(actions)
            ended = status(terminated[names[0]], truncated[names[0]])
            values = list(rewards.values())
        else:
            (observations, infos), values, ended = env.reset(), [0.0] * len(names), "running"
        check(step, fields, [observations[name] for name in names], values, ended, infos[names[0]])


@pytest.mark.parametrize("env_id", SINGLE)
def test_every_golden_through_gymnasium(env_id: str) -> None:
    (seed, steps), fields = transcript(env_id), fields_of(env_id)
    env = heldout.Env(env_id)
    observation, info = env.reset(seed=seed)
    check(steps[0], fields, [observation], [0.0], "running", info)
    over = False
    for step in steps[1:]:
        if over:
            (observation, info), reward, terminated, truncated = env.reset(), 0.0, False, False
        else:
            action = step.actions.reshape(env.action_space.shape)
            observation, reward, terminated, truncated, info = env.step(action)
        check(step, fields, [observation], [reward], status(terminated, truncated), info)
        over = terminated or truncated


@pytest.mark.parametrize("env_id", SINGLE)
def test_every_golden_through_a_batch(env_id: str) -> None:
    (seed, steps), fields = transcript(env_id), fields_of(env_id)
    envs = heldout.VectorEnv(env_id, 1)
    observation, infos = envs.reset(seed=seed)

    def info(infos: dict) -> dict:
        return {k: v[0] for k, v in infos.items() if not k.startswith("_") and infos[f"_{k}"][0]}

    check(steps[0], fields, [part(observation, 0)], [0.0], "running", info(infos))
    for step in steps[1:]:
        actions = step.actions.reshape(envs.action_space.shape)
        observation, rewards, terminated, truncated, infos = envs.step(actions)
        check(step, fields, [part(observation, 0)], [*rewards], status(terminated[0], truncated[0]), info(infos))
