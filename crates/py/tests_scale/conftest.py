"""What the tests of clusters and servers share: the cases are those of the other tests."""

import os
import sys
from pathlib import Path

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
