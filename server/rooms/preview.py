"""Link previews of rooms."""

from __future__ import annotations

from engine.catalog import games
from engine.schema import STANDARD
from server.base.core.ids import RoomCode
from server.base.web.previews import Preview, of_game
from server.rooms.core.events import RoomOpened, Terms
from server.rooms.live_rooms import LiveRooms
from server.rooms.rooms import Rooms


class RoomPreviews:
    """Previews of rooms, for `server.base.web.previews`."""

    def __init__(self, rooms: Rooms, live: LiveRooms) -> None:
        self._rooms = rooms
        self._live = live

    def known(self, code: RoomCode) -> Preview | None:
        """Return a room's preview if the room is in memory, else `None`."""
        known = self._live.state(code)
        return None if known is None else room(known.opened, known.terms)

    async def of_room(self, code: RoomCode) -> Preview | None:
        """Load a room's preview; `None` if there is no such room."""
        found = await self._rooms.terms(code)
        return None if found is None else room(*found)


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
