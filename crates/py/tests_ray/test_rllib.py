"""RLlib makes every id by its name, in workers that have not imported the package."""

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
import ray
from ray.rllib.env.multi_agent_env import MultiAgentEnv

import heldout
import heldout.rllib
from cases import IDS, SEVERAL, SINGLE, equal

STEPS = 20


@pytest.fixture(scope="module", autouse=True)
def machine() -> Iterator[None]:
    ray.init(address="local", num_cpus=1, include_dashboard=False, configure_logging=False)
    heldout.rllib.register()
    yield
    ray.shutdown()


@ray.remote
def played(env_id: str, config: dict[str, Any], actions: list[Any]) -> list[Any]:
    """Play actions in a worker: what was observed and paid until the end."""
    from ray.rllib.env.env_context import EnvContext
    from ray.tune.registry import ENV_CREATOR, _global_registry

    env = _global_registry.get(ENV_CREATOR, env_id)(EnvContext(config, worker_index=1))
    told: list[Any] = [env.reset(seed=3)[0]]
    for action in actions:
        observation, reward, terminated, truncated, _ = env.step(action)
        told.append((observation, reward))
        if np.any(list(terminated.values()) if isinstance(terminated, dict) else terminated):
            break
        if np.any(list(truncated.values()) if isinstance(truncated, dict) else truncated):
            break
    return told


@pytest.mark.parametrize("env_id", SINGLE)
def test_a_worker_plays_what_gymnasium_plays(env_id: str) -> None:
    here = gymnasium.make(env_id, text="bytes").unwrapped
    here.action_space.seed(0)
    actions = [here.action_space.sample() for _ in range(STEPS)]
    there = ray.get(played.remote(env_id, {}, actions))
    assert equal(there[0], here.reset(seed=3)[0])
    for action, (observation, reward) in zip(actions, there[1:], strict=False):
        step = here.step(action)
        assert equal(observation, step[0]) and reward == step[1]
    assert len(there) > 1


@pytest.mark.parametrize("env_id", SEVERAL)
def test_several_agents_are_one_of_its_own_environments(env_id: str) -> None:
    made = heldout.rllib._made(env_id, {})
    assert isinstance(made, MultiAgentEnv)
    here = heldout.parallel_env(env_id, text="bytes")
    for agent in here.possible_agents:
        here.action_space(agent).seed(0)
    actions = [{name: here.action_space(name).sample() for name in here.possible_agents} for _ in range(STEPS)]
    there = ray.get(played.remote(env_id, {}, actions))
    assert equal(there[0], here.reset(seed=3)[0])
    for action, (observation, reward) in zip(actions, there[1:], strict=False):
        step = here.step(action)
        assert equal(observation, step[0]) and reward == step[1]
    assert len(there) > 1


def test_env_config_is_the_config_and_is_checked_there() -> None:
    assert heldout.rllib._made("example/grid-v1", {"split": "heldout"}).config["split"] == "heldout"
    with pytest.raises(TypeError, match="spilt"):
        ray.get(played.remote("example/grid-v1", {"spilt": "heldout"}, []))


def test_every_id_is_registered() -> None:
    from ray.tune.registry import ENV_CREATOR, _global_registry

    assert all(_global_registry.contains(ENV_CREATOR, env_id) for env_id in IDS)
