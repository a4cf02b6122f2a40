"""Levels of the store's memory, and the new work allowed at each."""

from __future__ import annotations

from typing import get_args

import pytest

from server.base.core.memory_level import LEVELS, Level, New, Usage, level_at, may_begin, most_days


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("free", {0: "free", 79: "free", 80: "filling", 85: "tight", 90: "short", 95: "scarce"}),
        ("free", {100: "full"}),
        ("filling", {79: "filling", 77: "free"}),
        ("short", {89: "short", 87: "tight", 84: "tight", 94: "short", 95: "scarce"}),
        ("full", {98: "full", 96: "scarce", 89: "short", 10: "free"}),
    ],
)
def test_a_level_ends_below_the_share_at_which_it_starts(
    before: Level, after: dict[int, Level]
) -> None:
    assert {used: level_at(before, Usage(used, 100)) for used in after} == after


def test_without_a_limit_there_is_always_room() -> None:
    assert level_at("full", Usage(10**12, 0)) == "free"


def test_a_fuller_store_allows_less_new_work_and_rounds_of_existing_rooms_last() -> None:
    begins = [{new for new in get_args(New) if may_begin(new, level)} for level in LEVELS]
    assert begins == [
        {"first_room", "room", "daily", "round"},
        {"room", "daily", "round"},
        {"daily", "round"},
        {"round"},
        set(),
        set(),
    ]


@pytest.mark.parametrize(
    ("share", "days"), [(0, None), (0.59, None), (0.6, 7), (0.69, 7), (0.7, 2), (1.2, 2)]
)
def test_a_fuller_store_keeps_games_for_fewer_days(share: float, days: int | None) -> None:
    assert most_days(share) == days
