"""A batch is so many single environments: the same trajectories, and infos as Gymnasium makes them."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import heldout
from cases import SINGLE, SINGLE_CASES, Case, equal, part

COPIES = 5
STEPS = 300


def pair(case: Case, mode: AutoresetMode, **options) -> tuple[heldout.VectorEnv, SyncVectorEnv]:
    """The same copies in a batch of ours and in Gymnasium's own vector environment."""
    config = case.smallest()
    cap = {k: options[k] for k in ("max_episode_steps",) if k in options}
    singles = SyncVectorEnv([lambda: heldout.Env(case.id, **cap, **config)] * COPIES, autoreset_mode=mode)
    return heldout.VectorEnv(case.id, COPIES, autoreset_mode=mode, **options, **config), singles


def agree(ours: tuple, theirs: tuple) -> None:
    for a, b in zip(ours, theirs, strict=True):
        assert equal(a, b), f"{a}\n is not\n{b}"


@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("case", SINGLE_CASES, ids=str)
def test_a_batch_is_what_gymnasium_makes_of_singles(case: Case, mode: AutoresetMode, copy: bool) -> None:
    # Short enough that restarts are met, whatever the environment's own limit.
    envs, singles = pair(case, mode, copy=copy, max_episode_steps=60)
    seeds = [11, 3, 7, 3, 2**40]
    agree(envs.reset(seed=seeds), singles.reset(seed=seeds))
    envs.action_space.seed(1)
    ends = 0
    for _ in range(STEPS):
        actions = envs.action_space.sample()
        ours = envs.step(actions)
        agree(ours, singles.step(actions))
        ends += int(np.sum(ours[2] | ours[3]))
    agree(envs.reset(), singles.reset())
    assert ends >= COPIES * (STEPS // 61)


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("env_id", SINGLE)
def test_its_own_time_limit(env_id: str, mode: AutoresetMode) -> None:
    envs, singles = pair(Case(env_id, {}), mode, max_episode_steps=4)
    agree(envs.reset(seed=[1] * COPIES), singles.reset(seed=[1] * COPIES))
    envs.action_space.seed(2)
    for _ in range(40):
        actions = envs.action_space.sample()
        agree(envs.step(actions), singles.step(actions))
    made = gymnasium.make_vec(env_id, num_envs=2, max_episode_steps=3)
    made.reset(seed=0)
    steps = [made.step(made.action_space.sample()) for _ in range(3)]
    assert np.logical_or.reduce([step[2] | step[3] for step in steps]).all(), "every episode ends within the limit"


@pytest.mark.parametrize("env_id", SINGLE)
def test_disabled_autoreset_with_masks(env_id: str) -> None:
    envs, singles = pair(Case(env_id, {}), AutoresetMode.DISABLED, max_episode_steps=6)
    agree(envs.reset(seed=[5, 6, 7, 8, 9]), singles.reset(seed=[5, 6, 7, 8, 9]))
    envs.action_space.seed(4)
    for _ in range(60):
        actions = envs.action_space.sample()
        ours = envs.step(actions)
        agree(ours, singles.step(actions))
        ended = ours[2] | ours[3]
        if ended.any():
            before = [envs.save(i) for i in range(COPIES)]
            with pytest.raises(heldout.HeldoutError, match="has ended: reset it"):
                envs.step(actions)
            assert [envs.save(i) for i in range(COPIES)] == before
            agree(envs.reset(options={"reset_mask": ended.copy()}), singles.reset(options={"reset_mask": ended.copy()}))
            untouched = [i for i in range(COPIES) if not ended[i]]
            assert [envs.save(i) for i in untouched] == [before[i] for i in untouched]


@pytest.mark.parametrize("env_id", SINGLE)
def test_an_integer_is_the_root_of_all_seeds(env_id: str) -> None:
    def states(n: int, seed: int) -> list[bytes]:
        envs = heldout.VectorEnv(env_id, n)
        envs.reset(seed=seed)
        return [envs.save(i) for i in range(n)]

    assert states(6, 1) == states(6, 1)
    assert states(6, 1)[:3] == states(3, 1), "the size of the batch changes no copy"
    assert len({*states(6, 1), *states(6, 2)}) == 12, "neighbouring seeds share no stream"
    single = heldout.Env(env_id)
    single.reset(seed=1)
    assert single.save() == states(1, 1)[0]


@pytest.mark.parametrize("env_id", SINGLE)
def test_threads_change_nothing(env_id: str) -> None:
    played = []
    for threads in (1, 2, 7):
        envs = heldout.VectorEnv(env_id, 131, threads=threads)
        envs.reset(seed=3)
        envs.action_space.seed(3)
        for _ in range(60):
            last = envs.step(envs.action_space.sample())
        played.append(([envs.save(i) for i in range(131)], last))
    for states, last in played[1:]:
        assert states == played[0][0]
        agree(last, played[0][1])


def test_seeds_of_some_copies() -> None:
    one, two = heldout.VectorEnv("example/grid-v1", 3), heldout.VectorEnv("example/grid-v1", 3)
    one.reset(seed=[1, 2, 3])
    two.reset(seed=[1, 2, 3])
    a, b = one.reset(seed=[None, 9, None]), two.reset()
    single = heldout.Env("example/grid-v1").reset(seed=9)
    assert equal(part(a[0], 1), single[0])
    for i in (0, 2):
        assert equal(part(a[0], i), part(b[0], i))


def test_problems_of_copies() -> None:
    envs = heldout.VectorEnv("example/grid-v1", 3)
    assert envs.reset(options={"problem": 5})[1]["problem"].tolist() == [5, 5, 5]
    assert envs.reset(options={"problem": [1, 2, 3]})[1]["problem"].tolist() == [1, 2, 3]
    mask = np.array([False, True, False])
    _, infos = envs.reset(options={"problem": 40, "reset_mask": mask})
    assert infos["problem"].tolist() == [0, 40, 0] and infos["_problem"].tolist() == mask.tolist()
    assert [envs._batch.problem(i) for i in range(3)] == [1, 40, 3]


def arrays(returned: tuple) -> dict[str, np.ndarray]:
    observation, rewards, terminated, truncated, infos = returned
    fields = observation if isinstance(observation, dict) else {"observation": observation}
    flat = {f"info {k}": v for k, v in infos.items() if isinstance(v, np.ndarray) and v.dtype != object}
    return {**fields, **flat, "rewards": rewards, "terminated": terminated, "truncated": truncated}


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("env_id", SINGLE)
def test_copies_are_kept_and_views_are_overwritten(env_id: str, mode: AutoresetMode) -> None:
    for copy in (True, False):
        envs = heldout.VectorEnv(env_id, 4, copy=copy, autoreset_mode=mode)
        envs.reset(seed=0)
        envs.action_space.seed(0)
        first = envs.step(envs.action_space.sample())
        one, ended = arrays(first), first[2] | first[3]
        kept = {name: array.copy() for name, array in one.items()}
        # A delay shows the same for a while.
        for _ in range(60):
            if mode == AutoresetMode.DISABLED and ended.any():
                envs.reset(options={"reset_mask": ended.copy()})
            step = envs.step(envs.action_space.sample())
            two, ended = arrays(step), step[2] | step[3]
            for name in one.keys() & two.keys():
                assert np.shares_memory(one[name], two[name]) is not copy, name
            changed = [name for name in one if not np.array_equal(one[name], kept[name])]
            if changed:
                break
        assert bool(changed) is not copy, changed


def test_views_outlive_the_batch_and_cannot_be_resized() -> None:
    envs = heldout.VectorEnv("example/grid-v1", 4, copy=False)
    observation, _ = envs.reset(seed=0)
    position = observation["position"]
    kept = position.copy()
    with pytest.raises(ValueError, match="resize"):
        position.resize((10_000, 2), refcheck=False)
    envs.close()
    del envs, observation
    assert np.array_equal(position, kept)


def test_episode_metrics_are_masked() -> None:
    envs = heldout.VectorEnv("example/grid-v1", 8, copy=False)
    envs.reset(seed=0)
    seen = 0
    for _ in range(60):
        _, _, terminated, truncated, infos = envs.step(envs.act("oracle"))
        ended = terminated | truncated
        assert ("success" in infos) == ended.any()
        if ended.any():
            seen += 1
            assert np.array_equal(infos["_success"], ended)
            assert np.array_equal(infos["success"], terminated.astype(np.float64))
            assert (infos["length"][~ended] == 0).all() and (infos["length"][ended] > 0).all()
    assert seen > 5
