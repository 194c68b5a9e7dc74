"""The PettingZoo environment of an id with any number of agents."""

from collections.abc import Mapping
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded

from heldout._native import HeldoutError
from heldout.single import Single

try:
    from pettingzoo import ParallelEnv as PettingZooEnv
except ImportError as error:
    raise ImportError(
        "`heldout.parallel_env` needs the package `pettingzoo`, which is not installed: "
        "pip install 'heldout[pettingzoo]'",
        name="pettingzoo",
    ) from error


class ParallelEnv(Single, PettingZooEnv):  # type: ignore[misc]
    """One copy behind PettingZoo's parallel interface; ``heldout.parallel_env(id, **config)`` makes it.

    All agents act at every step and end together. Each sees its own fields in its own shapes, and has metrics and
    ``problem`` (and ``action_mask``) in its info as :class:`heldout.Env` has. Seeds, resets and rewards are as there
    too. PettingZoo's tests pass options that no environment has: those that are not ``problem`` are ignored.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": ["human", "rgb_array", "ansi"],
        "render_fps": 10,
        "name": "heldout",
        "is_parallelizable": True,
    }

    def __init__(
        self,
        env_id: str,
        *,
        render_mode: str | None = None,
        max_episode_steps: int | None = None,
        text: str = "str",
        **config: Any,
    ) -> None:
        """Make the environment ``env_id``; ``max_episode_steps`` cuts episodes beside its own time limit."""
        self._construct(env_id, render_mode, max_episode_steps, text, config)
        self.metadata = {**type(self).metadata, "name": env_id}  # type: ignore[misc]
        self.possible_agents = list(self._spec.agents)
        self.agents: list[str] = []
        numbered = list(enumerate(self.possible_agents))
        self.observation_spaces = {name: self._spec.observation_space(i) for i, name in numbered}
        self.action_spaces = {name: self._spec.action_space(i) for i, name in numbered}

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return what an agent sees: always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return what an agent may do: always the same object."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begin an episode."""
        if options is not None and not isinstance(options, dict):
            raise TypeError(f"`options` is `{options!r}`, must be a dict or None")
        self._reset(seed, options or {}, np.random.default_rng() if seed is None and not self._begun else None)
        self.agents = list(self.possible_agents)
        self._show()
        return self.observe()

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Take one step; every agent acts."""
        if not self._begun:
            raise ResetNeeded("reset the environment before its first step")
        if not self.agents and not actions:
            return {}, {}, {}, {}, {}
        ended = bool(self._batch.step(self._joined(actions)))
        self._show()
        names = self.possible_agents
        observations, infos = self._observed(ended)
        rewards = dict(zip(names, self._rewards.tolist(), strict=True))
        terminated = dict.fromkeys(names, self._terminated.item())
        truncated = dict.fromkeys(names, self._truncated.item())
        if ended:
            self.agents = []
        return observations, rewards, terminated, truncated, infos

    def _joined(self, actions: Mapping[str, Any]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return the integers of all agents' actions, in order."""
        if not isinstance(actions, Mapping) or set(actions) != set(self.possible_agents):
            names = ", ".join(f"`{name}`" for name in self.possible_agents)
            raise HeldoutError(f"`actions` is `{actions!r}`, must be a dict with an action for each of {names}")
        parts = []
        for name in self.possible_agents:
            part = np.asarray(actions[name])
            if part.shape != self.action_spaces[name].shape:
                raise HeldoutError(
                    f"the action of `{name}` has shape {part.shape}, must have {self.action_spaces[name].shape}"
                )
            if part.dtype.kind not in "iu":
                raise TypeError(f"the action of `{name}` is `{actions[name]!r}`, must be of integers")
            parts.append(part.reshape(-1))
        joined: np.ndarray[Any, np.dtype[np.int64]] = np.concatenate(parts)
        return joined

    def _observed(self, ended: bool) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        names = self.possible_agents
        observations = {name: observe() for name, observe in zip(names, self._observers, strict=True)}
        return observations, {name: self._info(ended, agent) for agent, name in enumerate(names)}

    def observe(self) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Return observations and infos as they stand: after :meth:`restore`, for instance."""
        return self._observed(self._terminated.item() or self._truncated.item())

    def restore(self, state: bytes) -> None:
        """Go on from a saved state: the same future under the same actions."""
        super().restore(state)
        ended = self._terminated.item() or self._truncated.item()
        self.agents = [] if ended else list(self.possible_agents)

    def action_masks(self, agent: str) -> Any:
        """Return which actions an agent is allowed, flat over components."""
        return self._spec.mask(self._batch.arrays["observation"], self._number(agent))[0]

    def act(self, policies: str | Mapping[str, str], seed: int = 0) -> dict[str, Any]:
        """Return the actions of scripted policies: one name for all agents, or a name for each."""
        chosen = dict.fromkeys(self.possible_agents, policies) if isinstance(policies, str) else dict(policies)
        if set(chosen) != set(self.possible_agents):
            names = ", ".join(f"`{name}`" for name in self.possible_agents)
            raise HeldoutError(f"`policies` is `{policies!r}`, must name a policy for each of {names}")
        row = self._act(tuple(chosen[name] for name in self.possible_agents), seed)
        actions: dict[str, Any] = {}
        begin = 0
        for name in self.possible_agents:
            space = self.action_spaces[name]
            width = int(np.prod(space.shape or (1,)))
            actions[name] = row[begin] if space.shape == () else row[begin : begin + width]
            begin += width
        return actions

    def render(self, agent: str | None = None) -> Any:
        """Return a picture for people, from the side of an agent (the first unless told)."""
        return self._render(self._number(agent))

    def _number(self, agent: str | None) -> int:
        if agent is not None and agent not in self.possible_agents:
            names = ", ".join(f"`{name}`" for name in self.possible_agents)
            raise HeldoutError(f"there is no agent `{agent}`; there is {names}")
        return 0 if agent is None else self.possible_agents.index(agent)
