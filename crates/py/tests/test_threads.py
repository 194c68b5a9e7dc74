"""A batch steps without the interpreter's lock."""

import sys
import threading

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
            except RuntimeError:
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
