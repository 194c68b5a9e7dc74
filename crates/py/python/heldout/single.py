"""What a batch of one is to an interface of Python: what Gymnasium's and PettingZoo's environments share."""

from typing import Any

import numpy as np

from heldout._native import Batch
from heldout.registry import make_batch
from heldout.spaces import Spec, check_render_mode
from heldout.text import Vocabulary
from heldout.window import Window, require_pygame

#: Width of a picture as text, in characters.
COLUMNS = 80


class Single:
    """One copy: its life from construction to close, saved states, experience, pictures and scripted policies."""

    #: The id that the environment was made of.
    env_id: str
    #: The whole config.
    config: dict[str, Any]
    #: ``None``, ``"human"``, ``"rgb_array"`` or ``"ansi"``.
    render_mode: str | None
    #: The form of text in observations: ``"str"``, ``"bytes"`` or ``"tokens"``.
    text: str
    metadata: dict[str, Any]

    _batch: Batch
    _spec: Spec

    def _construct(
        self, env_id: str, render_mode: str | None, max_episode_steps: int | None, text: str, config: dict[str, Any]
    ) -> None:
        check_render_mode(render_mode, self.metadata["render_modes"])
        if render_mode == "human":
            require_pygame()
        self.env_id = env_id
        self.render_mode = render_mode
        self.text = text
        self._max_episode_steps = max_episode_steps
        self._begun = False
        self._closed = False
        self._attach(config)
        self.config = self._spec.config

    def _attach(self, config: dict[str, Any]) -> None:
        """Make the native batch and the views of its arrays."""
        self._batch = make_batch(
            self.env_id, 1, autoreset_mode="Disabled", max_episode_steps=self._max_episode_steps, **config
        )
        self._spec = Spec.of(self._batch, self.text)
        arrays = self._batch.arrays
        self._rewards = arrays["rewards"].reshape(-1)
        self._terminated, self._truncated = arrays["terminated"], arrays["truncated"]
        self._metrics, self._problems = arrays["metrics"].reshape(-1), arrays["problems"]
        self._step_metrics = [(self._spec.metrics[i], i) for i in self._spec.step_metrics]
        self._all_metrics = [(name, i) for i, name in enumerate(self._spec.metrics)]
        self._observers = [self._spec.observer(arrays["observation"], agent) for agent in range(len(self._spec.agents))]
        self._parted = [self._spec.has_parts(agent) for agent in range(len(self._spec.agents))]
        self._seat: tuple[tuple[str, ...], int] | None = None
        self._window: Window | None = None

    def _detached(self) -> tuple[str, ...]:
        """Return the attributes that :meth:`_attach` makes, which pickling leaves out."""
        return (
            "_batch", "_spec", "_rewards", "_terminated", "_truncated", "_metrics", "_problems",
            "_step_metrics", "_all_metrics", "_observers", "_parted", "_seat", "_window",
        )  # fmt: skip

    def _info(self, ended: bool, agent: int = 0) -> dict[str, Any]:
        values = self._metrics.tolist()
        info = {name: values[i] for name, i in (self._all_metrics if ended else self._step_metrics)}
        if self._spec.problems is not None:
            info["problem"] = self._problems.item()
        if self._parted[agent]:
            info["action_mask"] = self._spec.parts(self._batch.arrays["observation"], agent)[0]
        return info

    def _reset(self, seed: int | None, options: dict[str, Any], draw: np.random.Generator | None) -> None:
        """Reset the copy; the first reset without a seed takes one from ``draw``."""
        problem = options.get("problem")
        if seed is None and not self._begun and draw is not None:
            seed = int(draw.integers(2**63))
        self._batch.reset(seed, None, None if problem is None else [problem])
        self._begun = True

    def save(self) -> bytes:
        """Return the whole state, experience included, as bytes that any process can restore."""
        return self._batch.save(0)

    def restore(self, state: bytes) -> None:
        """Go on from a saved state: the same future under the same actions."""
        self._batch.restore(0, state)
        self._batch.observe()
        self._begun = True

    def experience(self) -> bytes | None:
        """Return what has been experienced, ``None`` where no account of it is kept."""
        return self._batch.experience(0)

    def set_experience(self, experience: bytes) -> None:
        """Take bytes of :meth:`experience` as what has been experienced."""
        self._batch.set_experience(0, experience)

    def merge_experience(self, experience: bytes) -> None:
        """Add bytes of :meth:`experience`, of another environment, to what has been experienced."""
        self._batch.merge_experience(0, experience)

    def clear_experience(self) -> None:
        """Forget what has been experienced."""
        self._batch.clear_experience(0)

    @property
    def vocabulary(self) -> Vocabulary | None:
        """The words by their numbers, where text is ``"tokens"`` and there is any."""
        return self._spec.words

    def metrics(self) -> dict[str, float]:
        """Return all metrics as they stand in the current episode."""
        return dict(zip(self._spec.metrics, self._batch.metrics(0), strict=True))

    @property
    def policies(self) -> list[dict[str, Any]]:
        """The scripted policies: name, about, agent (``None``: any) and privileged."""
        return [dict(policy) for policy in self._spec.policies]

    def _act(self, policies: tuple[str, ...], seed: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return the actions of one policy per agent; a policy remembers as long as it stays seated."""
        if self._seat != (policies, seed):
            self._seat = None
            for agent, policy in enumerate(policies):
                self._batch.seat(agent, policy, seed)
            self._seat = (policies, seed)
        actions: np.ndarray[Any, np.dtype[np.int64]] = self._batch.act()[0]
        return actions

    def _render(self, agent: int) -> Any:
        if self.render_mode == "rgb_array":
            return self._batch.draw(0, agent)
        if self.render_mode == "ansi":
            return self._batch.ansi(0, agent, COLUMNS)
        self._show(agent)
        return None

    def _show(self, agent: int = 0) -> None:
        """Show the window, if that is the render mode: after every reset and step, as Gymnasium has it."""
        if self.render_mode == "human":
            if self._window is None:
                self._window = Window(self.env_id, self.metadata["render_fps"])
            self._window.show(self._batch.draw(0, agent))

    def close(self) -> None:
        """Let go of the native batch. Calling it again does nothing."""
        self._closed = True
        if self._window is not None:
            self._window.close()
        self._batch.close()

    def __getstate__(self) -> dict[str, Any]:
        """Return all that fixes the future, so that a copy or a pickle goes on as the original would."""
        state = {name: value for name, value in self.__dict__.items() if name not in self._detached()}
        state["_saved"] = None if self._closed else self.save()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Go on from :meth:`__getstate__`."""
        saved = state.pop("_saved")
        self.__dict__.update(state)
        self._attach(self.config)
        if saved is None:
            self.close()
        else:
            self._batch.restore(0, saved)
            self._batch.observe()
