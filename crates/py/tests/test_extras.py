"""What needs a package that is not installed says which extra brings it."""

import subprocess
import sys

import pytest

MISSING = [
    ("stable_baselines3", "import heldout.sb3", "pip install 'heldout[sb3]'"),
    ("pettingzoo", "import heldout; heldout.parallel_env('example/signal-v1')", "pip install 'heldout[pettingzoo]'"),
    ("dm_env", "import heldout.dm_env", "pip install 'heldout[dm-env]'"),
    ("dm_env_rpc", "import heldout.dm_env_rpc", "pip install 'heldout[dm-env-rpc]'"),
    ("minari", "import heldout.minari", "pip install 'heldout[minari]'"),
    ("ray", "import heldout.ray", "pip install 'heldout[ray]'"),
    ("ray", "import heldout.rllib", "pip install 'heldout[rllib]'"),
]


@pytest.mark.parametrize(("package", "use", "advice"), MISSING)
def test_a_missing_extra_is_named(package: str, use: str, advice: str) -> None:
    hidden = f"import sys; sys.modules[{package!r}] = None; {use}"
    run = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True)
    last = run.stderr.strip().splitlines()[-1]
    assert run.returncode == 1 and last.startswith("ImportError: `heldout.") and advice in last
