"""``python -m heldout.ray train``: the runs of ``heldout train``, whatever happens to those who train them."""

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cluster import at_work, below, command, kill, run, tree, wait
from ray.cluster_utils import Cluster

TRAIN = ["train", "ppo", "--env", "example/grid-v1", "--steps", "60000", "--seeds", "2"]


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("local") / "out"
    run(*TRAIN, "--out", str(out))
    return out


@pytest.fixture
def cluster() -> Iterator[Any]:
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.other = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    yield cluster
    cluster.shutdown()


def learnt(out: Path) -> dict[str, bytes]:
    """Return what a training came to, without what tells the time."""
    kept = ("policy.safetensors", "curves.jsonl", "log.jsonl", "run.json", "policy.bin", "learner.bin")
    return {name: data for name, data in tree(out).items() if name.endswith(kept)}


def test_runs_are_those_of_one_process(local: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run("--workers", "2", *TRAIN, "--out", str(out), module="heldout.ray")
    assert learnt(out) == learnt(local) and len(learnt(out)) >= 9
    assert tree(out).keys() == tree(local).keys()
    assert "seed 0: done" in done.stdout and "seed 1: done" in done.stdout
    refused = run("--workers", "2", *TRAIN, "--out", str(out), module="heldout.ray", code=2)
    assert "holds a run: give `--resume`" in refused.stderr
    run("--workers", "2", *TRAIN, "--out", str(out), "--resume", module="heldout.ray")
    assert learnt(out) == learnt(local)


def test_a_killed_worker_goes_on_from_its_last_save(cluster: Any, local: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["--address", cluster.address, "--sync", "0", *TRAIN, "--out", str(out)]
    driver = subprocess.Popen(command(*words, module="heldout.ray"))
    wait(lambda: list(out.rglob("state")))
    trainer = wait(lambda: at_work("Trainer"))[0]
    children = list(below(trainer))
    kill(trainer)
    assert driver.wait(300) == 0
    assert learnt(out) == learnt(local)
    assert not [child for child in children if Path(f"/proc/{child}").exists()], "a run outlived its worker"


def test_the_run_of_a_killed_node_goes_on_elsewhere(cluster: Any, local: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["--address", cluster.address, "--sync", "0", *TRAIN, "--out", str(out)]
    driver = subprocess.Popen(command(*words, module="heldout.ray"))
    wait(lambda: len(list(out.rglob("state"))) == 2)
    cluster.remove_node(cluster.other, allow_graceful=False)
    assert driver.wait(300) == 0
    assert learnt(out) == learnt(local)


def test_a_stopped_training_goes_on(local: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["--workers", "2", "--sync", "0", *TRAIN, "--out", str(out)]
    driver = subprocess.Popen(command(*words, module="heldout.ray"), stderr=subprocess.PIPE, text=True)
    wait(lambda: list(out.rglob("state")))
    driver.send_signal(signal.SIGINT)
    _, said = driver.communicate(timeout=120)
    assert driver.returncode == 0 and "stopped; to go on: python -m heldout.ray" in said
    assert not list(out.rglob("done.json"))
    run(*words, "--resume", module="heldout.ray")
    assert learnt(out) == learnt(local)


def test_a_run_that_no_node_has_processors_for_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_NUM_REDIS_GET_RETRIES", "2")
    words = ["--address", "127.0.0.1:9", *TRAIN, "--out", str(tmp_path / "out")]
    assert "`--address` is `127.0.0.1:9`, which cannot be joined" in run(*words, module="heldout.ray", code=2).stderr
    words = ["--cpus", "9999", *TRAIN, "--out", str(tmp_path / "out")]
    assert "`--cpus` is `9999`, must be at most" in run(*words, module="heldout.ray", code=2).stderr


def test_a_run_that_fails_is_told(tmp_path: Path) -> None:
    words = ["train", "ppo", "--env", "example/grid-v1", "--steps", "1000", "--set", "evaluate_episodes=1"]
    done = run(
        "--workers", "1", *words, "--stop-at", "no>=1", "--out", str(tmp_path / "out"), module="heldout.ray", code=1
    )
    assert "`--stop-at` names `no`" in done.stderr and "1 run failed" in done.stderr
