"""The Memory Tasks Suite by DeepMind's protocol ``dm_env_rpc``; needs the extra ``heldout[dm-env-rpc]``.

``python -m heldout.dm_env_rpc --port 10000`` serves the levels of :data:`heldout.dm_env.LEVEL_NAMES`, among them the 57
of ``dm_memorytasks``, to clients on this machine. ``python -m heldout.dm_env_rpc --launcher DIR`` makes ``DIR`` what
``dm_memorytasks.load_from_disk(DIR, settings)`` asks for, so that the client of PyPI plays them unchanged, from an
environment of its own:

>>> import dm_memorytasks
>>> settings = dm_memorytasks.EnvironmentSettings(seed=1, level_name="spot_diff_train")
>>> env = dm_memorytasks.load_from_disk("DIR", settings)

**Settings** of a world are ``levelName`` and ``seed``, and ``episodeId``, the number of its first episode; of joining
it ``width``, ``height`` and ``EpisodeLengthSeconds``. What they may be is what
:class:`heldout.dm_env.EnvironmentSettings` allows; anything else is answered by the protocol's error, which names it.

**Steps** are ticks: ``dm_memorytasks`` repeats actions itself. The observations are those of :mod:`heldout.dm_env`, and
``reward``; an episode is the same there and here. One that comes to its end is ``TERMINATED``, one that is cut by its
time limit ``INTERRUPTED``.

A world is gone when the stream that made it ends, however that ends; a server that was started by ``Linux64Player``
ends with the process that started it.
"""

import argparse
import os
import stat
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent import futures
from typing import Any

import numpy as np

from heldout import _native
from heldout._native import HeldoutError

try:
    import grpc
    from dm_env import specs
    from dm_env_rpc.v1 import dm_env_rpc_pb2, dm_env_rpc_pb2_grpc, dm_env_utils, tensor_utils
    from google.rpc import code_pb2, status_pb2
except ImportError as error:
    raise ImportError(
        "`heldout.dm_env_rpc` needs the package `dm-env-rpc`, which is not installed: "
        "pip install 'heldout[dm-env-rpc]'",
        name="dm_env_rpc",
    ) from error

from heldout.dm_env import Environment, EnvironmentSettings

__all__ = ["Server", "launcher", "main"]

#: Names under which this machine alone is reached.
_LOCAL = ("localhost", "127.0.0.1", "::1", "[::1]")
#: What ``dm_memorytasks.load_from_disk`` starts, and what it wants to see beside it.
_PLAYER, _LIBRARY = "Linux64Player", "external_libosmesa_llvmpipe.so"
#: The observation by which ``dm_env_rpc`` tells rewards.
_REWARD = "reward"


class _World:
    """A level that was asked for, and what is joined to it."""

    def __init__(self, settings: Mapping[str, Any], stream: "_Stream") -> None:
        known = {"levelName": None, "seed": None, "episodeId": 0}
        told = _told(settings, known, "creating a world")
        for name in ("levelName", "seed"):
            if told[name] is None:
                raise HeldoutError(f"`{name}` is missing: a world is made by `levelName` and `seed`")
        self.level_name, self.seed, self.episode = str(told["levelName"]), told["seed"], told["episodeId"]
        #: Who made it, until that goes, and who plays it.
        self.maker: _Stream | None = stream
        self.joined: _Stream | None = None
        # What cannot be joined is refused now.
        self.opened({}).close()

    def opened(self, settings: Mapping[str, Any]) -> Environment:
        """Open the level as a client wants to see it."""
        told = _told(settings, {"width": 96, "height": 72, "EpisodeLengthSeconds": None}, "joining a world")
        seconds = told["EpisodeLengthSeconds"]
        level = EnvironmentSettings(
            seed=self.seed,
            level_name=self.level_name,
            width=told["width"],
            height=told["height"],
            episode_length_seconds=None if seconds is None else float(seconds),
        )
        return Environment(level, first_episode=self.episode)


def _told(settings: Mapping[str, Any], known: dict[str, Any], doing: str) -> dict[str, Any]:
    """Return the values of settings; those that are left out are as ``known`` says."""
    told = dict(known)
    for name, tensor in settings.items():
        if name not in known:
            names = ", ".join(f"`{name}`" for name in known) or "none"
            raise HeldoutError(f"there is no setting `{name}` of {doing}; there are {names}")
        value = tensor_utils.unpack_tensor(tensor)
        if isinstance(value, np.ndarray):
            raise HeldoutError(f"`{name}` is an array of shape {value.shape}, must be a single value")
        told[name] = value.item() if isinstance(value, np.generic) else value
    return told


class _Stream:
    """One client: the world that it is joined to, and how far its episode is."""

    def __init__(self, server: "Server") -> None:
        self._server = server
        self._world: _World | None = None
        self._env: Environment | None = None
        #: Whether an episode is under way; a step begins one otherwise.
        self._running = False
        self._specs: Any = None
        self._actions: dict[int, Any] = {}
        self._observations: dict[int, str] = {}

    def answer(self, request: Any) -> Any:
        """Return the response to a request."""
        kind = request.WhichOneof("payload")
        if kind is None or kind == "extension":
            raise HeldoutError("there are no extensions of the protocol here")
        response = dm_env_rpc_pb2.EnvironmentResponse()
        getattr(response, kind).CopyFrom(getattr(self, f"_{kind}")(getattr(request, kind)))
        return response

    def _create_world(self, request: Any) -> Any:
        return dm_env_rpc_pb2.CreateWorldResponse(world_name=self._server.add(_World(request.settings, self)))

    def _destroy_world(self, request: Any) -> Any:
        self._server.remove(request.world_name)
        return dm_env_rpc_pb2.DestroyWorldResponse()

    def _join_world(self, request: Any) -> Any:
        if self._world is not None:
            raise HeldoutError("this stream has joined a world: leave it first")
        world = self._server.world(request.world_name)
        env = world.opened(request.settings)
        with self._server.lock:
            if world.joined is not None:
                env.close()
                raise HeldoutError(f"the world `{request.world_name}` has a player already, must have one")
            world.joined = self
        self._world, self._env, self._running = world, env, False
        controls = env.action_spec()
        seen = {**env.observation_spec(), _REWARD: specs.Array((), np.float64, name=_REWARD)}
        self._actions = dict(enumerate(controls.values(), 1))
        self._observations = dict(enumerate(seen, 1))
        tensor_spec = dm_env_utils.dm_env_spec_to_tensor_spec
        self._specs = dm_env_rpc_pb2.ActionObservationSpecs(
            actions={uid: tensor_spec(spec) for uid, spec in self._actions.items()},
            observations={uid: tensor_spec(seen[name]) for uid, name in self._observations.items()},
        )
        return dm_env_rpc_pb2.JoinWorldResponse(specs=self._specs)

    def _leave_world(self, request: Any) -> Any:
        del request
        self._leave()
        return dm_env_rpc_pb2.LeaveWorldResponse()

    def _leave(self) -> None:
        if self._env is not None:
            self._env.close()
        if self._world is not None:
            self._server.leave(self._world)
        self._world = self._env = None

    def _reset(self, request: Any) -> Any:
        if self._env is None:
            raise HeldoutError("no world is joined: there is nothing to reset")
        _told(request.settings, {}, "resetting")
        self._running = False
        return dm_env_rpc_pb2.ResetResponse(specs=self._specs)

    def _reset_world(self, request: Any) -> Any:
        world = self._server.world(request.world_name)
        _told(request.settings, {}, "resetting a world")
        if world.joined is not None:
            world.joined._running = False
        return dm_env_rpc_pb2.ResetWorldResponse()

    def _step(self, request: Any) -> Any:
        if self._env is None:
            raise HeldoutError("no world is joined: there is nothing to step")
        wanted = set(request.requested_observations)
        if unknown := sorted(wanted - self._observations.keys()):
            raise HeldoutError(f"there is no observation `{unknown[0]}`; there are {sorted(self._observations)}")
        state = dm_env_rpc_pb2.EnvironmentStateType
        now, reward = state.RUNNING, 0.0
        if not self._running:
            step = self._env.reset()
        else:
            step = self._env.step(self._action(request.actions))
            reward = step.reward
            if step.last():
                now = state.INTERRUPTED if step.discount else state.TERMINATED
        self._running = now == state.RUNNING
        seen = {**step.observation, _REWARD: np.float64(reward)}
        packed = {uid: tensor_utils.pack_tensor(seen[self._observations[uid]]) for uid in wanted}
        return dm_env_rpc_pb2.StepResponse(state=now, observations=packed)

    def _action(self, tensors: Mapping[int, Any]) -> dict[str, Any]:
        """Return the controls that tensors set."""
        action = {}
        for uid, tensor in tensors.items():
            if uid not in self._actions:
                raise HeldoutError(f"there is no action `{uid}`; there are {sorted(self._actions)}")
            spec = self._actions[uid]
            if list(tensor.shape):
                raise HeldoutError(f"`{spec.name}` has shape {list(tensor.shape)}, must be a single value")
            if tensor_utils.get_tensor_type(tensor) != spec.dtype:
                found = tensor_utils.get_tensor_type(tensor)
                raise HeldoutError(f"`{spec.name}` is of type `{found}`, must be of `{spec.dtype}`")
            value = tensor_utils.unpack_tensor(tensor)
            if not spec.minimum <= value <= spec.maximum:
                raise HeldoutError(f"`{spec.name}` is `{value}`, must be {spec.minimum} to {spec.maximum}")
            action[spec.name] = value
        return action

    def end(self) -> None:
        """Leave the world, and let go of all that this stream made and nobody else plays."""
        self._leave()
        self._server.forget(self)


class Server(dm_env_rpc_pb2_grpc.EnvironmentServicer):  # type: ignore[misc]
    """A server of levels; :meth:`start` binds it."""

    def __init__(self, clients: int = 64) -> None:
        """Make a server for at most ``clients`` at once."""
        if clients < 1:
            raise HeldoutError(f"`clients` is `{clients}`, must be 1 or more")
        #: Guards the worlds and who is joined to them.
        self.lock = threading.Lock()
        self._worlds: dict[str, _World] = {}
        self._made = 0
        pool = futures.ThreadPoolExecutor(clients, thread_name_prefix="heldout-client")
        # A picture may be 1024 x 1024. Of a machine that is gone the system may never tell: it is asked now and then.
        options = [
            ("grpc.max_send_message_length", -1),
            ("grpc.so_reuseport", 0),
            ("grpc.keepalive_time_ms", 30_000),
            ("grpc.keepalive_timeout_ms", 10_000),
            ("grpc.http2.max_pings_without_data", 0),
        ]
        self._server = grpc.server(pool, maximum_concurrent_rpcs=clients, options=options)
        dm_env_rpc_pb2_grpc.add_EnvironmentServicer_to_server(self, self._server)

    def start(self, host: str = "localhost", port: int = 0) -> int:
        """Listen; return the port, which is free unless told.

        At ``localhost`` this machine alone is answered. Any other host is answered without a check of who asks: only in
        a network whose every member may use this machine.
        """
        address = f"{host}:{port}"
        try:
            if host in _LOCAL:
                bound = self._server.add_secure_port(address, grpc.local_server_credentials())
            else:
                bound = self._server.add_insecure_port(address)
        except RuntimeError:
            bound = 0
        if bound == 0:
            raise HeldoutError(f"cannot listen at `{address}`: the port is in use, or the host is not this machine's")
        self._server.start()
        return int(bound)

    def wait(self) -> None:
        """Wait until the server is stopped."""
        self._server.wait_for_termination()

    def stop(self) -> None:
        """End all streams and listen no more."""
        self._server.stop(grace=None).wait()

    @property
    def worlds(self) -> list[str]:
        """The names of the worlds that there are."""
        with self.lock:
            return list(self._worlds)

    def add(self, world: _World) -> str:
        """Take a world; return its name."""
        with self.lock:
            self._made += 1
            name = f"{world.level_name}-{self._made}"
            self._worlds[name] = world
        return name

    def world(self, name: str) -> _World:
        """Return the world called ``name``."""
        with self.lock:
            if name not in self._worlds:
                names = ", ".join(f"`{known}`" for known in self._worlds) or "none"
                raise HeldoutError(f"there is no world `{name}`; there is {names}")
            return self._worlds[name]

    def remove(self, name: str) -> None:
        """Let go of a world that nobody plays."""
        world = self.world(name)
        with self.lock:
            if world.joined is not None:
                raise HeldoutError(f"the world `{name}` is being played: leave it first")
            self._worlds.pop(name, None)

    def leave(self, world: _World) -> None:
        """Take note that nobody plays a world; where its maker is gone, it goes too."""
        with self.lock:
            world.joined = None
            self._sweep()

    def forget(self, stream: _Stream) -> None:
        """Let go of the worlds that a stream made: of those that others play, when they leave."""
        with self.lock:
            for world in self._worlds.values():
                if world.maker is stream:
                    world.maker = None
            self._sweep()

    def _sweep(self) -> None:
        gone = [name for name, world in self._worlds.items() if world.maker is None and world.joined is None]
        for name in gone:
            del self._worlds[name]

    def Process(self, request_iterator: Iterator[Any], context: Any) -> Iterator[Any]:
        """Answer the requests of a client until it goes."""
        del context
        stream = _Stream(self)
        try:
            for request in request_iterator:
                try:
                    yield stream.answer(request)
                except Exception as problem:
                    asked = isinstance(problem, (ValueError, TypeError))
                    code = code_pb2.INVALID_ARGUMENT if asked else code_pb2.INTERNAL
                    told = str(problem) if asked else f"{type(problem).__name__}: {problem}"
                    yield dm_env_rpc_pb2.EnvironmentResponse(error=status_pb2.Status(code=code, message=told))
        finally:
            stream.end()


def launcher(folder: str | os.PathLike[str]) -> None:
    """Make ``folder`` what ``dm_memorytasks.load_from_disk`` starts: a player that is this server."""
    quoted = "'" + sys.executable.replace("'", "'\\''") + "'"
    # The client's environment is another one: what it says about Python is not for this one.
    script = f'#!/bin/sh\nexec {quoted} -E -m heldout.dm_env_rpc --with-parent "$@"\n'
    _native.write_tree(os.fspath(folder), [(_PLAYER, script.encode()), (_LIBRARY, b"")])
    path = os.path.join(folder, _PLAYER)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)


def _end_with(parent: int) -> None:
    """End this process when its parent does."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.2)
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


def _arguments(words: list[str]) -> argparse.Namespace:
    about = "Serves the levels of the Memory Tasks Suite by the protocol dm_env_rpc."
    parser = argparse.ArgumentParser("python -m heldout.dm_env_rpc", description=about)
    parser.add_argument(
        "--host", default="localhost", help="where to listen; any other than localhost is answered without a check"
    )
    parser.add_argument("--port", type=int, default=None, help="a free one unless told")
    parser.add_argument("--clients", type=int, default=64, help="clients at once at the most (default: 64)")
    parser.add_argument(
        "--launcher", metavar="DIR", help="makes DIR what `dm_memorytasks.load_from_disk` starts, and does nothing else"
    )
    hidden = argparse.SUPPRESS
    # What the client gives to the player that it knows. It asks to listen everywhere, and comes by localhost.
    parser.add_argument("--with-parent", action="store_true", help=hidden)
    parser.add_argument("--uri_address", default=None, help=hidden)
    parser.add_argument("--server_type", choices=["GRPC"], default="GRPC", help=hidden)
    parser.add_argument("--logtostderr", action="store_true", help=hidden)
    for flag in ("-logfile", "-batchmode", "-noaudio"):
        parser.add_argument(flag, action="store_true", help=hidden)
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> int:
    """Serve until told to stop; return the exit code."""
    told = _arguments(sys.argv[1:] if words is None else words)
    try:
        if told.launcher is not None:
            launcher(told.launcher)
            print(f"dm_memorytasks.load_from_disk({told.launcher!r}, settings) plays heldout's levels")
            return 0
        port = told.port
        if port is None and told.uri_address is not None:
            text = told.uri_address.rpartition(":")[2]
            if not text.isdigit():
                raise HeldoutError(f"`--uri_address` is `{told.uri_address}`, must end in `:PORT`")
            port = int(text)
        if told.with_parent:
            _end_with(os.getppid())
        server = Server(told.clients)
        bound = server.start(told.host, port or 0)
    except HeldoutError as problem:
        print(f"heldout: {problem}", file=sys.stderr)
        return 2
    print(f"listening at {told.host}:{bound}", flush=True)
    try:
        server.wait()
    except KeyboardInterrupt:
        server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
