"""The server of ``dm_env_rpc``: the protocol's own checks, errors, clients at once and clients that vanish."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dm_env_rpc.v1 import compliance, connection, dm_env_adaptor, dm_env_rpc_pb2, error, tensor_utils

import heldout
from heldout import dm_env
from heldout.dm_env_rpc import Server, main

LEVEL = {"levelName": "spot_diff_train", "seed": 3}


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[Server, str]]:
    server = Server()
    port = server.start()
    yield server, f"localhost:{port}"
    server.stop()


def join(address: str, **settings: Any) -> tuple[connection.Connection, dm_env_adaptor.DmEnvAdaptor]:
    own = connection.create_secure_channel_and_connect(address, timeout=20)
    env, _ = dm_env_adaptor.create_and_join_world(own, {**LEVEL, **settings}, {"EpisodeLengthSeconds": 2.0})
    return own, env


def packed(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: tensor_utils.pack_tensor(value) for name, value in settings.items()}


def wait(condition: Any) -> None:
    for _ in range(100):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("waited for nothing")


class Shared:
    """What the protocol's own checks ask for: a connection, which is the module's."""

    address = ""
    connection: Any = None
    required = packed(LEVEL)

    @pytest.fixture(autouse=True)
    def _connected(self, server: tuple[Server, str]) -> Iterator[None]:
        type(self).connection = connection.create_secure_channel_and_connect(server[1], timeout=20)
        yield
        self.connection.close()
        wait(lambda: not server[0].worlds)

    def made(self) -> str:
        return self.connection.send(dm_env_rpc_pb2.CreateWorldRequest(settings=self.required)).world_name


class TestCreateDestroyWorld(Shared, compliance.CreateDestroyWorld):
    connection: Any = None
    required_world_settings = Shared.required
    invalid_world_settings = packed({"levels": 3, "episodeId": -1})
    has_multiple_world_support = True


class TestJoinLeaveWorld(Shared, compliance.JoinLeaveWorld):
    connection: Any = None
    invalid_join_settings = packed({"width": 9, "height": 4096, "EpisodeLengthSeconds": -1.0, "players": 2})

    @pytest.fixture(autouse=True)
    def _made(self, _connected: None) -> None:
        type(self).world_name = self.made()

    world_name = ""


class TestReset(Shared, compliance.Reset):
    connection: Any = None

    def join_world(self) -> Any:
        return self.connection.send(dm_env_rpc_pb2.JoinWorldRequest(world_name=self.made())).specs


class TestResetWorld(Shared, compliance.ResetWorld):
    connection: Any = None
    world_name = ""

    @pytest.fixture(autouse=True)
    def _made(self, _connected: None) -> None:
        type(self).world_name = self.made()


class TestStep(Shared, compliance.Step):
    connection: Any = None
    specs: Any = None

    @pytest.fixture(autouse=True)
    def _joined(self, _connected: None) -> None:
        joined = self.connection.send(dm_env_rpc_pb2.JoinWorldRequest(world_name=self.made()))
        type(self).specs = joined.specs


def test_an_episode_is_that_of_the_level_and_the_next_one_follows(server: tuple[Server, str]) -> None:
    own, env = join(server[1], episodeId=4)
    native = dm_env.load("spot_diff_train", 3, episode_length_seconds=2.0, first_episode=4)
    for _ in range(2):
        theirs, ours = env.reset(), native.reset()
        while True:
            assert theirs.step_type == ours.step_type and theirs.reward == ours.reward
            assert theirs.discount == ours.discount
            for name, value in ours.observation.items():
                assert np.array_equal(theirs.observation[name], value)
            if ours.last():
                break
            theirs, ours = (e.step({"MOVE_BACK_FORWARD": 1.0, "LOOK_LEFT_RIGHT": 0.25}) for e in (env, native))
    assert theirs.discount == 1.0
    env.close()
    own.close()


def test_a_setting_that_cannot_be_is_named_by_the_error_of_the_protocol(server: tuple[Server, str]) -> None:
    own = connection.create_secure_channel_and_connect(server[1], timeout=20)
    for settings, told in (
        ({"levelName": "spot_diff_trian", "seed": 1}, "spot_diff_train"),
        ({"levelName": "spot_diff_train", "seed": -1}, "`seed` is `-1`"),
        ({"levelName": "spot_diff_train"}, "`seed` is missing"),
        ({"levelName": "spot_diff_train", "seed": 1, "lives": 3}, "no setting `lives` of creating a world"),
        ({"levelName": "spot_diff_train", "seed": [1, 2]}, "`seed` is an array of shape (2,)"),
    ):
        with pytest.raises(error.DmEnvRpcError) as refused:
            own.send(dm_env_rpc_pb2.CreateWorldRequest(settings=packed(settings)))
        assert told in refused.value.message and refused.value.code == 3
    assert server[0].worlds == []
    own.close()


def test_a_refused_step_changes_nothing(server: tuple[Server, str]) -> None:
    own, env = join(server[1])
    env.reset()
    before = env.step({}).observation["Score"]
    uid = max(env._dm_env_rpc_specs.actions)
    for actions in ({uid: tensor_utils.pack_tensor(2.0)}, {99: tensor_utils.pack_tensor(0.0)}):
        with pytest.raises(error.DmEnvRpcError):
            own.send(dm_env_rpc_pb2.StepRequest(actions=actions))
    native = dm_env.load("spot_diff_train", 3, episode_length_seconds=2.0)
    native.reset()
    native.step({})
    assert np.array_equal(env.step({}).observation["AvatarPosition"], native.step({}).observation["AvatarPosition"])
    assert before == 0.0
    env.close()
    own.close()


def test_eight_clients_at_once_each_play_their_own_episode(server: tuple[Server, str]) -> None:
    told: dict[int, list[float]] = {}

    def play(seed: int) -> None:
        own, env = join(server[1], seed=seed)
        seen, step = [], env.reset()
        while not step.last():
            step = env.step({"MOVE_BACK_FORWARD": 1.0, "LOOK_LEFT_RIGHT": 0.5})
            seen.append(float(step.observation["RGB_INTERLEAVED"].sum()))
        told[seed] = seen
        env.close()
        own.close()

    threads = [threading.Thread(target=play, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    for seed in range(8):
        native = dm_env.load("spot_diff_train", seed, episode_length_seconds=2.0)
        step, seen = native.reset(), []
        while not step.last():
            step = native.step({"MOVE_BACK_FORWARD": 1.0, "LOOK_LEFT_RIGHT": 0.5})
            seen.append(float(step.observation["RGB_INTERLEAVED"].sum()))
        assert told[seed] == seen
    wait(lambda: not server[0].worlds)


VANISHES = """
import os, signal, sys
from dm_env_rpc.v1 import connection, dm_env_adaptor
own = connection.create_secure_channel_and_connect(sys.argv[1], timeout=20)
settings = {"levelName": "spot_diff_train", "seed": 3}
env, _ = dm_env_adaptor.create_and_join_world(own, settings, {})
env.reset()
print("joined", flush=True)
sys.stdin.read(1)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_client_that_vanishes_leaves_nothing_behind(server: tuple[Server, str]) -> None:
    command = [sys.executable, "-c", VANISHES, server[1]]
    held = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert held.stdin is not None and held.stdout is not None
    assert held.stdout.readline() == "joined\n"
    assert len(server[0].worlds) == 1
    held.stdin.write("x")
    held.stdin.flush()
    assert held.wait(20) == -9
    wait(lambda: not server[0].worlds)


def test_a_world_whose_maker_is_gone_goes_with_the_last_who_plays_it(server: tuple[Server, str]) -> None:
    maker, player = (connection.create_secure_channel_and_connect(server[1], timeout=20) for _ in range(2))
    name = maker.send(dm_env_rpc_pb2.CreateWorldRequest(settings=packed(LEVEL))).world_name
    player.send(dm_env_rpc_pb2.JoinWorldRequest(world_name=name))
    with pytest.raises(error.DmEnvRpcError, match="has a player already"):
        maker.send(dm_env_rpc_pb2.JoinWorldRequest(world_name=name))
    with pytest.raises(error.DmEnvRpcError, match="is being played"):
        maker.send(dm_env_rpc_pb2.DestroyWorldRequest(world_name=name))
    maker.close()
    # The stream ends a moment after its channel.
    wait(lambda: server[0]._worlds[name].maker is None)
    player.send(dm_env_rpc_pb2.StepRequest())
    assert server[0].worlds == [name]
    player.close()
    wait(lambda: not server[0].worlds)


def listening(port: int) -> list[str]:
    """Return the addresses at which this machine listens at a port, as the system writes them."""
    rows = [row.split() for name in ("tcp", "tcp6") for row in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    places = [row[1].rpartition(":") for row in rows if row[3] == "0A"]
    return [address for address, _, number in places if int(number, 16) == port]


def test_it_listens_on_this_machine_alone_unless_told(server: tuple[Server, str]) -> None:
    local = {"0100007F", "00000000000000000000000001000000", "0000000000000000FFFF00000100007F"}
    found = listening(int(server[1].rpartition(":")[2]))
    assert found and set(found) <= local


def test_a_port_that_is_taken_is_told(server: tuple[Server, str], capsys: pytest.CaptureFixture[str]) -> None:
    port = server[1].rpartition(":")[2]
    assert main(["--port", port]) == 2
    assert f"cannot listen at `localhost:{port}`" in capsys.readouterr().err
    with pytest.raises(heldout.HeldoutError, match="`clients` is `0`"):
        Server(0)
