"""The ids for RLlib's new stack; needs the extra ``heldout[rllib]``.

>>> import heldout.rllib
>>> from ray.rllib.algorithms.ppo import PPOConfig
>>> heldout.rllib.register()
>>> env_id = "memory/spot-diff-mini-v1"
>>> config = PPOConfig().environment(env_id, env_config={"level": "train"})
>>> config = config.rl_module(rl_module_spec=heldout.rllib.module(use_lstm=True))

**Ids.** :func:`register` makes every id known to RLlib under its own name, on all workers: those with one agent as
:class:`FlatEnv`, those with several as :class:`FlatMultiAgentEnv`. ``env_config`` holds the keys of the id's config.

**Observations** are flat (:class:`Flat`): a picture stays a picture, from 0 to 1; all other numbers become one vector,
from 0 to 1 where they are bounded; a text becomes how often each word of the id's vocabulary is in it. One of these
alone is a ``Box``; several, or one with a mask of allowed actions, are a ``Dict`` of ``pixels``, ``vector`` and
``action_mask``.

**Models.** :func:`module` gives an ``RLModule`` that takes all of these, never does what the mask forbids, and has an
LSTM if asked to. :func:`model_config` gives RLlib's own models a config for the shape, where the observation is a
``Box``.

**Evaluation.** :class:`Policy` opens a checkpoint as what :func:`heldout.evaluate` takes.
"""

import os
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from heldout._native import HeldoutError
from heldout.envs import Env
from heldout.registry import ids, make_batch
from heldout.spaces import FLAT_MASK, MASK, Spec
from heldout.text import vocabulary

try:
    import torch
    from ray import tune
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.distribution.torch.torch_distribution import TorchMultiCategorical
    from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
    from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
    from ray.rllib.core.rl_module.rl_module import RLModule, RLModuleSpec
    from ray.rllib.core.rl_module.torch import TorchRLModule
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
except ImportError as error:
    raise ImportError(
        "`heldout.rllib` needs the packages `ray[rllib]` and `torch`, which are not installed: "
        "pip install 'heldout[rllib]'",
        name="ray",
    ) from error

__all__ = ["Flat", "FlatEnv", "FlatMultiAgentEnv", "Module", "Policy", "model_config", "module", "register"]

#: The parts of a flat observation.
PIXELS, VECTOR = "pixels", "vector"
#: The shortest side of what is taken for a picture.
_LEAST_SIDE = 16
#: What a forbidden action scores: little enough never to be drawn, and finite.
_FORBIDDEN = -1e9


class Flat:
    """How the observation of one agent of an id is shown to RLlib."""

    def __init__(self, spec: Spec, agent: int = 0) -> None:
        """Read it off the spec of an id."""
        self._fields = []
        self._words = None
        self._mask: str | None = None
        sizes = 0
        picture: tuple[int, ...] | None = None
        for field in spec.fields:
            shape = field.shape_for(agent)
            if shape is None:
                continue
            if field.name in (MASK, FLAT_MASK):
                if shape == (_width(spec.action_space(agent)),):
                    self._mask = field.name
                    self.mask_width = shape[0]
                continue
            if field.text:
                self._words = vocabulary(spec.id, **spec.config)
                kind, size = "text", len(self._words)
            elif len(shape) == 3 and min(shape[:2]) >= _LEAST_SIDE and shape[2] <= 4 and picture is None:
                kind, size, picture = PIXELS, 0, shape
            else:
                kind, size = VECTOR, int(np.prod(shape))
            bounded = np.isfinite([field.low, field.high]).all() and field.high > field.low
            low, high = (field.low, field.high) if bounded else (0.0, 1.0)
            self._fields.append((field.name, kind, shape, np.float32(low), np.float32(high - low)))
            sizes += size
        self.parts: dict[str, spaces.Space[Any]] = {}
        if picture is not None:
            self.parts[PIXELS] = spaces.Box(0.0, 1.0, picture, np.float32)
        if sizes:
            self.parts[VECTOR] = spaces.Box(-np.inf, np.inf, (sizes,), np.float32)
        if self._mask is not None:
            self.parts[MASK] = spaces.Box(0.0, 1.0, (self.mask_width,), np.float32)
        self._single = len(self.parts) == 1
        self.space = next(iter(self.parts.values())) if self._single else spaces.Dict(self.parts)

    def __call__(self, observation: Any) -> Any:
        """Return a batch of observations, an array or arrays by name, as RLlib sees it."""
        fields = observation if isinstance(observation, dict) else {self._fields[0][0]: observation}
        vectors, flat = [], {}
        for name, kind, shape, low, width in self._fields:
            array = np.asarray(fields[name])
            rows = array[(slice(None), *(slice(n) for n in shape))]
            if kind == "text":
                vectors.append(self._bag(rows))
            elif kind == PIXELS:
                flat[PIXELS] = (rows.astype(np.float32) - low) / width
            else:
                vectors.append(((rows.astype(np.float32) - low) / width).reshape(len(rows), -1))
        if vectors:
            flat[VECTOR] = np.concatenate(vectors, axis=1)
        if self._mask is not None:
            flat[MASK] = (np.asarray(fields[self._mask])[:, : self.mask_width] != 0).astype(np.float32)
        return next(iter(flat.values())) if self._single else flat

    def _bag(self, rows: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return how often each word is in each text."""
        assert self._words is not None
        bags = np.zeros((len(rows), len(self._words)), np.float32)
        for bag, numbers in zip(bags, self._words.of_bytes(rows), strict=True):
            np.add.at(bag, numbers[numbers != 0], 1.0)
        return bags

    def one(self, observation: Any) -> Any:
        """Return a single observation as RLlib sees it."""
        many = {k: np.asarray(v)[None] for k, v in observation.items()} if isinstance(observation, dict) else None
        flat = self(np.asarray(observation)[None] if many is None else many)
        return {name: rows[0] for name, rows in flat.items()} if isinstance(flat, dict) else flat[0]


def _width(space: Any) -> int:
    """Return how many scores a policy gives: one for each action, of each component."""
    return int(space.n) if isinstance(space, spaces.Discrete) else int(np.sum(space.nvec))


class FlatEnv(gymnasium.Env[Any, Any]):
    """An id with one agent, its observations flat."""

    def __init__(self, env_id: str, **config: Any) -> None:
        """Make the environment; the keyword arguments are those of :class:`heldout.Env`, but for ``text``."""
        if "text" in config:
            raise HeldoutError("`text` is not to be chosen here: words are counted")
        self.env = Env(env_id, text="bytes", **config)
        self.flat = Flat(self.env._spec)
        self.observation_space, self.action_space = self.flat.space, self.env.action_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self.flat.one(observation), info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take one step."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self.flat.one(observation), reward, terminated, truncated, info

    def render(self) -> Any:
        """Return a picture for people."""
        return self.env.render()

    def close(self) -> None:
        """Let go of the native environment."""
        self.env.close()


class FlatMultiAgentEnv(MultiAgentEnv):  # type: ignore[misc]
    """An id with several agents, their observations flat."""

    def __init__(self, env_id: str, **config: Any) -> None:
        """Make the environment; the keyword arguments are those of :func:`heldout.parallel_env`, but for ``text``."""
        from heldout.parallel import ParallelEnv

        if "text" in config:
            raise HeldoutError("`text` is not to be chosen here: words are counted")
        super().__init__()
        self.env = ParallelEnv(env_id, text="bytes", **config)
        spec = self.env._spec
        self.possible_agents = self.agents = list(spec.agents)
        self.flats = {name: Flat(spec, i) for i, name in enumerate(spec.agents)}
        self.observation_spaces = {name: flat.space for name, flat in self.flats.items()}
        self.action_spaces = {name: spec.action_space(i) for i, name in enumerate(spec.agents)}

    def _shown(self, observations: dict[str, Any]) -> dict[str, Any]:
        return {name: self.flats[name].one(own) for name, own in observations.items()}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        """Begin an episode."""
        observations, infos = self.env.reset(seed=seed, options=options)
        self.agents = list(self.possible_agents)
        return self._shown(observations), infos

    def step(self, actions: dict[str, Any]) -> tuple[Any, Any, Any, Any, Any]:
        """Take one step."""
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        self.agents = list(self.env.agents)
        ends = ({**own, "__all__": not self.env.agents and any(own.values())} for own in (terminated, truncated))
        terminations, truncations = ends
        return self._shown(observations), rewards, terminations, truncations, infos

    def close(self) -> None:
        """Let go of the native environment."""
        self.env.close()


class _Maker:
    """Makes the environment of an id on whatever worker it is asked; what is sent there imports this package."""

    def __init__(self, env_id: str, several: bool) -> None:
        self.env_id, self.several = env_id, several

    def __call__(self, config: Any) -> Any:
        return (FlatMultiAgentEnv if self.several else FlatEnv)(self.env_id, **dict(config or {}))


def _spec(env_id: str, config: dict[str, Any]) -> Spec:
    batch = make_batch(env_id, 1, **config)
    try:
        return Spec.of(batch, "bytes")
    finally:
        batch.close()


def register() -> None:
    """Make every id known to RLlib, on all workers."""
    for env_id in ids():
        tune.register_env(env_id, _Maker(env_id, len(_spec(env_id, {}).agents) > 1))


def _filters(shape: tuple[int, ...]) -> list[list[int]]:
    """Return channels, kernel and stride of the layers that a picture of any size is read by."""
    filters: list[list[int]] = []
    side = min(shape[:2])
    while side > 6 and len(filters) < 5:
        filters.append([16 * 2 ** min(len(filters), 2), 4, 2])
        side = -(-side // 2)
    return filters


def model_config(env_id: str, *, settings: dict[str, Any] | None = None, **config: Any) -> DefaultModelConfig:
    """Return a config of RLlib's own models for an id under a config; ``settings`` are further keys of it.

    It is for observations that are one ``Box``: others, and masks, are what :func:`module` is for.
    """
    spec = _spec(env_id, config)
    spec.require_single()
    flat = Flat(spec)
    if not isinstance(flat.space, spaces.Box):
        parts = ", ".join(f"`{name}`" for name in flat.parts)
        raise HeldoutError(f"`{env_id}` shows {parts}: RLlib's own models take one array; use heldout.rllib.module()")
    told = dict(settings or {})
    if PIXELS in flat.parts:
        assert flat.space.shape is not None
        told.setdefault("conv_filters", _filters(flat.space.shape))
    return DefaultModelConfig(**told)


def module(**settings: Any) -> RLModuleSpec:
    """Return the spec of a :class:`Module`; ``settings`` are its ``model_config``.

    ``hidden`` are the widths of its layers ([256, 256] unless told); ``use_lstm`` puts an LSTM of ``lstm_cell_size``
    (256) behind them, which is trained on sequences of ``max_seq_len`` (20) steps.
    """
    allowed = ("hidden", "use_lstm", "lstm_cell_size", "max_seq_len")
    for name in settings:
        if name not in allowed:
            raise HeldoutError(f"there is no setting `{name}` of a module; there are {', '.join(map(repr, allowed))}")
    return RLModuleSpec(module_class=Module, model_config={"max_seq_len": 20, **settings})


class Module(TorchRLModule, ValueFunctionAPI):  # type: ignore[misc]
    """Policy and value of any flat observation, for PPO and its kin; what the mask forbids is never drawn."""

    def setup(self) -> None:
        """Make the layers."""
        space = self.observation_space
        parts: dict[str, Any] | None = dict(space.spaces) if isinstance(space, spaces.Dict) else None
        if parts is None:
            parts = {PIXELS if len(space.shape) == 3 else VECTOR: space}
        self._alone = None if isinstance(space, spaces.Dict) else next(iter(parts))
        width = 0
        if PIXELS in parts:
            shape, layers = parts[PIXELS].shape, []
            channels = shape[2]
            for made, kernel, stride in _filters(shape):
                layers += [torch.nn.Conv2d(channels, made, kernel, stride, padding=1), torch.nn.ReLU()]
                channels = made
            self._pixels = torch.nn.Sequential(*layers, torch.nn.Flatten())
            with torch.no_grad():
                width += self._pixels(torch.zeros(1, shape[2], *shape[:2])).shape[1]
        if VECTOR in parts:
            width += parts[VECTOR].shape[0]
        hidden: list[Any] = []
        for size in self.model_config.get("hidden", [256, 256]):
            hidden += [torch.nn.Linear(width, size), torch.nn.Tanh()]
            width = size
        self._hidden = torch.nn.Sequential(*hidden)
        self._cell = self.model_config.get("lstm_cell_size", 256) if self.model_config.get("use_lstm") else 0
        if self._cell:
            self._lstm = torch.nn.LSTM(width, self._cell, batch_first=True)
            width = self._cell
        self._scores = torch.nn.Linear(width, _width(self.action_space))
        self._value = torch.nn.Linear(width, 1)
        if isinstance(self.action_space, spaces.MultiDiscrete):
            sizes = [int(n) for n in self.action_space.nvec]
            self.action_dist_cls = TorchMultiCategorical.get_partial_dist_cls(input_lens=sizes)

    def get_initial_state(self) -> Any:
        """Return the state that an episode begins with."""
        return {name: np.zeros(self._cell, np.float32) for name in ("h", "c")} if self._cell else {}

    def _embedded(self, batch: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return what policy and value are made of, and the state after it."""
        shown = batch[Columns.OBS] if self._alone is None else {self._alone: batch[Columns.OBS]}
        lead = next(iter(shown.values())).shape[: 2 if self._cell else 1]
        parts = []
        if PIXELS in shown:
            pixels = shown[PIXELS].float().reshape(-1, *shown[PIXELS].shape[len(lead) :])
            parts.append(self._pixels(pixels.permute(0, 3, 1, 2)).reshape(*lead, -1))
        if VECTOR in shown:
            parts.append(shown[VECTOR].float())
        embedded, state = self._hidden(torch.cat(parts, dim=-1)), {}
        if self._cell:
            told = batch[Columns.STATE_IN]
            embedded, (h, c) = self._lstm(embedded, (told["h"].unsqueeze(0), told["c"].unsqueeze(0)))
            state = {Columns.STATE_OUT: {"h": h.squeeze(0), "c": c.squeeze(0)}}
        return embedded, state

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Return the scores of actions."""
        embedded, state = self._embedded(batch)
        return {Columns.ACTION_DIST_INPUTS: self._allowed(batch, embedded), **state}

    def _forward_train(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Return the scores of actions, and what values are made of."""
        embedded, state = self._embedded(batch)
        return {Columns.ACTION_DIST_INPUTS: self._allowed(batch, embedded), Columns.EMBEDDINGS: embedded, **state}

    def _allowed(self, batch: dict[str, Any], embedded: Any) -> Any:
        """Return scores by which no forbidden action is ever drawn."""
        scores = self._scores(embedded)
        shown = batch[Columns.OBS]
        return scores.masked_fill(shown[MASK] == 0, _FORBIDDEN) if isinstance(shown, dict) and MASK in shown else scores

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Any:
        """Return the values of observations."""
        if embeddings is None:
            embeddings, _ = self._embedded(batch)
        return self._value(embeddings).squeeze(-1)


class Policy:
    """The policy of a checkpoint of RLlib's, as :func:`heldout.evaluate` takes it.

    It does what it scores highest, or with ``deterministic=False`` draws by its scores and the seeds of the episodes.
    """

    def __init__(
        self, checkpoint: str | os.PathLike[str], env_id: str, module_id: str = "default_policy", **config: Any
    ) -> None:
        """Open a checkpoint that ``algorithm.save_to_path`` wrote, or the folder of its module.

        ``env_id`` and ``config`` are what it was trained on, as far as they say what is seen.
        """
        place = Path(checkpoint).absolute()
        inner = place / "learner_group" / "learner" / "rl_module" / module_id
        if not place.is_dir():
            raise HeldoutError(f"`checkpoint` is `{checkpoint}`, which is no folder")
        #: The module; its weights name the policy in records.
        self.policy = RLModule.from_checkpoint(inner if inner.is_dir() else place)
        spec = _spec(env_id, config)
        spec.require_single()
        self._flat, self._space = Flat(spec), spec.action_space()
        self._state: Any = None
        self._steps = np.zeros(0, np.int64)

    def __call__(
        self,
        observation: Any,
        episode_start: NDArray[np.bool_],
        seeds: NDArray[np.uint64],
        deterministic: bool = True,
    ) -> NDArray[np.int64]:
        """Return an action for each copy."""
        begins, stateful = self.policy.get_initial_state(), self.policy.is_stateful()

        def shown(array: NDArray[np.float32]) -> Any:
            rows = torch.from_numpy(np.ascontiguousarray(array))
            return rows.unsqueeze(1) if stateful else rows

        flat = self._flat(observation)
        batch = {Columns.OBS: {k: shown(v) for k, v in flat.items()} if isinstance(flat, dict) else shown(flat)}
        if stateful:
            fresh = _repeated(begins, len(episode_start))
            starts = torch.from_numpy(np.asarray(episode_start))
            self._state = fresh if self._state is None else _chosen(starts, fresh, self._state)
            batch[Columns.STATE_IN] = self._state
        with torch.no_grad():
            told = self.policy.forward_inference(batch)
        self._state = told.get(Columns.STATE_OUT)
        scores = told[Columns.ACTION_DIST_INPUTS]
        scores = scores.squeeze(1) if stateful else scores
        kept = self._steps if len(self._steps) == len(seeds) else np.zeros(len(seeds), np.int64)
        self._steps = np.where(episode_start, 0, kept + 1)
        if not deterministic:
            scores = scores + torch.from_numpy(self._noise(seeds, scores.shape[-1]))
        if isinstance(self._space, spaces.Discrete):
            return np.asarray(scores.argmax(-1))
        sizes = [int(n) for n in self._space.nvec]
        return np.stack([np.asarray(own.argmax(-1)) for own in scores.split(sizes, dim=-1)], axis=-1)

    def _noise(self, seeds: NDArray[np.uint64], width: int) -> NDArray[np.float32]:
        """Return noise that makes the best score a draw by the scores, fixed by the seed and the step of an episode."""
        rows = zip(seeds.tolist(), self._steps.tolist(), strict=True)
        return np.stack([np.random.default_rng([seed, step]).gumbel(size=width) for seed, step in rows]).astype(
            np.float32
        )


def _repeated(state: Any, copies: int) -> Any:
    """Return a row of a state for each copy."""
    if isinstance(state, dict):
        return {name: _repeated(part, copies) for name, part in state.items()}
    return torch.as_tensor(state).unsqueeze(0).repeat(copies, *[1] * np.ndim(state))


def _chosen(starts: Any, fresh: Any, kept: Any) -> Any:
    """Return a state that is fresh where an episode begins."""
    if isinstance(fresh, dict):
        return {name: _chosen(starts, part, kept[name]) for name, part in fresh.items()}
    if len(kept) != len(fresh):
        return fresh
    return torch.where(starts.reshape(-1, *[1] * (fresh.dim() - 1)), fresh, kept)
