"""The Gymnasium vector environment of an id with one agent: a native batch."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from heldout.copies import Copies


class VectorEnv(Copies, gymnasium.vector.VectorEnv[Any, Any, NDArray[Any]]):
    """Copies stepped together; ``gymnasium.make_vec(id, num_envs=N, **config)`` makes it.

    A step is one native call, without the interpreter's lock. ``copy=False`` returns the arrays that the batch writes,
    which the next call overwrites: use or copy them before it. ``threads`` spreads the copies and changes no
    result; a process forked from this one, which has none of its threads, steps them one after another. One environment
    may be used by one thread at a time: a call while another is under way raises ``RuntimeError``.

    ``reset(seed=S)`` with an integer derives the streams of all copies from ``S`` (copies of one seed are unrelated,
    and those of ``S`` and ``S + 1`` share none). A list gives copy ``i`` what a single environment reset with
    ``seeds[i]`` plays; ``None`` there goes on to the copy's next episode, as a reset without a seed does for all.
    Options: ``problem`` (a number for all copies, or a list), ``reset_mask`` (which copies).

    Text fields are zero-padded bytes unless ``text`` says ``"tokens"`` or ``"str"`` (:mod:`heldout.text`). Rewards
    and metrics are told as :class:`heldout.Env` does. Infos are as Gymnasium's own vector environments make them from
    :class:`heldout.Env`: an array and a mask ``_key`` for each key; in same-step mode ``final_obs`` and ``final_info``.
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
        self.single_observation_space = self._spec.observation_space()
        self.single_action_space = self._spec.action_space()
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def _attach(self, config: dict[str, Any]) -> None:
        """Make the native batch, unless it has several agents."""
        super()._attach(config)
        self._spec.require_single()

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begin episodes in all copies, or in those that ``options["reset_mask"]`` selects."""
        mask = self._restart(seed, options, self.np_random)
        if seed is not None and not isinstance(seed, (Sequence, np.ndarray)):
            super().reset(seed=int(seed))
        self._show()
        return self._viewers[0](None), self._reset_infos(mask)

    def step(
        self, actions: Any
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Take one step in every copy."""
        if not self._begun:
            raise ResetNeeded("reset the environment before its first step")
        ended = bool(self._batch.step(actions))
        self._show()
        return (
            self._viewers[0](None),
            self._kept(self._rewards[0]),
            self._kept(self._terminated),
            self._kept(self._truncated),
            self._step_infos(ended),
        )

    def observe(self) -> tuple[Any, dict[str, Any]]:
        """Return observations and infos as they stand: after :meth:`restore`, for instance."""
        self._batch.observe()
        infos = self._own(self._over if self._ended.any() else self._running)
        self._add_parts(infos, self._batch.arrays["observation"], self._everyone, 0)
        return self._viewers[0](None), infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions each copy allows, flat over components: what ``MaskablePPO`` asks for."""
        return self._spec.mask(self._batch.arrays["observation"])

    def act(self, policy: str, seed: int = 0) -> NDArray[np.int64]:
        """Return the actions of a scripted policy, which remembers as long as it stays seated."""
        actions = self._act((policy,), seed)
        return actions[:, 0] if isinstance(self.single_action_space, gymnasium.spaces.Discrete) else actions

    def render(self) -> tuple[Any, ...] | None:
        """Return a picture of each copy: arrays in the mode ``rgb_array``, text for a terminal in ``ansi``.

        In the mode ``human`` a window shows the first 16 copies, after every reset and step too.
        """
        return self._pictures(0)

    def render_copy(self, index: int) -> Any:
        """Return a picture of one copy."""
        return self._picture(index, 0)

    def close_extras(self, **kwargs: Any) -> None:
        """Let go of the native batch; arrays that were handed out stay."""
        # Older Gymnasiums close what could not be made none the less.
        self._let_go()
