"""A process that was forked has no threads but one: what has threads here goes on without them there."""

import os
import subprocess
import sys

import pytest

TIMEOUT = 120

SCRIPT = """
import os, signal, sys, warnings, zlib
import heldout
warnings.simplefilter("ignore")

def play(envs):
    digest = 0
    for _ in range(20):
        observation, rewards, *_ = envs.step(envs.act("random", 3))
        for array in observation.values() if isinstance(observation, dict) else [observation]:
            digest = zlib.crc32(array, digest)
        digest = zlib.crc32(rewards, digest)
    envs.reset(seed=9)
    digest = zlib.crc32(b"".join(envs.save(i) for i in range(envs.num_envs)), digest)
    envs.close()
    return digest

envs = heldout.VectorEnv(sys.argv[1], 512, threads=4)
envs.reset(seed=1)
# The threads have worked, and sleep.
envs.step(envs.act("random", 3))
reader, writer = os.pipe()
child = os.fork()
if child == 0:
    signal.alarm(60)  # who hangs is ended
    os.write(writer, str(play(envs)).encode())
    os._exit(0)
os.close(writer)
theirs = os.read(reader, 100).decode()
assert os.waitpid(child, 0)[1] == 0, "the child hangs"
assert theirs == str(play(envs)), (theirs, "in the child")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
@pytest.mark.parametrize("env_id", ["example/grid-v1", "halma/symbolic-v1", "s2b/listener-v1"])
def test_a_threaded_environment_hung_after_a_fork(env_id: str) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT, env_id], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr


ASYNC = """
import signal, warnings
import gymnasium, numpy as np
import heldout
signal.alarm(90)  # who hangs is ended
warnings.simplefilter("ignore")
envs = heldout.VectorEnv("example/grid-v1", 512, threads=4)
envs.reset(seed=1)
envs.step(envs.act("random", 3))
makers = [lambda: heldout.Env("example/grid-v1")] * 3
forked = gymnasium.vector.AsyncVectorEnv(makers, context="fork")
plain = gymnasium.vector.SyncVectorEnv(makers)
for vector in (forked, plain):
    vector.reset(seed=5)
for step in range(50):
    actions = np.array([step % 4, (step + 1) % 4, (step // 3) % 4])
    ours, theirs = forked.step(actions), plain.step(actions)
    assert all((ours[0][name] == theirs[0][name]).all() for name in theirs[0]) and (ours[1] == theirs[1]).all(), step
forked.close()
# Whoever forked goes on with its threads.
envs.step(envs.act("random", 3))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_gymnasiums_async_vectors_are_forked_from_a_process_with_threads() -> None:
    done = subprocess.run([sys.executable, "-c", ASYNC], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr
