"""A keyword argument that is no key of the config is a ``TypeError``, as of any function, with the nearest keys."""

import gymnasium
import pytest

import heldout
import heldout.lilgym
from cases import IDS, SINGLE


@pytest.mark.parametrize("env_id", IDS)
def test_an_unknown_key_is_a_type_error(env_id: str) -> None:
    for make in (heldout.configure, heldout.make_batch, heldout.parallel_env):
        with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'") as caught:
            make(env_id, frameskip=4)
        assert isinstance(caught.value, heldout.HeldoutError), "and a ValueError still"


@pytest.mark.parametrize("env_id", SINGLE)
def test_gymnasium_passes_the_type_error_on(env_id: str) -> None:
    for make in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(heldout.UnknownKeyError):
            make(env_id, frameskip=4)


def test_the_nearest_keys_are_named() -> None:
    for wrong, right in [("spilt", "split"), ("level", "levels"), ("slips", "slip"), ("presets", "preset")]:
        with pytest.raises(TypeError, match=f"the nearest keys of its config are `{right}`"):
            heldout.configure("example/grid-v1", **{wrong: 1})
    with pytest.raises(TypeError, match=r"nearest keys of its config are `rewards\.query_wrong`"):
        heldout.Env("s2b/listener-v1", rewards={"query_wrng": 1.0})
    with pytest.raises(TypeError, match="are `split`"):
        heldout.lilgym.Corpus("lilgym/tower-scratch-v1", spilt="dev")


def test_an_unknown_id_is_told_before_its_keys() -> None:
    with pytest.raises(heldout.HeldoutError, match="no environment `example/grind-v1`"):
        heldout.configure("example/grind-v1", frameskip=4)
