"""What other packages make of the environments: sb3-contrib, TorchRL, Minari."""

import warnings
from pathlib import Path

import gymnasium
import minari
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import DummyVecEnv
from torchrl.data import NonTensor
from torchrl.envs import GymEnv
from torchrl.envs.utils import check_env_specs

import heldout
from cases import equal
from heldout.sb3 import HeldoutVecEnv

TEXT = "lilgym/tower-scratch-v1"
SMALL = {"observation": "objects"}
FAMILIES = ["halma/symbolic-v1", "s2b/listener-v1", "memory/spot-diff-mini-v1", TEXT]


@pytest.mark.parametrize("env_id", FAMILIES)
def test_torchrl_opens_an_id_of_each_family(env_id: str) -> None:
    options = {"text": "bytes"} if env_id == TEXT else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env = GymEnv(env_id, **options)
        check_env_specs(env)
        assert env.rollout(5).batch_size[0] >= 1


def test_torchrl_takes_a_sentence_as_it_is_unless_another_form_is_chosen() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain, numbered = GymEnv(TEXT), GymEnv(TEXT, text="tokens")

        def said() -> str:
            return plain._env.unwrapped.observe()[0]["sentence"]

        # It is no tensor, so that no network reads it.
        assert isinstance(plain.observation_spec["sentence"], NonTensor)
        check_env_specs(plain)
        first = plain.reset()
        assert first["sentence"] == said() != ""
        assert plain.rand_step(first)["next", "sentence"] == said()
        assert numbered.reset()["sentence"].dtype == torch.int32
        check_env_specs(numbered)


@pytest.mark.parametrize(
    ("env_id", "config"),
    [
        ("s2b/listener-v1", {}),
        ("s2b/recall-v1", {}),
        (TEXT, {"mask": True, **SMALL}),
        (TEXT, {"mask": True, "actions": "factored", **SMALL}),
    ],
    ids=["listener", "recall", "tower", "tower-factored"],
)
def test_maskable_ppo_takes_no_forbidden_action(env_id: str, config: dict) -> None:
    envs = HeldoutVecEnv(env_id, 4, **config)
    assert is_masking_supported(envs)
    model = MaskablePPO("MultiInputPolicy", envs, n_steps=32, batch_size=64, seed=0, device="cpu")
    model.learn(512)
    assert model.num_timesteps >= 512
    observations, forbidden = envs.reset(), 0
    for _ in range(60):
        masks = get_action_masks(envs)
        forbidden += int((~masks).sum())
        actions, _ = model.predict(observations, action_masks=masks)
        starts = np.concatenate([[0], np.cumsum(sizes(envs.action_space))[:-1]])
        for mask, action in zip(masks, actions.reshape(4, -1), strict=True):
            assert mask[starts + action].all()
        observations, *_ = envs.step(actions)
    assert forbidden > 0, "there was something to forbid"


def sizes(space: gymnasium.Space) -> list[int]:
    return list(space.nvec) if isinstance(space, gymnasium.spaces.MultiDiscrete) else [int(space.n)]


@pytest.mark.parametrize("form", ["bytes", "tokens"])
def test_text_is_what_its_own_vectors_make_of_singles(form: str) -> None:
    options = {"text": form, "max_episode_steps": 5, **SMALL}
    ours = HeldoutVecEnv(TEXT, 3, **options)
    theirs = DummyVecEnv([lambda: heldout.Env(TEXT, **options)] * 3)
    assert ours.observation_space == theirs.observation_space
    assert ours.seed(7) == theirs.seed(7)
    assert equal(ours.reset(), dict(theirs.reset()))
    ours.action_space.seed(0)
    for _ in range(50):
        actions = np.array([ours.action_space.sample() for _ in range(3)])
        a, b = ours.step(actions), theirs.step(actions)
        assert equal(a[0], dict(b[0])) and equal(a[3], b[3])


@pytest.mark.parametrize("form", ["bytes", "tokens"])
def test_its_checker_and_its_ppo_take_text(form: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(heldout.Env(TEXT, text=form, **SMALL))
    model = PPO("MultiInputPolicy", HeldoutVecEnv(TEXT, 4, text=form, **SMALL), n_steps=16, batch_size=32, device="cpu")
    model.learn(128)
    assert model.num_timesteps >= 128


def test_text_as_str_is_refused() -> None:
    with pytest.raises(heldout.HeldoutError, match="`text` is `str`, must be `bytes` or `tokens`"):
        HeldoutVecEnv(TEXT, 2, text="str")


def test_minari_collects_and_recovers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    env = minari.DataCollector(gymnasium.make("example/grid-v1", split="heldout"))
    rewards: list[list[float]] = []
    for seed in range(3):
        env.reset(seed=seed)
        rewards.append([])
        for _ in range(60):
            _, reward, terminated, truncated, _ = env.step(env.unwrapped.act("oracle"))
            rewards[-1].append(reward)
            if terminated or truncated:
                break
    data = env.create_dataset(dataset_id="heldout/grid-v0", eval_env="example/grid-v1")
    assert [list(episode.rewards) for episode in data.iterate_episodes()] == rewards
    again = data.recover_environment()
    assert again.unwrapped.config["split"] == "heldout"
    first = next(iter(data.iterate_episodes()))
    observation, _ = again.reset(seed=0)
    assert equal(observation, {name: values[0] for name, values in first.observations.items()})
    for action, reward in zip(first.actions, first.rewards, strict=True):
        assert again.step(action)[1] == reward
