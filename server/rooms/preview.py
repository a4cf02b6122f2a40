"""Link previews of rooms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from engine.catalog import games
from engine.schema import STANDARD
from server.base.core.codes import parse_room_code
from server.base.core.ids import RoomCode, is_code
from server.base.web.previews import Preview, Shown, of_game
from server.rooms.core.events import RoomOpened, Terms
from server.rooms.live_rooms import LiveRooms
from server.rooms.rooms import Rooms


class RoomPreviews:
    """Previews of rooms, for `server.base.web.previews`."""

    def __init__(self, rooms: Rooms, live: LiveRooms) -> None:
        self._rooms = rooms
        self._live = live

    def screen(self, named: Sequence[str], _: Mapping[str, str]) -> Shown | None:
        """Return the preview of a room's link."""
        if len(named) != 1:
            return None
        code = parse_room_code(named[0])
        if not is_code(code):
            return Shown(race("/"))
        state = self._live.state(code)
        known = None if state is None else room(state.opened, state.terms)
        read = partial(self.of_room, code)
        return Shown(race(f"/r/{code}"), known, read, is_kept=True, is_guess=True)

    async def of_room(self, code: RoomCode) -> Preview | None:
        """Load a room's preview; `None` if there is no such room."""
        found = await self._rooms.terms(code)
        return None if found is None else room(*found)


def race(path: str) -> Preview:
    """Return the generic preview of a room, which may not exist."""
    about = "Same cards, same start. Who’s faster?"
    return Preview("Race me at solitaire", about, path, listed=False)


def room(opened: RoomOpened, terms: Terms) -> Preview:
    """Return the preview of a room. It is not listed, since anyone with its URL can join."""
    game = games()[terms.game]
    played = played_by(terms.game, terms.variant, terms.limit)
    return of_game(
        f"Race me at {game.name}",
        f"Same cards, same start. {played}, {counted(opened.seats, 'seat')}.",
        f"/r/{opened.code}",
        game,
        listed=False,
    )


def played_by(game: str, variant: str, limit: int) -> str:
    """Return the variant, unless it is the standard one, and the limit, given in milliseconds."""
    name = games()[game].variant_names.get(variant, "Custom rules")
    named = "" if variant == STANDARD else f"{name}. "
    length = counted(limit // 60_000, "minute")
    if limit % 60_000:
        length = counted(limit // 1_000, "second")
    return f"{named}{length}"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, as in `15 minutes`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
