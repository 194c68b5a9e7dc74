"""What a batch of copies is to an interface of Python: what vector environments of one and of several agents share."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from heldout._native import Batch
from heldout.registry import make_batch, mode
from heldout.single import COLUMNS
from heldout.spaces import Spec, check_options, check_render_mode
from heldout.text import Vocabulary
from heldout.window import Window, require_pygame, tiled

#: Copies that a window shows at the most: the first of them.
MOST_SHOWN = 16


class Copies:
    """Copies of one id: their life from construction to close, infos, saved states, experience and pictures."""

    #: The id that the copies were made of.
    env_id: str
    #: The whole config.
    config: dict[str, Any]
    num_envs: int
    #: The form of text in observations: ``"str"``, ``"bytes"`` or ``"tokens"``.
    text: str
    #: Whether what is returned is the caller's to keep, or overwritten by the next call.
    copy: bool
    closed: bool

    _batch: Batch
    _spec: Spec

    def _construct(
        self,
        env_id: str,
        num_envs: int,
        render_mode: str | None,
        max_episode_steps: int | None,
        autoreset_mode: AutoresetMode | str,
        copy: bool,
        threads: int,
        text: str,
        config: dict[str, Any],
    ) -> None:
        check_render_mode(render_mode, ["human", "rgb_array", "ansi"])
        if render_mode == "human":
            require_pygame()
        self.env_id = env_id
        self.render_mode = render_mode
        self.autoreset_mode = mode(autoreset_mode)
        self.metadata: dict[str, Any] = {
            "render_modes": ["human", "rgb_array", "ansi"],
            "render_fps": 10,
            "autoreset_mode": self.autoreset_mode,
        }
        self.copy, self.text = bool(copy), text
        self._options: dict[str, Any] = {"threads": threads, "max_episode_steps": max_episode_steps}
        self._begun = False
        self.closed = False
        # The batch refuses what is not a number of copies, so it goes first.
        self.num_envs = num_envs
        self._attach(config)
        self.num_envs = len(self._batch)
        self.config = self._spec.config

    def _attach(self, config: dict[str, Any]) -> None:
        """Make the native batch, and once what steps return of it."""
        self._batch = make_batch(
            self.env_id, self.num_envs, autoreset_mode=self.autoreset_mode, **self._options, **config
        )
        self._spec = Spec.of(self._batch, self.text)
        arrays, agents = self._batch.arrays, range(len(self._spec.agents))
        # A row for each agent.
        self._rewards: NDArray[np.float64] = arrays["rewards"].reshape(len(self._batch), -1).T
        self._terminated: NDArray[np.bool_] = arrays["terminated"]
        self._truncated: NDArray[np.bool_] = arrays["truncated"]
        self._ended: NDArray[np.bool_] = arrays["ended"]
        self._viewers = [self._spec.viewer(arrays["observation"], agent, self.copy) for agent in agents]
        self._parted = [self._spec.has_parts(agent) for agent in agents]
        self._same_step = self.autoreset_mode == AutoresetMode.SAME_STEP
        self._everyone = np.ones(len(self._batch), dtype=np.bool_)
        self._everyone.flags.writeable = False
        numbers = range(len(self._spec.metrics))
        #: What infos hold while episodes go on, and when one has ended.
        self._running = self._infos(arrays, "", self._spec.step_metrics, self._everyone)
        self._over = {**self._infos(arrays, "", numbers, self._ended), **self._running}
        if self._same_step:
            self._over = self._running
            final = arrays["final_observation"]
            self._final_viewers = [self._spec.viewer(final, agent, self.copy) for agent in agents]
            self._final_infos = self._infos(arrays, "final_", numbers, self._ended)
        self._seat: tuple[Any, int] | None = None
        self._window: Window | None = None

    def _detached(self) -> tuple[str, ...]:
        """Return the attributes that :meth:`_attach` makes, which pickling leaves out."""
        return (
            "_batch", "_spec", "_rewards", "_terminated", "_truncated", "_ended", "_viewers", "_parted", "_same_step",
            "_everyone", "_running", "_over", "_final_viewers", "_final_infos", "_seat",
            "_window",
        )  # fmt: skip

    def _infos(
        self, arrays: dict[str, Any], prefix: str, numbers: Sequence[int], mask: NDArray[np.bool_]
    ) -> dict[str, NDArray[Any]]:
        metrics, infos = arrays[f"{prefix}metrics"], {}
        for i in numbers:
            infos[self._spec.metrics[i]], infos[f"_{self._spec.metrics[i]}"] = metrics[i], mask
        if self._spec.problems is not None:
            infos["problem"], infos["_problem"] = arrays[f"{prefix}problems"], mask
        return infos

    def _restart(
        self, seed: int | Sequence[int | None] | None, options: dict[str, Any] | None, draw: np.random.Generator
    ) -> NDArray[np.bool_] | None:
        """Begin episodes; return which copies were asked for. Seeds that a first reset lacks come from ``draw``."""
        options = check_options(options, ("problem", "reset_mask"))
        mask = self._checked_mask(options.get("reset_mask"))
        problem = options.get("problem")
        if problem is not None and not isinstance(problem, (list, tuple, np.ndarray)):
            problem = [problem] * self.num_envs
        root: Any = seed
        seeds: list[Any] | None = None
        if isinstance(seed, (list, tuple, np.ndarray)):
            root, seeds = None, list(seed)
        if not self._begun:
            if mask is not None and not mask.all():
                raise ResetNeeded("reset all copies before resetting some of them")
            if seeds is not None:
                seeds = [int(draw.integers(2**63)) if s is None else s for s in seeds]
            elif root is None:
                root = int(draw.integers(2**63))
        problems = None if problem is None else list(problem)
        self._batch.reset(root, seeds, problems, None if mask is None else mask.tolist())
        self._begun = True
        return mask

    def _checked_mask(self, mask: Any) -> NDArray[np.bool_] | None:
        if mask is None:
            return None
        if not isinstance(mask, np.ndarray):
            raise TypeError(f"`options['reset_mask']` is `{mask!r}`, must be a numpy array")
        if mask.dtype != np.bool_:
            raise TypeError(f"`options['reset_mask']` has elements of {mask.dtype}, must have `bool`")
        if mask.shape != (self.num_envs,):
            raise ValueError(f"`options['reset_mask']` has shape {mask.shape}, must have ({self.num_envs},)")
        return mask

    def _reset_infos(self, mask: NDArray[np.bool_] | None, agent: int = 0) -> dict[str, Any]:
        infos = self._own(self._running)
        if mask is not None:
            infos = {
                k: mask.copy() if k.startswith("_") else np.where(mask, v, v.dtype.type(0)) for k, v in infos.items()
            }
        self._add_parts(infos, self._batch.arrays["observation"], self._everyone if mask is None else mask, agent)
        return infos

    def _own(self, arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
        """Return arrays that are the caller's to keep, unless told not to."""
        return {k: v.copy() for k, v in arrays.items()} if self.copy else dict(arrays)

    def _kept(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self.copy else array

    def _add_parts(
        self, infos: dict[str, Any], observation: dict[str, NDArray[Any]], mask: NDArray[np.bool_], agent: int
    ) -> None:
        """Add the masks of an action of several components, a tuple for each copy of ``mask``."""
        if self._parted[agent]:
            told = np.full(self.num_envs, None, dtype=object)
            parts = self._spec.parts(observation, agent)
            for i in np.flatnonzero(mask).tolist():
                told[i] = parts[i]
            infos["action_mask"], infos["_action_mask"] = told, mask.copy()

    def _step_infos(self, ended: bool, agent: int = 0) -> dict[str, Any]:
        """Return what an agent is told beside its observation: with what ended episodes ended with, if one has."""
        arrays = self._batch.arrays
        infos = self._own(self._over if ended else self._running)
        self._add_parts(infos, arrays["observation"], self._everyone, agent)
        if ended and self._same_step:
            finals = self._own(self._final_infos)
            self._add_parts(finals, arrays["final_observation"], self._ended, agent)
            infos["final_obs"], infos["_final_obs"] = self._final_observations(agent), self._kept(self._ended)
            infos["final_info"], infos["_final_info"] = finals, self._kept(self._ended)
        return infos

    def _final_observations(self, agent: int) -> NDArray[np.object_]:
        """Return what ended episodes ended with. Gymnasium wants an object for each, so this is work for each."""
        finals = np.full(self.num_envs, None, dtype=object)
        which = np.flatnonzero(self._ended)
        shown = self._final_viewers[agent](which if self.copy else None)
        for row, i in enumerate(which.tolist()):
            at = row if self.copy else i
            finals[i] = {name: part[at] for name, part in shown.items()} if isinstance(shown, dict) else shown[at]
        return finals

    @property
    def vocabulary(self) -> Vocabulary | None:
        """The words by their numbers, where text is ``"tokens"`` and there is any."""
        return self._spec.words

    def save(self, index: int) -> bytes:
        """Return the whole state of a copy, experience included; a single environment can restore it too."""
        return self._batch.save(index)

    def restore(self, index: int, state: bytes) -> None:
        """Put a copy into a saved state; :meth:`observe` then shows it."""
        self._batch.restore(index, state)
        self._begun = True

    def experience(self, index: int) -> bytes | None:
        """Return what has been experienced in a copy, ``None`` where no account of it is kept."""
        return self._batch.experience(index)

    def set_experience(self, index: int, experience: bytes) -> None:
        """Take bytes of :meth:`experience` as what has been experienced in a copy."""
        self._batch.set_experience(index, experience)

    def merge_experience(self, index: int, experience: bytes) -> None:
        """Add bytes of :meth:`experience`, of any copy, to what has been experienced in a copy."""
        self._batch.merge_experience(index, experience)

    def clear_experience(self, index: int) -> None:
        """Forget what has been experienced in a copy."""
        self._batch.clear_experience(index)

    def metrics(self, index: int) -> dict[str, float]:
        """Return all metrics of a copy as they stand in its current episode."""
        return dict(zip(self._spec.metrics, self._batch.metrics(index), strict=True))

    @property
    def policies(self) -> list[dict[str, Any]]:
        """The scripted policies: name, about, agent (``None``: any) and privileged."""
        return [dict(policy) for policy in self._spec.policies]

    def _act(self, policies: tuple[str, ...], seed: int) -> NDArray[np.int64]:
        """Return the actions of one policy per agent; a policy remembers as long as it stays seated."""
        if self._seat != (policies, seed):
            self._seat = None
            for agent, policy in enumerate(policies):
                self._batch.seat(agent, policy, seed)
            self._seat = (policies, seed)
        actions: NDArray[np.int64] = self._batch.act()
        return actions

    def _pictures(self, agent: int) -> tuple[Any, ...] | None:
        if self.render_mode is None:
            return None
        if self.render_mode == "human":
            self._show(agent)
            return None
        return tuple(self._picture(i, agent) for i in range(self.num_envs))

    def _picture(self, index: int, agent: int) -> Any:
        if self.render_mode == "rgb_array":
            return self._batch.draw(index, agent)
        return self._batch.ansi(index, agent, COLUMNS) if self.render_mode == "ansi" else None

    def _show(self, agent: int = 0) -> None:
        """Show the window, if that is the render mode: after every reset and step, as Gymnasium has it."""
        if self.render_mode == "human":
            if self._window is None:
                self._window = Window(self.env_id, self.metadata["render_fps"])
            shown = range(min(self.num_envs, MOST_SHOWN))
            self._window.show(tiled([self._batch.draw(i, agent) for i in shown]))

    def _let_go(self) -> None:
        """Close the window and the native batch; what could not be made has neither."""
        window: Window | None = getattr(self, "_window", None)
        if window is not None:
            window.close()
        if hasattr(self, "_batch"):
            self._batch.close()

    def __getstate__(self) -> dict[str, Any]:
        """Return all that fixes the future, so that a copy or a pickle goes on as the original would."""
        state = {name: value for name, value in self.__dict__.items() if name not in self._detached()}
        state["_saved"] = None if self.closed else [self.save(i) for i in range(self.num_envs)]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Go on from :meth:`__getstate__`."""
        saved = state.pop("_saved")
        self.__dict__.update(state)
        self._attach(self.config)
        if saved is None:
            self._batch.close()
        else:
            for i, one in enumerate(saved):
                self._batch.restore(i, one)
            self._batch.observe()
