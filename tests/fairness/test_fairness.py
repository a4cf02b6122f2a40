"""Honest players are not flagged, and obvious cheats are."""

from __future__ import annotations

from engine.catalog import daily_games
from tests.fairness.people import STYLES
from tests.fairness.table import HOME, measure


def test_people_are_not_flagged_and_cheats_are() -> None:
    """Check a small table; `python -m tests.fairness` prints a large one."""
    rows = measure(deals=1, people=6)
    people = [rows[name] for name in (*(style.name for style in STYLES), HOME)]
    assert sum(row.runs for row in people) == (6 + 3) * len(daily_games())
    assert [row.texts for row in people if row.flagged] == []
    plain = (
        "an odd run, copied",
        "a program, 700 ms a move, 5 % off",
        "after a scout with a program",
        "after a scout by hand",
    )
    assert {name: rows[name].flagged for name in plain if rows[name].flagged < 4} == {}
