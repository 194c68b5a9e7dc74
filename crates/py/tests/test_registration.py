"""Importing the package is all that Gymnasium needs."""

import importlib
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import heldout
from cases import IDS, SEVERAL, SINGLE


def test_every_id_is_registered() -> None:
    assert IDS and set(IDS) <= set(gymnasium.registry)


@pytest.mark.parametrize("env_id", SINGLE)
def test_make_in_every_way(env_id: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in (env_id, f"heldout:{env_id}"):
            assert isinstance(gymnasium.make(name).unwrapped, heldout.Env)
            envs = gymnasium.make_vec(name, num_envs=3)
            assert isinstance(envs, heldout.VectorEnv) and envs.num_envs == 3
            assert envs.spec is not None and envs.spec.id == env_id
        sync = gymnasium.make_vec(env_id, num_envs=2, vectorization_mode="sync")
        assert isinstance(sync, gymnasium.vector.SyncVectorEnv)
        assert gymnasium.make(gymnasium.make(env_id).spec).spec.id == env_id


@pytest.mark.parametrize("env_id", SEVERAL)
def test_several_agents_are_referred_to_the_parallel_interface(env_id: str) -> None:
    for make in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(heldout.HeldoutError, match=r"use heldout\.parallel_env\(") as caught:
            make(env_id)
        assert f"for many copies heldout.ParallelVectorEnv({env_id!r}, num_envs" in str(caught.value)
    assert heldout.ParallelVectorEnv(env_id, 3).num_envs == 3, "it can be made as the message says"


def test_registering_again_is_harmless() -> None:
    before = dict(gymnasium.registry)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        importlib.reload(heldout)
        heldout.registry.register()
    assert gymnasium.registry == before


@pytest.mark.parametrize("env_id", SINGLE)
def test_config_is_keyword_arguments(env_id: str) -> None:
    about = heldout.about(env_id)
    config = {about["split_key"]: about["splits"][1]}
    whole = {**about["defaults"], **config}
    assert gymnasium.make(env_id, **config).unwrapped.config == whole
    assert gymnasium.make_vec(env_id, num_envs=1, threads=2, copy=False, **config).config == whole
    assert heldout.configure(env_id, **config) == whole
    for preset in about["presets"]:
        made = gymnasium.make(env_id, preset=preset["name"])
        assert made.unwrapped.config == heldout.configure(env_id, preset=preset["name"]) != about["defaults"]


def test_config_takes_the_numbers_of_numpy() -> None:
    config = heldout.configure("example/grid-v1", size=np.int32(5), walls=np.float64(0.25), image=np.True_)
    assert (config["size"], config["walls"], config["image"]) == (5, 0.25, True)


def test_cards_and_versions() -> None:
    for env_id in IDS:
        assert heldout.card(env_id).startswith("#")
        assert heldout.about(env_id)["id"] == env_id
    assert heldout.__version__.count(".") == 2
    with pytest.raises(heldout.HeldoutError, match="nearest ids are `example/grid-v1`"):
        heldout.card("exmaple/grid-v1")


def test_autoreset_mode_is_in_the_metadata_of_the_instance() -> None:
    for mode in AutoresetMode:
        for given in (mode, mode.value):
            envs = gymnasium.make_vec(SINGLE[0], num_envs=1, autoreset_mode=given)
            assert envs.metadata["autoreset_mode"] is envs.autoreset_mode is mode
