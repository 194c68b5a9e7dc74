"""What the tests of clusters and servers share."""

import os

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
