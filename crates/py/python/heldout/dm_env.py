"""The Memory Tasks Suite behind ``dm_env``, by its public level names; needs the extra ``heldout[dm-env]``.

>>> from heldout import dm_env
>>> settings = dm_env.EnvironmentSettings(seed=1, level_name="spot_diff_train", num_action_repeats=4)
>>> env = dm_env.load_from_settings(settings)
>>> step = env.reset()
>>> step = env.step({"MOVE_BACK_FORWARD": 1.0})
>>> step.observation["RGB_INTERLEAVED"].shape
(72, 96, 3)

**Levels.** :data:`LEVEL_NAMES` holds the 77 public names and two more, ``transitive_inference_train`` and
``explore_goal_locations_train``, which mix the two training levels of their task. :data:`MEMORY_TASK_LEVEL_NAMES` holds
the 57 that ``dm_memorytasks`` has.

**Coming from** ``dm_memorytasks``: :class:`EnvironmentSettings`, :func:`load_from_docker`, :func:`load_from_disk` and
:data:`MEMORY_TASK_LEVEL_NAMES` are called as there. The loaders open the environments of this package: there is no
container and no binary, so the image's name and the folder are not looked at. Episodes differ from the original's, and
so do scores; ``episode_length_seconds`` is the paper's per level where it is left out, not 120.

**Time.** A step is a tick of the engine, a 30th of a second in the 57 Unity levels and a 60th in the Lab ones, repeated
``num_action_repeats`` times. The environments of the registry (``memory/spot-diff-v1``) repeat each action 4 times.
Episodes last what the paper says unless ``episode_length_seconds`` says otherwise.

**Actions** are dicts of raw controls. They are sticky: one that is left out keeps its value until the episode ends;
:meth:`Environment.reset` sets all to zero. Unity levels have four doubles from -1 to 1, with +1 right, forward, right
and up: ``STRAFE_LEFT_RIGHT``, ``MOVE_BACK_FORWARD``, ``LOOK_LEFT_RIGHT``, ``LOOK_DOWN_UP``. Lab levels have seven
integers: ``LOOK_LEFT_RIGHT_PIXELS_PER_FRAME`` and ``LOOK_DOWN_UP_PIXELS_PER_FRAME`` from -512 to 512,
``STRAFE_LEFT_RIGHT`` and ``MOVE_BACK_FORWARD`` from -1 to 1, ``FIRE``, ``JUMP`` and ``CROUCH``, 0 or 1; before a
PsychLab screen only looking has an effect. :func:`discrete` gives the eight actions of the tasks that are walked
through, or PsychLab's five.

**Observations**: ``RGB_INTERLEAVED``, ``AvatarPosition`` (Unity levels: east, up, north, in metres; Lab levels: east,
north, up, in Quake units) and ``Score``, the sum of the episode's rewards. The last two are for debugging and oracles:
an agent that is to be compared with others sees the picture alone.

**Ends.** A task that comes to its end (a choice made, the last trial done) ends with a discount of 0, an episode that
is cut by its time limit with one of 1; with ``legacy_discount=True`` both end with 0.

**Seeds.** Level name, seed and number of the episode fix an episode: episode ``k`` here is episode ``k`` of a single
environment of the registry that was reset with that seed, under the same level. The size of the picture changes
nothing else.
"""

import operator
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from heldout import _native
from heldout._native import HeldoutError
from heldout.registry import _check_keys, about, encode, ids

try:
    import dm_env
    from dm_env import specs
except ImportError as error:
    raise ImportError(
        "`heldout.dm_env` needs the package `dm-env`, which is not installed: pip install 'heldout[dm-env]'",
        name="dm_env",
    ) from error

__all__ = [
    "LEVEL_NAMES",
    "MEMORY_TASK_LEVEL_NAMES",
    "DiscreteEnvironment",
    "Environment",
    "EnvironmentSettings",
    "discrete",
    "load",
    "load_from_disk",
    "load_from_docker",
    "load_from_settings",
]

#: Every name that a level can be loaded by.
LEVEL_NAMES: tuple[str, ...] = tuple(_native.levels())

#: The tasks of DeepMind Lab, which ``dm_memorytasks`` does not have.
_LAB_TASKS = (
    "arbitrary_visuomotor_mapping",
    "change_detection",
    "continuous_recognition",
    "explore_goal_locations",
    "what_then_where",
)

#: The names of the levels that ``dm_memorytasks`` has.
MEMORY_TASK_LEVEL_NAMES: frozenset[str] = frozenset(
    name for name in LEVEL_NAMES if not name.startswith(_LAB_TASKS) and name != "transitive_inference_train"
)

#: The longest episode that can be asked for.
_MOST_SECONDS = 36_000
#: The most ticks that an action can be repeated for.
_MOST_REPEATS = 2**31 - 1


class _Settings(NamedTuple):
    seed: int
    level_name: str
    width: int = 96
    height: int = 72
    episode_length_seconds: float | None = None
    num_action_repeats: int = 1


class EnvironmentSettings(_Settings):
    """What fixes a level, as a named tuple; values that none can have are refused by a ``ValueError`` that names them.

    ``episode_length_seconds`` is the time limit, the level's own if it is ``None``. Sides of the picture are 16 to
    1024.
    """

    __slots__ = ()

    def __new__(cls, *args: Any, **kwargs: Any) -> "EnvironmentSettings":
        """Check every value."""
        settings = super().__new__(cls, *args, **kwargs)
        _check(settings)
        return settings


def _check(settings: _Settings) -> None:
    if settings.level_name not in LEVEL_NAMES:
        # The native part knows which names are near.
        _native.Level(str(settings.level_name), 0, 96, 72, None, False, "{}")
    _integer("seed", settings.seed, 0, 2**64 - 1)
    _integer("width", settings.width, 16, 1024)
    _integer("height", settings.height, 16, 1024)
    _integer("num_action_repeats", settings.num_action_repeats, 1, _MOST_REPEATS)
    seconds = settings.episode_length_seconds
    if seconds is not None and not 0 < seconds <= _MOST_SECONDS:
        allowed = f"more than 0 and at most {_MOST_SECONDS}, or `None`"
        raise HeldoutError(f"`episode_length_seconds` is `{seconds}`, must be {allowed}")


def _integer(name: str, value: Any, low: int, high: int) -> None:
    try:
        number = operator.index(value)
    except TypeError:
        raise HeldoutError(f"`{name}` is `{value!r}`, must be an integer") from None
    if not low <= number <= high:
        raise HeldoutError(f"`{name}` is `{value}`, must be {low} to {high}")


def _id(level_name: str) -> str:
    """Return the id of the environment that a level is one of: the task that its name begins with."""
    full = [env_id for env_id in ids() if env_id.startswith("memory/") and "-mini-v" not in env_id]
    tasks = {env_id.removeprefix("memory/").rpartition("-v")[0].replace("-", "_"): env_id for env_id in full}
    return tasks[max((task for task in tasks if level_name.startswith(f"{task}_")), key=len)]


class Environment(dm_env.Environment):  # type: ignore[misc]
    """A level behind ``dm_env``; :func:`load_from_settings` and :func:`load` make it."""

    def __init__(
        self,
        settings: EnvironmentSettings,
        *,
        legacy_discount: bool = False,
        frames_remaining: bool = False,
        first_episode: int = 0,
        invert_pitch: bool = False,
        config: Mapping[str, Any] | None = None,
    ) -> None:
        """Open a level.

        ``legacy_discount`` ends every episode with a discount of 0, also one that is cut. ``frames_remaining`` adds the
        observation ``FRAMES_REMAINING``, the ticks until the episode is cut. ``first_episode`` is the number of the
        episode that the first :meth:`reset` begins. ``invert_pitch`` exchanges looking up and down. ``config`` holds
        further keys of the environment's config, as its card lists them; one that there is not raises
        :class:`heldout.UnknownKeyError`.
        """
        _integer("first_episode", first_episode, 0, 2**64 - 1)
        # A tuple made by `_replace` has not been looked at.
        _check(settings)
        further, env_id = dict(config or {}), _id(settings.level_name)
        _check_keys(env_id, further, about(env_id)["defaults"], "")
        self.settings = settings
        self._level = _native.Level(
            settings.level_name,
            settings.seed,
            settings.width,
            settings.height,
            None if settings.episode_length_seconds is None else float(settings.episode_length_seconds),
            bool(invert_pitch),
            encode(further),
        )
        self._legacy_discount = legacy_discount
        self._frames_remaining = frames_remaining
        self._next = operator.index(first_episode)
        self._episode: int | None = None
        self._running = False
        self._controls = self._level.controls()

    @property
    def episode(self) -> int | None:
        """The number of the current episode, ``None`` before the first."""
        return self._episode

    @property
    def ticks_per_second(self) -> int:
        """Ticks in a second."""
        return self._level.ticks_per_second()

    @property
    def controls(self) -> dict[str, float]:
        """The raw controls as they stand."""
        return self._named(self._level.values())

    @property
    def discrete_actions(self) -> tuple[dict[str, float], ...]:
        """All raw controls for each discrete action of the paper's agents, in the order of the action's number."""
        return tuple(self._named(values) for values in self._level.discrete())

    def _named(self, values: list[float]) -> dict[str, float]:
        return {
            name: int(value) if whole else value
            for (name, _, _, whole), value in zip(self._controls, values, strict=True)
        }

    def reset(self) -> dm_env.TimeStep:
        """Begin the next episode, with all controls at zero."""
        self._level.begin(self._next)
        self._episode = self._next
        self._next += 1
        self._running = True
        return dm_env.restart(self._observation())

    def step(self, action: Mapping[str, Any]) -> dm_env.TimeStep:
        """Set the controls that ``action`` names, and hold all for ``num_action_repeats`` ticks or until the end.

        Rewards of the ticks are summed and discounts multiplied. After an episode has ended, and before the first, the
        action is ignored and an episode begins.
        """
        if not self._running:
            return self.reset()
        if not isinstance(action, Mapping):
            raise TypeError(f"the action is `{action!r}`, must be a dict of raw controls")
        reward, terminated, truncated = self._level.step(dict(action), int(self.settings.num_action_repeats))
        observation = self._observation()
        if not (terminated or truncated):
            return dm_env.transition(reward, observation)
        self._running = False
        if terminated or self._legacy_discount:
            return dm_env.termination(reward, observation)
        return dm_env.truncation(reward, observation)

    def _observation(self) -> dict[str, Any]:
        observation = {
            "RGB_INTERLEAVED": self._level.picture(),
            "AvatarPosition": np.array(self._level.position(), dtype=np.float64),
            "Score": np.float64(self._level.score()),
        }
        if self._frames_remaining:
            observation["FRAMES_REMAINING"] = np.float64(self._level.ticks_left())
        return observation

    def observation_spec(self) -> dict[str, specs.Array]:
        """Return the specs of the observations by name."""
        shape = (int(self.settings.height), int(self.settings.width), 3)
        observations = {
            "RGB_INTERLEAVED": specs.BoundedArray(shape, np.uint8, 0, 255, name="RGB_INTERLEAVED"),
            "AvatarPosition": specs.Array((3,), np.float64, name="AvatarPosition"),
            "Score": specs.Array((), np.float64, name="Score"),
        }
        if self._frames_remaining:
            observations["FRAMES_REMAINING"] = specs.BoundedArray((), np.float64, 0.0, np.inf, name="FRAMES_REMAINING")
        return observations

    def action_spec(self) -> dict[str, specs.BoundedArray]:
        """Return the specs of the raw controls by name."""
        return {
            name: specs.BoundedArray((), np.int32 if whole else np.float64, low, high, name=name)
            for name, low, high, whole in self._controls
        }

    def close(self) -> None:
        """Let go of the level."""
        self._level.close()


class DiscreteEnvironment(dm_env.Environment):  # type: ignore[misc]
    """A level whose actions are the numbers of the paper's discrete set; :func:`discrete` makes it."""

    def __init__(self, environment: Environment) -> None:
        """Wrap ``environment``."""
        self.environment = environment
        self._actions = environment.discrete_actions

    def reset(self) -> dm_env.TimeStep:
        """Begin the next episode."""
        return self.environment.reset()

    def step(self, action: Any) -> dm_env.TimeStep:
        """Set all controls as the action has them, and step."""
        if not self.environment._running:
            return self.environment.reset()
        _integer("action", action, 0, len(self._actions) - 1)
        return self.environment.step(self._actions[operator.index(action)])

    def observation_spec(self) -> dict[str, specs.Array]:
        """Return the specs of the observations by name."""
        return self.environment.observation_spec()

    def action_spec(self) -> specs.DiscreteArray:
        """Return the spec of the action's number."""
        return specs.DiscreteArray(len(self._actions), name="action")

    def close(self) -> None:
        """Let go of the level."""
        self.environment.close()


def discrete(environment: Environment) -> DiscreteEnvironment:
    """Return the environment with the discrete actions of the paper's agents.

    Tasks that are walked through have eight: forward, backward, strafe left, strafe right, look left, look right,
    forward and look left, forward and look right. PsychLab has five: nothing, look left, look right, look up, look
    down.
    """
    return DiscreteEnvironment(environment)


def load_from_settings(settings: EnvironmentSettings, **options: Any) -> Environment:
    """Open the level that ``settings`` describe; the options are those of :class:`Environment`."""
    return Environment(settings, **options)


def load_from_docker(settings: EnvironmentSettings, name: str | None = None, **options: Any) -> Environment:
    """Open the level that ``settings`` describe, as ``dm_memorytasks.load_from_docker`` is called.

    There is no container: ``name`` is not looked at. The options are those of :class:`Environment`.
    """
    del name
    return Environment(settings, **options)


def load_from_disk(path: str | os.PathLike[str], settings: EnvironmentSettings, **options: Any) -> Environment:
    """Open the level that ``settings`` describe, as ``dm_memorytasks.load_from_disk`` is called.

    There is no binary: ``path`` is not looked at. The options are those of :class:`Environment`.
    """
    del path
    return Environment(settings, **options)


def load(
    level_name: str,
    seed: int = 0,
    *,
    width: int = 96,
    height: int = 72,
    episode_length_seconds: float | None = None,
    num_action_repeats: int = 1,
    **options: Any,
) -> Environment:
    """Open a level by its public name; the options are those of :class:`Environment`."""
    settings = EnvironmentSettings(seed, level_name, width, height, episode_length_seconds, num_action_repeats)
    return Environment(settings, **options)
