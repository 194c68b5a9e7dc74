"""The vector environment of an id with several agents: a native batch, told by agent."""

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from heldout._native import HeldoutError
from heldout.copies import Copies

_Flags = dict[str, NDArray[np.bool_]]


class ParallelVectorEnv(Copies):
    """Copies of an id with any number of agents, stepped together: :class:`heldout.VectorEnv` by agent.

    What :func:`heldout.parallel_env` tells of one copy in dictionaries by agent, this tells of all: observations,
    rewards, ends and infos are dictionaries by agent of what :class:`heldout.VectorEnv` has, one row per copy. All
    agents act at every step and end together, and a step is one native call. Seeds, options, ``copy``, ``threads``,
    ``text`` and ``autoreset_mode`` are as there.
    """

    def __init__(
        self,
        env_id: str,
        num_envs: int = 1,
        *,
        render_mode: str | None = None,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        threads: int = 1,
        text: str = "bytes",
        **config: Any,
    ) -> None:
        """Make ``num_envs`` copies of ``env_id``; ``max_episode_steps`` cuts episodes beside the own time limit."""
        self._construct(
            env_id, num_envs, render_mode, max_episode_steps, autoreset_mode, copy, threads, text, config
        )  # fmt: skip
        self.possible_agents = list(self._spec.agents)
        self.agents = list(self.possible_agents)
        numbered = list(enumerate(self.possible_agents))
        self.single_observation_spaces = {name: self._spec.observation_space(i) for i, name in numbered}
        self.single_action_spaces = {name: self._spec.action_space(i) for i, name in numbered}
        self.observation_spaces = self._batched(self.single_observation_spaces)
        self.action_spaces = self._batched(self.single_action_spaces)

    def _batched(self, singles: Mapping[str, gymnasium.Space[Any]]) -> dict[str, gymnasium.Space[Any]]:
        return {name: batch_space(space, self.num_envs) for name, space in singles.items()}

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return what an agent sees of all copies: always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return what an agent may do in all copies: always the same object."""
        return self.action_spaces[agent]

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begin episodes in all copies, or in those that ``options["reset_mask"]`` selects."""
        mask = self._restart(seed, options, np.random.default_rng())
        names = list(enumerate(self.possible_agents))
        self._show()
        return self._seen(), {name: self._reset_infos(mask, agent) for agent, name in names}

    def _seen(self) -> dict[str, Any]:
        return {name: view(None) for name, view in zip(self.possible_agents, self._viewers, strict=True)}

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, NDArray[np.float64]], _Flags, _Flags, dict[str, dict[str, Any]]]:
        """Take one step in every copy; every agent acts."""
        if not self._begun:
            raise ResetNeeded("reset the environment before its first step")
        ended = bool(self._batch.step(self._joined(actions)))
        self._show()
        names = list(enumerate(self.possible_agents))
        return (
            self._seen(),
            {name: self._kept(self._rewards[agent]) for agent, name in names},
            {name: self._kept(self._terminated) for _, name in names},
            {name: self._kept(self._truncated) for _, name in names},
            {name: self._step_infos(ended, agent) for agent, name in names},
        )

    def _joined(self, actions: Mapping[str, Any]) -> NDArray[np.int64]:
        """Return a row for each copy of the integers of all agents' actions, in order."""
        if not isinstance(actions, Mapping) or set(actions) != set(self.possible_agents):
            raise HeldoutError(f"`actions` is `{actions!r}`, must be a dict with actions for each of {self._names()}")
        parts = []
        for name in self.possible_agents:
            part, shape = np.asarray(actions[name]), self.action_spaces[name].shape
            if part.shape != shape:
                raise HeldoutError(f"the actions of `{name}` have shape {part.shape}, must have {shape}")
            if part.dtype.kind not in "iu":
                raise TypeError(f"the actions of `{name}` have elements of {part.dtype}, must have integers")
            parts.append(part.reshape(self.num_envs, -1))
        joined: NDArray[np.int64] = np.concatenate(parts, axis=1)
        return joined

    def _names(self) -> str:
        return ", ".join(f"`{name}`" for name in self.possible_agents)

    def _number(self, agent: str | None) -> int:
        if agent is not None and agent not in self.possible_agents:
            raise HeldoutError(f"there is no agent `{agent}`; there is {self._names()}")
        return 0 if agent is None else self.possible_agents.index(agent)

    def observe(self) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Return observations and infos as they stand: after :meth:`restore`, for instance."""
        self._batch.observe()
        told = self._over if self._ended.any() else self._running
        infos = {name: self._own(told) for name in self.possible_agents}
        for agent, name in enumerate(self.possible_agents):
            self._add_parts(infos[name], self._batch.arrays["observation"], self._everyone, agent)
        return self._seen(), infos

    def action_masks(self, agent: str) -> NDArray[np.bool_]:
        """Return which actions each copy allows an agent, flat over components."""
        return self._spec.mask(self._batch.arrays["observation"], self._number(agent))

    def act(self, policies: str | Mapping[str, str], seed: int = 0) -> dict[str, NDArray[np.int64]]:
        """Return the actions of scripted policies: one name for all agents, or a name for each."""
        chosen = dict.fromkeys(self.possible_agents, policies) if isinstance(policies, str) else dict(policies)
        if set(chosen) != set(self.possible_agents):
            raise HeldoutError(f"`policies` is `{policies!r}`, must name a policy for each of {self._names()}")
        rows = self._act(tuple(chosen[name] for name in self.possible_agents), seed)
        actions, begin = {}, 0
        for name in self.possible_agents:
            shape = self.action_spaces[name].shape or (self.num_envs,)
            end = begin + int(np.prod(shape[1:], dtype=int))
            actions[name] = rows[:, begin:end].reshape(shape)
            begin = end
        return actions

    def render(self, agent: str | None = None) -> tuple[Any, ...] | None:
        """Return a picture of each copy, from the side of an agent (the first unless told).

        In the mode ``human`` a window shows the first 16 copies, after every reset and step too.
        """
        return self._pictures(self._number(agent))

    def close(self) -> None:
        """Let go of the native batch; arrays that were handed out stay. Calling it again does nothing."""
        self.closed = True
        self._let_go()
