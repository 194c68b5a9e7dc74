"""Environments that ask whether a learning agent generalises beyond what it was trained on.

Importing the package registers every id with Gymnasium:

>>> import gymnasium
>>> import heldout
>>> env = gymnasium.make("example/grid-v1", split="heldout")
>>> envs = gymnasium.make_vec("example/grid-v1", num_envs=1024, copy=False)

:func:`heldout.make` and :func:`heldout.make_vec` do the same with the keys of each id for editors to complete. Ids with
several agents are made by :func:`heldout.parallel_env` and :class:`heldout.ParallelVectorEnv`; Stable-Baselines3 takes
``heldout.sb3.HeldoutVecEnv``; ``heldout.dm_env`` opens the levels of the Memory Tasks Suite by their public names, with
raw controls.
"""

from typing import TYPE_CHECKING, Any

from heldout._native import Batch, HeldoutError, __version__
from heldout.envs import Env
from heldout.evaluation import Place, evaluate, protocol, protocols, report
from heldout.making import make, make_vec
from heldout.parallel_vector import ParallelVectorEnv
from heldout.registry import UnknownKeyError, about, card, configure, ids, make_batch, register
from heldout.text import Vocabulary, decode_text, vocabulary
from heldout.trained import TrainedPolicy, load
from heldout.vector import VectorEnv

if TYPE_CHECKING:
    from heldout.parallel import ParallelEnv

__all__ = [
    "Batch",
    "Env",
    "HeldoutError",
    "ParallelVectorEnv",
    "Place",
    "TrainedPolicy",
    "UnknownKeyError",
    "VectorEnv",
    "Vocabulary",
    "__version__",
    "about",
    "card",
    "configure",
    "decode_text",
    "evaluate",
    "ids",
    "load",
    "make",
    "make_batch",
    "make_vec",
    "parallel_env",
    "protocol",
    "protocols",
    "report",
    "vocabulary",
]


def parallel_env(
    env_id: str, *, render_mode: str | None = None, max_episode_steps: int | None = None, **config: Any
) -> "ParallelEnv":
    """Make the PettingZoo ``ParallelEnv`` of an id; needs the extra ``heldout[pettingzoo]``."""
    from heldout.parallel import ParallelEnv

    return ParallelEnv(env_id, render_mode=render_mode, max_episode_steps=max_episode_steps, **config)


register()
