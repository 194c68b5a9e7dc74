"""Ids that RLlib's workers can make; needs the extra ``heldout[ray]``.

RLlib makes environments by name, in processes that have not imported this package:

>>> import heldout.rllib                                                          # doctest: +SKIP
>>> heldout.rllib.register()                                                      # doctest: +SKIP
>>> task = "memory/spot-diff-mini-v1"                                             # doctest: +SKIP
>>> config = PPOConfig().environment(task, env_config={"level": "train"})         # doctest: +SKIP

Ids with several agents are ``MultiAgentEnv`` there. Text is ``"bytes"`` unless ``env_config`` says ``"tokens"``
(:mod:`heldout.text`): RLlib's networks know no ``str``.
"""

import functools
from collections.abc import Mapping
from typing import Any

from heldout.configs import SEVERAL
from heldout.envs import Env
from heldout.registry import ids

try:
    from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
    from ray.tune.registry import register_env
except ImportError as error:
    raise ImportError(
        "`heldout.rllib` needs the package `ray[rllib]`, which is not installed: pip install 'heldout[ray]'",
        name="ray",
    ) from error


def register() -> None:
    """Register every id with RLlib, by its own name; ``env_config`` is what :func:`heldout.make` takes."""
    for env_id in ids():
        register_env(env_id, functools.partial(_made, env_id))


def _made(env_id: str, env_config: Mapping[str, Any]) -> Any:
    """Make an environment as RLlib asks for it: found by name in its workers, which import this module so."""
    config = {"text": "bytes", **env_config}
    if env_id in SEVERAL:
        from heldout.parallel import ParallelEnv

        return ParallelPettingZooEnv(ParallelEnv(env_id, **config))
    return Env(env_id, **config)
