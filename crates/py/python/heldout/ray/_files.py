"""Files of the user's on the nodes of a cluster: sent by content, once to each."""

import contextlib
import hashlib
import os
import pickle
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import ray

from heldout import _native

_DAY = 24 * 3600

#: Files that were sent: by the text that names them, the hash of what they hold and where Ray has it.
Sent = dict[str, tuple[str, Any]]


def send(words: list[str]) -> Sent:
    """Give the files that a command names to Ray."""
    sent: Sent = {}
    for path in map(os.fspath, _native.command_files(words)):
        if os.path.exists(path):
            packed = pickle.dumps(_packed(_named(path)))
            digest = hashlib.sha256(packed).hexdigest()[:32]
            known = next((ref for other, ref in sent.values() if other == digest), None)
            sent[path] = (digest, ray.put(packed) if known is None else known)
    return sent


def _named(path: str) -> Path:
    """Return a path by the name that it has itself: `.` has one as well."""
    return Path(os.path.abspath(path))


def _packed(path: Path) -> list[tuple[str, bytes]]:
    """Return a file or a folder by its name, which is what a protocol is called by; its scales go with it."""
    files = [(f"{path.name}/{below}".rstrip("/"), data) for below, data in _native.read_tree(os.fspath(path))]
    scales = path.with_suffix(".scales.toml")
    if path.suffix == ".toml" and scales.is_file():
        files += [(scales.name, data) for _, data in _native.read_tree(os.fspath(scales))]
    return files


def session() -> Path:
    """Return the folder of all nodes of this machine in Ray's session."""
    node = getattr(getattr(ray._private, "worker", None), "_global_node", None)
    return Path(tempfile.gettempdir() if node is None else node.get_session_dir_path()) / "heldout"


def scratch() -> Path:
    """Return a folder for what this node keeps while Ray runs."""
    return session() / str(ray.get_runtime_context().get_node_id())


def tidy() -> None:
    """Remove what processes of this node that are gone have left behind, and parts of yesterday that nobody took over."""
    for folder in scratch().glob("[rp][ul]*-*"):
        process = folder.name.split("-")[1]
        if folder.name.startswith(("run-", "plans-")) and not Path("/proc", process).exists():
            shutil.rmtree(folder, ignore_errors=True)
    for folder in scratch().glob("parts/*"):
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > _DAY:
                shutil.rmtree(folder, ignore_errors=True)


def receive(sent: Sent) -> dict[str, str]:
    """Return where files that were sent lie on this node; those that do not yet are fetched."""
    places = {}
    for path, (digest, ref) in sent.items():
        place = scratch() / "files" / digest
        if not place.exists():
            # Whoever is first puts it there whole.
            beside = place.with_name(f"{digest}.{os.getpid()}")
            _native.write_tree(os.fspath(beside), pickle.loads(ray.get(ref)))
            try:
                beside.rename(place)
            except OSError:
                shutil.rmtree(beside, ignore_errors=True)
        places[path] = os.fspath(place / _named(path).name)
    return places
