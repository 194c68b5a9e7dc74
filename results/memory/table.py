"""Scores of every run by task, agent and condition, from the records of evaluations: tables in Markdown, and a file of JSON.

``python results/memory/table.py FILE.json OUT [OUT …]`` with the directories that ``heldout eval --out`` has written. What several
directories hold of one task, agent and condition is put together; who plays alone under a name (scripted players, and who was
trained once) is one row, `all`, over all that was played; who was trained several times has one for each training seed, in the order
of the runs.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

# task, agent, condition, run seed: the mean of what the protocol scores
scores: dict[str, dict[str, dict[str, dict[str, float]]]] = {}
trained: set[str] = set()
file, *outs = sys.argv[1:]
for out in outs:
    for path in sorted(Path(out, "records").rglob("*.jsonl")):
        head, *episodes = map(json.loads, path.read_text().splitlines())
        runs = defaultdict(list)
        for episode in episodes:
            score = episode["return"] if head["metric"] == "return" else episode["metrics"].get(head["metric"])
            if score is not None:
                runs[str(episode["seed"])].append(score)
        if "sha256:" in (head.get("policies") or [head["policy"]])[0]:
            trained.add(head["agent"])
        if not head.get("policies"):
            runs = {"all": sum(runs.values(), [])}
        means = {seed: round(sum(all_) / len(all_), 4) for seed, all_ in runs.items() if all_}
        scores.setdefault(head["task"], {}).setdefault(head["agent"], {}).setdefault(head["condition"], {}).update(means)

order = ["train", "holdout_interpolate", "holdout_extrapolate"]
for task, agents in scores.items():
    conditions = {name for own in agents.values() for name in own}
    shown = [name for name in order if name in conditions] + sorted(conditions - set(order))
    print(f"\n| {task} | " + " | ".join(shown) + " |\n|---|" + "--:|" * len(shown))
    for agent, own in sorted(agents.items()):
        seeds = sorted({seed for means in own.values() for seed in means}, key=lambda seed: (len(seed), seed))
        for seed in seeds:
            alone = agent if agent in trained else f"`{agent}`"
            name = alone if seed == "all" else f"{agent}, run {seed}"
            cells = [f"{own[c][seed]:.2f}" if seed in own.get(c, {}) else "" for c in shown]
            print(f"| {name} | " + " | ".join(cells) + " |")
        if len(seeds) > 1:
            means = [list(own[c].values()) if c in own else [] for c in shown]
            cells = [f"**{sum(all_) / len(all_):.2f}**" if all_ else "" for all_ in means]
            print(f"| {agent}, mean of {len(seeds)} | " + " | ".join(cells) + " |")
Path(file).write_text(json.dumps(scores, indent=1) + "\n")
