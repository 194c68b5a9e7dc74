"""Policies that ``heldout train`` left behind."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout import _native
from heldout._native import HeldoutError
from heldout.envs import Env
from heldout.registry import make_batch
from heldout.spaces import Field, Spec
from heldout.vector import VectorEnv


class TrainedPolicy:
    """What a training left behind: the directory of one seed, of a task, or of all.

    :func:`heldout.evaluate` plays all of its runs; called with observations, it plays one of them (the first, unless
    ``run`` says), in a loop of your own:

    >>> policy = heldout.load("run")                            # doctest: +SKIP
    >>> env = policy.make()                                     # doctest: +SKIP
    >>> observation, info = env.reset(seed=0)                   # doctest: +SKIP
    >>> action = policy(observation, episode_start=True)        # doctest: +SKIP

    What it remembers of an episode is kept here and forgotten where ``episode_start``.
    """

    def __init__(self, path: str | os.PathLike[str], run: int = 0) -> None:
        """Open what lies at ``path``."""
        #: Where it lies.
        self.path = os.fspath(path)
        told = json.loads(_native.checkpoints(self.path))
        #: What fixes each run, as its ``run.json`` has it.
        self.runs: list[dict[str, Any]] = [one["run"] for one in told]
        if not 0 <= run < len(self.runs):
            raise HeldoutError(f"`run` is {run}, must be 0 to {len(self.runs) - 1}")
        self._run = run
        own = self.runs[run]
        #: The agent's name.
        self.agent: str = own["agent"]
        #: By which reports know it.
        self.label: str = own["label"]
        #: The environment that it was trained on.
        self.id: str = own["id"]
        #: The config that it was trained under, without what only training has: nobody stops in its place any more.
        self.config: dict[str, Any] = {key: value for key, value in own["env"].items() if key != "stop_forcing"}
        #: SHA-256 of the file of its weights.
        self.sha256: str = told[run]["sha256"]
        batch = make_batch(self.id, 1, autoreset_mode="Disabled", max_episode_steps=None, **self.config)
        self._spec = Spec.of(batch, "bytes")
        batch.close()
        self._player: _native.Player | None = None
        self._copies = 0
        self._drawn = np.random.default_rng()
        self._seeds = np.zeros(0, np.uint64)

    def make(self, **config: Any) -> Env:
        """Make the environment that it was trained on, as it sees it; ``config`` is laid over that of training."""
        return Env(self.id, text="bytes", **{**self.config, **config})

    def make_vec(self, num_envs: int, **config: Any) -> VectorEnv:
        """Make copies of the environment that it was trained on."""
        return VectorEnv(self.id, num_envs, text="bytes", **{**self.config, **config})

    def __call__(
        self,
        observation: Any,
        *,
        episode_start: bool | Sequence[bool] | NDArray[np.bool_] = False,
        reward: float | Sequence[float] | NDArray[Any] = 0.0,
        info: Mapping[str, Any] | None = None,
        seeds: int | Sequence[int] | NDArray[Any] | None = None,
    ) -> Any:
        """Return the action for an observation, or those for a batch of them.

        ``reward`` is what the last step paid, which policies with a memory are told; some are told more of it, such as
        whether what they did was valid, and need the step's ``info``. ``seeds`` are of the episodes, for policies that
        draw their actions: unless given, each episode has one of its own that nobody knows.
        """
        given = observation if isinstance(observation, dict) else {self._spec.fields[0].name: observation}
        missing = [field.name for field in self._spec.fields if field.name not in given]
        if missing:
            raise HeldoutError(f"the observation lacks `{missing[0]}`: was it made under `policy.config`?")
        first = self._spec.fields[0]
        single = np.ndim(_array(first, given[first.name])) == len(first.shape)
        columns = [_rows(field, given[field.name], single) for field in self._spec.fields]
        copies = len(columns[0])
        if self._player is None or self._copies != copies:
            self._player, self._copies = _native.Player(self.path, self._run, copies), copies
            self._seeds = self._drawn.integers(1 << 63, size=copies, dtype=np.uint64)

        def each(value: Any, dtype: Any) -> NDArray[Any]:
            return np.ascontiguousarray(np.broadcast_to(np.asarray(value, dtype), (copies,)))

        starts = each(episode_start, np.bool_)
        metrics = np.zeros((copies, len(self._spec.metrics)), np.float32)
        for name in self._player.told:
            if info is not None and name in info:
                metrics[:, self._spec.metrics.index(name)] = np.asarray(info[name], np.float32)
            elif not starts.all():
                raise HeldoutError(f"`{self.agent}` is told `{name}` of the last step: `info` must hold it")
        fresh = self._drawn.integers(1 << 63, size=copies, dtype=np.uint64)
        self._seeds = np.where(starts, fresh, self._seeds)
        actions = self._player.act(
            [np.ascontiguousarray(column).reshape(-1) for column in columns],
            each(reward, np.float32),
            metrics.reshape(-1),
            starts,
            self._seeds if seeds is None else each(seeds, np.uint64),
        ).astype(np.int64)
        flat = actions[:, 0] if "discrete" in self._spec.actions[0] else actions
        if not single:
            return flat
        return int(flat[0]) if flat.ndim == 1 else flat[0]


def _array(field: Field, value: Any) -> NDArray[Any]:
    """Return the array of a field: text as its bytes."""
    if field.text and isinstance(value, str):
        return np.frombuffer(value.encode().ljust(field.shape[0], b"\0")[: field.shape[0]], np.uint8)
    if field.text and isinstance(value, (tuple, list)):
        return np.stack([_array(field, one) for one in value])
    return np.asarray(value, field.dtype)


def _rows(field: Field, value: Any, single: bool) -> NDArray[Any]:
    """Return the rows of a field, of one copy or of several."""
    array = _array(field, value)
    array = array[None] if single else array
    if array.shape[1:] != field.shape:
        raise HeldoutError(f"`{field.name}` is of the shape {array.shape[1:]}, must be of {field.shape}")
    return array


def load(path: str | os.PathLike[str], run: int = 0) -> TrainedPolicy:
    """Open what ``heldout train`` left at ``path``: a policy for :func:`heldout.evaluate` and for loops of your own."""
    return TrainedPolicy(path, run)
