"""Windows and keys for people: ``render_mode="human"`` and ``gymnasium.utils.play``."""

import pickle
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pygame
import pytest

import heldout
from cases import IDS, SINGLE
from heldout.keys import codes

UNPLAYABLE = ["lilgym/scatter-scratch-v1", "lilgym/scatter-flipit-v1"]


def shown(env: Any) -> np.ndarray:
    """What the window shows, scaled back to the size of the picture."""
    surface = pygame.display.get_surface()
    height, width = env._batch.draw(0, 0).shape[:2]
    zoom = surface.get_width() // width
    assert surface.get_size() == (width * zoom, height * zoom) and max(surface.get_size()) > 240
    return pygame.surfarray.array3d(surface).swapaxes(0, 1)[::zoom, ::zoom]


@pytest.mark.parametrize("env_id", IDS)
def test_a_window_shows_what_rgb_array_returns(env_id: str) -> None:
    env = heldout.parallel_env(env_id, render_mode="human")
    env.metadata = {**env.metadata, "render_fps": 0}
    env.reset(seed=1)
    assert np.array_equal(shown(env), env._batch.draw(0, 0))
    env.step(env.act("random"))
    assert np.array_equal(shown(env), env._batch.draw(0, 0)), "a step shows itself"
    assert env.render(env.possible_agents[-1]) is None
    last = env._batch.draw(0, len(env.possible_agents) - 1)
    assert np.array_equal(shown(env), last)
    env.close()
    env.close()


@pytest.mark.parametrize("env_id", IDS)
def test_one_window_shows_all_copies_of_a_batch(env_id: str) -> None:
    envs = heldout.make_vec(env_id, 3, render_mode="human", **heldout.about(env_id)["smallest"])
    envs.metadata = {**envs.metadata, "render_fps": 0}
    several = isinstance(envs, heldout.ParallelVectorEnv)

    def tiles() -> list[np.ndarray]:
        height, width = envs._batch.draw(0, 0).shape[:2]
        surface = pygame.display.get_surface()
        zoom = surface.get_width() // (2 * width)
        assert surface.get_size() == (2 * width * zoom, 2 * height * zoom)
        whole = pygame.surfarray.array3d(surface).swapaxes(0, 1)[::zoom, ::zoom]
        assert not whole[height:, width:].any(), "there is no fourth"
        return [whole[:height, :width], whole[:height, width:], whole[height:, :width]]

    envs.reset(seed=1)
    assert all(np.array_equal(tile, envs._batch.draw(i, 0)) for i, tile in enumerate(tiles()))
    envs.step(envs.act("random"))
    assert all(np.array_equal(tile, envs._batch.draw(i, 0)) for i, tile in enumerate(tiles())), "a step shows itself"
    if several:
        last = envs.possible_agents[-1]
        assert envs.render(last) is None
        drawn = [envs._batch.draw(i, len(envs.possible_agents) - 1) for i in range(3)]
        assert all(np.array_equal(tile, picture) for tile, picture in zip(tiles(), drawn, strict=True))
    else:
        assert envs.render() is None
    twin = pickle.loads(pickle.dumps(envs))
    assert [twin.save(i) for i in range(3)] == [envs.save(i) for i in range(3)]
    envs.close()
    assert pygame.display.get_surface() is None
    envs.close()


def test_a_window_shows_sixteen_copies_at_the_most() -> None:
    envs = gymnasium.make_vec("example/grid-v1", num_envs=100, render_mode="human")
    assert envs.metadata["render_modes"] == ["human", "rgb_array", "ansi"]
    envs.reset(seed=1)
    height, width = envs.unwrapped._batch.draw(0, 0).shape[:2]  # type: ignore[attr-defined]
    surface = pygame.display.get_surface()
    assert surface.get_width() % (4 * width) == 0 and surface.get_height() * width == surface.get_width() * height
    envs.close()


@pytest.mark.parametrize("env_id", SINGLE)
def test_gymnasium_makes_it_without_a_wrapper_of_its_own(env_id: str) -> None:
    env = gymnasium.make(env_id, render_mode="human")
    assert env.metadata["render_modes"] == ["human", "rgb_array", "ansi"] and env.metadata["render_fps"] > 0
    assert env.render_mode == "human" and "HumanRendering" not in str(env)
    env.reset(seed=1)
    assert np.array_equal(shown(env.unwrapped), env.unwrapped._batch.draw(0, 0)) and env.render() is None
    twin = pickle.loads(pickle.dumps(env.unwrapped))
    assert twin.save() == env.unwrapped.save()
    env.close()
    assert pygame.display.get_surface() is None


@pytest.mark.parametrize("make", ["Env", "VectorEnv", "ParallelVectorEnv", "parallel_env"])
def test_without_pygame_it_is_named(make: str) -> None:
    hide = (
        "import importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'pygame' else find(name, *rest)\n"
        f"import heldout; heldout.Env('example/grid-v1'); heldout.{make}('example/grid-v1', render_mode='human')"
    )
    run = subprocess.run([sys.executable, "-c", hide], capture_output=True, text=True)
    assert "DependencyNotInstalled" in run.stderr and "pip install 'heldout[human]'" in run.stderr


@pytest.mark.parametrize("env_id", [env_id for env_id in SINGLE if env_id not in UNPLAYABLE])
def test_gymnasium_plays_by_the_keys(env_id: str) -> None:
    from gymnasium.utils.play import PlayableGame

    env = gymnasium.make(env_id, render_mode="rgb_array")
    env.reset(seed=0)
    keys = env.unwrapped.get_keys_to_action()
    assert all(action in env.action_space for action in keys.values())
    game = PlayableGame(env)
    for pressed, action in keys.items():
        for key in pressed:
            game.process_event(pygame.event.Event(pygame.KEYDOWN, key=key))
        assert tuple(sorted(game.pressed_keys)) == pressed
        env.unwrapped.reset()
        env.unwrapped.step(action)
        for key in pressed:
            game.process_event(pygame.event.Event(pygame.KEYUP, key=key))
    env.close()


@pytest.mark.parametrize("env_id", [env_id for env_id in SINGLE if env_id not in UNPLAYABLE])
def test_every_action_has_a_key_and_no_two_have_one(env_id: str) -> None:
    env = heldout.Env(env_id)
    keys = env.get_keys_to_action()
    if isinstance(env.action_space, gymnasium.spaces.Discrete):
        # Gymnasium's player does action 0 where no key is pressed.
        assert {0, *keys.values()} == set(range(int(env.action_space.n)))
        assert len(set(keys.values())) == len(keys)


def test_play_asks_for_the_keys() -> None:
    from gymnasium.utils.play import play

    env = gymnasium.make("example/grid-v1", render_mode="rgb_array")
    done: list[int] = []

    def heard(before: Any, after: Any, action: Any, *rest: Any) -> None:
        done.append(int(action))
        if len(done) in (1, 6):
            kind = pygame.KEYDOWN if len(done) == 1 else pygame.QUIT
            pygame.event.post(pygame.event.Event(kind, key=ord("s")))

    play(env, fps=1000, callback=heard, seed=1)
    # A key is heard a step later, or two.
    assert done[0] == 0 and done[3:6] == [2, 2, 2], "s is down"


@pytest.mark.parametrize(("env_id", "key"), [("halma/symbolic-v1", "a"), ("lilgym/tower-flipit-v1", "s")])
def test_play_did_something_before_a_key_was_pressed(env_id: str, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless it waits for the player, Gymnasium does action 0: none of HALMA's, and the end in lilGym."""
    from gymnasium.utils.play import play

    env = gymnasium.make(env_id, render_mode="rgb_array")
    done: list[Any] = []
    looked = 0

    def events() -> list[Any]:
        nonlocal looked
        looked += 1
        kind = pygame.KEYDOWN if looked == 20 else pygame.QUIT if done else None
        return [] if kind is None else [pygame.event.Event(kind, key=ord(key))]

    monkeypatch.setattr(pygame.event, "get", events)
    keys = env.unwrapped.get_keys_to_action()  # type: ignore[attr-defined]
    heard: Any = lambda before, after, action, *rest: done.append(action)  # noqa: E731
    play(env, fps=1000, callback=heard, seed=1, wait_on_player=True, noop=keys[codes(key)])
    assert np.array_equal(done[0], keys[codes(key)]) and looked >= 20


def test_directions_are_where_people_look_for_them() -> None:
    grid = heldout.Env("example/grid-v1").get_keys_to_action()
    assert [grid[codes(key)] for key in "wdsa"] == [0, 1, 2, 3]
    walk = heldout.Env("memory/spot-diff-v1").get_keys_to_action()
    assert [walk[codes(key)] for key in ("w", "s", "a", "d", "q", "e", "wq", "we")] == list(range(8))
    halma = heldout.Env("halma/symbolic-v1").get_keys_to_action()
    assert halma[codes("a")].tolist() == [0, 1, 0, 0, 0, 0] and halma[codes("s3")].tolist() == [3, 3, 0, 0, 0, 0]
    tower = heldout.Env("lilgym/tower-flipit-v1").get_keys_to_action()
    assert tower[codes(" ")] == 0 and tower[codes("s")] == 1 + 3 * 1 + 1 and tower[codes("3")] == 12


def test_too_many_actions_for_keys_are_told() -> None:
    for env_id, config in [(UNPLAYABLE[0], {}), (UNPLAYABLE[0], {"actions": "factored"}),
                           ("halma/symbolic-v1", {"zero_is_eos": False})]:  # fmt: skip
        with pytest.raises(heldout.HeldoutError, match=r"too many for keys: play it with `play\(env, keys_to_action"):
            heldout.Env(env_id, **config).get_keys_to_action()
