"""A short soak: `cargo xtask test --all` runs the long one."""

import pytest

from cases import IDS
from soak import soak


@pytest.mark.parametrize("env_id", IDS)
def test_saving_and_restoring_changes_nothing(env_id: str) -> None:
    played = soak(env_id, 2_000, 1)
    assert played.saves > 0
