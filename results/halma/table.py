"""``rho_p``, ``grasp``, ``rho_g`` and ``rho_a`` of every run by agent and condition, from the records of evaluations: tables in Markdown, and ``scores.json``.

``python results/halma/table.py [OUT …]`` with the directories that ``heldout eval --out`` has written. Who makes up the scale of an agent's own
problems is listed as ``stepper on the problems of`` that agent. What ``scores.json`` has already stays unless it is given anew. Intervals are of 95 % over runs,
by Student's t: for one who was trained a run is a training seed, for others a seed of the problems.
"""

import json
import statistics
import sys
from collections import defaultdict
from pathlib import Path

METRICS = ["rho_p", "grasp", "rho_g", "rho_a"]
CONDITIONS = ["T", "RT", "ST-1", "ST-2", "AfT-1", "AfT-2", "AfT-3", "AfT-4", "AnT"]

# Two-sided quantiles of Student's t for 95 %, by the number of runs.
STUDENT = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571}
KEPT = Path(__file__).with_name("scores.json")

# Agent, metric, condition, run: the mean, and the number of mazes.
kept = json.loads(KEPT.read_text()) if KEPT.exists() else {"scores": {}, "mazes": {}}
scores: dict[str, dict[str, dict[str, dict[str, float]]]] = kept["scores"]
mazes: dict[str, dict[str, dict[str, int]]] = kept["mazes"]


def mean_of(values: list[float]) -> str:
    """The mean, and its interval where there are several."""
    mean = statistics.fmean(values)
    if len(values) not in STUDENT:
        return f"{mean:.3f}"
    half = STUDENT[len(values)] * statistics.stdev(values) / len(values) ** 0.5
    return f"{mean:.3f} ± {half:.3f}"


for out in sys.argv[1:]:
    # Of an agent's own problems, those who make up their scale play them too.
    for path in [path for folder in ("records", "scales") for path in sorted(Path(out, folder).rglob("*.jsonl"))]:
        head, *episodes = map(json.loads, path.read_text().splitlines())
        agent = f"{head['agent']} on the problems of {head['scale_of']}" if head.get("scale_of") else head["agent"]
        runs = defaultdict(list)
        for episode in episodes:
            if "metrics" in episode:
                runs[str(episode["seed"])].append(episode["metrics"])
        for seed, own in runs.items():
            mazes.setdefault(agent, {}).setdefault(head["condition"], {})[seed] = len(own)
            for metric in METRICS:
                if metric == "grasp" and not any(m.get("targets") for m in own):
                    continue
                mean = round(sum(m[metric] for m in own) / len(own), 4)
                scores.setdefault(agent, {}).setdefault(metric, {}).setdefault(head["condition"], {})[seed] = mean

for metric in METRICS:
    print(f"\n| {metric} | " + " | ".join(CONDITIONS) + " |\n|---|" + "--:|" * len(CONDITIONS))
    for agent, own in scores.items():
        means = own.get(metric, {})
        for seed in sorted({seed for cell in means.values() for seed in cell}):
            cells = [f"{means[c][seed]:.3f}" if seed in means.get(c, {}) else "-" for c in CONDITIONS]
            print(f"| {agent}, run {seed} | " + " | ".join(cells) + " |")
        cells = [mean_of(list(means[c].values())) if means.get(c) else "-" for c in CONDITIONS]
        print(f"| **{agent}** | " + " | ".join(cells) + " |")
print("\n| mazes of each test | " + " | ".join(CONDITIONS) + " |\n|---|" + "--:|" * len(CONDITIONS))
for agent, own in mazes.items():
    for seed in sorted({seed for cell in own.values() for seed in cell}):
        print(f"| {agent}, run {seed} | " + " | ".join(str(own.get(c, {}).get(seed, 0)) for c in CONDITIONS) + " |")
KEPT.write_text(json.dumps({"scores": scores, "mazes": mazes}, indent=1) + "\n")
