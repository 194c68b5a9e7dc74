"""Environments by id with typed configs: the stub beside this file tells editors and type checkers each id's keys."""

from typing import Any

from heldout.configs import SEVERAL
from heldout.envs import Env
from heldout.parallel_vector import ParallelVectorEnv
from heldout.vector import VectorEnv


def make(env_id: str, **options: Any) -> Any:
    """Make one environment: :class:`heldout.Env`, or where there are several agents PettingZoo's parallel one.

    Type checkers and editors know the keys of each id here, so they want to see it written out; an id that is only
    known when the program runs is made by those classes.
    """
    if env_id in SEVERAL:
        from heldout.parallel import ParallelEnv

        return ParallelEnv(env_id, **options)
    return Env(env_id, **options)


def make_vec(env_id: str, num_envs: int = 1, **options: Any) -> Any:
    """Make a batch: :class:`heldout.VectorEnv`, or of several agents :class:`heldout.ParallelVectorEnv`."""
    return (ParallelVectorEnv if env_id in SEVERAL else VectorEnv)(env_id, num_envs, **options)
