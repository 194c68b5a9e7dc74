"""The Stable-Baselines3 ``VecEnv`` of an id with one agent; needs the extra ``heldout[sb3]``."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from heldout._native import HeldoutError
from heldout.vector import VectorEnv

try:
    from stable_baselines3.common.vec_env import VecEnv as _VecEnv
except ImportError as error:
    raise ImportError(
        "`heldout.sb3` needs the package `stable-baselines3`, which is not installed: pip install 'heldout[sb3]'",
        name="stable_baselines3",
    ) from error


class Copy:
    """One copy of a batch, as ``get_attr``, ``set_attr`` and ``env_method`` reach it."""

    def __init__(self, batch: VectorEnv, index: int) -> None:
        """Show copy ``index`` of ``batch``."""
        self._batch, self._index = batch, index
        self.env_id, self.config, self.render_mode = batch.env_id, batch.config, batch.render_mode
        self.observation_space, self.action_space = batch.single_observation_space, batch.single_action_space

    def save(self) -> bytes:
        """Return the whole state, experience included."""
        return self._batch.save(self._index)

    def restore(self, state: bytes) -> None:
        """Go on from a saved state; observations and masks are those of it."""
        self._batch.restore(self._index, state)
        self._batch.observe()

    def experience(self) -> bytes | None:
        """Return what has been experienced, ``None`` where no account of it is kept."""
        return self._batch.experience(self._index)

    def set_experience(self, experience: bytes) -> None:
        """Take bytes as what has been experienced."""
        self._batch.set_experience(self._index, experience)

    def merge_experience(self, experience: bytes) -> None:
        """Add bytes of :meth:`experience`, of any copy, to what has been experienced."""
        self._batch.merge_experience(self._index, experience)

    def clear_experience(self) -> None:
        """Forget what has been experienced."""
        self._batch.clear_experience(self._index)

    def metrics(self) -> dict[str, float]:
        """Return all metrics as they stand in the current episode."""
        return self._batch.metrics(self._index)

    def action_masks(self) -> Any:
        """Return which actions are allowed: what ``MaskablePPO`` asks for."""
        return self._batch.action_masks()[self._index]

    def render(self) -> Any:
        """Return a picture for people."""
        return self._batch.render_copy(self._index)


class HeldoutVecEnv(_VecEnv):  # type: ignore[misc]
    """Copies stepped together, restarted in the step that ends them, as Stable-Baselines3 wants them.

    ``seed(S)`` makes the next reset give copy ``i`` what a single environment reset with ``S + i`` plays. ``infos``
    hold what :class:`heldout.Env` shows, ``TimeLimit.truncated``, and ``terminal_observation`` where an episode ended.
    ``text`` is ``"bytes"``, zero-padded, or ``"tokens"`` (:mod:`heldout.text`): Stable-Baselines3 knows no ``str``. The
    keyword arguments are those of :class:`heldout.VectorEnv`.
    """

    def __init__(self, env_id: str, num_envs: int = 1, **config: Any) -> None:
        """Make ``num_envs`` copies of ``env_id``."""
        for fixed in ("autoreset_mode", "copy"):
            if fixed in config:
                raise HeldoutError(f"`{fixed}` is not to be chosen here: Stable-Baselines3 knows one")
        if config.get("text") == "str":
            raise HeldoutError("`text` is `str`, must be `bytes` or `tokens`: Stable-Baselines3 knows no text")
        self.batch = VectorEnv(env_id, num_envs, autoreset_mode=AutoresetMode.SAME_STEP, copy=False, **config)
        self.copies = [Copy(self.batch, i) for i in range(self.batch.num_envs)]
        self._actions: Any = None
        super().__init__(self.batch.num_envs, self.batch.single_observation_space, self.batch.single_action_space)

    def reset(self) -> Any:
        """Begin episodes, by the seeds and options set for the next reset."""
        options: dict[str, Any] = {}
        if any(self._options):
            for own in self._options:
                if set(own) - {"problem"}:
                    raise HeldoutError(f"there is no such option of reset in `{own}`; there is `problem`")
            options["problem"] = [own.get("problem") for own in self._options]
        seeds = None if all(seed is None for seed in self._seeds) else self._seeds
        observations, infos = self.batch.reset(seed=seeds, options=options)
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = self._listed(infos)
        return copied(observations)

    def step_async(self, actions: Any) -> None:
        """Keep the actions for :meth:`step_wait`."""
        self._actions = actions

    def step_wait(self) -> Any:
        """Step every copy."""
        observations, rewards, terminated, truncated, arrays = self.batch.step(self._actions)
        finals = arrays.pop("final_info", None)
        final_obs, ended = arrays.pop("final_obs", None), arrays.pop("_final_obs", None)
        arrays.pop("_final_info", None)
        infos = self._listed(arrays)
        if final_obs is not None:
            final_infos = self._listed(finals)
            for i in np.flatnonzero(ended).tolist():
                self.reset_infos[i], infos[i] = infos[i], final_infos[i]
                infos[i]["terminal_observation"] = copied(final_obs[i])
        for info, cut in zip(infos, truncated.tolist(), strict=True):
            info["TimeLimit.truncated"] = cut
        return copied(observations), rewards.astype(np.float32), terminated | truncated, infos

    def _listed(self, arrays: dict[str, Any]) -> list[dict[str, Any]]:
        """Return infos as a dict a copy."""
        names = [name for name in arrays if not name.startswith("_")]
        if not names:
            return [{} for _ in range(self.num_envs)]
        rows = zip(*(arrays[name].tolist() for name in names), strict=True)
        return [dict(zip(names, row, strict=True)) for row in rows]

    def close(self) -> None:
        """Let go of the native batch. Calling it again does nothing."""
        self.batch.close()

    def render(self, mode: str | None = None) -> Any:
        """Show the window in the mode ``human``, which is one for all copies; return what all show in others."""
        if self.batch.render_mode == "human" and mode in (None, "human"):
            return self.batch.render()
        return super().render(mode)

    def get_images(self) -> Sequence[Any]:
        """Return a picture of each copy, ``None`` where the render mode is not ``rgb_array``."""
        return (self.batch.render() or ()) if self.render_mode == "rgb_array" else [None] * self.num_envs

    def _chosen(self, indices: int | Iterable[int] | None) -> list[Copy]:
        return [self.copies[i] for i in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """Return an attribute of each copy."""
        # The base class asks before it has set the number of copies.
        chosen = self.copies if indices is None else self._chosen(indices)
        return [getattr(copy, attr_name) for copy in chosen]

    def set_attr(self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None) -> None:
        """Set an attribute of each copy; nothing native reads it."""
        for copy in self._chosen(indices):
            setattr(copy, attr_name, value)

    def env_method(
        self, method_name: str, *args: Any, indices: int | Iterable[int] | None = None, **kwargs: Any
    ) -> list[Any]:
        """Call a method of each copy."""
        return [getattr(copy, method_name)(*args, **kwargs) for copy in self._chosen(indices)]

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: int | Iterable[int] | None = None
    ) -> list[bool]:
        """Say of each copy that it is not wrapped: there is nothing of Python to wrap."""
        return [False for _ in self._chosen(indices)]


def copied(observation: Any) -> Any:
    """Return an observation that the next step does not overwrite."""
    if isinstance(observation, dict):
        return {name: array.copy() for name, array in observation.items()}
    return observation.copy()


# Type checkers know the names that there are.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Say what the class is called to whoever asks for it by the name that Stable-Baselines3 gives its own."""
        told = "; the vector environment here is `HeldoutVecEnv`" if name == "VecEnv" else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{told}")
