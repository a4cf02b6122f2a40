"""What the tests of the simulation have in common."""

from __future__ import annotations

import pytest


@pytest.fixture
def patient_with_redis() -> None:
    """Keep the time-outs of the product: the time of a simulation is virtual."""
