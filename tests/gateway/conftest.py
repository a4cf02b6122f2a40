"""Fixtures of the gateway's tests."""

from __future__ import annotations

import pytest

from server.core import race


@pytest.fixture(autouse=True)
def short_countdown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turn the cards up soon after the host's start."""
    monkeypatch.setattr(race, "COUNTDOWN", 50)
