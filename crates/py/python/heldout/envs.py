"""The Gymnasium environment of an id with one agent."""

from typing import Any, ClassVar

import gymnasium
from gymnasium.error import ResetNeeded

from heldout.keys import keys_to_action
from heldout.single import Single
from heldout.spaces import check_options


class Env(Single, gymnasium.Env[Any, Any]):
    """One copy behind Gymnasium's interface; ``gymnasium.make(id, **config)`` makes it.

    Every key of the config is a keyword argument, as is ``preset``, which applies first.

    ``reset(seed=S)`` begins episode zero of the stream that ``S`` names; a reset without a seed goes on to the next
    episode of the stream, so that all that follows a seeded reset is determined. The first reset, if it has no seed,
    draws one. ``options={"problem": k}`` plays problem ``k`` of a finite set.

    ``info`` holds the metrics of the step, at the end of an episode all metrics, and ``problem`` where the set is
    finite; where the observation has a flat mask of an action of several parts (``legal_actions``), also
    ``action_mask``, a tuple of a mask for each part, as ``action_space.sample`` takes it. Observations of one field are
    an array, of several a dict; ``text`` is the form of text in it (:mod:`heldout.text`). All are new at every call.
    Rewards and metrics are 32-bit numbers, told by the fewest digits that are one: ``-0.01``.

    A step limit given to ``gymnasium.make`` is Gymnasium's own wrapper, which knows no metrics: :meth:`metrics` has
    them then. One given to this class, or to ``gymnasium.make_vec``, is the engine's.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["human", "rgb_array", "ansi"], "render_fps": 10}  # type: ignore[misc]

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
        self._spec.require_single()
        self.observation_space = self._spec.observation_space()
        self.action_space = self._spec.action_space()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        options = check_options(options, ("problem",))
        self._reset(seed, options, self.np_random if seed is None else None)
        super().reset(seed=None if seed is None else int(seed))
        self._show()
        return self.observe()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take one step."""
        if not self._begun:
            raise ResetNeeded("reset the environment before its first step")
        ended = self._batch.step(action)
        if self.render_mode is not None:
            self._show()
        return (
            self._observers[0](),
            self._rewards.item(),
            self._terminated.item(),
            self._truncated.item(),
            self._info(bool(ended)),
        )

    def observe(self) -> tuple[Any, dict[str, Any]]:
        """Return observation and info as they stand: after :meth:`restore`, for instance."""
        return self._observers[0](), self._info(self._terminated.item() or self._truncated.item())

    def action_masks(self) -> Any:
        """Return which actions are allowed, flat over components: what ``MaskablePPO`` asks for."""
        return self._spec.mask(self._batch.arrays["observation"])[0]

    def act(self, policy: str, seed: int = 0) -> Any:
        """Return the action of a scripted policy; ``seed`` tells apart repetitions on the same problems."""
        action = self._act((policy,), seed)
        return action[0] if isinstance(self.action_space, gymnasium.spaces.Discrete) else action

    def get_keys_to_action(self) -> dict[tuple[int, ...], Any]:
        """Return the actions by the keys of ``gymnasium.utils.play``; refused where there are too many for keys.

        Where no key is pressed Gymnasium does action 0, which is a step in most ids, the end in lilGym, and none in
        HALMA, whose actions are arrays: ``play(env, wait_on_player=True, noop=action)`` waits, and does ``action`` for
        keys that have no meaning.
        """
        return keys_to_action(self.env_id, self._spec.actions[0], self.config)

    def render(self) -> Any:
        """Return a picture for people: an array in the mode ``rgb_array``, text for a terminal in ``ansi``.

        In the mode ``human`` a window shows it, after every reset and step too.
        """
        return self._render(0)
