"""A batch steps without the interpreter's lock."""

import sys
import threading
from collections.abc import Callable

import numpy as np
import pytest

import heldout


@pytest.fixture
def no_preemption():
    """Threads of Python switch only where one of them lets go of the lock."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000.0)
    yield
    sys.setswitchinterval(interval)


def test_the_lock_is_released_while_stepping(no_preemption: None) -> None:
    batch = heldout.make_batch("example/grid-v1", 2048, image=True)
    actions = np.zeros(2048, dtype=np.int64)
    # The other thread can see `stepping` without `done` only if the step lets go of the lock. Whether the system
    # wakes it in time is chance, hence several tries; with the lock held, none can succeed.
    seen = False
    for _ in range(20):
        stepping, done = threading.Event(), []

        def work(stepping: threading.Event = stepping, done: list = done) -> None:
            stepping.set()
            batch.step(actions)
            done.append(True)

        thread = threading.Thread(target=work)
        thread.start()
        stepping.wait()
        seen = seen or not done
        thread.join()
        assert done, "the step failed"
    assert seen


def test_batches_in_two_threads_do_not_disturb_each_other() -> None:
    def play(seed: int) -> list[bytes]:
        envs = heldout.VectorEnv("example/grid-v1", 64, threads=1 + seed % 2)
        envs.reset(seed=seed)
        for _ in range(300):
            envs.step(envs.act("random"))
        return [envs.save(i) for i in range(64)]

    alone = [play(seed) for seed in range(4)]
    together: list = [None] * 4

    def work(seed: int) -> None:
        together[seed] = play(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone


def test_one_batch_in_two_threads_is_refused_not_corrupted() -> None:
    batch = heldout.make_batch("example/grid-v1", 512)
    batch.reset(0)
    steps, refusals, others = [0, 0], [0, 0], []

    def work(me: int) -> None:
        for _ in range(400):
            try:
                batch.step(np.zeros(512, dtype=np.int64))
                steps[me] += 1
            except RuntimeError as error:
                assert "one environment may be used by one thread at a time" in str(error), error
                refusals[me] += 1
            except BaseException as error:
                others.append(error)

    threads = [threading.Thread(target=work, args=(me,)) for me in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not others and sum(steps) + sum(refusals) == 800
    alone = heldout.make_batch("example/grid-v1", 512)
    alone.reset(0)
    for _ in range(sum(steps)):
        alone.step(np.zeros(512, dtype=np.int64))
    assert [alone.save(i) for i in range(512)] == [batch.save(i) for i in range(512)]


class Reentrant:
    """Actions that use the environment while they are read."""

    def __init__(self, call: Callable[[], object]) -> None:
        self.call = call

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        self.call()
        return np.zeros(4, dtype=np.int64)


def test_a_second_call_was_refused_in_words_of_another() -> None:
    batch = heldout.make_batch("example/grid-v1", 4)
    batch.reset(0)
    before = batch.save(0)
    calls = (batch.observe, lambda: batch.save(0), lambda: batch.metrics(0), batch.act, batch.close, batch.reset)
    for call in calls:
        with pytest.raises(RuntimeError, match="one environment may be used by one thread at a time"):
            batch.step(Reentrant(call))
        assert batch.save(0) == before
    assert len(batch) == 4 and batch.about and batch.arrays


def test_a_level_in_two_threads_is_refused_not_corrupted() -> None:
    level = heldout._native.Level("spot_diff_train", 1, 96, 72, None, False, "{}")
    level.begin(0)
    refusals, others = [], []

    def work() -> None:
        for _ in range(50):
            try:
                level.picture()
            except RuntimeError as error:
                refusals.append(str(error))
            except BaseException as error:
                others.append(error)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not others and all("one thread at a time" in text for text in refusals)
