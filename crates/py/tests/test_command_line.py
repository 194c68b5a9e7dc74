"""The command line of the wheel: the same commands, texts and exit codes as the binary's."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import heldout

#: The console script beside the interpreter, and the module.
SCRIPT = str(Path(sys.executable).with_name("heldout"))
MODULE = [sys.executable, "-m", "heldout"]


def call(*words: str, program: list[str] = MODULE) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*program, *words], capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("program", [[SCRIPT], MODULE], ids=["script", "module"])
def test_version_list_and_card(program: list[str]) -> None:
    assert call("--version", program=program).stdout == f"heldout {heldout.__version__}\n"
    listed = call("list", program=program)
    assert listed.returncode == 0 and all(env_id in listed.stdout for env_id in heldout.ids())
    assert call("info", "example/grid-v1", program=program).stdout.strip() == heldout.card("example/grid-v1").strip()


def test_exit_codes_are_those_of_the_binary(tmp_path: Path) -> None:
    assert call("--help").returncode == 0
    usage = call("evaluate")
    assert usage.returncode == 2 and "unrecognized subcommand 'evaluate'" in usage.stderr
    unknown = call("info", "example/gird-v1")
    assert unknown.returncode == 2 and unknown.stderr.startswith("heldout: ") and "example/grid-v1" in unknown.stderr
    # What cannot be played is a failure, not bad usage.
    protocol = tmp_path / "own.toml"
    protocol.write_text(heldout.protocol("smoke"))
    failed = call("eval", str(protocol), "--policy", "LABEL@nobody", "--out", str(tmp_path / "out"))
    assert failed.returncode in (1, 2) and "nobody" in failed.stderr


def test_records_are_those_of_evaluate(tmp_path: Path) -> None:
    done = call("eval", "smoke", "--policy", "random", "--out", str(tmp_path / "told"))
    assert done.returncode == 0, done.stderr
    heldout.evaluate("random", "smoke", tmp_path / "called")
    told, called = ({p.relative_to(d): p.read_bytes() for p in sorted((d / "records").rglob("*")) if p.is_file()}
                    for d in (tmp_path / "told", tmp_path / "called"))  # fmt: skip
    assert told == called and told
    assert (tmp_path / "told" / "report.html").exists()


def test_a_protocol_is_shown() -> None:
    for name in heldout.protocols():
        text = heldout.protocol(name)
        assert "[[task]]" in text and 'title = "' in text
    assert call("eval", "--print", "quick").stdout == heldout.protocol("quick")
    with pytest.raises(heldout.HeldoutError, match="quick"):
        heldout.protocol("quik")


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_stops_and_says_how_to_go_on(tmp_path: Path) -> None:
    words = [*MODULE, "eval", "memory", "--policy", "random", "--threads", "1", "--out", str(tmp_path / "out")]
    child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        while not list((tmp_path / "out").rglob("*.jsonl")):
            assert child.poll() is None, child.communicate()[1]
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        told = child.communicate(timeout=120)[1]
    finally:
        child.kill()
        child.wait()
    assert child.returncode == 1
    assert "; to go on: heldout eval memory --policy random " in told and told.rstrip().endswith("--resume")


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_ends_a_command_that_has_nothing_to_save() -> None:
    child = subprocess.Popen([*MODULE, "bench", "example/grid-v1", "--seconds", "600"], stderr=subprocess.DEVNULL)
    time.sleep(3)
    assert child.poll() is None
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=60) == -signal.SIGINT


def test_the_script_is_on_the_path_of_its_environment() -> None:
    assert shutil.which("heldout", path=str(Path(sys.executable).parent)) == SCRIPT
