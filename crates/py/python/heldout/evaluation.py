"""Policies under the protocols: the same records as the command line writes."""

import contextlib
import functools
import hashlib
import importlib
import inspect
import json
import os
import pathlib
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from heldout import _native
from heldout._native import HeldoutError
from heldout.registry import encode
from heldout.spaces import FLAT_MASK, MASK
from heldout.text import Vocabulary, vocabulary


def protocols() -> list[str]:
    """Return the names of the built-in protocols."""
    return _native.protocols()


def protocol(name: str | os.PathLike[str]) -> str:
    """Return the text of a protocol, built in or a ``.toml`` file: changed and saved, it is a protocol of your own."""
    return _native.protocol(os.fspath(name))


class Place(NamedTuple):
    """Where a policy is asked to play. The condition is not part of it: nobody is told what was held out."""

    #: The environment.
    id: str
    #: The protocol.
    protocol: str
    #: Its task.
    task: str
    #: The number of the run, from 0: that of the training seed whose policy plays.
    run: int
    #: The run seed.
    seed: int


def evaluate(
    policy: Any,
    protocol: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    label: str | None = None,
    name: str | None = None,
    tasks: Sequence[str] | None = None,
    episodes: int | None = None,
    seeds: int | None = None,
    seed: int = 0,
    threads: int = 1,
    resume: bool = False,
    other_build: bool = False,
    deterministic: bool = True,
    text: str | Vocabulary = "bytes",
    view: Mapping[str, Any] | Callable[[Place], Mapping[str, Any]] | None = None,
    experience: bytes | str | os.PathLike[str] | Callable[[Place], Any] | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> dict[str, Any]:
    """Play ``policy`` under a protocol, or several, and record every episode in the directory ``out``.

    ``policy`` is one of

    - a function of a batch of observations that returns a batch of actions. Observations are as
      :class:`heldout.VectorEnv` has them; with several agents, copies x agents x shape: a row of actions holds those of
      all agents. Arguments of these names it is given too: ``episode_start``, which copies begin an episode, so that it
      can forget; ``reward`` and ``metrics``, what the last step paid and the step's metrics by name, zero where an
      episode begins; ``seeds``, of the episodes, for what it leaves to chance; ``deterministic``. A second argument of
      another name is ``episode_start``;
    - a model with ``predict``, as Stable-Baselines3's: its state is kept and reset;
    - a ``torch.nn.Module`` from observations to actions, or to a row of scores, of which the best is taken, or one by
      chance unless ``deterministic`` (of an action of several parts, the scores of all parts in one row); it is put
      into ``eval()`` meanwhile, and back afterwards. A recurrent one takes the state as its second argument and returns
      ``(answer, state)``: ``None`` at first, then what it returned, a tensor or a tuple of them (an LSTM's, or a named
      one), zero in the rows of copies that begin an episode (rows are the first dimension, or the second of three, as
      torch has it);
    - the name of a scripted policy, which ``threads`` spreads;
    - what :func:`heldout.load` opened, or the path of it: each training seed is a run of its own;
    - a list of functions, models or modules that were trained alike, one per training seed: each is a run of its own,
      on a run seed of its own;
    - a dictionary of these by the names of tasks: other tasks are not played;
    - a function of one argument called ``place`` that returns the function, model or module that plays there, ``None``
      where there is none. It is asked for each run seed of the protocol, again for each condition.

    ``label`` names it in reports and claims, ``name`` says in the records what it is; of torch modules and models the
    records also hold a hash of the weights. Policies of one hash are one run, and so are those of one object. Which
    episodes are played does not depend on the policy: two policies are given the same problems. What one task cannot do
    is a failure, which the answer and the report list; an exception of the policy ends the run, and ``resume=True``
    continues it. With more ``seeds`` or ``episodes`` than are recorded, it extends the records. ``other_build=True``
    goes on even from records that another build of heldout made, which they say then.

    ``tasks`` are the only ones to play, by name. ``deterministic=False`` lets models and modules draw their actions, by
    the seeds of the episodes, which the records say. ``text`` is the form of text that the policy was trained on,
    ``"bytes"`` or ``"tokens"`` (of the data that the protocol plays), or the :class:`heldout.Vocabulary` of another
    corpus. ``view`` is how the policy sees and acts: config overrides of the keys that are an id's views
    (``observation``, ``actions`` and the like), or a function of the place that gives them. Models of Stable-Baselines3
    that were trained on normalised observations are shown them so; one that is loaded needs ``env=`` for that. A
    scripted policy sees as it needs to and a trained one as it was trained: these three are refused.

    ``experience`` is what the policy experienced in training, as ``env.experience()`` gave it, or the path of a file of
    it, or (of a policy that is not scripted) a function of the place that returns either: tests that are made after
    training are made from it, and refused without it. A scripted policy without it plays training itself first. The
    records say whose experience it was.

    The language of a policy with a method ``speak(stimuli, vocabulary, length)``, which returns a row of ``length``
    tokens for each row of ``stimuli``, is measured where a protocol asks for it.

    Return the number of ``episodes`` recorded, ``of`` how many, and the list of ``failures``.
    """
    if policy is None:
        raise HeldoutError("`policy` is `None`: there is nobody to evaluate")
    chosen = [protocol] if isinstance(protocol, (str, os.PathLike)) else list(protocol)
    policy, trained = _opened(policy)
    if trained is not None and label is None:
        label = trained
    scripted = isinstance(policy, str)
    if scripted:
        for argument, given in (
            ("view", view is not None),
            ("deterministic", not deterministic),
            ("text", text != "bytes"),
        ):
            if given:
                whose = (
                    "a trained policy sees and acts as it was trained to" if trained else "it is a scripted one's own"
                )
                raise HeldoutError(f"`{argument}` is not to be chosen for `{policy}`: {whose}")
    what = policy if scripted else name or _named(policy)
    if label is not None or not scripted:
        _check_label(what if label is None else label, scripted)
    if tasks is None:
        tasks = list(policy) if isinstance(policy, Mapping) else []
    with contextlib.ExitStack() as stack:
        entrant = None if scripted else _Entrant(policy, name, deterministic, text, view, experience, stack)
        answer = _native.evaluate(
            entrant or policy,
            [os.fspath(p) for p in chosen],
            os.fspath(out),
            what if label is None else label,
            what,
            list(tasks),
            seed,
            seeds,
            episodes,
            threads if scripted else 1,
            resume,
            other_build,
            _experience(experience) if scripted else None,
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
        return _native.read_experience(os.fspath(given))
    if given is not None and not isinstance(given, (bytes, bytearray, memoryview)):
        raise HeldoutError(f"`experience` is `{given!r}`, must be bytes or the path of a file")
    return None if given is None else bytes(given)


def _opened(policy: Any) -> tuple[Any, str | None]:
    """Return the path and the label of a policy that ``heldout train`` left behind, any other as it is."""
    from heldout.trained import TrainedPolicy

    named = isinstance(policy, str)
    # A folder of the name of a scripted policy is not meant, unless it holds a run.
    depths = ("run.json", "*/run.json", "*/*/run.json")
    if isinstance(policy, os.PathLike) or (named and any(any(pathlib.Path(policy).glob(depth)) for depth in depths)):
        policy = TrainedPolicy(policy)
    if not isinstance(policy, TrainedPolicy):
        return policy, None
    # A path that is no name: the native side tells the two apart so.
    return os.path.join(policy.path, ""), policy.label


def _check_label(label: Any, scripted: bool) -> None:
    """Refuse text that cannot be a label."""
    if not isinstance(label, str):
        raise TypeError(f"`label` is `{label!r}`, must be a `str`")
    if not 0 < len(label) <= _LABEL_LENGTH or any(unicodedata.category(character) == "Cc" for character in label):
        allowed = f"1 to {_LABEL_LENGTH} characters, none of them a control character"
        raise HeldoutError(f"`label` is `{label!r}`, must have {allowed}")
    if scripted and "@" in label:
        raise HeldoutError(f"`label` is `{label}`, must not hold `@`: it is what ends a label on the command line")


def _named(policy: Any) -> str:
    """Return what a policy is called where nobody says."""
    several = list(policy.values()) if isinstance(policy, Mapping) else policy
    if isinstance(several, (list, tuple)):
        return _named(several[0]) if several else "nobody"
    found: str = getattr(policy, "__name__", type(policy).__name__)
    return found


#: Characters of a label at the most.
_LABEL_LENGTH = 100

#: Answers a moment with actions.
_Act = Callable[["_Moment"], Any]

#: A place as the native runner tells it.
_Told = tuple[str, str, str, int, int]


class _Moment(NamedTuple):
    """What a policy may be told at a step, by the names of its arguments."""

    observation: Any
    episode_start: NDArray[np.bool_]
    seeds: NDArray[np.uint64]
    reward: NDArray[np.float32]
    metrics: dict[str, NDArray[np.float32]]
    deterministic: bool


class _Entrant:
    """What the native runner asks: who plays where, and a function for each batch."""

    def __init__(
        self,
        policy: Any,
        name: str | None,
        deterministic: bool,
        text: str | Vocabulary,
        view: Any,
        experience: Any,
        stack: contextlib.ExitStack,
    ) -> None:
        if not isinstance(text, Vocabulary) and text not in ("bytes", "tokens"):
            raise HeldoutError(f"`text` is `{text!r}`, must be `bytes`, `tokens` or a Vocabulary")
        self._text = text
        self._policy = policy
        self._name = name
        self._deterministic = deterministic
        self._view = view
        self._given = experience if callable(experience) else _experience(experience)
        #: Puts back what was changed in the policy that plays now.
        self._stack = stack
        #: The place that was asked last, and who plays there: a policy may take long to load.
        self._last: tuple[_Told, Any] | None = None
        self._identities: dict[_Told, str] = {}
        #: Policies without weights, which are told apart by being other objects.
        self._seen: list[tuple[Any, int]] = []
        for single in self._known(policy):
            _decider(single)

    def _known(self, policy: Any) -> list[Any]:
        """Return the policies that need not be asked for."""
        if isinstance(policy, Mapping):
            return [single for own in policy.values() for single in self._known(own)]
        if isinstance(policy, (list, tuple)):
            if not policy:
                raise HeldoutError("`policy` is an empty list, must have a policy for each training seed")
            return [single for own in policy for single in self._known(own)]
        return [] if policy is None or _is_factory(policy) else [policy]

    def _several(self, told: _Told) -> Any:
        """Return what the task is played by: a policy, a list of them or a function of the place."""
        return self._policy.get(told[2]) if isinstance(self._policy, Mapping) else self._policy

    def _at(self, told: _Told) -> Any:
        """Return the policy that plays there, in evaluation mode."""
        if self._last is None or self._last[0] != told:
            self._stack.close()
            policy = self._several(told)
            if isinstance(policy, (list, tuple)):
                policy = policy[told[3] % len(policy)]
            if policy is not None and _is_factory(policy):
                policy = policy(Place(*told))
            self._stack.enter_context(_evaluating(policy))
            self._last = (told, policy)
        return self._last[1]

    def runs(self, told: _Told) -> int:
        """Return the number of policies that were trained alike."""
        several = self._several(told)
        return len(several) if isinstance(several, (list, tuple)) else 1

    def enters(self, told: _Told) -> bool:
        """Return whether anyone plays there."""
        return self._at(told) is not None

    def identity(self, told: _Told) -> str:
        """Return who plays there: a name, and a hash of the weights or the number of the run."""
        if told not in self._identities:
            policy, several = self._at(told), self._several(told)
            name = self._name or _named(policy)
            weights = _hash(policy)
            if weights is not None:
                name += f" sha256:{weights}"
            elif isinstance(several, (list, tuple)) or _is_factory(several):
                known = next((run for seen, run in self._seen if seen is policy), None)
                if known is None:
                    known = told[3]
                    self._seen.append((policy, known))
                name += f" run {known}"
            self._identities[told] = name if self._deterministic else f"{name} (sampled)"
        return self._identities[told]

    def view(self, told: _Told) -> str:
        """Return the config overrides by which it sees and acts, as JSON."""
        view = self._view(Place(*told)) if callable(self._view) else self._view
        return encode({} if view is None else dict(view))

    def experience(self, told: _Told) -> bytes | None:
        """Return what it experienced in training."""
        return _experience(self._given(Place(*told))) if callable(self._given) else self._given

    def speaks(self, told: _Told) -> bool:
        """Return whether it can be asked for its words."""
        return hasattr(self._at(told), "speak")

    def speak(self, told: _Told, stimuli: NDArray[np.float32], vocabulary: int, length: int) -> Any:
        """Return what it says of each stimulus."""
        return np.asarray(self._at(told).speak(stimuli, vocabulary, length))

    def begin(self, told: _Told, spec: str, config: str, copies: int) -> Callable[..., Any]:
        """Return the function that answers the observations of a new batch of ``copies``.

        The config says which data there are, and so which words; policies are not shown it.
        """
        about = json.loads(spec)
        sizes = [size for agent in about["agents"] for size in _sizes(agent["action"])]
        among = next((field["masks"][0] for field in about["observation"] if field["masks"]), None)
        act = _decider(self._at(told))(sizes, among if len(about["agents"]) == 1 else None)
        told_as_text = [field["name"] for field in about["observation"] if field["text"]]
        words = self._text if isinstance(self._text, Vocabulary) else None
        if told_as_text and self._text == "tokens":
            words = vocabulary(told[0], **json.loads(config))

        def answer(
            fields: dict[str, NDArray[Any]],
            starts: NDArray[np.bool_],
            seeds: NDArray[np.uint64],
            rewards: NDArray[np.float32],
            metrics: dict[str, NDArray[np.float32]],
        ) -> Any:
            if MASK in fields:
                fields[MASK] = fields[MASK].astype(np.int8)
            if words is not None:
                for name in told_as_text:
                    fields[name] = words.of_bytes(fields[name])
            observation = next(iter(fields.values())) if len(fields) == 1 else fields
            return act(_Moment(observation, starts, seeds, rewards, metrics, self._deterministic))

        return answer


def _imported(text: str) -> tuple[_Entrant, str]:
    """Return who plays by what the function at ``module:function`` returns, and what it is called."""
    module, _, name = text.partition(":")
    made = functools.reduce(getattr, name.split("."), importlib.import_module(module))
    if not callable(made):
        raise HeldoutError(f"`{text}` is `{made!r}`, must be a function that returns a policy")
    # A function of the place is one already.
    policy = made if _is_factory(made) else made()
    if isinstance(policy, (str, os.PathLike)):
        raise HeldoutError(f"`{text}` returns the name `{policy}`: give that in its place")
    return _Entrant(policy, None, True, "bytes", None, None, contextlib.ExitStack()), text


def _parameters(function: Any) -> list[inspect.Parameter]:
    """Return the arguments of a function; none where they cannot be told."""
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []


def _is_factory(policy: Any) -> bool:
    """Return whether a policy is a function of the place that returns one."""
    if not callable(policy) or hasattr(policy, "predict"):
        return False
    parameters = _parameters(policy)
    return bool(parameters) and parameters[0].name == "place"


def _hash(policy: Any) -> str | None:
    """Return a hash of the weights of a torch module, or of a model's; ``None`` where there are none."""
    torch = sys.modules.get("torch")
    parts = (policy, getattr(policy, "policy", None))
    module = next((part for part in parts if torch is not None and isinstance(part, torch.nn.Module)), None)
    if module is None:
        return None
    digest = hashlib.sha256()
    for name, value in module.state_dict().items():
        digest.update(name.encode())
        if torch is not None and isinstance(value, torch.Tensor):
            value = value.detach().cpu().contiguous()
            digest.update(f"{value.dtype} {tuple(value.shape)}".encode())
            digest.update(value.reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()[:12]


def _sizes(action: dict[str, Any]) -> list[int]:
    """Return the number of choices of each integer of an action."""
    return [action["discrete"]] if "discrete" in action else list(action["multi_discrete"])


def _decider(policy: Any) -> Callable[[list[int], int | None], _Act]:
    """Return what makes the answering function of a batch, of the choices that each integer of its actions has and of
    where in the observation these are allowed or not, if that stands among other numbers.
    """
    from heldout.trained import TrainedPolicy

    if isinstance(policy, (str, os.PathLike, TrainedPolicy)):
        whose = policy.path if isinstance(policy, TrainedPolicy) else policy
        raise HeldoutError(
            f"`{whose}` is a policy by itself: evaluate it alone, not in a list, a dictionary or a function"
        )
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(policy, torch.nn.Module) and not hasattr(policy, "predict"):
        return lambda sizes, among: _module(torch, policy, sizes)
    if hasattr(policy, "predict"):
        return lambda sizes, among: _model(policy, sum(sizes), among)
    if not callable(policy):
        raise HeldoutError(
            f"`policy` is `{policy!r}`, must be a function, a model with `predict`, a torch module or a policy's name"
        )
    wanted = [p for p in _parameters(policy) if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)][1:]
    named = [p.name for p in wanted if p.name in _Moment._fields and p.kind is not p.POSITIONAL_ONLY]
    others = [p for p in wanted if p.name not in named and p.default is p.empty and p.kind is not p.KEYWORD_ONLY]
    starts = bool(others)

    def act(moment: _Moment) -> Any:
        more = (moment.episode_start,) if starts else ()
        return policy(moment.observation, *more, **{name: getattr(moment, name) for name in named})

    return lambda sizes, among: act


@contextlib.contextmanager
def _chance(moment: _Moment, step: int, space: Any = None) -> Iterator[None]:
    """Draw what torch, numpy and a space of actions draw from the seeds of the episodes and the steps since all of them
    began, and put them back.

    So a run that is resumed draws the same.
    """
    torch = sys.modules.get("torch")
    if moment.deterministic:
        yield
        return
    seed = int.from_bytes(hashlib.sha256(moment.seeds.tobytes() + step.to_bytes(8, "little")).digest()[:7], "little")
    numpy_before, space_before = np.random.get_state(), getattr(space, "_np_random", None)
    with contextlib.ExitStack() as stack:
        if torch is not None:
            stack.enter_context(torch.random.fork_rng())
            torch.manual_seed(seed)
        np.random.seed(seed % (1 << 32))
        if space is not None:
            space.seed(seed % (1 << 31))
        try:
            yield
        finally:
            np.random.set_state(numpy_before)
            if space is not None:
                space._np_random = space_before


def _model(model: Any, choices: int, among: int | None) -> _Act:
    """Return the answers of a model with ``predict``; a recurrent one's state begins anew with the batch."""
    state: Any = None
    step = 0
    maskable = any(p.name == "action_masks" for p in _parameters(model.predict))
    normalised = model.get_vec_normalize_env() if hasattr(model, "get_vec_normalize_env") else None

    def act(moment: _Moment) -> Any:
        nonlocal state, step
        step = 0 if moment.episode_start.all() else step + 1
        more = {"action_masks": _masks(moment.observation, choices, among)} if maskable else {}
        with _chance(moment, step, getattr(model, "action_space", None)):
            actions, state = model.predict(
                moment.observation if normalised is None else normalised.normalize_obs(moment.observation),
                state=state,
                episode_start=moment.episode_start,
                deterministic=moment.deterministic,
                **more,
            )
        return np.asarray(actions)

    return act


def _masks(observation: Any, choices: int, among: int | None) -> NDArray[np.bool_] | None:
    """Return which actions are allowed, where the observation says it: what ``MaskablePPO`` asks for."""
    if among is not None:
        allowed: NDArray[np.bool_] = observation.reshape(len(observation), -1)[:, among:][:, :choices] != 0
        return allowed
    fields = observation if isinstance(observation, dict) else {}
    found = next((fields[name] for name in (MASK, FLAT_MASK) if name in fields), None)
    return None if found is None else found != 0


def _forgotten(state: Any, starts: Any) -> Any:
    """Return a state that is zero for the copies that begin an episode."""
    if isinstance(state, (tuple, list)):
        parts = [_forgotten(part, starts) for part in state]
        # A named tuple takes its parts one by one.
        return type(state)(*parts) if hasattr(state, "_fields") else type(state)(parts)
    if isinstance(state, dict):
        return {name: _forgotten(part, starts) for name, part in state.items()}
    if state is None:
        return None
    rows = 1 if state.dim() == 3 else 0
    if state.shape[rows] != len(starts):
        raise HeldoutError(
            f"the module's state has shape {tuple(state.shape)}, must have {len(starts)} rows in dimension {rows}"
        )
    return state.masked_fill(starts.view([-1 if d == rows else 1 for d in range(state.dim())]), 0)


def _scored(torch: Any, scores: Any, sizes: list[int], deterministic: bool) -> Any:
    """Return the actions that rows of scores speak for: the best, or drawn by what they say of its chances."""
    if scores.dim() == 2 and scores.shape[1] == sum(sizes):
        parts = scores.split(sizes, dim=1)
    elif scores.dim() == 3 and scores.shape[1] == len(sizes) and all(scores.shape[2] == size for size in sizes):
        parts = scores.unbind(dim=1)
    else:
        wanted = f"a row of {' + '.join(map(str, sizes))} scores for each observation"
        raise HeldoutError(f"the module returns scores of shape {tuple(scores.shape)}, must return {wanted}")
    if deterministic:
        chosen = [part.argmax(dim=-1) for part in parts]
    else:
        chosen = [torch.distributions.Categorical(logits=part).sample() for part in parts]
    return torch.stack(chosen, dim=1) if len(sizes) > 1 else chosen[0]


def _module(torch: Any, module: Any, sizes: list[int]) -> _Act:
    """Return the answers of a torch module: integers are actions, other numbers are scores of them."""
    step = 0
    state: Any = None
    positional = [p for p in _parameters(module.forward) if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    # A second argument that has a value of its own is no state.
    recurrent = len(positional) > 1 and positional[1].default in (None, inspect.Parameter.empty)

    def act(moment: _Moment) -> Any:
        nonlocal step, state
        step = 0 if moment.episode_start.all() else step + 1
        device = next((p.device for p in module.parameters()), torch.device("cpu"))

        def tensor(array: NDArray[Any]) -> Any:
            return torch.from_numpy(array).to(device)

        seen = moment.observation
        batch = {k: tensor(v) for k, v in seen.items()} if isinstance(seen, dict) else tensor(seen)
        with torch.no_grad(), _chance(moment, step):
            if recurrent:
                state = None if moment.episode_start.all() else _forgotten(state, tensor(moment.episode_start))
                told = module(batch, state)
                if not (isinstance(told, tuple) and len(told) == 2):
                    raise HeldoutError(
                        "the module takes a state beside the observation, and must return `(answer, state)`"
                    )
                answer, state = told
            else:
                answer = module(batch)
            if not isinstance(answer, torch.Tensor):
                raise HeldoutError(
                    f"the module answers with a `{type(answer).__name__}`, must answer with a tensor of actions or "
                    "scores: wrap what returns more in a function of the observations that returns the actions"
                )
            if answer.is_floating_point():
                answer = _scored(torch, answer, sizes, moment.deterministic)
        return answer.cpu().numpy()

    return act
