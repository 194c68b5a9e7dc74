"""What a training writes is read by the packages that read such files."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from safetensors.numpy import load_file
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator


@pytest.fixture(scope="module")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("training") / "run"
    words = ["train", "ppo", "--env", "example/grid-v1", "--out", str(out), "--steps", "4000"]
    subprocess.run([sys.executable, "-m", "heldout", *words], check=True, stdout=subprocess.DEVNULL)
    return out / "seed-0"


def test_agents_check_36_safetensors_reads_names_and_shapes(seed: Path) -> None:
    weights = load_file(seed / "policy.safetensors")
    assert weights["policy.weight"].shape == (128, 4) and weights["policy.bias"].shape == (4,)
    assert weights["value.1.weight"].shape == (128, 1)
    assert all(array.dtype == "float32" for array in weights.values())


def test_agents_check_37_tensorboard_reads_tags_steps_and_values(seed: Path) -> None:
    events = EventAccumulator(str(seed / "events"))
    events.Reload()
    lines = [json.loads(line) for line in (seed / "log.jsonl").read_text().splitlines()]
    for tag in ("train/policy_loss", "train/entropy", "episode/return"):
        told = [(line["step"], line[tag]) for line in lines if tag in line]
        found = [(event.step, event.value) for event in events.Scalars(tag)]
        assert [step for step, _ in found] == [step for step, _ in told]
        assert [value for _, value in found] == pytest.approx([value for _, value in told], rel=1e-6)
    assert "time/steps_per_second" in events.Tags()["scalars"]
