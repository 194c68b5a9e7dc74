"""The Gymnasium vector environment of an id with one agent: a native batch."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from heldout._native import Batch
from heldout.registry import make_batch, mode
from heldout.single import COLUMNS
from heldout.spaces import MASK, Spec, check_options, check_render_mode


class VectorEnv(gymnasium.vector.VectorEnv[Any, Any, NDArray[Any]]):
    """Copies stepped together; ``gymnasium.make_vec(id, num_envs=N, **config)`` makes it.

    A step is one native call, without the interpreter's lock. ``copy=False`` returns the arrays that the batch writes,
    which the next call overwrites: use or copy them before it. ``threads`` spreads the copies and changes no result; a process
    forked from this one, which has none of its threads, steps them one after another. One environment may be used by one
    thread at a time: a call while another is under way raises ``RuntimeError``.

    ``reset(seed=S)`` with an integer derives the streams of all copies from ``S`` (copies of one seed are unrelated,
    and those of ``S`` and ``S + 1`` share none). A list gives copy ``i`` what a single environment reset with
    ``seeds[i]`` plays; ``None`` there goes on to the copy's next episode, as a reset without a seed does for all.
    Options: ``problem`` (a number for all copies, or a list), ``reset_mask`` (which copies).

    Text fields are zero-padded bytes here. Infos are as Gymnasium's own vector environments make them from
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
        **config: Any,
    ) -> None:
        """Make ``num_envs`` copies of ``env_id``; ``max_episode_steps`` cuts episodes beside the own time limit."""
        check_render_mode(render_mode, ["rgb_array", "ansi"])
        self.env_id = env_id
        self.render_mode = render_mode
        self.autoreset_mode = mode(autoreset_mode)
        self.metadata = {
            "render_modes": ["rgb_array", "ansi"],
            "render_fps": 10,
            "autoreset_mode": self.autoreset_mode,
        }
        self.copy = bool(copy)
        self._options: dict[str, Any] = {"threads": threads, "max_episode_steps": max_episode_steps}
        self._begun = False
        self.closed = False
        # The batch refuses what is not a number of copies, so it goes first.
        self.num_envs = num_envs
        self._attach(config)
        self.num_envs = len(self._batch)
        self.config = self._spec.config
        self.single_observation_space = self._spec.observation_space(text=False)
        self.single_action_space = self._spec.action_space()
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def _attach(self, config: dict[str, Any]) -> None:
        """Make the native batch, and once what steps return of it."""
        self._batch: Batch = make_batch(
            self.env_id, self.num_envs, autoreset_mode=self.autoreset_mode, **self._options, **config
        )
        self._spec = Spec.of(self._batch)
        self._spec.require_single()
        arrays = self._batch.arrays
        self._rewards: NDArray[np.float64] = arrays["rewards"]
        self._terminated: NDArray[np.bool_] = arrays["terminated"]
        self._truncated: NDArray[np.bool_] = arrays["truncated"]
        self._ended: NDArray[np.bool_] = arrays["ended"]
        self._observations = self._plain(arrays["observation"])
        self._same_step = self.autoreset_mode == AutoresetMode.SAME_STEP
        everyone = np.ones(len(self._batch), dtype=np.bool_)
        everyone.flags.writeable = False
        numbers = range(len(self._spec.metrics))
        #: What infos hold while episodes go on, and when one has ended.
        self._running = self._infos(arrays, "", self._spec.step_metrics, everyone)
        self._over = {**self._infos(arrays, "", numbers, self._ended), **self._running}
        if self._same_step:
            self._over = self._running
            self._final_observations: dict[str, NDArray[Any]] = arrays["final_observation"]
            self._final_infos = self._infos(arrays, "final_", numbers, self._ended)
        self._seat: tuple[str, int] | None = None
        self._masks: dict[str, NDArray[np.int8]] = {}

    def _detached(self) -> tuple[str, ...]:
        """Return the attributes that :meth:`_attach` makes, which pickling leaves out."""
        return (
            "_batch", "_spec", "_rewards", "_terminated", "_truncated", "_ended", "_observations", "_same_step",
            "_running", "_over", "_final_observations", "_final_infos", "_seat", "_masks",
        )  # fmt: skip

    def _plain(self, arrays: dict[str, NDArray[Any]]) -> Any:
        """Return the arrays of an observation as its space has them."""
        return next(iter(arrays.values())) if len(arrays) == 1 else arrays

    def _infos(
        self, arrays: dict[str, Any], prefix: str, numbers: Sequence[int], mask: NDArray[np.bool_]
    ) -> dict[str, NDArray[Any]]:
        metrics, infos = arrays[f"{prefix}metrics"], {}
        for i in numbers:
            infos[self._spec.metrics[i]], infos[f"_{self._spec.metrics[i]}"] = metrics[i], mask
        if self._spec.problems is not None:
            infos["problem"], infos["_problem"] = arrays[f"{prefix}problems"], mask
        return infos

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begin episodes in all copies, or in those that ``options["reset_mask"]`` selects."""
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
                seeds = [int(self.np_random.integers(2**63)) if s is None else s for s in seeds]
            elif root is None:
                root = int(self.np_random.integers(2**63))
        problems = None if problem is None else list(problem)
        self._batch.reset(root, seeds, problems, None if mask is None else mask.tolist())
        if seed is not None and seeds is None:
            super().reset(seed=int(root))
        self._begun = True
        return self._returned(self._observations), self._reset_infos(mask)

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

    def _reset_infos(self, mask: NDArray[np.bool_] | None) -> dict[str, Any]:
        if mask is None:
            return self._returned(dict(self._running))  # type: ignore[no-any-return]
        return {
            k: mask.copy() if k.startswith("_") else np.where(mask, v, v.dtype.type(0))
            for k, v in self._running.items()
        }

    def _returned(self, arrays: Any) -> Any:
        """Return arrays that are the caller's to keep, unless told not to."""
        if isinstance(arrays, dict):
            own = {k: v.copy() for k, v in arrays.items()} if self.copy else dict(arrays)
            if MASK in own:
                own[MASK] = self._small(own[MASK], "last")
            return own
        return arrays.copy() if self.copy else arrays

    def _small(self, mask: NDArray[Any], which: str) -> NDArray[np.int8]:
        """Return a mask as int8: the caller's to keep, or an array that the next step overwrites."""
        if self.copy:
            return mask.astype(np.int8)
        kept = self._masks.setdefault(which, np.zeros(mask.shape, dtype=np.int8))
        np.copyto(kept, mask, casting="unsafe")
        return kept

    def step(
        self, actions: Any
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Take one step in every copy."""
        if not self._begun:
            raise ResetNeeded("reset the environment before its first step")
        ended = self._batch.step(actions)
        infos = self._returned(self._over if ended else self._running)
        if ended and self._same_step:
            self._add_finals(infos)
        if self.copy:
            return (
                self._returned(self._observations),
                self._rewards.copy(),
                self._terminated.copy(),
                self._truncated.copy(),
                infos,
            )
        return self._returned(self._observations), self._rewards, self._terminated, self._truncated, infos

    def _add_finals(self, infos: dict[str, Any]) -> None:
        """Add what ended episodes ended with. Gymnasium wants an object for each, so this is work for each."""
        final_obs = np.full(self.num_envs, None, dtype=object)
        which = np.flatnonzero(self._ended)
        fields = self._final_observations
        if self.copy:
            fields = {name: array[which] for name, array in fields.items()}
        if MASK in fields:
            fields = {**fields, MASK: self._small(fields[MASK], "final")}
        for row, i in enumerate(which.tolist()):
            at = row if self.copy else i
            final_obs[i] = self._plain({name: array[at] for name, array in fields.items()})
        infos["final_obs"], infos["_final_obs"] = final_obs, self._returned(self._ended)
        infos["final_info"], infos["_final_info"] = self._returned(self._final_infos), self._returned(self._ended)

    def observe(self) -> tuple[Any, dict[str, Any]]:
        """Return observations and infos as they stand: after :meth:`restore`, for instance."""
        self._batch.observe()
        infos = self._over if self._ended.any() else self._running
        return self._returned(self._observations), self._returned(infos)

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

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions each copy allows, flat over components: what ``MaskablePPO`` asks for."""
        return self._spec.mask(self._batch.arrays["observation"])

    @property
    def policies(self) -> list[dict[str, Any]]:
        """The scripted policies: name, about, agent (``None``: any) and privileged."""
        return [dict(policy) for policy in self._spec.policies]

    def act(self, policy: str, seed: int = 0) -> NDArray[np.int64]:
        """Return the actions of a scripted policy, which remembers as long as it stays seated."""
        if self._seat != (policy, seed):
            self._seat = None
            self._batch.seat(0, policy, seed)
            self._seat = (policy, seed)
        actions: NDArray[np.int64] = self._batch.act()
        return actions[:, 0] if isinstance(self.single_action_space, gymnasium.spaces.Discrete) else actions

    def render(self) -> tuple[Any, ...] | None:
        """Return a picture of each copy: arrays in the mode ``rgb_array``, text for a terminal in ``ansi``."""
        if self.render_mode is None:
            return None
        return tuple(self.render_copy(i) for i in range(self.num_envs))

    def render_copy(self, index: int) -> Any:
        """Return a picture of one copy."""
        if self.render_mode == "rgb_array":
            return self._batch.draw(index, 0)
        return None if self.render_mode is None else self._batch.ansi(index, 0, COLUMNS)

    def close_extras(self, **kwargs: Any) -> None:
        """Let go of the native batch; arrays that were handed out stay."""
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
