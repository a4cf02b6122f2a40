"""Levels of the store's memory."""

from __future__ import annotations

import pytest

from server.core.memory import Level, Usage, level_at


@pytest.mark.parametrize(
    ("before", "used", "after"),
    [
        ("free", 0, "free"),
        ("free", 89, "free"),
        ("free", 90, "short"),
        ("free", 100, "full"),
        ("short", 89, "short"),
        ("short", 87, "free"),
        ("short", 98, "short"),
        ("short", 99, "full"),
        ("full", 98, "full"),
        ("full", 96, "short"),
        ("full", 89, "short"),
        ("full", 10, "free"),
    ],
)
def test_a_level_is_left_below_where_it_began(before: Level, used: int, after: Level) -> None:
    assert level_at(before, Usage(used, 100)) == after


def test_without_a_limit_there_is_always_room() -> None:
    assert level_at("full", Usage(10**12, 0)) == "free"
