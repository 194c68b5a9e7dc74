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
