"""What a pasted link previews as: the words, the picture's game and the address, by path.

Whoever shows previews asks for the page as everybody does, and anybody can ask for a million room
codes. So a preview costs at most two reads of the store, of one key each; a node makes only so many
of them a second; and what is not read in time, or not at all, previews in words that need no
reading. Nothing is kept of what was asked for.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date

import structlog

from engine.catalog import games, ruleset
from engine.schema import STANDARD, Game
from server.core import daily
from server.core.ids import PlayerId, RoomCode, is_code, is_id
from server.core.race import RoomOpened
from server.core.ranking import unpack
from server.core.refusal import Refusal, UnavailableError
from server.gateway.limits import Bucket
from server.gateway.load import Load
from server.service.leaderboards import Standing
from server.service.services import Services

READ_WITHIN = 0.3
"""Seconds for which the page waits for what its preview needs."""

READS = 50.0
"""Previews a second for which a node reads for long. It bounds how fast codes can be tried, too."""

READS_AT_ONCE = 200.0
"""Previews for which it reads at once."""

MOST_READING = 32
"""Reads that are under way at once: the next ones would wait for a store that does not answer."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Preview:
    """What a link previews as.

    Attributes:
        title: a few words.
        about: a sentence or two.
        path: the one address of what is shown, made of what is known and not of what was asked.
        game: the id of the game whose picture it has; `None` for the picture of all of them.
        image: what is seen in the picture.
        listed: whether search engines may list it.
    """

    title: str
    about: str
    path: str
    game: str | None = None
    image: str = "Five playing cards, fanned out on a green table."
    listed: bool = True


class Previews:
    """What each address of the page previews as."""

    def __init__(self, services: Services, load: Load) -> None:
        self._rooms = services.rooms
        self._leaderboards = services.leaderboards
        self._load = load
        self._bucket = Bucket(READS, READS_AT_ONCE, time.monotonic)
        self._reading: set[asyncio.Task[Preview | None]] = set()
        # All rules are loaded with the first: at start, and not while somebody plays.
        ruleset(next(iter(games())))

    async def of(self, path: str, query: Mapping[str, str]) -> Preview:
        """Return what an address previews as; one that shows nothing, as the start page."""
        parts = [part for part in path.split("/") if part]
        match parts:
            case ["daily"]:
                return DAILIES
            case ["r", code]:
                return await self._room(code)
            case [screen, name] if (game := games().get(name)) is not None:
                if screen == "leaderboard":
                    return await self._leaderboard(game, query)
                if screen in GAME_SCREENS:
                    return GAME_SCREENS[screen](game)
        return HOME

    async def close(self) -> None:
        """Wait for reads that nobody waits for any more."""
        if self._reading:
            await asyncio.wait(self._reading)

    async def _room(self, typed: str) -> Preview:
        # As the page reads a code that people have written.
        code = RoomCode("".join(typed.split()).upper())
        if not is_code(code):
            return race("/")

        async def read() -> Preview | None:
            opened = await self._rooms.opened(code)
            return None if opened is None else room(opened)

        return await self._read(read) or race(f"/r/{code}")

    async def _leaderboard(self, game: Game, query: Mapping[str, str]) -> Preview:
        named = re.fullmatch("[0-9]{1,6}", query.get("day", ""))
        try:
            board = self._leaderboards.of_day(game.id, int(named[0]) if named else None)
        except Refusal:
            return leaderboard(game, None)
        player = PlayerId(query.get("player", ""))
        if not is_id(player):
            return leaderboard(game, board.period if named else None)

        async def read() -> Preview | None:
            found = await self._leaderboards.standing(board, player)
            is_today = board == self._leaderboards.of_day(game.id, None)
            return None if found is None else result(game, board.period, found, today=is_today)

        # Whoever keeps a preview keeps its address: it stays that of the result.
        address = result_path(game, board.period, player)
        unread = replace(leaderboard(game, board.period), path=address, listed=False)
        return await self._read(read) or unread

    async def _read(self, read: Callable[[], Awaitable[Preview | None]]) -> Preview | None:
        """Return a preview for which the store is read, or `None` if it cannot be had now."""
        if self._load.is_too_high or len(self._reading) >= MOST_READING:
            return None
        if not self._bucket.take():
            return None
        # It is never cut off on its way: it ends by itself when the store counts as away.
        task = asyncio.create_task(_caught(read))
        self._reading.add(task)
        task.add_done_callback(self._reading.discard)
        done, _ = await asyncio.wait({task}, timeout=READ_WITHIN)
        return task.result() if done else None


async def _caught(read: Callable[[], Awaitable[Preview | None]]) -> Preview | None:
    try:
        return await read()
    except UnavailableError:
        return None
    except Exception:
        # The page must come, whatever it previews as.
        log.exception("preview_broken")
        return None


# --- the words -----------------------------------------------------------------------------------

HOME = Preview(
    "Same cards. Who’s faster?",
    "Solitaire where everyone gets the same deal. Race your friends, or take on the world with "
    "today’s.",
    "/",
)

DAILIES = Preview(
    "Today’s deals",
    "One deal of each game a day, the same for the whole world. One try.",
    "/daily",
)


def race(path: str) -> Preview:
    """Return what a room previews as of which nothing is known, and perhaps no such room is."""
    about = "Same cards, same start. Who’s faster?"
    return Preview("Race me at solitaire", about, path, listed=False)


def _of_game(title: str, about: str, path: str, game: Game, *, listed: bool = True) -> Preview:
    image = f"Playing cards of {game.name} on a green table."
    return Preview(title, about, path, game.id, image, listed)


def today(game: Game) -> Preview:
    """Return what a game's deal of the day previews as."""
    total = ruleset(game.id).total
    about = (
        f"One deal, one try, the same for the whole world. How many of the {total} cards can you "
        "bring home?"
    )
    return _of_game(f"Today’s {game.name}", about, f"/daily/{game.id}", game)


def practice(game: Game) -> Preview:
    """Return what a game's practice table previews as."""
    about = "A deal without a clock, with undo and hints."
    return _of_game(f"Practice {game.name}", about, f"/practice/{game.id}", game)


def rules(game: Game) -> Preview:
    """Return what a game's rules preview as."""
    about = "The rules with pictures, in a minute, and a practice deal to try them on."
    return _of_game(f"How to play {game.name}", about, f"/rules/{game.id}", game)


GAME_SCREENS = {"daily": today, "practice": practice, "rules": rules}
"""What screens of a game preview as for which nothing is read."""


def room(opened: RoomOpened) -> Preview:
    """Return what a room previews as. The address is a way into it: nobody is to list it."""
    game = games()[opened.game]
    variant = "" if opened.variant == STANDARD else f" {game.variant_names[opened.variant]}."
    limit = counted(opened.limit // 60_000, "minute")
    if opened.limit % 60_000:
        limit = counted(opened.limit // 1_000, "second")
    return _of_game(
        f"Race me at {game.name}",
        f"Same cards, same start.{variant} {limit}, {counted(opened.seats, 'seat')}.",
        f"/r/{opened.code}",
        game,
        listed=False,
    )


def leaderboard(game: Game, day: int | None) -> Preview:
    """Return what a leaderboard previews as; without a day it is that of whichever day it is."""
    path = f"/leaderboard/{game.id}"
    if day is None:
        about = "Everyone gets the same cards, and one try. Who brings the most home?"
        return _of_game(f"{game.name}: today’s leaderboard", about, path, game)
    return _of_game(
        f"{game.name}, {date_words(day)}: leaderboard",
        "Everyone got the same cards, and one try. Who brought the most home?",
        f"{path}?day={day}",
        game,
    )


def result(game: Game, day: int, standing: Standing, *, today: bool) -> Preview:
    """Return what a player's result of a day previews as; on the day itself it is a challenge."""
    total = ruleset(game.id).total
    left, time, _ = unpack(standing.row.score)
    home = f"{total - left} of {total} home" if left else f"All {total} cards home"
    when = f" in {clock(time)}" if time else ""
    end = ": can you beat it?" if today else f", on {date_words(day)}."
    return _of_game(
        f"{standing.profile.name}: {ordinal(standing.row.rank)} of {standing.size} at {game.name}",
        f"{home}{when}. Same cards for everyone{end}",
        result_path(game, day, standing.row.player),
        game,
        listed=False,
    )


def result_path(game: Game, day: int, player: PlayerId) -> str:
    """Return the address of a player's result."""
    return f"/leaderboard/{game.id}?day={day}&player={player}"


def counted(count: int, noun: str) -> str:
    """Return a number of things, as in `15 minutes`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def ordinal(number: int) -> str:
    """Return a place in a row, as in `17th`."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in {11, 12, 13} else ending}"


def clock(milliseconds: int) -> str:
    """Return a time as the page shows it, as in `11:20` or `1:02:03`."""
    minutes, seconds = divmod(milliseconds // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def date_words(day: int) -> str:
    """Return a day's date in words, as in `22 November 2026`."""
    found = date.fromisoformat(daily.date_text(day))
    return f"{found.day} {MONTHS[found.month - 1]} {found.year}"


MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
