"""Minari datasets from any policy, metrics included; needs the extra ``heldout[minari]``.

>>> import heldout.minari
>>> data = heldout.minari.collect("oracle", "example/grid-v1", "heldout/grid-v0", episodes=10)   # doctest: +SKIP
>>> data.recover_environment()                                                                   # doctest: +SKIP

Each step holds all metrics of the environment in its ``infos``, and each episode the seed that it was reset with: the
environment that Minari recovers plays it again.
"""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from heldout._native import HeldoutError
from heldout.evaluation import _decider, _evaluating, _Moment, _named, _opened
from heldout.trained import TrainedPolicy

try:
    import minari
except ImportError as error:
    raise ImportError(
        "`heldout.minari` needs the package `minari`, which is not installed: pip install 'heldout[minari]'",
        name="minari",
    ) from error

__all__ = ["collect"]


class _Metrics(minari.StepDataCallback):  # type: ignore[misc]
    """Stores all metrics at every step, by the same names, as Minari asks for."""

    def __call__(self, env: Any, **told: Any) -> Any:
        step = super().__call__(env, **told)
        step["info"] = {name: np.float32(value) for name, value in env.unwrapped.metrics().items()}
        return step


def collect(
    policy: Any,
    env_id: str,
    dataset_id: str,
    *,
    episodes: int,
    seed: int = 0,
    name: str | None = None,
    deterministic: bool = True,
    text: str = "bytes",
    **config: Any,
) -> "minari.MinariDataset":
    """Play ``policy`` for a number of ``episodes`` and keep all that happens as the dataset ``dataset_id``.

    ``policy`` is the name of a scripted policy, what :func:`heldout.load` opened or the path of it, or a function,
    model or module as :func:`heldout.evaluate` takes it. What was trained here plays under the config of its training,
    ``config`` laid over it. Episode ``i`` is what a reset with ``seed + i`` begins.
    ``name`` is the algorithm that the dataset says it is of; ``text`` the form of text (:mod:`heldout.text`),
    ``"bytes"`` or ``"tokens"``. The keyword arguments are keys of the id's config. Pictures are kept as they are.
    """
    if episodes < 1:
        raise HeldoutError(f"`episodes` is `{episodes}`, must be 1 or more")
    if text not in ("bytes", "tokens"):
        raise HeldoutError(f"`text` is `{text}`, must be `bytes` or `tokens`: a dataset holds arrays")
    policy, called = _found(policy)
    if isinstance(policy, TrainedPolicy):
        if policy.id != env_id:
            raise HeldoutError(f"`env_id` is `{env_id}`, must be `{policy.id}`, which `{policy.path}` has learnt")
        config = {**policy.config, **config}
    env = gymnasium.make(env_id, text=text, **config)
    choose = _chooser(policy, env.unwrapped, deterministic)
    collector = minari.DataCollector(env, step_data_callback=_Metrics, record_infos=True, jpeg_encoding=False)
    try:
        with _evaluating(policy):
            for own in range(seed, seed + episodes):
                observation, _ = collector.reset(seed=own)
                reward, start, ended = 0.0, True, False
                while not ended:
                    action = choose(observation, reward, start, own)
                    observation, paid, terminated, truncated, _ = collector.step(action)
                    reward, start, ended = float(paid), False, terminated or truncated
        return collector.create_dataset(dataset_id, eval_env=env.spec, algorithm_name=name or called)
    finally:
        collector.close()


def _found(policy: Any) -> tuple[Any, str]:
    """Return a policy, opened if it is the path of a trained one, and what it is called."""
    found, trained = _opened(policy)
    if trained is not None:
        return policy if isinstance(policy, TrainedPolicy) else TrainedPolicy(found), trained
    return found, found if isinstance(found, str) else _named(found)


def _chooser(policy: Any, env: Any, deterministic: bool) -> Callable[[Any, float, bool, int], Any]:
    """Return what chooses an action by observation, last reward, whether an episode begins, and its seed."""
    if isinstance(policy, TrainedPolicy):
        return lambda seen, reward, start, own: policy(
            seen, episode_start=start, reward=reward, info=env.metrics(), seeds=own
        )
    if isinstance(policy, str):
        return lambda seen, reward, start, own: env.act(policy, own)
    sizes = getattr(env.action_space, "nvec", None)
    among = next((field.masks[0] for field in env._spec.fields if field.masks), None)
    act = _decider(policy)([int(env.action_space.n)] if sizes is None else [int(size) for size in sizes], among)
    told = [env._spec.metrics[i] for i in env._spec.step_metrics]

    def choose(seen: Any, reward: float, start: bool, own: int) -> Any:
        batch = {k: np.asarray(v)[None] for k, v in seen.items()} if isinstance(seen, dict) else np.asarray(seen)[None]
        now = env.metrics()
        metrics = {name: np.array([0.0 if start else now[name]], np.float32) for name in told}
        moment = _Moment(
            batch, np.array([start]), np.array([own], np.uint64), np.array([reward], np.float32), metrics, deterministic
        )
        action = np.asarray(act(moment))[0]
        return int(action) if np.ndim(action) == 0 else action

    return choose
