"""Ctrl-C ends any native call, long before its work is done."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

#: Generous: the work itself would take longer by far.
TIMEOUT = 120
#: Seconds of computing that may follow Ctrl-C, whatever else the machine does. It was 7 once.
LATE = 1.0

#: An episode of many minutes.
LONG = """
title = "Long"
summary = "Nothing ends before it is stopped."
seeds = 1
[[task]]
name = "long"
id = "memory/visible-goal-with-buildings-v1"
episodes = 8
metric = "return"
set = { seconds = 3600.0, width = 512, height = 512 }
[[task.condition]]
name = "train"
held_out = false
"""

#: Problems that are made from years of training.
PREPARED = """
title = "Prepared"
summary = "Nobody comes to play."
seeds = 1
[[task]]
name = "halma"
id = "halma/symbolic-v1"
kind = { name = "halma-dynamic", experience = 10000000 }
metric = "rho_p"
[[task.condition]]
name = "ST-1"
held_out = true
"""

PLANS = "import heldout.lilgym; corpus = heldout.lilgym.Corpus('lilgym/scatter-flipit-v1', grid='native'); ready()"
ACTS = (
    "envs = heldout.VectorEnv('lilgym/scatter-flipit-v1', 4096, grid='native', threads={}); envs.reset(seed=0); ready()"
)


def computed(process: int) -> float | None:
    """Return the seconds that a running process has computed, where the system says so."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def children() -> float:
    """Return the seconds that children which have ended computed."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def interrupted(script: str) -> str:
    """Interrupt a script a while after it has said that it is ready; return what it says of it."""
    before = children()
    head = "import heldout\ndef ready(*told):\n    print('ready', flush=True)\n"
    command = [sys.executable, "-c", head + script]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None and child.stdout.readline() == "ready\n", child.communicate()[1]
        time.sleep(1.0)
        until = computed(child.pid)
        child.send_signal(signal.SIGINT)
        told = child.communicate(timeout=TIMEOUT)[1]
        after = None if until is None else children() - before - until
        assert after is None or after < LATE, f"{after} s of work after Ctrl-C"
        return told
    finally:
        child.kill()
        child.wait()


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_in_an_evaluation_waited_for_the_end_of_an_episode(tmp_path: Path, threads: int) -> None:
    (tmp_path / "long.toml").write_text(LONG)
    told = f"{str(tmp_path / 'long.toml')!r}, {str(tmp_path / 'out')!r}, threads={threads}, progress=ready"
    assert interrupted(f"heldout.evaluate('random', {told})").endswith("KeyboardInterrupt\n")


def test_ctrl_c_was_not_heard_while_an_evaluation_prepared(tmp_path: Path) -> None:
    (tmp_path / "prepared.toml").write_text(PREPARED)
    told = f"{str(tmp_path / 'prepared.toml')!r}, {str(tmp_path / 'out')!r}"
    assert interrupted(f"ready()\nheldout.evaluate('half', {told})").endswith("KeyboardInterrupt\n")


def test_ctrl_c_waited_for_all_plans() -> None:
    assert interrupted(PLANS + "; corpus.plans()").endswith("KeyboardInterrupt\n")


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_waited_for_the_actions_of_all_copies(threads: int) -> None:
    assert interrupted(ACTS.format(threads) + "; envs.act('oracle')").endswith("KeyboardInterrupt\n")


def test_who_was_interrupted_goes_on_as_if_nothing_had_been() -> None:
    # The copies are as they were, and plans that were broken off are not taken for plans.
    script = """
import signal
envs = heldout.VectorEnv("lilgym/scatter-flipit-v1", 256, threads=1)
envs.reset(seed=0)
before = [envs.save(i) for i in range(256)]
signal.setitimer(signal.ITIMER_REAL, 0.2)
def stop(number, frame):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, stop)
try:
    envs.act("oracle")
    # A machine that plans so fast shows nothing.
except KeyboardInterrupt:
    pass
signal.setitimer(signal.ITIMER_REAL, 0)
assert [envs.save(i) for i in range(256)] == before
other = heldout.VectorEnv("lilgym/scatter-flipit-v1", 256, threads=2)
other.reset(seed=0)
for _ in range(3):
    ours, theirs = envs.act("oracle"), other.act("oracle")
    assert (ours == theirs).all()
    envs.step(ours), other.step(theirs)
"""
    done = subprocess.run([sys.executable, "-c", "import heldout" + script], capture_output=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr.decode()


def test_ctrl_c_was_not_heard_by_measures_and_intervals() -> None:
    tables = "import numpy as np; a = np.random.default_rng(0).integers(1, 9, (60000, 3)); ready()"
    assert interrupted(f"import heldout.s2b; {tables}; heldout.s2b.language_metrics(a, a)").endswith(
        "KeyboardInterrupt\n"
    )
    scores = "from heldout import _native; import numpy as np; ready()"
    call = "_native.aggregate_interval('iqm', np.random.default_rng(0).random((200, 50)), 1.0, 1000000, 0)"
    assert interrupted(f"{scores}; {call}").endswith("KeyboardInterrupt\n")


def test_ctrl_c_in_the_first_batch_panicked() -> None:
    script = """
import signal
def stop(number, frame):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, stop)
for wait in (0.001, 0.01, 0.05, 0.1):
    signal.setitimer(signal.ITIMER_REAL, wait)
    try:
        heldout.make_batch("halma/visual-v1", 64, mazes=500)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        pass
"""
    done = subprocess.run([sys.executable, "-c", "import heldout" + script], capture_output=True, timeout=TIMEOUT)
    assert b"PanicException" not in done.stderr and b"capsule" not in done.stderr, done.stderr.decode()
