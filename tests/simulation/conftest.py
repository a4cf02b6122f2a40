"""Fixtures of the simulation's tests."""

from __future__ import annotations

import pytest


@pytest.fixture
def patient_with_redis() -> None:
    """Keep the product's time-outs, as a simulation's time is virtual."""
