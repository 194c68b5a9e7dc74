"""``python -m heldout.ray eval``: the records of ``heldout eval``, whatever happens to workers, nodes and driver."""

import contextlib
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cluster import SLOW, at_work, command, kill, lines, run, tree, wait
from ray.cluster_utils import Cluster

import heldout

EVAL = ["eval", "memory-mini", "--seeds", "2", "--episodes", "70", "--task", "spot-diff", "--task", "change-detection"]
SCRIPTED = [*EVAL, "--policy", "random", "--policy", "shortcut", "--policy", "oracle"]


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return what one process records."""
    out = tmp_path_factory.mktemp("local") / "out"
    run(*SCRIPTED, "--out", str(out), "--threads", "1")
    return out


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "slow.py").write_text(SLOW)
    monkeypatch.syspath_prepend(str(folder))
    sys.modules.pop("slow", None)
    return folder


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return what the slow policy records in one process."""
    folder = tmp_path_factory.mktemp("slow")
    names: dict[str, Any] = {}
    exec(SLOW, names)
    heldout.evaluate(
        names["make"](), "memory-mini", folder / "out", label="slow", seeds=1, episodes=300, tasks=["spot-diff"]
    )
    return folder / "out"


SLOWLY = ["eval", "memory-mini", "--seeds", "1", "--episodes", "300", "--task", "spot-diff"]


@pytest.fixture
def cluster() -> Iterator[Any]:
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.other = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    yield cluster
    cluster.shutdown()


def test_records_are_those_of_one_process_byte_for_byte(local: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run("--workers", "2", *SCRIPTED, "--out", str(out), module="heldout.ray")
    assert tree(out, ".html", ".md") == tree(local, ".html", ".md")
    assert (out / "report.html").exists() and "spot-diff" in done.stdout
    refused = run("--workers", "1", *SCRIPTED, "--out", str(out), module="heldout.ray", code=2)
    assert "is already there: continue it with `--resume`" in refused.stderr


def test_what_is_extended_is_what_one_process_extends(local: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    few = ["40" if word == "70" else word for word in SCRIPTED]
    run("--workers", "2", *few, "--out", str(out), module="heldout.ray")
    run("--workers", "2", *SCRIPTED, "--out", str(out), "--resume", module="heldout.ray")
    assert tree(out, ".html", ".md") == tree(local, ".html", ".md")


def test_a_killed_worker_loses_nothing_and_doubles_nothing(
    cluster: Any, slow: Path, modules: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    words = [*SLOWLY, "--policy", "slow@slow:make", "--out", str(out)]
    driver = subprocess.Popen(command("--address", cluster.address, *words, module="heldout.ray"), cwd=modules)
    wait(lambda: lines(out) > 0)
    killed = wait(lambda: at_work("heldout-part") or at_work("play"))
    kill(killed[0])
    # While it goes on, nobody else may write there.
    busy = run(*SLOWLY, "--policy", "random", "--out", str(out), "--resume", code=2)
    assert "is being written to by" in busy.stderr
    assert driver.wait(300) == 0
    assert tree(out / "records") == tree(slow / "records")


def test_a_policy_that_kills_its_worker_once_is_played_again(slow: Path, modules: Path, tmp_path: Path) -> None:
    out, mark = tmp_path / "out", tmp_path / "mark"
    words = [*SLOWLY, "--policy", "slow@slow:once", "--out", str(out)]
    told = {**os.environ, "MARK": str(mark)}
    done = subprocess.run(command("--workers", "2", *words, module="heldout.ray"), cwd=modules, env=told, timeout=300)
    assert done.returncode == 0 and mark.exists()
    strip = lambda files: {k: b"\n".join(v.split(b"\n")[1:]) for k, v in files.items()}  # noqa: E731
    # The header names another function.
    assert strip(tree(out / "records")) == strip(tree(slow / "records"))


def test_a_killed_node_loses_nothing_and_doubles_nothing(
    cluster: Any, slow: Path, modules: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    words = [*SLOWLY, "--policy", "slow@slow:make", "--out", str(out)]
    driver = subprocess.Popen(command("--address", cluster.address, *words, module="heldout.ray"), cwd=modules)
    wait(lambda: lines(out) > 0)
    cluster.remove_node(cluster.other, allow_graceful=False)
    assert driver.wait(300) == 0
    assert tree(out / "records") == tree(slow / "records")


def test_a_killed_driver_is_resumed(slow: Path, modules: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["--workers", "2", *SLOWLY, "--policy", "slow@slow:make", "--out", str(out)]
    driver = subprocess.Popen(command(*words, module="heldout.ray"), cwd=modules)
    wait(lambda: lines(out) > 0)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    before = lines(out)
    assert 0 < before < 900
    run(*words, "--resume", module="heldout.ray", cwd=modules)
    assert tree(out / "records") == tree(slow / "records")


def test_ctrl_c_stops_and_says_how_to_go_on(slow: Path, modules: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["--workers", "2", *SLOWLY, "--policy", "slow@slow:make", "--out", str(out)]
    driver = subprocess.Popen(command(*words, module="heldout.ray"), cwd=modules, stderr=subprocess.PIPE, text=True)
    wait(lambda: lines(out) > 0)
    driver.send_signal(signal.SIGINT)
    _, said = driver.communicate(timeout=120)
    assert driver.returncode == 1
    assert "to go on: python -m heldout.ray --workers 2 eval memory-mini" in said and "--resume" in said
    run(*words, "--resume", module="heldout.ray", cwd=modules)
    assert tree(out / "records") == tree(slow / "records")


def test_a_failing_cell_is_reported_and_the_rest_goes_on(modules: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    few = ["40" if word == "300" else word for word in SLOWLY]
    words = [*few, "--policy", "slow:raises", "--policy", "oracle", "--out", str(out)]
    done = run("--workers", "2", *words, module="heldout.ray", cwd=modules, code=1)
    failures = json.loads((out / "failures.json").read_text())["failures"]
    assert {f["condition"] for f in failures} == {"train", "holdout_interpolate", "holdout_extrapolate"}
    assert all(f["agent"] == "slow:raises" and f["problem"] == "RuntimeError: no idea" for f in failures)
    assert "3 combinations could not be played" in done.stderr
    oracles = [p for p in (out / "records").rglob("oracle.jsonl")]
    assert len(oracles) == 3 and all(p.read_bytes().count(b"\n") == 41 for p in oracles)


def test_checkpoints_and_protocols_are_sent_once_to_each_node_and_play_the_same(cluster: Any, tmp_path: Path) -> None:
    run("train", "ppo", "--env", "example/grid-v1", "--steps", "1500", "--seeds", "2", "--out", str(tmp_path / "agent"))
    (tmp_path / "mine.toml").write_text(PROTOCOL)
    words = ["eval", "mine.toml", "--policy", "own@agent", "--policy", "random", "--episodes", "600"]
    run(*words, "--out", "local", cwd=tmp_path)
    run("--address", cluster.address, *words, "--out", "away", module="heldout.ray", cwd=tmp_path)
    assert tree(tmp_path / "away", ".html", ".md") == tree(tmp_path / "local", ".html", ".md")
    assert (tmp_path / "away/protocols/mine.toml").exists()
    nodes = list((Path(cluster.head_node.get_session_dir_path()) / "heldout").glob("*/files"))
    names = [sorted(path.name for path in node.iterdir()) for node in nodes]
    assert 1 <= len(names) <= 2 and all(own == names[0] for own in names)
    assert len(names[0]) == 2 and all(len(name) == 32 for name in names[0]), "by their hashes, and nothing beside"


def test_experience_is_sent(tmp_path: Path) -> None:
    envs = heldout.make_vec("halma/symbolic-v1", 1, experience=True)
    envs.reset(seed=1)
    for _ in range(3000):
        envs.step(envs.act("oracle"))
    (tmp_path / "own.bin").write_bytes(envs.experience(0))
    words = ["eval", "quick", "--task", "halma-symbolic", "--policy", "mine@oracle", "--experience", "own.bin"]
    run(*words, "--out", "local", cwd=tmp_path)
    run("--workers", "2", *words, "--out", "away", module="heldout.ray", cwd=tmp_path)
    assert tree(tmp_path / "away", ".html", ".md") == tree(tmp_path / "local", ".html", ".md")


def test_one_display_tells_how_far_it_is_and_the_time_left(tmp_path: Path) -> None:
    screen, terminal = pty.openpty()
    # Wide enough for the whole line.
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 120, 0, 0))
    words = ["--workers", "2", *SCRIPTED, "--out", str(tmp_path / "out")]
    driver = subprocess.Popen(command(*words, module="heldout.ray"), stdout=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    shown = b""
    with contextlib.suppress(OSError):
        while more := os.read(screen, 4096):
            shown += more
    os.close(screen)
    assert driver.wait(60) == 0
    assert re.search(rb"\d+/\d+ episodes, \S+ left", shown), shown


PROTOCOL = """
title = "Grids"
summary = "Two splits."
seeds = 1

[[condition]]
name = "train"
held_out = false
set = { split = "train" }

[[condition]]
name = "heldout"
held_out = true
set = { split = "heldout" }

[[task]]
name = "grid"
id = "example/grid-v1"
episodes = 100
metric = "return"
"""


def test_the_other_program_names_this_one(tmp_path: Path) -> None:
    assert "python -m heldout.ray eval" in run("eval", "--help").stdout
    assert "python -m heldout.ray train" in run("train", "--help").stdout
    done = run("eval", "quick", "--policy", "mine:make", "--out", str(tmp_path / "out"), code=2)
    assert "`python -m heldout.ray eval` plays it" in done.stderr
    missing = run(
        "--workers", "1", *SLOWLY, "--policy", "nowhere:make", "--out", str(tmp_path), module="heldout.ray", code=2
    )
    assert "No module named 'nowhere'" in missing.stderr
    assert "`eval` or `train` is missing" in run("--workers", "1", module="heldout.ray", code=2).stderr
    assert "`--workers` is `0`" in run("--workers", "0", "eval", module="heldout.ray", code=2).stderr
