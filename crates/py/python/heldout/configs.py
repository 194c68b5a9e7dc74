# ruff: noqa: E501
# fmt: off
"""The config of every id, as types: what :func:`heldout.make` and :func:`heldout.make_vec` take as keywords.

``python -m heldout._typed`` writes this file; do not edit it.
"""

import os
from typing import Any, Literal, TypedDict

#: The ids with several agents.
SEVERAL = (
    "s2b/game-v1",
    "example/signal-v1",
)


class HalmaSymbolicV1(TypedDict, total=False):
    """``halma/symbolic-v1``: Find the way through a maze told only in distances, by options of up to five hops; digits as symbols."""

    preset: Literal["training", "indexed", "compact"]
    split: Literal["train", "test"] | str
    mazes: int
    maze_seed: int
    problems: os.PathLike[str] | str | None
    max_opt_len: int
    actions: str
    zero_is_eos: bool
    goal_on_pass: bool
    max_steps: int
    max_trials: int
    max_trial_steps: int
    count_failed_trials: bool
    reward_goal: float
    reward_invalid: float
    reward_progress: float
    clip_ratio: bool
    bootstrap_across_trials: bool
    trial_final_obs: bool
    path_sampling: str
    walls: str
    branches: int
    depth_train: int
    depth_test: int
    depth_law: str
    turn_probability: float
    experience: bool
    kb_c_rule: str
    kb_a_rule: Any
    observation: str
    index_width: int


class HalmaVisualV1(TypedDict, total=False):
    """``halma/visual-v1``: Find the way through a maze told only in distances, shown as panels of handwritten, coloured digits."""

    preset: Literal["training", "resampled", "floats"]
    split: Literal["train", "test"] | str
    mazes: int
    maze_seed: int
    problems: os.PathLike[str] | str | None
    max_opt_len: int
    actions: str
    zero_is_eos: bool
    goal_on_pass: bool
    max_steps: int
    max_trials: int
    max_trial_steps: int
    count_failed_trials: bool
    reward_goal: float
    reward_invalid: float
    reward_progress: float
    clip_ratio: bool
    bootstrap_across_trials: bool
    trial_final_obs: bool
    path_sampling: str
    walls: str
    branches: int
    depth_train: int
    depth_test: int
    depth_law: str
    turn_probability: float
    experience: bool
    kb_c_rule: str
    kb_a_rule: Any
    pixels: str
    digits: str
    mnist: os.PathLike[str] | str | None
    resample_panels: bool
    boxes: bool


class S2bListenerV1Rewards(TypedDict, total=False):
    """``rewards`` of ``s2b/listener-v1``."""

    support_right: float
    support_wrong: float
    query_right: float
    query_wrong: float


class S2bListenerV1(TypedDict, total=False):
    """``s2b/listener-v1``: Bind a speaker's words to stimuli within the episode, then understand combinations that were held out."""

    preset: Literal["table1", "table2", "table3", "fig6", "regym", "parity"]
    split: Literal["combinatorial2", "combinatorial2_shuffled"] | str
    dims: int
    min_values: int
    max_values: int
    samples: int
    shots: int
    support_rule: str
    support_passes: int
    query_rule: str
    query_balance: str
    distractors: int
    distractor_pool: str
    descriptive: bool
    target_ratio: float | str
    representation: str
    ohe_fixed_structure: bool
    tail: str
    message_length: int
    vocabulary: int
    rounds: int
    permute: bool
    scramble_query: bool
    latch_message: bool
    speak_any_time: bool
    feedback: bool
    full_observation: bool
    rewards: S2bListenerV1Rewards
    actions: str
    round_shows_feedback: bool
    partner_id: bool
    flat: bool
    privileged: bool
    speaker: str
    skip_idle: bool


class S2bGameV1Rewards(TypedDict, total=False):
    """``rewards`` of ``s2b/game-v1``."""

    support_right: float
    support_wrong: float
    query_right: float
    query_wrong: float


class S2bGameV1(TypedDict, total=False):
    """``s2b/game-v1``: Speaker and listener agree on words within the episode, then use them on combinations that were held out."""

    preset: Literal["table1", "table2", "table3", "fig6", "regym", "parity"]
    split: Literal["combinatorial2", "combinatorial2_shuffled"] | str
    dims: int
    min_values: int
    max_values: int
    samples: int
    shots: int
    support_rule: str
    support_passes: int
    query_rule: str
    query_balance: str
    distractors: int
    distractor_pool: str
    descriptive: bool
    target_ratio: float | str
    representation: str
    ohe_fixed_structure: bool
    tail: str
    message_length: int
    vocabulary: int
    rounds: int
    permute: bool
    scramble_query: bool
    latch_message: bool
    speak_any_time: bool
    feedback: bool
    full_observation: bool
    rewards: S2bGameV1Rewards
    actions: str
    round_shows_feedback: bool
    partner_id: bool
    flat: bool
    privileged: bool
    listener_query: bool


class S2bRecallV1(TypedDict, total=False):
    """``s2b/recall-v1``: Name a value of the stimulus shown a step ago, on scales that must be worked out within the episode."""

    preset: Literal["ohe", "parity"]
    split: Literal["all", "support", "query"] | str
    dims: int
    min_values: int
    max_values: int
    samples: int
    representation: str
    ohe_fixed_structure: bool
    tail: str
    max_games_per_shot: int
    replacement: bool
    reward: str


class MemoryArbitraryVisuomotorMappingV1(TypedDict, total=False):
    """``memory/arbitrary-visuomotor-mapping-v1``: Remember which of four buttons belongs to each image; there is one image more after every block without a mistake."""

    preset: Literal["symbolic", "square", "panel2d"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    observation: str
    width: int
    height: int
    previous: bool
    seconds: float | None
    view: str
    reticle: bool
    images: os.PathLike[str] | str


class MemoryContinuousRecognitionV1(TypedDict, total=False):
    """``memory/continuous-recognition-v1``: Tell images that have been shown before in the episode from new ones."""

    preset: Literal["symbolic", "square", "panel2d"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    observation: str
    width: int
    height: int
    previous: bool
    seconds: float | None
    view: str
    reticle: bool
    images: os.PathLike[str] | str
    new_right: bool


class MemoryChangeDetectionV1(TypedDict, total=False):
    """``memory/change-detection-v1``: Tell whether one object of an array has changed after a delay."""

    preset: Literal["symbolic", "square", "panel2d"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    observation: str
    width: int
    height: int
    previous: bool
    seconds: float | None
    view: str
    reticle: bool
    full_grid: bool
    pink: bool
    different_right: bool
    delays_in_seconds: bool


class MemoryWhatThenWhereV1(TypedDict, total=False):
    """``memory/what-then-where-v1``: Remember a digit, then where it is among four, then choose that place."""

    preset: Literal["symbolic", "square", "panel2d"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    observation: str
    width: int
    height: int
    previous: bool
    seconds: float | None
    view: str
    reticle: bool
    digits: str
    mnist: os.PathLike[str] | str | None
    delays_in_seconds: bool


class MemorySpotDiffV1(TypedDict, total=False):
    """``memory/spot-diff-v1``: See two blocks, walk through a corridor whose gates may hold you, and touch the one that has another colour."""

    preset: Literal["symbolic", "square"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    observation: str
    width: int
    height: int
    previous: bool
    seconds: float | None


class MemorySpotDiffPassiveV1(TypedDict, total=False):
    """``memory/spot-diff-passive-v1``: Spot the block that has another colour, where both are in view from the beginning."""

    preset: Literal["symbolic", "square"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    observation: str
    width: int
    height: int
    previous: bool
    seconds: float | None


class MemorySpotDiffMultiV1(TypedDict, total=False):
    """``memory/spot-diff-multi-v1``: Spot the one block of two to seven that has another colour."""

    preset: Literal["symbolic", "square"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    observation: str
    width: int
    height: int
    previous: bool
    seconds: float | None


class MemorySpotDiffMotionV1(TypedDict, total=False):
    """``memory/spot-diff-motion-v1``: Spot the one of two moving blocks that moves in another way."""

    preset: Literal["symbolic", "square"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    observation: str
    width: int
    height: int
    previous: bool
    seconds: float | None


class MemoryVisibleGoalWithBuildingsV1(TypedDict, total=False):
    """``memory/visible-goal-with-buildings-v1``: Find a ball among buildings, then return to it from wherever one is put; held out by quadrant and by size."""

    preset: Literal["symbolic", "pose", "square"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    observation: str
    width: int
    height: int
    previous: bool
    seconds: float | None
    pose: bool
    goal_margin: float


class MemoryInvisibleGoalWithBuildingsV1(TypedDict, total=False):
    """``memory/invisible-goal-with-buildings-v1``: Find an unmarked place among buildings, then return to it; held out by quadrant and by size."""

    preset: Literal["symbolic", "pose", "square"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    observation: str
    width: int
    height: int
    previous: bool
    seconds: float | None
    pose: bool
    goal_margin: float


class MemoryInvisibleGoalEmptyArenaV1(TypedDict, total=False):
    """``memory/invisible-goal-empty-arena-v1``: Find an unmarked place in an empty arena under a sky with landmarks, then return to it; held out by quadrant and by size."""

    preset: Literal["symbolic", "pose", "square"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    observation: str
    width: int
    height: int
    previous: bool
    seconds: float | None
    pose: bool
    goal_margin: float


class MemoryExploreGoalLocationsV1(TypedDict, total=False):
    """``memory/explore-goal-locations-v1``: Find the goal of a maze, then run back to it from wherever one is put; held out by rows and by size."""

    preset: Literal["symbolic", "pose", "square"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    observation: str
    width: int
    height: int
    previous: bool
    seconds: float | None
    pose: bool


class MemoryTransitiveInferenceV1(TypedDict, total=False):
    """``memory/transitive-inference-v1``: Learn the order of a chain of colours from pairs of neighbours, then judge two that never met."""

    preset: Literal["symbolic", "square"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    observation: str
    width: int
    height: int
    previous: bool
    seconds: float | None
    cue_phase: bool


class MemoryArbitraryVisuomotorMappingMiniV1(TypedDict, total=False):
    """``memory/arbitrary-visuomotor-mapping-mini-v1``: Arbitrary visuomotor mapping with one decision a trial."""

    preset: Literal["pixels"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    observation: str
    previous: bool
    images: os.PathLike[str] | str


class MemoryContinuousRecognitionMiniV1(TypedDict, total=False):
    """``memory/continuous-recognition-mini-v1``: Continuous recognition with one decision a trial."""

    preset: Literal["pixels"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    observation: str
    previous: bool
    images: os.PathLike[str] | str
    new_right: bool


class MemoryChangeDetectionMiniV1(TypedDict, total=False):
    """``memory/change-detection-mini-v1``: Change detection with one decision a trial and delays of a few steps."""

    preset: Literal["pixels"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    observation: str
    previous: bool
    full_grid: bool
    pink: bool
    different_right: bool
    delays_in_seconds: bool


class MemoryWhatThenWhereMiniV1(TypedDict, total=False):
    """``memory/what-then-where-mini-v1``: What then where with one decision a trial and delays of a few steps."""

    preset: Literal["pixels"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    observation: str
    previous: bool
    digits: str
    mnist: os.PathLike[str] | str | None
    delays_in_seconds: bool


class MemorySpotDiffMiniV1(TypedDict, total=False):
    """``memory/spot-diff-mini-v1``: See two blocks, wait, and name the one that has another colour."""

    preset: Literal["pixels"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    observation: str
    trials: int


class MemorySpotDiffPassiveMiniV1(TypedDict, total=False):
    """``memory/spot-diff-passive-mini-v1``: See two blocks, wait, and name the one that has another colour."""

    preset: Literal["pixels"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    observation: str
    trials: int


class MemorySpotDiffMultiMiniV1(TypedDict, total=False):
    """``memory/spot-diff-multi-mini-v1``: See two to seven blocks and name the one that has another colour."""

    preset: Literal["pixels"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    observation: str
    trials: int


class MemorySpotDiffMotionMiniV1(TypedDict, total=False):
    """``memory/spot-diff-motion-mini-v1``: See two blocks move, wait, and name the one that moves in another way."""

    preset: Literal["pixels"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    observation: str
    trials: int


class MemoryVisibleGoalWithBuildingsMiniV1(TypedDict, total=False):
    """``memory/visible-goal-with-buildings-mini-v1``: A grid world with pillars: find a goal that shows from near, then return to it from wherever one is put."""

    preset: Literal["pose"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    previous: bool
    pose: bool
    steps: int | None


class MemoryInvisibleGoalWithBuildingsMiniV1(TypedDict, total=False):
    """``memory/invisible-goal-with-buildings-mini-v1``: A grid world with pillars: find an unmarked cell, then return to it from wherever one is put."""

    preset: Literal["pose"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    previous: bool
    pose: bool
    steps: int | None


class MemoryInvisibleGoalEmptyArenaMiniV1(TypedDict, total=False):
    """``memory/invisible-goal-empty-arena-mini-v1``: An empty grid world: find an unmarked cell, then return to it from wherever one is put."""

    preset: Literal["pose"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    previous: bool
    pose: bool
    steps: int | None


class MemoryExploreGoalLocationsMiniV1(TypedDict, total=False):
    """``memory/explore-goal-locations-mini-v1``: The procedural maze as a grid world: find its goal, then return to it from wherever one is put."""

    preset: Literal["pose"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    previous: bool
    pose: bool
    steps: int | None


class MemoryTransitiveInferenceMiniV1(TypedDict, total=False):
    """``memory/transitive-inference-mini-v1``: Learn the order of a chain of colours from pairs of neighbours and judge two that never met, without walking."""

    preset: Literal["pixels"]
    level: Literal["train", "holdout_interpolate", "holdout_extrapolate", "train_small", "train_large", "interpolate", "extrapolate", "holdout_small", "holdout_large"] | str
    observation: str
    chains: int
    cue_phase: bool


class LilgymTowerScratchV1(TypedDict, total=False):
    """``lilgym/tower-scratch-v1``: Stack blocks in three empty boxes until a sentence is true."""

    preset: Literal["paper", "objects", "factored"]
    split: Literal["train", "dev", "test"] | str
    data: os.PathLike[str] | str
    holdout: str
    disjoint: bool
    categories: os.PathLike[str] | str
    observation: str
    mask: bool
    max_sentence: int
    actions: str
    grid: Any
    stop_forcing: bool
    horizon: int
    step_cost: float
    horizon_reward: float | None
    cell_search: bool
    remove_rule: str
    border_check: bool
    stick: int
    box_limit: int
    permute_boxes: bool


class LilgymTowerFlipitV1(TypedDict, total=False):
    """``lilgym/tower-flipit-v1``: Change towers of blocks until a sentence about them is no longer true, or becomes true."""

    preset: Literal["paper", "objects", "factored"]
    split: Literal["train", "dev", "test"] | str
    data: os.PathLike[str] | str
    holdout: str
    disjoint: bool
    categories: os.PathLike[str] | str
    observation: str
    mask: bool
    max_sentence: int
    actions: str
    grid: Any
    stop_forcing: bool
    horizon: int
    step_cost: float
    horizon_reward: float | None
    cell_search: bool
    remove_rule: str
    border_check: bool
    stick: int
    box_limit: int
    permute_boxes: bool


class LilgymScatterScratchV1(TypedDict, total=False):
    """``lilgym/scatter-scratch-v1``: Put objects into three empty boxes until a sentence is true."""

    preset: Literal["paper", "objects", "factored"]
    split: Literal["train", "dev", "test"] | str
    data: os.PathLike[str] | str
    holdout: str
    disjoint: bool
    categories: os.PathLike[str] | str
    observation: str
    mask: bool
    max_sentence: int
    actions: str
    grid: Any
    stop_forcing: bool
    horizon: int
    step_cost: float
    horizon_reward: float | None
    cell_search: bool
    remove_rule: str
    border_check: bool
    stick: int
    box_limit: int
    permute_boxes: bool


class LilgymScatterFlipitV1(TypedDict, total=False):
    """``lilgym/scatter-flipit-v1``: Add and remove objects until a sentence about them is no longer true, or becomes true."""

    preset: Literal["paper", "objects", "factored"]
    split: Literal["train", "dev", "test"] | str
    data: os.PathLike[str] | str
    holdout: str
    disjoint: bool
    categories: os.PathLike[str] | str
    observation: str
    mask: bool
    max_sentence: int
    actions: str
    grid: Any
    stop_forcing: bool
    horizon: int
    step_cost: float
    horizon_reward: float | None
    cell_search: bool
    remove_rule: str
    border_check: bool
    stick: int
    box_limit: int
    permute_boxes: bool


class ExampleGridV1(TypedDict, total=False):
    """``example/grid-v1``: Walk to the goal of a small walled grid; held-out levels have their goals in columns never trained on."""

    preset: Literal["slippery", "pixels"]
    split: Literal["train", "heldout"] | str
    levels: int
    size: int
    walls: float
    slip: float
    max_steps: int
    image: bool
    experience: bool


class ExampleSignalV1(TypedDict, total=False):
    """``example/signal-v1``: A guide names the right door, a walker goes through it; some pairs of colour and shape are held out."""

    split: Literal["train", "heldout"] | str
    rounds: int
    doors: int
