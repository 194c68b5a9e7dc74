"""Success of every run by agent and condition, from the records of evaluations: a table in Markdown, and ``scores.json``.

``python results/lilgym/table.py OUT [OUT …]`` with the directories that ``heldout eval --out`` has written.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

scores: dict[str, dict[str, dict[str, dict[str, float]]]] = {}
for out in sys.argv[1:]:
    for path in sorted(Path(out, "records").rglob("*.jsonl")):
        head, *episodes = map(json.loads, path.read_text().splitlines())
        runs = defaultdict(list)
        for episode in episodes:
            runs[str(episode["seed"])].append(episode["metrics"]["success"])
        means = {seed: round(sum(all_) / len(all_), 4) for seed, all_ in runs.items()}
        scores.setdefault(head["task"], {}).setdefault(head["agent"], {})[head["condition"]] = means

conditions = ["train", "dev", "dev-disjoint", "test", "test-disjoint"]
for task, agents in scores.items():
    shown = [name for name in conditions if any(name in own for own in agents.values())]
    print(f"\n| {task}: success | " + " | ".join(shown) + " |\n|---|" + "--:|" * len(shown))
    for agent, own in agents.items():
        for seed in own[shown[0]]:
            name = f"{agent}, training seed {seed}" if agent.startswith("PPO") else f"`{agent}`"
            print(f"| {name} | " + " | ".join(f"{own[c][seed]:.3f}" if c in own else "" for c in shown) + " |")
Path(__file__).with_name("scores.json").write_text(json.dumps(scores, indent=1) + "\n")
