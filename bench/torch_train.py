"""How fast TD3 and R2D2 train, environment and learner together: heldout against PyTorch, in one interleaved run.

``python bench/torch_train.py --heldout HELDOUT [--rounds N] [--steps N] [--only AGENT]`` with ``heldout`` and PyTorch
installed; HELDOUT is the binary of a release build. Both train the networks of the profile ``small`` with the same
batches, updates, replay and exploration on the same environment, on one thread, in turn. What is told of a run, heldout
writes into its ``run.json``, and the PyTorch side reads it there.

Counted is computing time, from the first step after the warm-up to the last, without starting, loading and saving; no
policy is played for a score in that time. The best of the rounds counts, since a busy machine only ever takes time.
Prints a table in Markdown; what each round took, and what both sides lost on average, goes to standard error.
"""

import argparse
import copy
import ctypes
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

import heldout

#: What is trained: the protocol and its task, steps before the clock starts, and steps that are timed.
CASES: dict[str, tuple[str, str, int, int]] = {
    "td3-mlp": ("halma-table1", "symbolic", 1_024, 1_536),
    "td3-lstm": ("halma-table1", "symbolic", 1_024, 512),
    "td3-transformer": ("halma-table1", "symbolic", 1_024, 512),
    "td3-cnn": ("halma-table1", "visual", 1_024, 512),
    "r2d2-lstm": ("s2b-table2", "listener", 4_096, 12_288),
}

#: Numbers that a symbol of an option enters the decoder as, and rows between two at which memories are kept.
SYMBOL, STATES_EVERY = 16, 16


@dataclass
class Timed:
    """What was played and learnt in the time that counts."""

    seconds: float
    steps: int
    updates: int
    #: Mean loss of the critics, or of the values.
    loss: float
    #: Numbers that are learnt, by the part of the agent that they belong to.
    parameters: dict[str, int]


# ---------------------------------------------------------------------------------------------------------------------
# What both algorithms need.


class Play:
    """Copies of an environment in play: which rows begin an episode, and which are the last of an ended one.

    The step after an end only restarts the copy: it is no step.
    """

    def __init__(self, run: dict[str, Any]) -> None:
        """Begin episodes in as many copies as the run has."""
        self.copies: int = run["config"]["copies"]
        self.env = heldout.make_vec(run["id"], self.copies, copy=False, **run["env"])
        self.seen, self.told = self.env.reset(seed=0)
        self.rewards = np.zeros(self.copies)
        self.starts = np.ones(self.copies, dtype=bool)
        self.dead = np.zeros(self.copies, dtype=bool)
        self.steps = 0

    def step(self, actions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Take one step in every copy; return for which of them it was one."""
        self.seen, self.rewards, terminated, truncated, self.told = self.env.step(actions)
        self.starts, self.dead = self.dead, terminated | truncated
        self.steps += self.copies - int(self.starts.sum())
        return ~self.starts


def layers(*widths: int) -> nn.Sequential:
    """Return linear layers, each followed by its positive part."""
    pairs = zip(widths[:-1], widths[1:], strict=True)
    return nn.Sequential(*[part for a, b in pairs for part in (nn.Linear(a, b), nn.ReLU())])


def count(module: nn.Module) -> int:
    """Return how many numbers of a module are learnt."""
    return sum(p.numel() for p in module.parameters() if p.requires_grad)


class Learner:
    """The loop around an algorithm."""

    play: Play
    updates: int
    losses: list[Tensor]

    def collect(self) -> None:
        """Play one step of every copy and keep it."""
        raise NotImplementedError

    def update(self) -> None:
        """Learn from one draw."""
        raise NotImplementedError

    def due(self) -> int:
        """Return how many updates there should have been by now."""
        raise NotImplementedError

    def parameters(self) -> dict[str, int]:
        """Return how many numbers are learnt."""
        raise NotImplementedError

    def train(self, steps: int) -> None:
        """Play and learn until so many steps have been played."""
        while self.play.steps < steps:
            self.collect()
            while self.updates < self.due():
                self.update()


# ---------------------------------------------------------------------------------------------------------------------
# TD3 over option tokens.


def gru_step(gates: Tensor, own: Tensor, h: Tensor) -> Tensor:
    """Return the state of a gated recurrent unit after a step, by what input and last state add to its gates."""
    n = h.shape[1]
    r, z = torch.sigmoid(gates[:, : 2 * n] + own[:, : 2 * n]).chunk(2, 1)
    new = torch.tanh(torch.addcmul(gates[:, 2 * n :], r, own[:, 2 * n :]))
    return torch.lerp(new, h, z)


@dataclass
class Said:
    """Options that were said, one for each row."""

    #: What each row chose at each step, the direction first.
    symbols: list[Tensor]
    #: The same as a critic is given it.
    choices: list[Tensor]
    logits: list[Tensor]
    #: Whether each row's option still went on at each step.
    alive: list[Tensor]

    def entropy(self) -> Tensor:
        """Return the entropy of each option: of the direction, and of its tokens up to the end."""
        logs = F.log_softmax(torch.stack(self.logits), -1)
        return -((logs.exp() * logs).sum(-1) * torch.stack(self.alive)).sum(0)


class ActionDecoder(nn.Module):
    """Says options symbol by symbol: a direction, then tokens until one of them is 0."""

    def __init__(self, width: int, length: int, directions: int = 4, tokens: int = 4) -> None:
        """Make the layers."""
        super().__init__()
        self.length = length
        self.gru = nn.GRUCell(width + SYMBOL, width)
        self.begin = nn.Parameter(torch.randn(1, SYMBOL))
        self.directions = nn.Parameter(torch.randn(directions, SYMBOL))
        self.tokens = nn.Parameter(torch.randn(tokens, SYMBOL))
        self.direction = nn.Linear(width, directions)
        self.token = nn.Linear(width, tokens)

    def forward(self, e: Tensor, how: str) -> Said:
        """Say an option for each row: the likeliest (``greedy``), by chance, or by chance with a gradient."""
        width = e.shape[1]
        of_e, of_symbol = self.gru.weight_ih.split((width, SYMBOL), 1)
        always = F.linear(e, of_e, self.gru.bias_ih)
        tables = [F.linear(table, of_symbol) for table in (self.directions, self.tokens)]
        gates = always + F.linear(self.begin, of_symbol)
        h = e.new_zeros(e.shape)
        alive = torch.ones(len(e), dtype=torch.bool)
        said = Said([], [], [], [])
        for step in range(self.length + 1):
            h = gru_step(gates, F.linear(h, self.gru.weight_hh, self.gru.bias_hh), h)
            head, table = (self.direction, tables[0]) if step == 0 else (self.token, tables[1])
            logits = head(h)
            noisy = logits
            if how != "greedy":
                noisy = logits - torch.empty_like(logits).exponential_().log()
            symbols = noisy.argmax(1)
            if step > 0:
                symbols = symbols * alive
            choice = F.one_hot(symbols, logits.shape[1]).to(logits.dtype)
            if how == "through":
                shares = F.softmax(noisy, 1)
                passed = shares - shares.detach()
                choice = choice + (passed if step == 0 else passed * alive[:, None])
            said.symbols.append(symbols)
            said.choices.append(choice)
            said.logits.append(logits)
            said.alive.append(alive)
            if step > 0:
                alive = alive & (symbols != 0)
            if step < self.length:
                gates = always + (choice @ table if how == "through" else F.embedding(symbols, table))
        return said


class ValueDecoder(nn.Module):
    """What an option is worth where it is said."""

    def __init__(self, width: int, directions: int = 4, tokens: int = 4) -> None:
        """Make the layers."""
        super().__init__()
        self.gru = nn.GRU(directions + tokens, width)
        self.out = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, e: Tensor, choices: list[Tensor]) -> Tensor:
        """Return what the options are worth at the rows ``e``, where the recurrence begins."""
        tokens = torch.stack(choices[1:])
        direction = choices[0].expand(len(tokens), -1, -1)
        _, last = self.gru(torch.cat((direction, tokens), 2), e[None])
        return self.out(last[0]).squeeze(1)


class Symbols(nn.Module):
    """Two layers."""

    def __init__(self, seen: int, width: int) -> None:
        """Make the layers."""
        super().__init__()
        self.layers = layers(seen, width, width)

    def forward(self, x: Tensor) -> Tensor:
        """Return what is made of rows."""
        return self.layers(x)


class Block(nn.TransformerEncoderLayer):
    """PyTorch's block, in one piece where no gradient is asked for; with one, these products take less time."""

    def forward(self, x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Return what the block makes of sets of rows ``[sets, rows, width]``."""
        if not torch.is_grad_enabled():
            return super().forward(x, *args, **kwargs)
        (sets, rows, width), attention = x.shape, self.self_attn
        split = F.linear(x, attention.in_proj_weight, attention.in_proj_bias).view(sets, rows, 3, 4, width // 4)
        query, key, value = split.permute(2, 0, 3, 1, 4)
        shares = F.softmax(query @ key.transpose(2, 3) / math.sqrt(width // 4), -1)
        seen = (shares @ value).transpose(1, 2).reshape(sets, rows, width)
        x = self.norm1(x + attention.out_proj(seen))
        return self.norm2(x + self.linear2(F.relu(self.linear1(x))))


class Tokens(nn.Module):
    """Attention between the entries of a row, four times through one block, and two layers."""

    def __init__(self, seen: int, width: int, entries: int = 11) -> None:
        """Make the layers."""
        super().__init__()
        self.entries = entries
        self.register_buffer("index", torch.eye(entries))
        self.project = nn.Linear(seen // entries + entries, width)
        self.block = Block(width, 4, width, dropout=0.0, batch_first=True)
        self.layers = layers(width, width, width)

    def forward(self, x: Tensor) -> Tensor:
        """Return what is made of rows."""
        x = x.view(len(x), self.entries, -1)
        x = self.project(torch.cat((x, self.index.expand(len(x), -1, -1)), 2))
        for _ in range(4):
            x = self.block(x)
        return self.layers(x.amax(1))


class Panel(nn.Module):
    """Three convolutions and a layer."""

    def __init__(self, width: int) -> None:
        """Make the layers."""
        super().__init__()
        channels = (3, width // 4, width // 2, width)
        shapes = zip(channels[:-1], channels[1:], ((6, 4), (6, 4), (7, 1)), strict=True)
        eye = [part for a, b, (kernel, stride) in shapes for part in (nn.Conv2d(a, b, kernel, stride), nn.ReLU())]
        self.eye = nn.Sequential(*eye, nn.Flatten())
        self.layers = layers(width, width)

    def forward(self, x: Tensor) -> Tensor:
        """Return what is made of panels, bytes with the colours last."""
        # With the colours first it takes less time than with the colours last.
        return self.layers(self.eye(x.permute(0, 3, 1, 2).contiguous().float() / 255.0))


def ln_lstm(
    inputs: Tensor, h: Tensor, c: Tensor, keep: Tensor,
    recurrent: Tensor, scale: Tensor, shift: Tensor, cell_scale: Tensor, cell_shift: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Return the outputs ``[rows, copies, width]`` of all steps, and output and cell after the last."""
    n = h.shape[1]
    out: list[Tensor] = []
    # Pieces, whose gradients are put together once.
    steps, kept = inputs.unbind(0), keep.unbind(0)
    for t in range(len(steps)):
        h, c = h * kept[t], c * kept[t]
        gates = steps[t] + F.layer_norm(F.linear(h, recurrent), [4 * n], scale, shift)
        i, f, o = torch.sigmoid(gates[:, : 3 * n]).chunk(3, 1)
        c = f * c + i * torch.tanh(gates[:, 3 * n :])
        h = o * torch.tanh(F.layer_norm(c, [n], cell_scale, cell_shift))
        out.append(h)
    return torch.stack(out), h, c


#: Compiled, so that the interpreter does not walk the steps.
ln_lstm_compiled = torch.jit.script(ln_lstm)


class LnLstm(nn.Module):
    """Long short-term memory with layer norms inside, gates ``i``, ``f``, ``o``, ``g``."""

    def __init__(self, inputs: int, hidden: int) -> None:
        """Make the weights."""
        super().__init__()
        self.hidden = hidden
        bound = 1 / math.sqrt(hidden)
        uniform = [torch.empty(4 * hidden, n).uniform_(-bound, bound) for n in (inputs, hidden)]
        self.input, self.recurrent = (nn.Parameter(weight) for weight in uniform)
        self.bias = nn.Parameter(torch.empty(4 * hidden).uniform_(-bound, bound))
        self.norms = nn.ModuleList([nn.LayerNorm(n) for n in (4 * hidden, 4 * hidden, hidden)])
        with torch.no_grad():
            self.bias[hidden : 2 * hidden] += 1.0

    def forward(self, x: Tensor, state: Tensor, keep: Tensor) -> tuple[Tensor, Tensor]:
        """Return the outputs of steps ``x`` ``[rows, copies, …]`` from ``state``, and the state after the last."""
        inputs = self.norms[0](F.linear(x, self.input)) + self.bias
        h, c = state.chunk(2, 1)
        _, own, cell = self.norms
        out, h, c = ln_lstm_compiled(
            inputs, h, c, keep[..., None], self.recurrent, own.weight, own.bias, cell.weight, cell.bias
        )
        return out, torch.cat((h, c), 1)


class Encoder(nn.Module):
    """From rows to vectors, over time where there is a memory."""

    def __init__(self, network: str, seen: int, past: int, width: int) -> None:
        """Make the layers."""
        super().__init__()
        self.seen = seen
        self.sight = {"cnn": lambda: Panel(width), "transformer": lambda: Tokens(seen, width)}.get(
            network, lambda: Symbols(seen, width)
        )()
        self.core = LnLstm(width + past, width) if network == "lstm" else None

    def forward(self, rows: Tensor, state: Tensor, keep: Tensor) -> tuple[Tensor, Tensor]:
        """Return what is made of rows ``[steps, copies, …]``, in the same order as one list, and the state."""
        steps, copies = rows.shape[:2]
        rows = rows.flatten(0, 1)
        if self.core is None:
            return self.sight(rows), state
        e = torch.cat((self.sight(rows[:, : self.seen]), rows[:, self.seen :]), 1)
        out, state = self.core(e.view(steps, copies, -1), state, keep)
        return out.flatten(0, 1), state


class Actor(nn.Module):
    """Who acts."""

    def __init__(self, network: str, seen: int, past: int, width: int, length: int) -> None:
        """Make the layers."""
        super().__init__()
        self.encoder = Encoder(network, seen, past, width)
        self.option = ActionDecoder(width, length)


class Critics(nn.Module):
    """Who judges: one or two encoders, and two decoders."""

    def __init__(self, network: str, seen: int, past: int, width: int, encoders: int) -> None:
        """Make the layers."""
        super().__init__()
        self.encoders = nn.ModuleList([Encoder(network, seen, past, width) for _ in range(encoders)])
        self.values = nn.ModuleList([ValueDecoder(width) for _ in range(2)])

    def worths(self, e: list[Tensor], choices: list[Tensor]) -> tuple[Tensor, Tensor]:
        """Return what options are worth to each of the two, where each stands behind an encoder."""
        return self.values[0](e[0], choices), self.values[1](e[-1], choices)


@dataclass
class Drawn:
    """Stretches of steps, ``[steps, stretches]``; rows, and which of them begin an episode, are one more."""

    rows: Tensor
    keep: Tensor
    states: list[Tensor]
    action: Tensor
    reward: Tensor
    cont: Tensor
    #: What each step counts.
    counts: Tensor


class Td3(Learner):
    """Twin delayed policy gradients over option tokens."""

    def __init__(self, run: dict[str, Any]) -> None:
        """Make networks, environments and the ring of what was played."""
        config = self.config = run["config"]
        self.play = Play(run)
        network, width = config["network"], config["width"]
        self.sizes = self.play.env.single_action_space.nvec
        self.remembers = network == "lstm"
        shape = self.play.env.single_observation_space.shape
        seen = math.prod(shape)
        past = int(self.sizes.sum()) + 3 if self.remembers else 0
        self.actor = Actor(network, seen, past, width, len(self.sizes) - 1)
        encoders = 1 if config["critics"] == "shared" else 2
        self.critics = Critics(network, seen, past, width, encoders)
        # Nothing is dropped out, and only in this mode has PyTorch a block of attention in one piece.
        for own in (self.actor, self.critics):
            own.eval()
        self.targets = [copy.deepcopy(own).requires_grad_(False) for own in (self.actor, self.critics)]
        rates = {"actor": config["lr_actor"], "critic": config["lr_critic"]}
        both = {"actor": self.actor, "critic": self.critics}
        self.adam = {
            name: torch.optim.Adam(both[name].parameters(), lr, eps=config["epsilon"], fused=True)
            for name, lr in rates.items()
        }
        self.length, self.skip = (config["stretch"], config["skip"]) if self.remembers else (1, 0)

        copies, self.rows = self.play.copies, config["replay"] // self.play.copies
        pictures = network == "cnn"
        row = shape if pictures else (seen + past,)
        self.kept_rows = torch.zeros((self.rows, copies, *row), dtype=torch.uint8 if pictures else torch.float32)
        self.kept_action = torch.zeros((self.rows, copies, len(self.sizes)), dtype=torch.int64)
        self.kept_reward, self.kept_cont = torch.zeros(2, self.rows, copies)
        self.kept_start, self.kept_dead = torch.zeros((2, self.rows, copies), dtype=torch.bool)
        state = 2 * width if self.remembers else 0
        self.memory = torch.zeros(1 + encoders, copies, state)
        self.kept_states = torch.zeros(self.rows // STATES_EVERY + 1, 1 + encoders, copies, state)
        self.added = 0
        self.actions = np.zeros((copies, len(self.sizes)), dtype=np.int64)
        self.offsets = np.cumsum(self.sizes) - self.sizes
        self.chance = np.random.default_rng(0)
        self.updates, self.losses = 0, []

    def parameters(self) -> dict[str, int]:
        """Return how many numbers are learnt."""
        return {"actor": count(self.actor), "critic": count(self.critics)}

    def due(self) -> int:
        """Return how many updates there should have been by now."""
        return int(max(0, self.play.steps - self.config["warm_up"]) * self.config["updates_per_step"])

    def now(self) -> Tensor:
        """Return the rows of all copies: what is seen, and for a memory what was done and came of it."""
        play = self.play
        if not self.remembers:
            return torch.from_numpy(play.seen if play.seen.ndim == 4 else play.seen.reshape(play.copies, -1))
        past = np.zeros((play.copies, int(self.sizes.sum()) + 3), dtype=np.float32)
        np.put_along_axis(past, self.actions + self.offsets, 1.0, 1)
        past[:, -3] = 0.01 * play.rewards
        past[:, -2], past[:, -1] = play.told["invalid"], play.told["trial_end"]
        past[play.starts] = 0.0
        return torch.from_numpy(np.concatenate((play.seen.reshape(play.copies, -1), past), 1))

    @torch.inference_mode()
    def collect(self) -> None:
        """Play one step of every copy and keep it."""
        config, play = self.config, self.play
        at = self.added % self.rows
        rows, starts = self.now(), torch.from_numpy(play.starts)
        self.kept_rows[at], self.kept_start[at], self.kept_dead[at] = rows, starts, torch.from_numpy(play.dead)
        if self.remembers and self.added % STATES_EVERY == 0:
            self.kept_states[self.added // STATES_EVERY % len(self.kept_states)] = self.memory

        grown = min(1.0, play.steps / config["greedy_steps"])
        share = config["greedy_first"] + (config["greedy_last"] - config["greedy_first"]) * grown
        own = self.chance.random(play.copies) < share
        actions = self.chance.integers(0, self.sizes, (play.copies, len(self.sizes)))
        if self.remembers or own.any():
            keep = (~starts)[None].float()
            e, after = self.actor.encoder(rows[None], self.memory[0], keep)
            if self.remembers:
                of_critics = zip(self.critics.encoders, self.memory[1:], strict=True)
                self.memory = torch.stack([after, *(critic(rows[None], m, keep)[1] for critic, m in of_critics)])
            if own.any():
                actions[own] = torch.stack(self.actor.option(e, "greedy").symbols, 1).numpy()[own]
        # Zeros after the first.
        actions[:, 1:] *= np.cumprod(actions[:, 1:] != 0, axis=1)

        valid = play.step(actions)
        self.actions = actions
        self.kept_action[at] = torch.from_numpy(actions)
        self.kept_reward[at] = torch.from_numpy(play.rewards * valid)
        self.kept_cont[at] = torch.from_numpy(play.told["bootstrap"] * valid)
        self.added += 1

    def draw(self) -> Drawn:
        """Draw stretches of steps."""
        n, stride = self.config["batch"], STATES_EVERY if self.remembers else 1
        first = -(-max(0, self.added - self.rows) // stride)
        choices = (self.added - self.length - 1) // stride + 1 - first
        draws = torch.randint(choices * self.play.copies, (n,))
        copies, begin = draws % self.play.copies, (draws // self.play.copies + first) * stride
        while self.length == 1 and (dead := self.kept_dead[begin % self.rows, copies]).any():
            # Where nothing was done, another is drawn.
            draws = torch.randint(choices * self.play.copies, (int(dead.sum()),))
            copies[dead], begin[dead] = draws % self.play.copies, draws // self.play.copies + first
        at = (begin + torch.arange(self.length + 1)[:, None]) % self.rows
        steps = at[self.skip : -1]
        valid = ~self.kept_dead[steps, copies]
        states = self.kept_states[begin // STATES_EVERY % len(self.kept_states), :, copies]
        return Drawn(
            rows=self.kept_rows[at, copies],
            keep=(~self.kept_start[at, copies]).float(),
            states=list(states.transpose(0, 1)),
            action=self.kept_action[steps, copies].flatten(0, 1),
            reward=self.kept_reward[steps, copies].flatten(),
            cont=self.kept_cont[steps, copies].flatten(),
            counts=(valid / valid.sum().clamp(min=1)).flatten(),
        )

    def encode(self, encoder: nn.Module, drawn: Drawn, whose: int, after: bool) -> Tensor:
        """Return what an encoder makes of the rows that are learnt from, or of those after them."""
        # A memory is followed from the beginning of the stretch.
        span = slice(0 if self.remembers else int(after), self.length + int(after))
        e, _ = encoder(drawn.rows[span], drawn.states[whose], drawn.keep[span])
        return e[-(self.length - self.skip) * drawn.rows.shape[1] :]

    def step(self, name: str, module: nn.Module, loss: Tensor) -> None:
        """Change a module's weights by the gradient of a loss."""
        self.adam[name].zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(module.parameters(), self.config["norm"], foreach=True)
        self.adam[name].step()

    def update(self) -> None:
        """Learn from one draw."""
        config, drawn = self.config, self.draw()
        target_actor, target_critics = self.targets
        with torch.no_grad():
            said = target_actor.option(self.encode(target_actor.encoder, drawn, 0, True), "chance")
            e = [self.encode(own, drawn, 1 + i, True) for i, own in enumerate(target_critics.encoders)]
            worth = torch.minimum(*target_critics.worths(e, said.choices))
            target = config["reward_scale"] * drawn.reward + config["gamma"] * drawn.cont * worth
        choices = [
            F.one_hot(symbols, int(n)).float() for symbols, n in zip(drawn.action.unbind(1), self.sizes, strict=True)
        ]
        e = [self.encode(own, drawn, 1 + i, False) for i, own in enumerate(self.critics.encoders)]
        one, other = self.critics.worths(e, choices)
        loss = (((one - target) ** 2 + (other - target) ** 2) * drawn.counts).sum()
        self.step("critic", self.critics, loss)
        self.losses.append(loss.detach())
        self.updates += 1
        if self.updates % config["delay"] == 0:
            self.update_actor(drawn)

    def update_actor(self, drawn: Drawn) -> None:
        """Learn what the first critic finds good, and let targets follow."""
        config = self.config
        said = self.actor.option(self.encode(self.actor.encoder, drawn, 0, False), "through")
        with torch.no_grad():
            e = self.encode(self.critics.encoders[0], drawn, 1, False)
        self.critics.requires_grad_(False)
        worth = self.critics.values[0](e, said.choices)
        loss = -((worth + config["entropy"] * said.entropy()) * drawn.counts).sum()
        self.step("actor", self.actor, loss)
        self.critics.requires_grad_(True)
        with torch.no_grad():
            for target, own in zip(self.targets, (self.actor, self.critics), strict=True):
                torch._foreach_lerp_(list(target.parameters()), list(own.parameters()), config["tau"])


# ---------------------------------------------------------------------------------------------------------------------
# R2D2.


class Listener(nn.Module):
    """What is seen and what is heard through two layers each, all through a memory, and what actions are worth."""

    def __init__(self, seen: int, heard: int, rest: int, actions: int, hidden: int = 128) -> None:
        """Make the layers."""
        super().__init__()
        self.widths = (seen, heard, rest)
        self.stimulus, self.message = layers(seen, 64, 32), layers(heard, 64, 32)
        self.core = nn.LSTM(64 + rest, hidden)
        # One bias, as there: the second would add to the first.
        nn.init.zeros_(self.core.bias_hh_l0).requires_grad_(False)
        # What the row is worth, and what each action adds to it.
        self.heads = nn.Linear(hidden, 1 + actions)

    def forward(self, rows: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Return what actions are worth at rows ``[steps, copies, …]``, and the state after the last."""
        seen, heard, rest = rows.split(self.widths, 2)
        x = torch.cat((self.stimulus(seen), self.message(heard), rest), 2)
        out, state = self.core(x, state)
        value, advantage = self.heads(out).split((1, self.heads.out_features - 1), 2)
        return value + advantage - advantage.mean(2, keepdim=True), state


class R2d2(Learner):
    """Recurrent Q-learning from episodes, the more surprising the more often, without a look ahead."""

    def __init__(self, run: dict[str, Any]) -> None:
        """Make the network, environments, the ring of what was played and its sequences."""
        config = self.config = run["config"]
        assert config["whole"] and config["gamma"] == 0.0 and config["size"] == "small", "the profile `small`"
        self.play = Play(run)
        copies, self.actions = self.play.copies, int(self.play.env.single_action_space.n)
        spaces = self.play.env.single_observation_space
        apart = ("stimulus", "message", "message_tokens", "legal_actions", "action_mask")
        self.fields = ["stimulus", "message", *(name for name in spaces if name not in apart)]
        widths = [math.prod(spaces[name].shape) for name in self.fields]
        self.width = sum(widths) + self.actions
        self.network = Listener(widths[0], widths[1], sum(widths[2:]) + self.actions, self.actions)
        learnt = [p for p in self.network.parameters() if p.requires_grad]
        self.adam = torch.optim.Adam(learnt, config["lr"], eps=config["epsilon"], fused=True)
        self.state = (torch.zeros(1, copies, 128), torch.zeros(1, copies, 128))
        self.exploration = 0.4 ** (1 + 7 * np.arange(copies) / (copies - 1))
        self.chance = np.random.default_rng(0)

        self.rows = config["replay"] // copies
        self.kept_rows = torch.zeros(self.rows, copies, self.width)
        self.kept_action = torch.zeros((self.rows, copies), dtype=torch.int64)
        self.kept_reward = torch.zeros(self.rows, copies)
        self.kept_states = torch.zeros(self.rows, 2, copies, 128)
        self.added = 0
        # Sequences in a ring of their own: copy, first row, steps, and how often each is drawn; 0: it is there no more.
        most = self.rows * copies // 8
        self.copy, self.first, self.length = np.zeros((3, most), dtype=np.int64)
        self.weight = np.zeros(most)
        self.sequences = 0
        self.highest = 1.0
        self.began = np.zeros(copies, dtype=np.int64)
        self.updates, self.losses = 0, []

    def parameters(self) -> dict[str, int]:
        """Return how many numbers are learnt."""
        return {"": count(self.network)}

    def due(self) -> int:
        """Return how many updates there should have been by now, once there is an episode to learn from."""
        due = max(0, self.play.steps - self.config["replay_min"]) // self.config["train_every"]
        return due if self.weight.any() else 0

    @torch.inference_mode()
    def collect(self) -> None:
        """Play as many steps as there are between two updates, and keep them."""
        for _ in range(-(-self.config["train_every"] // self.play.copies)):
            self.collect_one()

    def collect_one(self) -> None:
        """Play one step of every copy and keep it."""
        play, copies = self.play, self.play.copies
        legal = play.env.action_masks()
        legal = legal | ~legal.any(1, keepdims=True)
        parts = [play.seen[name].reshape(copies, -1) for name in self.fields]
        rows = torch.from_numpy(np.concatenate((*parts, legal), 1, dtype=np.float32))
        at = self.added % self.rows
        self.kept_rows[at] = rows
        self.keep_sequences()

        keep = torch.from_numpy(~play.starts)[:, None].float()
        h, c = (part * keep for part in self.state)
        self.kept_states[at, 0], self.kept_states[at, 1] = h[0], c[0]
        q, self.state = self.network(rows[None], (h, c))
        best = np.where(legal, q[0].numpy(), -np.inf).argmax(1)
        anything = (self.chance.random((copies, self.actions)) * legal).argmax(1)
        actions = np.where(self.chance.random(copies) < self.exploration, anything, best)
        valid = play.step(actions)
        self.kept_action[at] = torch.from_numpy(actions)
        self.kept_reward[at] = torch.from_numpy(play.rewards * valid)
        self.added += 1

    def keep_sequences(self) -> None:
        """Add sequences that end at the row of now, and drop those whose first row is about to be written over."""
        self.weight[self.first < self.added + 1 - self.rows] = 0.0
        self.began[self.play.starts] = self.added
        length, stride = self.config["trained"], self.config["stride"]
        steps = self.added - self.began
        # An episode, or the parts of a longer one and what these have left over, with a little before it.
        part = (steps >= length) & ((steps - length) % stride == 0)
        rest = -(-np.maximum(steps - length, 0) // stride) * stride
        first = np.where(part, steps - length, rest)
        for copy_ in np.flatnonzero(part | (self.play.dead & (steps > 0))):
            slot = self.sequences % len(self.weight)
            assert self.weight[slot] == 0.0, "sequences have room"
            begin, size = self.began[copy_] + first[copy_], steps[copy_] - first[copy_]
            self.copy[slot], self.first[slot], self.length[slot] = copy_, begin, size
            self.weight[slot] = self.highest ** self.config["priority"]
            self.sequences += 1

    def update(self) -> None:
        """Learn from one draw."""
        config, n = self.config, self.config["batch"]
        sums = np.cumsum(self.weight)
        points = (np.arange(n) + self.chance.random(n)) * (sums[-1] / n)
        slots = np.searchsorted(sums, np.minimum(points, np.nextafter(sums[-1], 0.0)), side="right")
        rare = (np.count_nonzero(self.weight) * self.weight[slots] / sums[-1]) ** -config["importance"]
        importance = torch.from_numpy((rare / rare.max()).astype(np.float32))

        length = torch.from_numpy(self.length[slots])
        steps = torch.arange(int(length.max()))[:, None]
        valid = (steps < length).float()
        # Shorter ones are filled up with their last row, which does not count.
        at = (torch.from_numpy(self.first[slots]) + torch.minimum(steps, length)) % self.rows
        copies = torch.from_numpy(self.copy[slots])
        h, c = self.kept_states[at[0], :, copies].transpose(0, 1)[:, None].contiguous()
        q, _ = self.network(self.kept_rows[at, copies], (h, c))
        chosen = q.gather(2, self.kept_action[at, copies][..., None]).squeeze(2)
        surprise = (self.kept_reward[at, copies] - chosen) * valid
        loss = 0.5 * (surprise.square() * importance).sum() / valid.sum()
        self.adam.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), config["norm"], foreach=True)
        self.adam.step()
        self.losses.append(loss.detach())
        self.updates += 1

        size = surprise.detach().abs()
        priority = (0.9 * size.amax(0) + 0.1 * size.sum(0) / valid.sum(0)).double().numpy()
        self.highest = max(self.highest, float(priority.max()))
        self.weight[slots] = np.maximum(priority, 1e-6) ** config["priority"]


# ---------------------------------------------------------------------------------------------------------------------
# The two sides.


def theirs(agent: str, run: dict[str, Any], warm_up: int, steps: int) -> Timed:
    """Train with PyTorch."""
    torch.manual_seed(0)
    learner: Learner = R2d2(run) if agent.startswith("r2d2") else Td3(run)
    learner.train(warm_up)
    before, updates = learner.play.steps, learner.updates
    learner.losses.clear()
    begun = time.process_time()
    learner.train(before + steps)
    seconds = time.process_time() - begun
    loss = float(torch.stack(learner.losses).mean())
    return Timed(seconds, learner.play.steps - before, learner.updates - updates, loss, learner.parameters())


def counts(path: Path) -> dict[str, int]:
    """Return how many numbers are learnt, by the tensors that a file of a learner's state names."""
    raw = path.read_bytes()
    header = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])
    sums: dict[str, int] = {}
    for name, tensor in header.items():
        if name != "__metadata__" and not name.startswith(("target.", "adam.")):
            part = next((part for part in ("actor", "critic") if name.startswith(f"{part}.")), "")
            sums[part] = sums.get(part, 0) + math.prod(tensor["shape"])
    return sums


def ours(binary: str, agent: str, warm_up: int, steps: int) -> tuple[Timed, dict[str, Any]]:
    """Train with heldout up to the end of the warm-up, and go on from there: the seconds are those of the second part.

    Beside the times return what the run was told.
    """
    protocol, task = CASES[agent][:2]
    with tempfile.TemporaryDirectory() as folder:
        seed = Path(folder, task, "seed-0")

        def trained(until: int, *more: str) -> dict[str, Any]:
            words = [binary, "train", agent, "--protocol", protocol, "--task", task, "--out", folder]
            words += ["--profile", "small", "--threads", "1", "--steps", str(until), *more]
            # Neither plays for a score, and files are written in the end alone.
            for key in ("save_every", "evaluate_every"):
                words += ["--set", f"{key}=1000000000"]
            environment = {**os.environ, "RAYON_NUM_THREADS": "1"}
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
            # The last line is a checksum.
            told = json.loads(Path(seed, "state/learner.json").read_text().strip().rpartition("\n")[0])
            return told["trainer"]

        before = trained(warm_up)
        after = trained(before["counters"]["env_steps"] + steps, "--resume")
        run = json.loads(Path(seed, "run.json").read_text())
        lines = [json.loads(line) for line in Path(seed, "log.jsonl").read_text().splitlines()]
        kept = counts(Path(seed, "state/learner.safetensors"))
    name = "train/q_loss" if agent.startswith("r2d2") else "train/critic_loss"
    losses = [line[name] for line in lines if line["step"] > before["counters"]["env_steps"] and name in line]
    played = {key: after["counters"][key] - before["counters"][key] for key in ("env_steps", "updates")}
    seconds = after["cpu_seconds"] - before["cpu_seconds"]
    return Timed(seconds, played["env_steps"], played["updates"], float(np.mean(losses)), kept), run


def keep_memory() -> None:
    """Let the C library of Linux keep memory that is given back, as ``heldout train`` does."""
    if sys.platform == "linux":
        library = ctypes.CDLL(None)
        if hasattr(library, "mallopt"):
            # M_MMAP_THRESHOLD and M_TRIM_THRESHOLD.
            library.mallopt(-3, 32 << 20)
            library.mallopt(-1, 1 << 30)


def main() -> None:
    """Train each agent on both sides, in turn, and print how fast they were."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heldout", required=True, help="the binary")
    parser.add_argument("--rounds", type=int, default=2, help="how often both are timed")
    parser.add_argument("--steps", type=int, help="steps that are timed, in place of each agent's own number")
    parser.add_argument("--only", choices=CASES, action="append", help="only this agent; again for more")
    told = parser.parse_args()

    torch.set_num_threads(1)
    keep_memory()
    print("| agent | heldout, steps/s | PyTorch, steps/s | ratio | updates timed | parameters |")
    print("|---|--:|--:|--:|--:|---|", flush=True)
    for agent in told.only or CASES:
        _, _, warm_up, steps = CASES[agent]
        steps = told.steps or steps
        best: list[Timed] = []
        for round_ in range(told.rounds):
            own, run = ours(told.heldout, agent, warm_up, steps)
            other = theirs(agent, run, warm_up, steps)
            if own.parameters != other.parameters:
                raise SystemExit(f"{agent}: heldout learns {own.parameters} numbers, PyTorch {other.parameters}")
            for name, side in (("heldout", own), ("PyTorch", other)):
                speed = f"{side.steps} steps and {side.updates} updates in {side.seconds:.2f} s"
                print(f"{agent}, round {round_}, {name}: {speed}, loss {side.loss:.4f}", file=sys.stderr, flush=True)
            both = [own, other]
            best = [min(pair, key=lambda t: t.seconds / t.steps) for pair in zip(best or both, both, strict=True)]
        speeds = [side.steps / side.seconds for side in best]
        updates = " / ".join(f"{side.updates:,}" for side in best)
        parameters = ", ".join(f"{name} {n:,}".strip() for name, n in best[0].parameters.items())
        ratio = speeds[0] / speeds[1]
        cells = [f"`{agent}`", *(f"{speed:,.0f}" for speed in speeds), f"{ratio:.2f}", updates, parameters]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
