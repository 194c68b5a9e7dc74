"""DeepMind's own client, as PyPI has it, plays the levels: in an environment of its own, by way of the launcher."""

import hashlib
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from heldout import dm_env
from heldout.dm_env_rpc import launcher

CLIENT = os.environ.get("HELDOUT_DM_CLIENT", "")
SCRIPT = str(Path(__file__).with_name("client.py"))
SECONDS = 1.0
NAMES = ("STRAFE_LEFT_RIGHT", "MOVE_BACK_FORWARD", "LOOK_LEFT_RIGHT", "LOOK_DOWN_UP")

pytestmark = pytest.mark.skipif(not CLIENT, reason="HELDOUT_DM_CLIENT names no Python with dm_memorytasks")


@pytest.fixture(scope="module")
def player(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("player")
    launcher(folder)
    return str(folder)


def client(*words: str) -> list[Any]:
    run = subprocess.run([CLIENT, SCRIPT, *words], capture_output=True, text=True, timeout=900)
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


def native(level: str) -> dict[str, Any]:
    """Play the same here, without any server."""
    env = dm_env.load(level, 7, episode_length_seconds=SECONDS)
    rng, digest, rewards = np.random.RandomState(3), hashlib.sha256(), []
    step = env.reset()

    def seen() -> None:
        for name in sorted(step.observation):
            digest.update(np.ascontiguousarray(step.observation[name]).tobytes())

    seen()
    while not step.last():
        step = env.step({k: float(v) for k, v in zip(NAMES, rng.uniform(-1, 1, 4).round(3), strict=True)})
        seen()
        rewards.append(float(step.reward))
    told = {"ticks": len(rewards), "rewards": rewards, "digest": digest.hexdigest(), "discount": float(step.discount)}
    env.close()
    return {"level": level, **told}


def test_the_client_is_the_one_of_the_index_and_knows_the_same_names(player: str) -> None:
    version = subprocess.run(
        [CLIENT, "-c", "import importlib.metadata as m; print(m.version('dm-memorytasks'))"],
        capture_output=True,
        text=True,
    )
    assert version.stdout.strip() == "1.0.3"
    assert client(player, "names")[0] == sorted(dm_env.MEMORY_TASK_LEVEL_NAMES)


def test_the_client_plays_an_episode_of_each_of_the_57_levels_as_it_is_played_here(player: str) -> None:
    levels = sorted(dm_env.MEMORY_TASK_LEVEL_NAMES)
    assert len(levels) == 57
    told = client(player, str(SECONDS), *levels)
    assert [episode["level"] for episode in told] == levels
    for episode in told:
        own = native(episode["level"])
        assert {key: episode[key] for key in own} == own
        assert episode["ticks"] >= 1 and episode["specs"]["RGB_INTERLEAVED"] == [[72, 96, 3], "uint8"]
    spent, ticks = sum(e["seconds"] for e in told), sum(e["ticks"] for e in told)
    print(f"{ticks} ticks at {ticks / spent:.0f} a second")


def test_settings_that_no_level_has_are_answered_by_the_error_of_the_protocol(player: str) -> None:
    assert "`width` is `9`, must be 16 to 1024" in client(player, "refused")[0]


def gone(process: int) -> bool:
    return not Path(f"/proc/{process}").exists() or "Z" in Path(f"/proc/{process}/stat").read_text().split()[2]


def test_a_client_that_is_killed_leaves_no_server_behind(player: str) -> None:
    held = subprocess.Popen([CLIENT, SCRIPT, player, "hold"], stdout=subprocess.PIPE, text=True)
    assert held.stdout is not None
    server = json.loads(held.stdout.readline())["server"]
    assert not gone(server)
    held.send_signal(signal.SIGKILL)
    held.wait()
    for _ in range(100):
        if gone(server):
            return
        time.sleep(0.1)
    raise AssertionError(f"process {server} is still there")
