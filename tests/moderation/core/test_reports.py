"""Reports: their reporters and their weight."""

from __future__ import annotations

from collections.abc import Iterable

from server.base.core.ids import PlayerId
from server.moderation.core.reports import MAX_GUESTS, MAX_KEPT, Reported, Reporter, ReportKind
from tests.builders import ADA, BOB


def by(player: str, kind: ReportKind = "name", *, kept: bool = True) -> Reporter:
    return Reporter(PlayerId(player), kind, 7, kept)


def reported(reporters: Iterable[Reporter], target: Reported | None = None) -> Reported:
    found = target or Reported(ADA)
    for each in reporters:
        found = found.adding(each) or found
    return found


def test_each_player_counts_once() -> None:
    once = reported([by(BOB)])
    assert (once.weight, once.adding(by(BOB, "cheating"))) == (1, None)
    assert reported([by(BOB), by("c"), by("d", "other")]).kinds() == {"name": 2, "other": 1}


def test_all_guests_together_count_as_one_reporter() -> None:
    guests = [by(f"g{number}", kept=False) for number in range(4)]
    assert (reported(guests).weight, reported([*guests, by(BOB), by("c")]).weight) == (1, 3)


def test_guests_and_other_reporters_have_separate_limits() -> None:
    found = reported([by(f"g{number}", kept=False) for number in range(MAX_GUESTS + 9)])
    assert (len(found.reporters), found.adding(by("late", kept=False))) == (MAX_GUESTS, None)
    found = reported((by(f"k{number}") for number in range(MAX_KEPT + 9)), found)
    assert (len(found.reporters), found.weight) == (MAX_KEPT + MAX_GUESTS, MAX_KEPT + 1)


def test_a_run_and_its_player_are_different_targets() -> None:
    assert Reported(ADA).name != Reported(ADA, f"d.{ADA}").name
