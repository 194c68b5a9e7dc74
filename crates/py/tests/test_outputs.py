"""What is written goes where the path says, by one process at a time."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import heldout

PROTOCOL = """
title = "Short"
summary = "One task, one condition."
seeds = 1
[[task]]
name = "grid"
id = "example/grid-v1"
episodes = 10
metric = "success"
[[task.condition]]
name = "train"
held_out = false
"""


@pytest.fixture
def evaluated(tmp_path: Path) -> Path:
    (tmp_path / "short.toml").write_text(PROTOCOL)
    out = tmp_path / "out"
    heldout.evaluate("random", str(tmp_path / "short.toml"), out=out)
    return out


def test_a_report_refuses_what_the_command_line_refuses(evaluated: Path) -> None:
    with pytest.raises(ValueError, match=r"must end in `\.html`"):
        heldout.report(evaluated, evaluated / "page.txt")
    with pytest.raises(ValueError, match="both are the same file"):
        heldout.report(evaluated, evaluated / "x.html", markdown=evaluated / "x.html")
    (evaluated / "y.md").symlink_to("y.html")
    with pytest.raises(ValueError, match="both are the same file"):
        heldout.report(evaluated, evaluated / "y.html", markdown=evaluated / "y.md")
    with pytest.raises(ValueError, match="cannot write"):
        heldout.report(evaluated, evaluated / "none" / "x.html")
    assert not (evaluated / "page.txt").exists()


def test_a_report_follows_links_and_leaves_devices_what_they_are(evaluated: Path, tmp_path: Path) -> None:
    (tmp_path / "real.html").write_text("old")
    (tmp_path / "link.html").symlink_to("real.html")
    (tmp_path / "null.html").symlink_to("/dev/null")
    heldout.report(evaluated, tmp_path / "link.html")
    heldout.report(evaluated, tmp_path / "null.html")
    assert (tmp_path / "link.html").is_symlink() and (tmp_path / "null.html").is_symlink()
    assert (tmp_path / "real.html").read_text().startswith("<!DOCTYPE html>")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_directory_that_another_process_writes_to_is_named_with_it(evaluated: Path) -> None:
    hold = (
        "import fcntl, os, sys\n"
        f"file = open({str(evaluated / '.heldout-lock')!r}, 'w')\n"
        "fcntl.flock(file, fcntl.LOCK_EX)\n"
        "file.write(f'process {os.getpid()}\\n'); file.flush()\n"
        "print('held', flush=True); sys.stdin.read()\n"
    )
    other = subprocess.Popen([sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert other.stdout is not None and other.stdout.readline() == b"held\n"
    protocol = str(evaluated.parent / "short.toml")
    with pytest.raises(ValueError, match=f"is being written to by process {other.pid}"):
        heldout.evaluate("random", protocol, out=evaluated, resume=True)
    other.communicate()
    heldout.evaluate("random", protocol, out=evaluated, resume=True)
    assert not (evaluated / ".heldout-lock").exists()


def test_experience_without_an_end_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(ValueError, match="is a device or a pipe, must be a regular file"):
            heldout.evaluate("random", "smoke", tmp_path / "out", experience=path)
