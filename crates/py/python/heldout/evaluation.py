"""Policies under the protocols: the same records as the command line writes."""

import contextlib
import inspect
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout import _native
from heldout._native import HeldoutError


def protocols() -> list[str]:
    """Return the names of the built-in protocols."""
    return _native.protocols()


def evaluate(
    policy: Any,
    protocol: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    label: str | None = None,
    name: str | None = None,
    episodes: int | None = None,
    seeds: int | None = None,
    seed: int = 0,
    threads: int = 1,
    resume: bool = False,
    experience: bytes | str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> dict[str, Any]:
    """Play ``policy`` under a protocol, or several, and record every episode in the directory ``out``.

    ``policy`` is one of

    - a function of a batch of observations that returns a batch of actions; one of two arguments is also given which
      copies begin an episode, so that it can forget. Observations are as :class:`heldout.VectorEnv` has them; with
      several agents, copies x agents x shape: a row of actions holds those of all agents;
    - a model with ``predict``, as Stable-Baselines3's: asked for deterministic actions, its state kept and reset;
    - a ``torch.nn.Module`` from observations to actions, or to a row of scores, of which the best is taken; it is put
      into ``eval()`` meanwhile, and back afterwards;
    - the name of a scripted policy, which ``threads`` spreads.

    ``label`` names it in reports and claims, ``name`` says in the records what it is. Which episodes are played does
    not depend on the policy: two policies are given the same problems. What one task cannot do is a failure, which the
    answer and the report list; an exception of the policy ends the run, and ``resume=True`` continues it.

    ``experience`` is what the policy experienced in training, as ``env.experience()`` gave it, or the path of a file of
    it: tests that are made after training are made from it, and refused without it. A scripted policy without it plays
    training itself first. The records say whose experience it was.

    Return the number of ``episodes`` recorded, ``of`` how many, and the list of ``failures``.
    """
    chosen = [protocol] if isinstance(protocol, (str, os.PathLike)) else list(protocol)
    asked: Any = policy if isinstance(policy, str) else _Seat(_decider(policy))
    what = policy if isinstance(policy, str) else name or _named(policy)
    with _evaluating(policy):
        answer = _native.evaluate(
            asked,
            [os.fspath(p) for p in chosen],
            os.fspath(out),
            what if label is None else label,
            what,
            seed,
            seeds,
            episodes,
            threads if isinstance(policy, str) else 1,
            resume,
            _experience(experience),
            progress,
        )
    outcome: dict[str, Any] = json.loads(answer)
    return outcome


def report(
    dirs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str] | None = None,
    *,
    markdown: str | os.PathLike[str] | None = None,
) -> None:
    """Write a report on one or more directories of records: ``out`` as one HTML file, ``markdown`` as Markdown.

    Without either, the first directory gets ``report.html`` and ``report.md``, as from the command line.
    """
    chosen = [os.fspath(d) for d in ([dirs] if isinstance(dirs, (str, os.PathLike)) else dirs)]
    if out is None and markdown is None and chosen:
        out, markdown = os.path.join(chosen[0], "report.html"), os.path.join(chosen[0], "report.md")
    _native.report(chosen, None if out is None else os.fspath(out), None if markdown is None else os.fspath(markdown))


@contextlib.contextmanager
def _evaluating(policy: Any) -> Iterator[None]:
    """Put torch modules into evaluation mode, and each part of them back into its own: nothing in them learns here."""
    torch = sys.modules.get("torch")
    parts = (policy, getattr(policy, "policy", None))
    found = [] if torch is None else [part for part in parts if isinstance(part, torch.nn.Module)]
    modes = [(part, part.training) for module in found for part in module.modules()]
    try:
        for module in found:
            module.eval()
        yield
    finally:
        for part, training in modes:
            part.training = training


def _experience(given: Any) -> bytes | None:
    """Return the bytes of an experience, or of the file that holds it."""
    if isinstance(given, (str, os.PathLike)):
        with open(given, "rb") as file:
            return file.read()
    if given is not None and not isinstance(given, (bytes, bytearray, memoryview)):
        raise HeldoutError(f"`experience` is `{given!r}`, must be bytes or the path of a file")
    return None if given is None else bytes(given)


def _named(policy: Any) -> str:
    """Return what a policy is called where nobody says."""
    found: str = getattr(policy, "__name__", type(policy).__name__)
    return found


#: Answers observations, starts of episodes and their seeds with actions.
_Act = Callable[[Any, NDArray[np.bool_], NDArray[np.uint64]], Any]


class _Seat:
    """What the native runner asks: a function for each batch."""

    def __init__(self, decider: Callable[[int], _Act]) -> None:
        self._decider = decider

    def begin(self, env_id: str, spec: str, copies: int) -> _Act:
        """Return the function that answers the observations of a new batch of ``copies``."""
        act = self._decider(copies)

        def answer(fields: dict[str, NDArray[Any]], starts: NDArray[np.bool_], seeds: NDArray[np.uint64]) -> Any:
            return act(next(iter(fields.values())) if len(fields) == 1 else fields, starts, seeds)

        return answer


def _decider(policy: Any) -> Callable[[int], _Act]:
    """Return what makes the answering function of a batch of any number of copies."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(policy, torch.nn.Module) and not hasattr(policy, "predict"):
        return lambda copies: _module(torch, policy)
    if hasattr(policy, "predict"):
        return lambda copies: _model(policy)
    if not callable(policy):
        raise HeldoutError(
            f"`policy` is `{policy!r}`, must be a function, a model with `predict`, a torch module or a policy's name"
        )
    if _takes_starts(policy):
        return lambda copies: lambda observation, starts, seeds: policy(observation, starts)
    return lambda copies: lambda observation, starts, seeds: policy(observation)


def _takes_starts(policy: Callable[..., Any]) -> bool:
    """Return whether a function wants a second argument."""
    try:
        parameters = inspect.signature(policy).parameters.values()
    except (TypeError, ValueError):
        return False
    wanted = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty]
    return len(wanted) >= 2


def _model(model: Any) -> _Act:
    """Return the answers of a model with ``predict``; a recurrent one's state begins anew with the batch."""
    state: Any = None

    def act(observation: Any, starts: NDArray[np.bool_], seeds: NDArray[np.uint64]) -> Any:
        nonlocal state
        actions, state = model.predict(observation, state=state, episode_start=starts, deterministic=True)
        return np.asarray(actions)

    return act


def _module(torch: Any, module: Any) -> _Act:
    """Return the answers of a torch module: integers are actions, other numbers are scores of them."""

    def act(observation: Any, starts: NDArray[np.bool_], seeds: NDArray[np.uint64]) -> Any:
        device = next((p.device for p in module.parameters()), torch.device("cpu"))

        def tensor(array: NDArray[Any]) -> Any:
            return torch.from_numpy(array).to(device)

        batch = {k: tensor(v) for k, v in observation.items()} if isinstance(observation, dict) else tensor(observation)
        with torch.no_grad():
            answer = module(batch)
        if answer.is_floating_point():
            answer = answer.argmax(dim=-1)
        return answer.cpu().numpy()

    return act
