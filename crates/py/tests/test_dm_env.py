"""The Memory Tasks Suite behind ``dm_env``: by public names, with raw sticky controls."""

import hashlib
import subprocess
import sys
from typing import Any

import dm_env as published
import gymnasium
import numpy as np
import pytest
from absl.testing import absltest
from dm_env import specs, test_utils

import heldout
from heldout import dm_env

UNITY = {
    "spot_diff": 3600,
    "spot_diff_passive": 3600,
    "spot_diff_multi": 3600,
    "spot_diff_motion": 7200,
    "invisible_goal_empty_arena": 6000,
    "invisible_goal_with_buildings": 6000,
    "visible_goal_with_buildings": 6000,
    "transitive_inference": 6000,
}
PSYCHLAB = ("arbitrary_visuomotor_mapping", "change_detection", "continuous_recognition", "what_then_where")
MAZE = "explore_goal_locations"
SUFFIXES = (
    "train", "interpolate", "extrapolate", "holdout_small", "holdout_large", "holdout_interpolate",
    "holdout_extrapolate",
)  # fmt: skip
TWO_FILES = ("train_small", "train_large", *SUFFIXES[1:])
FORWARD, LOOK = "MOVE_BACK_FORWARD", "LOOK_LEFT_RIGHT"


def unity_names() -> set[str]:
    return {
        f"{task}_{suffix}" for task in UNITY for suffix in (TWO_FILES if task == "transitive_inference" else SUFFIXES)
    }


def lab_names() -> set[str]:
    panels = {f"{t}_{s}" for t in PSYCHLAB for s in ("train", "holdout_interpolate", "holdout_extrapolate")}
    return panels | {f"{MAZE}_{suffix}" for suffix in TWO_FILES}


def one_of_each() -> list[str]:
    suffixes = ("train", "holdout_interpolate", "holdout_extrapolate")
    return [f"{task}_{suffixes[i % 3]}" for i, task in enumerate((*UNITY, *PSYCHLAB, MAZE))]


def random_action(env: dm_env.Environment, rng: np.random.Generator) -> dict[str, Any]:
    """Return values for some of the controls."""
    action = {}
    for name, spec in env.action_spec().items():
        if rng.random() < 0.5:
            if spec.dtype == np.float64:
                action[name] = rng.uniform(spec.minimum, spec.maximum)
            else:
                least, most = max(int(spec.minimum), -20), min(int(spec.maximum), 20)
                action[name] = int(rng.integers(least, most + 1))
    return action


def digest(step: published.TimeStep, pixels: bool = True) -> str:
    sha = hashlib.sha256(repr((step.step_type, step.reward, step.discount)).encode())
    for name, value in sorted(step.observation.items()):
        if pixels or name != "RGB_INTERLEAVED":
            sha.update(np.asarray(value).tobytes())
    return sha.hexdigest()


def play(env: dm_env.Environment, steps: int, seed: int = 0, pixels: bool = True) -> list[str]:
    rng = np.random.default_rng(seed)
    digests = [digest(env.reset(), pixels)]
    digests += [digest(env.step(random_action(env, rng)), pixels) for _ in range(steps)]
    return digests


class Conformance(test_utils.EnvironmentTestMixin):
    """``dm_env``'s own tests, over an episode of two seconds and what follows it."""

    level_name = ""
    discrete = False

    def make_object_under_test(self) -> published.Environment:
        env = dm_env.load(self.level_name, 3, episode_length_seconds=2.0, num_action_repeats=4, frames_remaining=True)
        return dm_env.discrete(env) if self.discrete else env

    def make_action_sequence(self) -> Any:
        rng = np.random.default_rng(4)
        for _ in range(40):
            yield int(rng.integers(5)) if self.discrete else self.make_action()

    def test_an_episode_ends(self) -> None:
        self.environment.reset()
        assert any(self.environment.step(action).last() for action in self.make_action_sequence())


for _name in [*one_of_each(), "transitive_inference_train", f"{MAZE}_train"]:
    globals()[f"Test_{_name}"] = type(f"Test_{_name}", (Conformance, absltest.TestCase), {"level_name": _name})
for _name in ["spot_diff_train", "what_then_where_train", f"{MAZE}_train_small"]:
    fields = {"level_name": _name, "discrete": True}
    globals()[f"TestDiscrete_{_name}"] = type(f"TestDiscrete_{_name}", (Conformance, absltest.TestCase), fields)


def test_memory_check_01_the_public_names_are_there() -> None:
    assert len(unity_names()) == 57 and len(unity_names() | lab_names()) == 77
    aliases = {"transitive_inference_train", f"{MAZE}_train"}
    assert set(dm_env.LEVEL_NAMES) == unity_names() | lab_names() | aliases
    assert len(dm_env.LEVEL_NAMES) == 79


def test_amendment_48_the_names_of_the_public_package_are_there() -> None:
    assert isinstance(dm_env.MEMORY_TASK_LEVEL_NAMES, frozenset)
    assert unity_names() == dm_env.MEMORY_TASK_LEVEL_NAMES
    assert {"MEMORY_TASK_LEVEL_NAMES", "load_from_disk", "load_from_docker"} <= set(dm_env.__all__)


def test_amendment_48_settings_are_a_named_tuple() -> None:
    settings = dm_env.EnvironmentSettings(seed=4, level_name="spot_diff_train", num_action_repeats=2)
    names = ("seed", "level_name", "width", "height", "episode_length_seconds", "num_action_repeats")
    assert isinstance(settings, tuple) and settings._fields == names
    assert settings == (4, "spot_diff_train", 96, 72, None, 2)
    seed, level_name, *_ = settings
    assert (seed, level_name) == (4, "spot_diff_train")
    assert settings._asdict()["num_action_repeats"] == 2
    assert dm_env.EnvironmentSettings(*settings) == settings and hash(settings) == hash(tuple(settings))
    other = settings._replace(width=32)
    assert isinstance(other, dm_env.EnvironmentSettings) and other.width == 32
    with pytest.raises(AttributeError):
        settings.width = 32  # type: ignore[misc]
    # What `_replace` lets through is refused when it is loaded.
    for loaded in (lambda s: dm_env.load_from_docker(s), lambda s: dm_env.load_from_disk("anywhere", s)):
        with pytest.raises(ValueError, match="`width` is `0`"):
            loaded(settings._replace(width=0))
    with pytest.raises(ValueError, match="spot_dif"):
        dm_env.EnvironmentSettings(seed=1, level_name="spot_dif_train")


def test_amendment_48_the_loaders_open_our_environments() -> None:
    settings = dm_env.EnvironmentSettings(3, "visible_goal_with_buildings_train", num_action_repeats=4)
    opened = [
        dm_env.load_from_settings(settings),
        dm_env.load_from_docker(settings),
        dm_env.load_from_docker(settings, "an/image:v1"),
        dm_env.load_from_docker(settings=settings, name=None),
        dm_env.load_from_disk("/a/folder", settings),
        dm_env.load_from_disk(path="/a/folder", settings=settings),
    ]
    assert all(isinstance(env, published.Environment) for env in opened)
    first, *others = [play(env, 12) for env in opened]
    assert all(other == first for other in others)
    legacy = dm_env.load_from_docker(settings._replace(episode_length_seconds=0.1), legacy_discount=True)
    legacy.reset()
    assert legacy.step({}).discount == 0.0, "options are passed on"


@pytest.mark.parametrize("name", dm_env.LEVEL_NAMES)
def test_memory_check_01_every_public_name_loads(name: str) -> None:
    with dm_env.load_from_settings(dm_env.EnvironmentSettings(seed=1, level_name=name)) as env:
        assert env.reset().first()
        assert env.step({}).mid()


def test_memory_check_01_an_unknown_name_is_named() -> None:
    with pytest.raises(ValueError, match=r"`spot_diff_trian`.*`spot_diff_train`"):
        dm_env.EnvironmentSettings(seed=1, level_name="spot_diff_trian")
    with pytest.raises(ValueError, match="`memory/spot-diff-v1`"):
        dm_env.load("memory/spot-diff-v1")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seed", -1), ("seed", 2**64), ("seed", 1.5), ("width", 0), ("width", -96), ("width", 15), ("width", 4096),
        ("height", 0), ("height", "72"), ("episode_length_seconds", 0), ("episode_length_seconds", -120.0),
        ("episode_length_seconds", float("nan")), ("episode_length_seconds", float("inf")),
        ("num_action_repeats", 0), ("num_action_repeats", -4), ("num_action_repeats", 2.5),
    ],
)  # fmt: skip
def test_settings_are_checked(name: str, value: Any) -> None:
    values: dict[str, Any] = {"seed": 1, "level_name": "spot_diff_train", name: value}
    with pytest.raises(ValueError, match=f"`{name}` is `.*{value}.*`, must be"):
        dm_env.EnvironmentSettings(**values)


def test_settings_default_to_the_published_ones_but_for_the_time() -> None:
    settings = dm_env.EnvironmentSettings(seed=1, level_name="spot_diff_train")
    assert (settings.width, settings.height, settings.num_action_repeats) == (96, 72, 1)
    assert settings.episode_length_seconds is None
    with pytest.raises(ValueError, match="episode_length_seconds"):
        dm_env.load("spot_diff_train", episode_length_seconds=1e300)


def test_further_config_keys_are_taken_and_checked() -> None:
    with pytest.raises(ValueError, match="nonsense"):
        dm_env.load("spot_diff_train", config={"nonsense": 1})
    with pytest.raises(ValueError, match="width"):
        dm_env.load("spot_diff_train", config={"width": 32})


@pytest.mark.parametrize("name", dm_env.LEVEL_NAMES)
def test_an_unknown_key_of_a_level_is_the_error_of_its_environment(name: str) -> None:
    task = max((task for task in (*UNITY, *PSYCHLAB, MAZE) if name.startswith(f"{task}_")), key=len)
    env_id = f"memory/{task.replace('_', '-')}-v1"
    key = next(iter(heldout.about(env_id)["defaults"]))
    for wrong in (f"{key}s", "preset"):
        with pytest.raises(heldout.UnknownKeyError) as caught:
            dm_env.load(name, config={wrong: 1})
        assert isinstance(caught.value, TypeError) and isinstance(caught.value, ValueError)
        assert f"`{env_id}` got an unexpected keyword argument '{wrong}'; the nearest keys" in str(caught.value)
    with pytest.raises(heldout.UnknownKeyError, match=f"the nearest keys of its config are `{key}`"):
        dm_env.load(name, config={f"{key}s": 1})


@pytest.mark.parametrize("name", one_of_each())
def test_memory_check_02_observations(name: str) -> None:
    with dm_env.load(name, 2) as env:
        assert list(env.observation_spec()) == ["RGB_INTERLEAVED", "AvatarPosition", "Score"]
        step = env.reset()
        picture, position, score = step.observation.values()
        assert picture.shape == (72, 96, 3) and picture.dtype == np.uint8
        assert position.shape == (3,) and position.dtype == np.float64
        assert np.shape(score) == () and score.dtype == np.float64 and score == 0.0
        kept = picture.copy()
        env.step({})
        assert (picture == kept).all(), "a picture is the caller's to keep"
    with dm_env.load(name, 2, width=84, height=60, frames_remaining=True) as env:
        assert env.observation_spec()["RGB_INTERLEAVED"].shape == (60, 84, 3)
        first, second = env.reset(), env.step({})
        assert first.observation["RGB_INTERLEAVED"].shape == (60, 84, 3)
        assert first.observation["FRAMES_REMAINING"] - second.observation["FRAMES_REMAINING"] == 1.0


@pytest.mark.parametrize("name", one_of_each())
def test_memory_check_03_the_contract_of_dm_env(name: str) -> None:
    with dm_env.load(name, 3, episode_length_seconds=0.2) as env:
        ticks = round(0.2 * env.ticks_per_second)
        for episode in range(2):
            # The first episode is begun by a reset, the second by a step whose action is ignored.
            step = env.step({"no such control": 7}) if episode else env.reset()
            assert env.episode == episode
            assert step.first() and step.reward is None and step.discount is None
            for _ in range(ticks - 1):
                step = env.step({})
                assert step.mid() and step.reward == 0.0 and step.discount == 1.0
            step = env.step({})
            assert step.last() and step.reward == 0.0 and step.discount == 1.0, "cut, not ended"
    with dm_env.load(name, 3, episode_length_seconds=0.2, legacy_discount=True) as env:
        env.reset()
        steps = [env.step({}) for _ in range(ticks)]
        assert [s.discount for s in steps] == [1.0] * (ticks - 1) + [0.0]


def test_memory_check_03_a_true_end_has_no_discount() -> None:
    # Looking away from the screen for more than 300 ticks ends an episode.
    for legacy in (False, True):
        with dm_env.load("change_detection_train", 3, legacy_discount=legacy) as env:
            env.reset()
            env.step({"LOOK_LEFT_RIGHT_PIXELS_PER_FRAME": 512})
            step = env.step({"LOOK_LEFT_RIGHT_PIXELS_PER_FRAME": 0})
            count = 2
            while not step.last():
                step, count = env.step({}), count + 1
            assert count == 301 and step.discount == 0.0


@pytest.mark.parametrize("name", one_of_each())
def test_memory_check_06_repeats_are_single_steps(name: str) -> None:
    rng = np.random.default_rng(6)
    # The limit of Unity's 30 a second falls within a repeat.
    with (
        dm_env.load(name, 6, episode_length_seconds=4.7, num_action_repeats=4) as repeated,
        dm_env.load(name, 6, episode_length_seconds=4.7) as single,
    ):
        step, _ = repeated.reset(), single.reset()
        while not step.last():
            action = random_action(repeated, rng)
            step = repeated.step(action)
            reward, discount = 0.0, 1.0
            for _ in range(4):
                one = single.step(action)
                reward, discount = reward + one.reward, discount * one.discount
                if one.last():
                    break
            assert (step.step_type, step.reward, step.discount) == (one.step_type, reward, discount)
            assert all((step.observation[k] == one.observation[k]).all() for k in step.observation)


def test_memory_check_07_unity_controls_are_sticky_and_checked() -> None:
    with dm_env.load("spot_diff_train", 7) as env:
        spec = env.action_spec()
        assert list(spec) == ["STRAFE_LEFT_RIGHT", FORWARD, LOOK, "LOOK_DOWN_UP"]
        for one in spec.values():
            assert one.dtype == np.float64 and one.shape == () and (one.minimum, one.maximum) == (-1.0, 1.0)
        env.reset()
        env.step({FORWARD: 1.0, LOOK: np.float64(-0.25)})
        env.step({"LOOK_DOWN_UP": np.array(0.5)})
        assert env.controls == {"STRAFE_LEFT_RIGHT": 0.0, FORWARD: 1.0, LOOK: -0.25, "LOOK_DOWN_UP": 0.5}
        for bad in ({FORWARD: 1.01}, {FORWARD: 0.0, LOOK: -2}, {LOOK: float("nan")}):
            with pytest.raises(ValueError, match="must be -1 to 1"):
                env.step(bad)
        with pytest.raises(ValueError, match="`JUMP`"):
            env.step({FORWARD: 0.0, "JUMP": 1.0})
        for wrong in ({FORWARD: "1"}, {FORWARD: None}, {7: 1.0}, 1.0, None):
            with pytest.raises(TypeError):
                env.step(wrong)
        assert env.controls[FORWARD] == 1.0, "what is refused changes nothing"
        env.reset()
        assert set(env.controls.values()) == {0.0}


def test_memory_check_07_omitted_controls_do_what_repeated_ones_do() -> None:
    with (
        dm_env.load("invisible_goal_empty_arena_train", 7) as sticky,
        dm_env.load("invisible_goal_empty_arena_train", 7) as explicit,
    ):
        sticky.reset(), explicit.reset()
        action = {FORWARD: 1.0, LOOK: 0.3}
        assert digest(sticky.step(action)) == digest(explicit.step(action))
        for _ in range(30):
            assert digest(sticky.step({})) == digest(explicit.step(action))
        # Zero is a value like any other.
        assert digest(sticky.step({LOOK: 0.0})) == digest(explicit.step({LOOK: 0.0, FORWARD: 1.0}))


@pytest.mark.parametrize("name", [f"{MAZE}_train", "what_then_where_train"])
def test_memory_check_07_lab_controls_are_integers(name: str) -> None:
    with dm_env.load(name, 7) as env:
        spec = env.action_spec()
        look = ["LOOK_LEFT_RIGHT_PIXELS_PER_FRAME", "LOOK_DOWN_UP_PIXELS_PER_FRAME"]
        assert list(spec) == [*look, "STRAFE_LEFT_RIGHT", FORWARD, "FIRE", "JUMP", "CROUCH"]
        ranges = [(int(s.minimum), int(s.maximum)) for s in spec.values()]
        assert ranges == [(-512, 512)] * 2 + [(-1, 1)] * 2 + [(0, 1)] * 3
        assert all(s.dtype == np.int32 for s in spec.values())
        env.reset()
        env.step({look[0]: np.int32(-20), "FIRE": 1})
        env.step({FORWARD: 1.0})
        assert list(env.controls.values()) == [-20, 0, 0, 1, 1, 0, 0]
        for bad in ({look[0]: 513}, {FORWARD: 2}, {FORWARD: 0.5}, {"FIRE": -1}, {LOOK: 1}):
            with pytest.raises(ValueError, match=next(iter(bad))):
                env.step(bad)


def test_memory_check_07_the_discrete_sets() -> None:
    strafe = "STRAFE_LEFT_RIGHT"
    walk = [
        {FORWARD: 1.0}, {FORWARD: -1.0}, {strafe: -1.0}, {strafe: 1.0}, {LOOK: -1.0}, {LOOK: 1.0},
        {FORWARD: 1.0, LOOK: -1.0}, {FORWARD: 1.0, LOOK: 1.0},
    ]  # fmt: skip
    none = {strafe: 0.0, FORWARD: 0.0, LOOK: 0.0, "LOOK_DOWN_UP": 0.0}
    with dm_env.load("spot_diff_train") as env:
        assert list(env.discrete_actions) == [{**none, **action} for action in walk]
        discrete = dm_env.discrete(env)
        assert discrete.action_spec() == specs.DiscreteArray(8)
        discrete.reset()
        discrete.step(6)
        discrete.step(np.int64(2))
        assert env.controls == {**none, strafe: -1.0}, "a discrete action sets all controls"
        for bad in (-1, 8, 1.0):
            with pytest.raises(ValueError, match=f"`action` is `{bad}`"):
                discrete.step(bad)
    turn, tilt = "LOOK_LEFT_RIGHT_PIXELS_PER_FRAME", "LOOK_DOWN_UP_PIXELS_PER_FRAME"
    gaze = [{}, {turn: -16}, {turn: 16}, {tilt: 16}, {tilt: -16}]
    with dm_env.load("continuous_recognition_train") as env:
        assert list(env.discrete_actions) == [{**dict.fromkeys(env.action_spec(), 0), **action} for action in gaze]
        assert dm_env.discrete(env).action_spec() == specs.DiscreteArray(5)
    with dm_env.load(f"{MAZE}_train") as env:
        translated = [{turn if k == LOOK else k: int(v) * (20 if k == LOOK else 1) for k, v in a.items()} for a in walk]
        assert list(env.discrete_actions) == [{**dict.fromkeys(env.action_spec(), 0), **a} for a in translated]


@pytest.mark.parametrize(("task", "ticks"), [*UNITY.items(), (MAZE, 7200)])
def test_memory_check_08_time_limits(task: str, ticks: int) -> None:
    for suffix in ("train", "holdout_extrapolate"):
        with dm_env.load(f"{task}_{suffix}", 8, num_action_repeats=ticks - 1) as env:
            env.reset()
            assert env.step({}).mid()
        with dm_env.load(f"{task}_{suffix}", 8, num_action_repeats=ticks, frames_remaining=True) as env:
            assert env.reset().observation["FRAMES_REMAINING"] == ticks
            step = env.step({})
            assert step.last() and (step.reward, step.discount) == (0.0, 1.0)
            assert step.observation["FRAMES_REMAINING"] == 0


def test_memory_check_08_time_limits_tick_by_tick() -> None:
    with dm_env.load("spot_diff_train", 8, width=16, height=16) as env:
        env.reset()
        count, step = 1, env.step({})
        while not step.last():
            count, step = count + 1, env.step({})
        assert count == 3600


@pytest.mark.parametrize("name", one_of_each())
def test_level_seed_and_number_fix_an_episode(name: str) -> None:
    with dm_env.load(name, 9) as env, dm_env.load(name, 9) as again, dm_env.load(name, 10) as other:
        first, second = play(env, 60), play(env, 60)
        assert first == play(again, 60)
        assert first != second and first != play(other, 60)
    with dm_env.load(name, 9) as env:
        play(env, 30, seed=99)
        assert second == play(env, 60), "what was done in an episode does not change the next"
    with dm_env.load(name, 9, first_episode=1) as later:
        assert second == play(later, 60) and later.episode == 1


@pytest.mark.parametrize("name", one_of_each())
def test_the_size_of_the_picture_changes_nothing_else(name: str) -> None:
    with dm_env.load(name, 10) as env, dm_env.load(name, 10, width=84, height=84) as square:
        for seed in range(2):
            assert play(env, 100, seed, pixels=False) == play(square, 100, seed, pixels=False)


@pytest.mark.parametrize(
    "name", ["spot_diff_multi_train", "what_then_where_holdout_interpolate", f"{MAZE}_train_large"]
)
def test_episodes_are_those_of_the_registry(name: str) -> None:
    task = next(t for t in sorted((*UNITY, *PSYCHLAB, MAZE), key=len, reverse=True) if name.startswith(t))
    single = gymnasium.make(f"memory/{task.replace('_', '-')}-v1", level=name)
    seen, _ = single.reset(seed=11)
    env = dm_env.discrete(dm_env.load(name, 11, num_action_repeats=4))
    step = env.reset()
    rng = np.random.default_rng(11)
    for _ in range(60):
        assert (step.observation["RGB_INTERLEAVED"] == seen).all()
        action = int(rng.integers(env.action_spec().num_values))
        step = env.step(action)
        seen, reward, terminated, truncated, _ = single.step(action)
        assert step.reward == reward and step.last() == (terminated or truncated)
        if step.last():
            break
    single.close()
    env.close()


def test_inverted_pitch_exchanges_looking_up_and_down() -> None:
    with dm_env.load("spot_diff_train") as upright, dm_env.load("spot_diff_train", invert_pitch=True) as inverted:
        upright.reset(), inverted.reset()
        up, down = {"LOOK_DOWN_UP": 1.0}, {"LOOK_DOWN_UP": -1.0}
        assert digest(upright.step(up)) == digest(inverted.step(down))
        assert inverted.controls["LOOK_DOWN_UP"] == -1.0


def test_a_closed_environment_says_so() -> None:
    env = dm_env.load("spot_diff_train")
    env.close()
    env.close()
    with pytest.raises(heldout.HeldoutError, match="closed"):
        env.reset()


def test_without_dm_env_the_package_imports_and_the_module_says_what_is_missing() -> None:
    code = (
        "import sys; sys.modules['dm_env'] = None\n"
        "import heldout\n"
        "try:\n    import heldout.dm_env\n"
        "except ImportError as error:\n    assert 'heldout[dm-env]' in str(error), error\n"
        "else:\n    raise SystemExit('imported')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
