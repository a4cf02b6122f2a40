"""The tests that `make test` leaves to `make deep`."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import DEEP, JOURNEYS


def test_deep_tests_exist() -> None:
    assert [name for name in DEEP + JOURNEYS if not (Path(__file__).parent / name).exists()] == []
