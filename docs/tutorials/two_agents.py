"""Two agents: a speaker and a listener play S2B's game, and what their language is worth is measured."""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import heldout

out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)

# A PettingZoo environment. Words have no meaning beforehand: in the support games of an episode the listener is shown
# what was meant, in its query games it must understand combinations of values that were only shown apart.
pair = heldout.parallel_env("s2b/game-v1", query_balance="balanced", render_mode="rgb_array")


class Rote:
    """A listener of our own: it learns in support games which message names which stimulus, and looks at no parts."""

    def __init__(self) -> None:
        self.heard, self.known = (), []

    def act(self, seen) -> int:
        _, decides, shown = seen["round"]
        if shown and seen["phase"][0]:  # the feedback of a support game: what the speaker saw
            self.known.append((self.heard, seen["stimulus"][0].copy()))
        if not decides:
            return 2  # nothing
        self.heard = tuple(seen["message_tokens"])
        meant = [stimulus for message, stimulus in self.known if message == self.heard]
        return 0 if any(np.abs(stimulus - seen["stimulus"][0]).max() < 0.3 for stimulus in meant) else 1


def play(speaker: str, listener: str, episodes: int = 20) -> list[float]:
    """Return the accuracy in support and in query games; a listener called `rote` is ours, others are scripted."""
    games = np.zeros(4)
    for episode in range(episodes):
        (seen, _), rote = pair.reset(seed=episode), Rote()
        while pair.agents:
            actions = pair.act({"speaker": speaker, "listener": "nearest" if listener == "rote" else listener})
            if listener == "rote":
                actions["listener"] = np.int64(rote.act(seen["listener"]))
            seen, *_ = pair.step(actions)
        told = pair.metrics()
        games += [told[f"{phase}_{kind}"] for phase in ("support", "query") for kind in ("correct", "games")]
    return [games[0] / games[1], games[2] / games[3]]


# `posdis` has a word for each value, `holistic` a message for each combination. Only words can be recombined.
left, right = (figure := Figure(figsize=(8, 3), layout="tight")).subplots(1, 2)
pairs = [("posdis", "nearest"), ("holistic", "nearest"), ("posdis", "rote"), ("holistic", "rote")]
for at, (speaker, listener) in enumerate(pairs):
    left.bar([at - 0.2, at + 0.2], play(speaker, listener), 0.4, color=["C0", "C1"])
left.set(xticks=range(4), xticklabels=["\n".join(names) for names in pairs], title="right decisions: support, query")
right.imshow(pair.render())
right.axis("off")
figure.savefig(out / "two_agents.png")
