"""A short soak: `cargo xtask test --all` runs the long one."""

import pytest

import soak
from cases import IDS


@pytest.mark.parametrize("env_id", IDS)
def test_saving_and_restoring_changes_nothing(env_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Seldom in millions of steps is never in a few.
    monkeypatch.setattr(soak, "RETURNS", 0.1)
    monkeypatch.setattr(soak, "CLOSES", 0.1)
    played = soak.soak(env_id, 2_000, 1)
    assert played.saves > 0 and played.returns > 0 and played.closes > 0
