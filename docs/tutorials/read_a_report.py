"""Read a report: the verdict of each task, the gap that it follows from, and what would decide it."""

import re
import sys
from pathlib import Path

from matplotlib.figure import Figure

import heldout

out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")

# Three players of three tasks. `honest` sees what an agent sees and remembers all of it, `window` remembers six steps
# only and is the floor, or near it. Few episodes, so that not everything is decided.
tasks = ["arbitrary-visuomotor-mapping", "visible-goal-with-buildings", "explore-goal-locations"]
for policy in ("oracle", "honest", "window"):
    heldout.evaluate(policy, "memory-mini", out / "report", tasks=tasks, episodes=60)
heldout.report(out / "report")
report = (out / "report/report.md").read_text().splitlines()

# 1. The summary: a sentence per agent, over all tasks. An undecided one says how many more episodes would tell.
summary = report[report.index("## Summary") : report.index("## All tasks together")]
print("\n".join(line for line in summary if line.startswith("- **")))

# 2. A table with the gap of each task: training minus held out, raw and in percent of the scale, on which 0 is the
# floor (the best player that lacks the ability) and 100 the ceiling.
first = next(i for i, line in enumerate(report) if line.startswith("| task | agent | verdict |"))
rows = []
for line in report[first + 2 :]:
    if not line.startswith("|"):
        break
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    gap, low, high = (float(number) for number in re.findall(r"-?[\d.]+", cells[-1]))
    rows.append((f"{cells[0]}: {cells[1]}", cells[2], gap, low, high))

# 3. A verdict is read off the interval of the gap, if training is above the floor: who loses no more than the margin of
# 10 points generalises, who loses more breaks, across it is undecided. At the floor there is nothing to generalise.
colours = {"generalises": "tab:green", "breaks": "tab:red", "undecided": "tab:orange"}
figure = Figure(figsize=(8, 3.8), layout="tight")
axis = figure.subplots()
for at, (_, verdict, gap, low, high) in enumerate(reversed(rows)):
    colour = colours.get(verdict, "grey")
    axis.plot([low, high], [at, at], color=colour)
    axis.plot(gap, at, "o", color=colour)
    axis.text(1.02, at, verdict, color=colour, va="center", transform=axis.get_yaxis_transform())
left, right = axis.get_xlim()
axis.axvspan(left, 10, color="0.92", zorder=0)
axis.set(xlim=(left, right), yticks=range(len(rows)), yticklabels=[row[0] for row in reversed(rows)])
axis.set(xlabel="training minus held out, percent of the scale", title="Gaps with 95 % intervals; grey up to the margin")
figure.savefig(out / "read_a_report.png")
