"""Evaluations and trainings spread over the workers of a Ray cluster; needs the extra ``heldout[ray]``.

``python -m heldout.ray [OPTION]... eval|train ...`` takes the words of ``heldout eval`` and ``heldout train``, and does
the same: the same checks, messages, files and exit codes. The episodes are played, and the runs trained, by workers of
Ray: on this machine, or with ``--address`` on all nodes of a cluster.

**eval**: a worker plays some blocks of a task under a condition and leaves the records in a file of its own; this
process holds the directory's lock and puts them in order. So the records are those of ``heldout eval``, byte for byte.
What a worker or a node that is killed had under way is played again; what it had finished is kept. A task that cannot
be played is reported in the end, and the rest goes on.

**train**: a worker trains a seed of a task. Its files come here whenever it has saved its state, so that a run whose
node is lost goes on from its last save on another.

**Policies** reach workers as names, as checkpoints (sent once to each node, by hash), or as ``module:function``: Python
imports the module where it plays, and the function returns what :func:`heldout.evaluate` takes. Protocols and
experience of one's own are sent too.
"""

import argparse
import os
import shutil
import signal
import sys
import threading
from typing import Any

try:
    import ray
    import ray.exceptions
except ImportError as error:
    raise ImportError(
        "`heldout.ray` needs the package `ray`, which is not installed: pip install 'heldout[ray]'", name="ray"
    ) from error

from heldout import _native
from heldout._native import HeldoutError
from heldout.ray._files import session
from heldout.ray._parts import Parts
from heldout.ray._runs import Runs

__all__ = ["main"]

_COMMANDS = ("eval", "train")


def _arguments(words: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Return the options of this command, and the words of the other."""
    parser = argparse.ArgumentParser(
        "python -m heldout.ray",
        description="Spreads `heldout eval` and `heldout train` over the workers of a Ray cluster.",
        usage="%(prog)s [OPTION]... eval|train ...",
        epilog="What follows `eval` or `train` is what `heldout eval --help` and `heldout train --help` list.",
    )
    parser.add_argument(
        "--address", help="a cluster's, `auto` for the one of this machine; unless told, Ray begins here"
    )
    parser.add_argument(
        "--workers", type=int, help="parts or runs at once at the most; unless told, all that there is room for"
    )
    parser.add_argument("--cpus", type=int, default=1, help="processors that a run is trained with (default: 1)")
    parser.add_argument("--working-dir", metavar="DIR", help="a folder of modules that is sent to all nodes")
    parser.add_argument(
        "--sync",
        type=float,
        default=30.0,
        metavar="SECONDS",
        help="a run's files come here no more often (default: 30)",
    )
    parser.add_argument(
        "--retries", type=int, default=5, help="times that a lost part or run is begun again (default: 5)"
    )
    parser.add_argument("--logs", action="store_true", help="shows what workers print")
    where = next((i for i, word in enumerate(words) if word in _COMMANDS), len(words))
    told = parser.parse_args(words[:where])
    if where == len(words):
        parser.error("`eval` or `train` is missing")
    for name, low in (("workers", 1), ("cpus", 1), ("sync", 0), ("retries", 0)):
        value = getattr(told, name)
        if value is not None and value < low:
            parser.error(f"`--{name}` is `{value}`, must be {low} or more")
    return told, words[where:]


def _connect(told: argparse.Namespace, command: str) -> None:
    """Join the cluster, or begin one of this machine."""
    options: dict[str, Any] = {"log_to_driver": told.logs, "logging_level": "ERROR"}
    # Where data lie is told to workers too: there they must lie at the same place.
    places = {name: place for name, place in os.environ.items() if name.startswith("HELDOUT_")}
    runtime = {"env_vars": places} if places else {}
    if told.working_dir is not None:
        runtime["working_dir"] = told.working_dir
    if runtime:
        options["runtime_env"] = runtime
    if told.address is None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        processors = None if told.workers is None else told.workers * (told.cpus if command == "train" else 1)
        # Nobody else has a part in it: it is reached from this machine alone.
        ray.init("local", num_cpus=processors, include_dashboard=False, _node_ip_address="127.0.0.1", **options)
    else:
        try:
            ray.init(told.address, **options)
        except (ConnectionError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
            raise HeldoutError(f"`--address` is `{told.address}`, which cannot be joined: {error}") from error


def main(words: list[str] | None = None) -> int:
    """Run the command that ``words`` are, those of this process unless told; return its exit code."""
    given = sys.argv[1:] if words is None else words
    told, command = _arguments(given)
    if any(word in ("-h", "--help", "--list", "--print") for word in command):
        # Nothing is played.
        return _native.command_line(["heldout", *command])
    if told.working_dir is not None:
        # What workers import is imported here too.
        sys.path.insert(0, os.path.abspath(told.working_dir))
    mine = not ray.is_initialized()
    alone = mine and told.address is None
    try:
        if mine:
            _connect(told, command[0])
            # The command hears this itself too, and stops in good order.
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
        # A Ray of one's own has as many processors as there are to be workers.
        told.at_once = None if alone else told.workers
        away = (Parts if command[0] == "eval" else Runs)(["heldout", *command], told)
        try:
            return _native.command_away(["heldout", *command], ["python", "-m", "heldout.ray", *given], away)
        finally:
            away.close()
    except HeldoutError as problem:
        print(f"heldout: {problem}", file=sys.stderr)
        return 2
    finally:
        if mine and ray.is_initialized():
            left = session()
            ray.shutdown()
            if alone:
                shutil.rmtree(left, ignore_errors=True)
