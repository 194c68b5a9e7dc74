"""Scores of every run by agent and condition, from the records of evaluations: a table in Markdown, and ``scores.json``.

``python results/s2b/table.py OUT[=AGENT] [OUT[=AGENT] …]`` with the directories that ``heldout eval --out`` has written, and the name under which an agent is
listed where it is another than in the records. What ``scores.json`` has already stays unless it is given anew. Accuracies are means over query games: an episode
counts as often as it has games, as in the report.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

METRICS = ["zsct_accuracy", "support_accuracy", "zsct_present", "zsct_absent_held_out", "zsct_by_difference_1", "topsim", "posdis", "bosdis"]

KEPT = Path(__file__).with_name("scores.json")
scores: dict = json.loads(KEPT.read_text()) if KEPT.exists() else {}
for argument in sys.argv[1:]:
    out, _, agent = argument.partition("=")
    for path in sorted(Path(out, "records").rglob("*.jsonl")):
        head, *episodes = map(json.loads, path.read_text().splitlines())
        runs = defaultdict(list)
        for episode in episodes:
            runs[str(episode["seed"])].append(episode["metrics"])
        place = f"{head['protocol']} {head['task']}"
        own = scores.setdefault(place, {}).setdefault(agent or head["agent"], {}).setdefault(head["condition"], {})
        for seed, all_ in runs.items():
            told = own.setdefault(seed, {})
            for name in METRICS:
                known = [(m[name], m.get("query_games", 1)) for m in all_ if m.get(name) is not None]
                if known:
                    told[name] = round(sum(x * n for x, n in known) / max(1, sum(n for _, n in known)), 4)

for place, agents in scores.items():
    shown = [m for m in METRICS if any(m in t for a in agents.values() for c in a.values() for t in c.values())]
    print(f"\n| {place} | condition | seed | " + " | ".join(shown) + " |\n|---|---|---|" + "--:|" * len(shown))
    for agent, own in agents.items():
        for condition, runs in own.items():
            for seed, told in runs.items():
                print(f"| {agent} | {condition} | {seed} | " + " | ".join(f"{told[m]:.3f}" if m in told else "" for m in shown) + " |")
KEPT.write_text(json.dumps(scores, indent=1) + "\n")
