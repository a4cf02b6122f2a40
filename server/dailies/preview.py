"""Link previews of dailies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from engine.catalog import games, ruleset
from server.base.web.previews import Preview, Shown, of_game

DAILIES = Preview(
    "Today’s deals",
    "One deal a day, the same for the whole world. One try.",
    "/daily",
)


def of_daily(named: Sequence[str], _: Mapping[str, str]) -> Shown | None:
    """Return the preview of today's dailies, or of one game's."""
    if not named:
        return Shown(DAILIES)
    if len(named) != 1 or named[0] not in games():
        return None
    game, total = games()[named[0]], ruleset(named[0]).total
    about = (
        f"One deal, one try, the same for the whole world. How many of the {total} cards can you "
        "bring home?"
    )
    return Shown(of_game(f"Today’s {game.name}", about, f"/daily/{game.id}", game))


def of_day(named: Sequence[str], _: Mapping[str, str]) -> Shown | None:
    """Return the preview of a calendar day, given as a date like `2026-11-21`."""
    try:
        day = date.fromisoformat("/".join(named))
    except ValueError:
        return None
    about = "The same deals for the whole world. See how it went."
    # Every date has a URL.
    path = f"/archive/{day.isoformat()}"
    return Shown(Preview(f"The deals of {day.day} {day:%B %Y}", about, path, listed=False))
