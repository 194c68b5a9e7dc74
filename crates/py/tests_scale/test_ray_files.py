"""What nodes keep and what is sent to them."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import ray.exceptions

from heldout import _native
from heldout.ray import _files
from heldout.ray._parts import _lost


def test_what_processes_that_are_gone_left_behind_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_files, "scratch", lambda: tmp_path)
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    here, old = os.getpid(), time.time() - 2 * _files._DAY
    names = [f"run-{gone.pid}-x", f"plans-{gone.pid}", f"run-{here}-x", f"plans-{here}", "files", "parts/new", "parts/old"]
    for name in names:
        (tmp_path / name).mkdir(parents=True)
    os.utime(tmp_path / "parts/old", (old, old))
    _files.tidy()
    assert [name for name in names if (tmp_path / name).exists()] == [*names[2:6]]


def test_folders_are_sent_but_for_what_only_training_goes_on_from(tmp_path: Path) -> None:
    for name in ("state", "state.old", "events", ".hidden", "state-of-things", "seed-0"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(b"x")
    assert [name for name, _ in _native.read_tree(str(tmp_path))] == ["seed-0/file", "state-of-things/file"]


def test_who_was_lost_and_who_failed_is_told_apart() -> None:
    lost = _lost(ray.exceptions.WorkerCrashedError(), 5)
    assert lost.startswith("whoever worked on it was lost 6 times, last by WorkerCrashedError: ")
    failed = ray.exceptions.RayTaskError("play", "Traceback\n…", OSError("No space left on device"))
    assert _lost(failed, 2) == "whoever worked on it failed 3 times, last by OSError: No space left on device"
