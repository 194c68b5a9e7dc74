from typing import Literal, overload

from gymnasium.vector import AutoresetMode
from typing_extensions import Unpack

from heldout import configs
from heldout.envs import Env
from heldout.parallel import ParallelEnv
from heldout.parallel_vector import ParallelVectorEnv
from heldout.vector import VectorEnv

@overload
def make(
    env_id: Literal["halma/symbolic-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.HalmaSymbolicV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["halma/visual-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.HalmaVisualV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["s2b/listener-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.S2bListenerV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["s2b/game-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.S2bGameV1],
) -> ParallelEnv: ...
@overload
def make(
    env_id: Literal["s2b/recall-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.S2bRecallV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/arbitrary-visuomotor-mapping-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemoryArbitraryVisuomotorMappingV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/continuous-recognition-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemoryContinuousRecognitionV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/change-detection-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemoryChangeDetectionV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/what-then-where-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemoryWhatThenWhereV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/spot-diff-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemorySpotDiffV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/spot-diff-passive-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemorySpotDiffPassiveV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/spot-diff-multi-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemorySpotDiffMultiV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/spot-diff-motion-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemorySpotDiffMotionV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/visible-goal-with-buildings-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemoryVisibleGoalWithBuildingsV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/invisible-goal-with-buildings-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemoryInvisibleGoalWithBuildingsV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/invisible-goal-empty-arena-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemoryInvisibleGoalEmptyArenaV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/explore-goal-locations-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemoryExploreGoalLocationsV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/transitive-inference-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemoryTransitiveInferenceV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/arbitrary-visuomotor-mapping-mini-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemoryArbitraryVisuomotorMappingMiniV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/continuous-recognition-mini-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemoryContinuousRecognitionMiniV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/change-detection-mini-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemoryChangeDetectionMiniV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/what-then-where-mini-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemoryWhatThenWhereMiniV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/spot-diff-mini-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemorySpotDiffMiniV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/spot-diff-passive-mini-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemorySpotDiffPassiveMiniV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/spot-diff-multi-mini-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemorySpotDiffMultiMiniV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/spot-diff-motion-mini-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemorySpotDiffMotionMiniV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/visible-goal-with-buildings-mini-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemoryVisibleGoalWithBuildingsMiniV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/invisible-goal-with-buildings-mini-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemoryInvisibleGoalWithBuildingsMiniV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/invisible-goal-empty-arena-mini-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemoryInvisibleGoalEmptyArenaMiniV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/explore-goal-locations-mini-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemoryExploreGoalLocationsMiniV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["memory/transitive-inference-mini-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.MemoryTransitiveInferenceMiniV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["lilgym/tower-scratch-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.LilgymTowerScratchV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["lilgym/tower-flipit-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.LilgymTowerFlipitV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["lilgym/scatter-scratch-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.LilgymScatterScratchV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["lilgym/scatter-flipit-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.LilgymScatterFlipitV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["example/grid-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.ExampleGridV1],
) -> Env: ...
@overload
def make(
    env_id: Literal["example/signal-v1"],
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    text: Literal["str", "bytes", "tokens"] = "str",
    **config: Unpack[configs.ExampleSignalV1],
) -> ParallelEnv: ...
@overload
def make_vec(
    env_id: Literal["halma/symbolic-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.HalmaSymbolicV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["halma/visual-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.HalmaVisualV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["s2b/listener-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.S2bListenerV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["s2b/game-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.S2bGameV1],
) -> ParallelVectorEnv: ...
@overload
def make_vec(
    env_id: Literal["s2b/recall-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.S2bRecallV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/arbitrary-visuomotor-mapping-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemoryArbitraryVisuomotorMappingV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/continuous-recognition-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemoryContinuousRecognitionV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/change-detection-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemoryChangeDetectionV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/what-then-where-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemoryWhatThenWhereV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/spot-diff-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemorySpotDiffV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/spot-diff-passive-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemorySpotDiffPassiveV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/spot-diff-multi-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemorySpotDiffMultiV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/spot-diff-motion-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemorySpotDiffMotionV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/visible-goal-with-buildings-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemoryVisibleGoalWithBuildingsV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/invisible-goal-with-buildings-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemoryInvisibleGoalWithBuildingsV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/invisible-goal-empty-arena-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemoryInvisibleGoalEmptyArenaV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/explore-goal-locations-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemoryExploreGoalLocationsV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/transitive-inference-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemoryTransitiveInferenceV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/arbitrary-visuomotor-mapping-mini-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemoryArbitraryVisuomotorMappingMiniV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/continuous-recognition-mini-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemoryContinuousRecognitionMiniV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/change-detection-mini-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemoryChangeDetectionMiniV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/what-then-where-mini-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemoryWhatThenWhereMiniV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/spot-diff-mini-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemorySpotDiffMiniV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/spot-diff-passive-mini-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemorySpotDiffPassiveMiniV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/spot-diff-multi-mini-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemorySpotDiffMultiMiniV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/spot-diff-motion-mini-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemorySpotDiffMotionMiniV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/visible-goal-with-buildings-mini-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemoryVisibleGoalWithBuildingsMiniV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/invisible-goal-with-buildings-mini-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemoryInvisibleGoalWithBuildingsMiniV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/invisible-goal-empty-arena-mini-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemoryInvisibleGoalEmptyArenaMiniV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/explore-goal-locations-mini-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemoryExploreGoalLocationsMiniV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["memory/transitive-inference-mini-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.MemoryTransitiveInferenceMiniV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["lilgym/tower-scratch-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.LilgymTowerScratchV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["lilgym/tower-flipit-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.LilgymTowerFlipitV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["lilgym/scatter-scratch-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.LilgymScatterScratchV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["lilgym/scatter-flipit-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.LilgymScatterFlipitV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["example/grid-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.ExampleGridV1],
) -> VectorEnv: ...
@overload
def make_vec(
    env_id: Literal["example/signal-v1"],
    num_envs: int = 1,
    *,
    render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
    max_episode_steps: int | None = None,
    autoreset_mode: AutoresetMode | str = ...,
    copy: bool = True,
    threads: int = 1,
    text: Literal["str", "bytes", "tokens"] = "bytes",
    **config: Unpack[configs.ExampleSignalV1],
) -> ParallelVectorEnv: ...
