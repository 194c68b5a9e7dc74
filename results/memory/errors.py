"""Where a trained agent errs in ``memory/arbitrary-visuomotor-mapping-mini-v1``: tables in Markdown.

``python results/memory/errors.py RUN [LEVEL]`` with the directory of a seed that ``heldout train`` has left. 512 episodes; by how
many images are in play, how many trials ago the image was last shown, and how its last trial went.
"""

import sys
from collections import defaultdict

import numpy as np

import heldout

COPIES, BATCHES = 128, 4
policy = heldout.load(sys.argv[1])
level = sys.argv[2] if len(sys.argv) > 2 else "train"
tallies: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
for batch in range(BATCHES):
    envs = policy.make_vec(COPIES, level=level)
    observation, _ = envs.reset(seed=batch)
    starts, rewards = np.ones(COPIES, bool), np.zeros(COPIES)
    ended = np.zeros(COPIES, bool)
    # Of each episode: when an image was last shown, and how that went.
    shown: list[dict[bytes, tuple[int, str]]] = [{} for _ in range(COPIES)]
    trial = 0
    while not ended.all():
        action = policy(observation, episode_start=starts, reward=rewards)
        after, rewards, terminated, truncated, _ = envs.step(action)
        for copy in np.flatnonzero(~ended):
            row, right = observation[copy], float(rewards[copy] > 0)
            image, cued = row[4:].tobytes(), bool(row[:4].any())
            if cued:
                tallies["with the cue in view"]["all"].append(right)
            elif image in shown[copy]:
                last, how = shown[copy][image]
                age = trial - last
                tallies["images in play"][f"{len(shown[copy]):2d}"].append(right)
                tallies["trials since it was shown"][f"{age:2d}" if age < 10 else "10 and more"].append(right)
                tallies["its last trial was"][how].append(right)
            shown[copy][image] = (trial, "cued" if cued else "answered right" if right else "answered wrong")
        ended |= terminated | truncated
        starts, observation = np.zeros(COPIES, bool), after
        trial += 1
    envs.close()
for title, rows in tallies.items():
    print(f"\n| {title} | trials | right |\n|---|--:|--:|")
    for name in sorted(rows):
        print(f"| {name.strip()} | {len(rows[name]):,} | {np.mean(rows[name]):.3f} |")
