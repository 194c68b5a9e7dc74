"""What the machine does not give is an error of ours, never the end of the process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

resource = pytest.importorskip("resource")

#: Generous: a process that does not end by then hangs.
TIMEOUT = 120

#: An address space that holds the interpreter and the package, and not much more.
CAP = """
import os, resource, sys
import numpy as np
import heldout
heldout.make_batch("example/grid-v1", 4)
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
limit = used + (256 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
"""

linux = pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="asks the system for its address space")


def ended(script: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([sys.executable, "-c", CAP + script], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, f"{done.returncode}: {done.stderr}"
    return done


@linux
@pytest.mark.parametrize(
    "env_id",
    ["example/grid-v1", "halma/symbolic-v1", "halma/visual-v1", "s2b/game-v1", "memory/spot-diff-v1",
     "memory/spot-diff-mini-v1", "lilgym/scatter-flipit-v1"],
)  # fmt: skip
def test_a_million_copies_without_memory_for_them_aborted(env_id: str) -> None:
    ended(f"""
for mode in ("NextStep", "SameStep"):
    try:
        heldout.make_batch({env_id!r}, 1 << 20, autoreset_mode=mode)
        print("made")
    except MemoryError as error:
        print(error)
        assert "1048576" in str(error) and "bytes" in str(error), error
    # What there is memory for is made all the same.
    assert len(heldout.make_batch({env_id!r}, 8)) == 8
""")


@linux
@pytest.mark.parametrize(
    "env_id", ["halma/symbolic-v1", "s2b/game-v1", "memory/spot-diff-v1", "lilgym/tower-scratch-v1"]
)
def test_any_number_of_copies_under_a_cap_is_made_or_refused(env_id: str) -> None:
    ended(f"""
made = refused = 0
for power in range(4, 21):
    try:
        batch = heldout.make_batch({env_id!r}, 1 << power)
        batch.reset(0)
        batch.close()
        del batch
        made += 1
    except MemoryError:
        refused += 1
assert made > 2 and refused > 0, (made, refused)
""")


#: Enough blocks of episodes for any number of threads.
MANY = """
title = "Many"
summary = "More work than threads."
seeds = 1
[[task]]
name = "grid"
id = "example/grid-v1"
episodes = 40000
metric = "success"
[[task.condition]]
name = "train"
held_out = false
"""


@linux
def test_no_thread_to_be_had_panicked(tmp_path: Path) -> None:
    (tmp_path / "many.toml").write_text(MANY)
    ended(f"""
for make in (
    lambda: heldout.make_batch("example/grid-v1", 4096, threads=1024),
    lambda: heldout.evaluate("random", {str(tmp_path / "many.toml")!r}, {str(tmp_path / "out")!r}, threads=1024),
):
    try:
        make()
        raise SystemExit("made")
    except RuntimeError as error:
        assert "threads" in str(error) and "1024" in str(error), error
""")
