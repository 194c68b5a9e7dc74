"""Text as ``str``, bytes or tokens by one option, the same in every interface, and back."""

import functools
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

import heldout
import heldout.lilgym
from cases import equal
from heldout.text import UNKNOWN, words

TEXT = ["lilgym/tower-scratch-v1", "lilgym/tower-flipit-v1", "lilgym/scatter-scratch-v1", "lilgym/scatter-flipit-v1"]
SMALL = {"observation": "objects"}
FORMS = ["str", "bytes", "tokens"]


@pytest.mark.parametrize("env_id", TEXT)
def test_one_option_gives_the_same_text_in_three_forms(env_id: str) -> None:
    envs = {form: heldout.Env(env_id, text=form, **SMALL) for form in FORMS}
    for problem in range(0, 200, 7):
        seen = {form: env.reset(options={"problem": problem})[0] for form, env in envs.items()}
        for form, env in envs.items():
            assert seen[form] in env.observation_space
        said = seen["str"]["sentence"]
        assert isinstance(said, str) and seen["bytes"]["sentence"].dtype == np.uint8
        assert heldout.decode_text(seen["bytes"]["sentence"]) == said
        tokens = seen["tokens"]["sentence"]
        assert tokens.dtype == np.int32 and (tokens > UNKNOWN).sum() == len(words(said)), "training has every word"
        assert heldout.decode_text(tokens, envs["tokens"].vocabulary) == " ".join(words(said))


@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize("mode", list(AutoresetMode)[:2])
@pytest.mark.parametrize("form", FORMS)
def test_vectors_have_the_text_that_gymnasium_makes_of_singles(form: str, mode: AutoresetMode, copy: bool) -> None:
    options = {"text": form, "max_episode_steps": 3, **SMALL}
    ours = heldout.VectorEnv(TEXT[0], 3, autoreset_mode=mode, copy=copy, **options)
    theirs = SyncVectorEnv([lambda: heldout.Env(TEXT[0], **options)] * 3, autoreset_mode=mode)
    assert ours.observation_space == theirs.observation_space
    assert equal(ours.reset(seed=[1, 2, 3])[0], theirs.reset(seed=[1, 2, 3])[0])
    ours.action_space.seed(0)
    ends = 0
    for _ in range(20):
        actions = ours.action_space.sample()
        a, b = ours.step(actions), theirs.step(actions)
        assert equal(a[0], b[0]) and equal(a[4], b[4])
        ends += int((a[2] | a[3]).sum())
    assert ends > 3


@pytest.mark.parametrize("form", ["bytes", "tokens"])
def test_async_vectors_of_gymnasium_have_the_same_arrays(form: str) -> None:
    ours = heldout.VectorEnv(TEXT[0], 2, text=form, **SMALL)
    theirs = AsyncVectorEnv([lambda: heldout.Env(TEXT[0], text=form, **SMALL)] * 2)
    try:
        assert equal(ours.reset(seed=[1, 2])[0], theirs.reset(seed=[1, 2])[0])
        ours.action_space.seed(0)
        for _ in range(10):
            actions = ours.action_space.sample()
            a, b = ours.step(actions)[0], theirs.step(actions)[0]
            assert equal(a, b) and a["sentence"].any()
    finally:
        theirs.close()


def test_text_that_async_vectors_of_gymnasium_lose_is_refused() -> None:
    make = functools.partial(gymnasium.make_vec, TEXT[0], num_envs=2, vectorization_mode="async", **SMALL)
    with pytest.raises(heldout.HeldoutError, match='choose `text="bytes"` or `text="tokens"`'):
        make()
    ours = heldout.VectorEnv(TEXT[0], 2, text="str", **SMALL)
    expected = ours.reset(seed=[1, 2])[0]["sentence"]
    theirs = make(vector_kwargs={"shared_memory": False})
    try:
        assert theirs.reset(seed=[1, 2])[0]["sentence"] == expected and all(expected)
    finally:
        theirs.close()
    theirs = make(text="bytes")
    try:
        assert tuple(heldout.decode_text(theirs.reset(seed=[1, 2])[0]["sentence"])) == expected
    finally:
        theirs.close()


def test_text_of_environments_that_differ_is_batched_as_gymnasium_does() -> None:
    makers = [lambda split=split: heldout.Env(TEXT[0], split=split, **SMALL) for split in ("train", "test")]
    envs = SyncVectorEnv(makers, observation_mode="different")
    observations, _ = envs.reset(seed=[1, 2])
    singles = [make().reset(seed=seed)[0]["sentence"] for make, seed in zip(makers, (1, 2), strict=True)]
    assert observations["sentence"] == tuple(singles)


def test_defaults_and_what_is_refused() -> None:
    space = heldout.Env(TEXT[0]).observation_space["sentence"]
    assert isinstance(space, gymnasium.spaces.Text)
    assert heldout.VectorEnv(TEXT[0], 2).single_observation_space["sentence"].dtype == np.uint8
    assert gymnasium.make(TEXT[0], text="tokens").observation_space["sentence"].dtype == np.int32
    assert gymnasium.make_vec(TEXT[0], num_envs=2, text="tokens").observation_space["sentence"].shape == (2, 80)
    for make in (heldout.Env, heldout.VectorEnv, heldout.parallel_env):
        with pytest.raises(heldout.HeldoutError, match="`text` is `words`, must be one of `str`, `bytes`, `tokens`"):
            make(TEXT[0], text="words")
    for wrong in (np.zeros(3), np.zeros(3, np.int32), np.uint8(3), "text"):
        with pytest.raises(heldout.HeldoutError, match="must have rows of uint8"):
            heldout.decode_text(wrong)
    with pytest.raises(heldout.HeldoutError, match="`999999` is no number of a word"):
        heldout.decode_text(np.array([999999]), heldout.vocabulary(TEXT[0]))


def test_ids_without_text_take_the_option_too() -> None:
    for form in FORMS:
        env = heldout.Env("example/grid-v1", text=form)
        assert env.observation_space == heldout.Env("example/grid-v1").observation_space and env.vocabulary is None


@pytest.mark.parametrize("env_id", TEXT)
def test_the_vocabulary_is_of_training_whatever_is_played(env_id: str) -> None:
    vocabulary = heldout.vocabulary(env_id)
    statements = heldout.lilgym.Corpus(env_id).statements
    assert vocabulary.words[:3] == tuple(dict.fromkeys(w for s in statements for w in words(s.sentence)))[:3]
    assert set(vocabulary.words) == set(heldout.lilgym.Corpus(env_id).vocabulary)
    for config in ({"split": "test"}, {"mask": True}, {"preset": "factored"}, {"holdout": "random"}):
        assert heldout.Env(env_id, text="tokens", **config).vocabulary.words == vocabulary.words
    assert vocabulary.encode("zebra a", 3).tolist() == [1, vocabulary.words.index("a") + 2, 0]
    assert heldout.decode_text(vocabulary.encode("A zebra!", 4), vocabulary) == "a <unknown>"
    assert len(vocabulary) == len(vocabulary.words) + 2


def test_the_vocabulary_is_the_same_in_another_process() -> None:
    show = "import heldout; print(heldout.vocabulary({!r}).words)"
    for env_id in (TEXT[0], "example/signal-v1"):
        told = subprocess.run([sys.executable, "-c", show.format(env_id)], capture_output=True, text=True, check=True)
        assert told.stdout.strip() == str(heldout.vocabulary(env_id).words)


def test_agents_of_a_parallel_environment_have_it() -> None:
    env = heldout.parallel_env("example/signal-v1", text="tokens")
    observations, _ = env.reset(seed=1)
    assert heldout.decode_text(observations["guide"]["word"], env.vocabulary) == "yellow triangle"
    assert "word" not in observations["walker"]


def test_rows_are_decoded_along_the_last_axis() -> None:
    envs = heldout.VectorEnv(TEXT[0], 3, **SMALL)
    observation, _ = envs.reset(seed=0)
    decoded = heldout.decode_text(observation["sentence"])
    assert len(decoded) == 3 and all(isinstance(text, str) and text for text in decoded)
