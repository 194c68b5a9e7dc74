"""Run by the Python of DeepMind's client: plays levels by ``dm_memorytasks`` and prints a line of JSON about each.

``client.py LAUNCHER SECONDS LEVEL...`` plays an episode of each level; ``client.py LAUNCHER hold`` joins one and waits.
"""

import hashlib
import json
import sys
import time

import dm_memorytasks
import numpy as np


def action(rng):
    names = ("STRAFE_LEFT_RIGHT", "MOVE_BACK_FORWARD", "LOOK_LEFT_RIGHT", "LOOK_DOWN_UP")
    return {name: float(value) for name, value in zip(names, rng.uniform(-1, 1, 4).round(3), strict=True)}


def seen(digest, step):
    for name in sorted(step.observation):
        digest.update(np.ascontiguousarray(step.observation[name]).tobytes())


def play(launcher, level, seconds):
    settings = dm_memorytasks.EnvironmentSettings(seed=7, level_name=level, episode_length_seconds=seconds)
    env = dm_memorytasks.load_from_disk(launcher, settings)
    rng, digest, rewards, ticks = np.random.RandomState(3), hashlib.sha256(), [], 0
    began = time.time()
    step = env.reset()
    assert step.first() and step.reward is None
    seen(digest, step)
    while not step.last():
        step = env.step(action(rng))
        seen(digest, step)
        rewards.append(float(step.reward))
        ticks += 1
    spent = time.time() - began
    specs = {name: [list(s.shape), str(s.dtype)] for name, s in env.observation_spec().items()}
    env.close()
    told = {"level": level, "ticks": ticks, "rewards": rewards, "digest": digest.hexdigest(), "specs": specs}
    print(json.dumps({**told, "discount": float(step.discount), "seconds": spent}), flush=True)


if __name__ == "__main__":
    launcher, how = sys.argv[1:3]
    if how == "names":
        print(json.dumps(sorted(dm_memorytasks.MEMORY_TASK_LEVEL_NAMES)))
    elif how == "hold":
        settings = dm_memorytasks.EnvironmentSettings(seed=1, level_name="spot_diff_train")
        env = dm_memorytasks.load_from_disk(launcher, settings)
        env.reset()
        print(json.dumps({"server": env._process.pid}), flush=True)
        time.sleep(600)
    elif how == "refused":
        settings = dm_memorytasks.EnvironmentSettings(seed=1, level_name="spot_diff_train", width=9)
        try:
            dm_memorytasks.load_from_disk(launcher, settings)
        except Exception as error:
            print(json.dumps(str(error)), flush=True)
    else:
        for level in sys.argv[3:]:
            play(launcher, level, float(how))
