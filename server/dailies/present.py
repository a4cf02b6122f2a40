"""Conversion of dailies to messages."""

from __future__ import annotations

from engine.catalog import in_order
from server.base.core import days
from server.dailies.dailies import Today
from server.dailies.messages import Dailies, Daily, DailyCrown
from server.play import present as play_present
from server.results.core.daily_sets import CrownSets


def dailies(day: int, today: list[Today], crowns: CrownSets, now: int) -> Dailies:
    """Return the deals of a day with one player's results, as a message.

    `day` counts from the Unix epoch, `crowns` are the day's games by crown, and `now` is in Unix
    milliseconds.
    """
    games = [
        Daily(
            game=each.deal.game,
            variant=each.deal.variant,
            deal=each.deal.id,
            commitment=each.deal.commitment,
            mine=None if each.mine is None else play_present.result(each.mine),
            certificate=play_present.certificate(each.deal.certificate),
            best=each.best,
        )
        for each in today
    ]
    return Dailies(
        day=day,
        date=days.date_text(day),
        ends=days.ends(day),
        closes=days.closes(day),
        now=now,
        games=games,
        crowns=[DailyCrown(crown, in_order(of)) for crown, of in crowns],
    )
