"""Which tests `make test` leaves to `make deep`."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import DEEP, JOURNEYS


def test_what_is_named_as_deep_is_there() -> None:
    assert [name for name in DEEP + JOURNEYS if not (Path(__file__).parent / name).exists()] == []
