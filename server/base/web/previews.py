"""Link previews: the title, description, image and canonical URL of each path of the page.

Link preview bots request the page like any other client, and anybody can request a million room
codes. So a preview takes at most two reads of the store, of one key each, which is bounded; their
rate per node is limited; and a generic preview is used if they are not allowed, fail, or take too
long. A room's preview is kept for some seconds, so that all who ask for it meanwhile cost one read;
that there is no room is not kept, and everybody who asks for that pays for a guess.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import TypeVar

import structlog
from cachetools import TTLCache

from engine.catalog import games, ruleset
from engine.schema import STANDARD, Game
from server.base.core import days
from server.base.core.codes import read_room_code
from server.base.core.days import DailyId
from server.base.core.ids import AttemptId, PlayerId, RoomCode, is_code, is_id, split_attempt_id
from server.base.core.refusal import Refusal, UnavailableError, UnreadableError
from server.base.net.budgets import Budgets, Guess
from server.base.net.limits import Bucket, Rate
from server.base.net.load import Load
from server.base.work.tasks import Tasks
from server.play.core.result import unpack
from server.results.leaderboards import Standing
from server.rooms.core.events import RoomOpened, Terms
from server.wings import Services

READ_WITHIN = 0.3
"""Seconds that a request waits for the store before it gets a generic preview."""

READS = Rate(50.0, 200.0)
"""Previews that may read the store."""

MAX_READS = 32
"""Reads that may be in flight: with more, the store is slow, and further ones would only wait."""

KEPT_FOR = 10.0
"""Seconds for which the preview of a room is kept."""

MAX_KEPT = 1_000
"""Previews of rooms that are kept: about 0.7 kB each."""

T = TypeVar("T")

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Preview:
    """The preview of a link.

    Attributes:
        title: a few words.
        about: a description of one or two sentences.
        path: the canonical path with its query, made from validated values, not from the request.
        game: the id of the game whose image is shown, or `None` for the general image.
        image: the alternative text of the image.
        listed: whether search engines may index the page.
    """

    title: str
    about: str
    path: str
    game: str | None = None
    image: str = "Five playing cards, fanned out on a green table."
    listed: bool = True


class Previews:
    """Makes link previews.

    Args:
        services: read for rooms and results.
        load: no previews read the store while it is too high.
        budgets: those of addresses, which pay for rooms that there are not.
    """

    def __init__(self, services: Services, load: Load, budgets: Budgets) -> None:
        self._rooms = services.rooms
        self._live = services.live
        self._leaderboards = services.leaderboards
        self._load = load
        self._budgets = budgets
        self._bucket = Bucket(READS)
        self._reading = Tasks()
        self._kept: TTLCache[RoomCode, Preview] = TTLCache(MAX_KEPT, KEPT_FOR)
        self._asked: dict[RoomCode, asyncio.Task[_Found | None]] = {}
        # Loading one ruleset loads all of them: do so at start, not while somebody plays.
        ruleset(next(iter(games())))

    async def of(self, path: str, query: Mapping[str, str], address: str) -> Preview:
        """Return the preview of a URL; for unknown ones, that of the start page.

        Args:
            path: its path.
            query: its query parameters, which are not validated.
            address: where the request is from, as `Proxies.client` returns it.
        """
        parts = [part for part in path.split("/") if part]
        match parts:
            case ["daily"]:
                return DAILIES
            case ["r", code]:
                return await self._room(code, address)
            case ["watch" | "run" | "deal" as screen, *named]:
                return of_link(screen, named) or HOME
            case [screen, name] if (game := games().get(name)) is not None:
                if screen == "leaderboard":
                    return await self._leaderboard(game.id, query)
                if screen in GAME_SCREENS:
                    return GAME_SCREENS[screen](game)
        return HOME

    async def close(self) -> None:
        """Wait for reads in flight, including those whose requests no longer wait for them."""
        await self._reading.wait()

    async def _room(self, typed: str, address: str) -> Preview:
        code = read_room_code(typed)
        if not is_code(code):
            return race("/")
        guess = self._budgets.guess(address)
        if guess is None:
            return race(f"/r/{code}")
        known = self._known(code)
        reading = None if known is not None else self._asked.get(code) or self._ask(code)
        if reading is None:
            with guess:
                return known or race(f"/r/{code}")
        reading.add_done_callback(partial(_settle, guess))
        found = await _within(reading)
        return (found.preview if found is not None else None) or race(f"/r/{code}")

    def _known(self, code: RoomCode) -> Preview | None:
        """Return the preview of a room that is in memory, or was asked for just now."""
        if (live := self._live.find(code)) is not None:
            return room(live.room.opened, live.room.terms)
        return self._kept.get(code)

    def _ask(self, code: RoomCode) -> asyncio.Task[_Found | None] | None:
        """Begin to read a room, for all who ask for it meanwhile; `None` if it cannot be read."""

        async def read() -> _Found:
            found = await self._rooms.terms(code)
            return _Found(None if found is None else room(*found))

        def end(task: asyncio.Task[_Found | None]) -> None:
            del self._asked[code]
            if (found := task.result()) is not None and found.preview is not None:
                self._kept[code] = found.preview

        reading = self._start(read)
        if reading is not None:
            self._asked[code] = reading
            reading.add_done_callback(end)
        return reading

    async def _leaderboard(self, game: str, query: Mapping[str, str]) -> Preview:
        named = re.fullmatch("[0-9]{1,6}", query.get("day", ""))
        today = self._leaderboards.today(game)
        shown = DailyId(game, int(named[0])) if named else today
        try:
            self._leaderboards.of_daily(shown, "guests")
        except Refusal:
            return todays_leaderboard(game)
        player = PlayerId(query.get("player", ""))
        if not is_id(player):
            return leaderboard(shown) if named else todays_leaderboard(game)

        async def read() -> Preview | None:
            of_day = self._leaderboards.of_daily(shown, "ranked")
            board = await self._leaderboards.own(of_day, player)
            found = await self._leaderboards.standing(board, player)
            return None if found is None else result(shown, found, today=shown == today)

        # Sites that cache a preview cache its URL too, so a generic one also has the result's URL.
        path = result_path(shown, player)
        generic = replace(leaderboard(shown), path=path, listed=False)
        return await self._read(read) or generic

    async def _read(self, read: Callable[[], Awaitable[Preview | None]]) -> Preview | None:
        """Return a preview that needs the store, or `None` if it cannot be read now."""
        reading = self._start(read)
        return await _within(reading) if reading is not None else None

    def _start(self, read: Callable[[], Awaitable[T]]) -> asyncio.Task[T | None] | None:
        """Begin to read the store, or return `None` if that is not allowed now."""
        if self._load.is_too_high or len(self._reading) >= MAX_READS:
            return None
        if not self._bucket.take(time.monotonic()):
            return None
        return self._reading.start(_read_safely(read))


@dataclass(frozen=True, slots=True)
class _Found:
    """What was found at a room's code: its preview, or that there is no room."""

    preview: Preview | None


def _settle(guess: Guess, reading: asyncio.Task[_Found | None]) -> None:
    """Let a guess be paid for if there was no room, whoever has had it read."""
    with guess:
        if reading.result() == _Found(None):
            guess.missed()


async def _within(reading: asyncio.Task[T | None]) -> T | None:
    """Return what was read, or `None` if that takes too long.

    It is not cancelled then, since commands to Redis never are: they have a timeout.
    """
    done, _ = await asyncio.wait({reading}, timeout=READ_WITHIN)
    return reading.result() if done else None


async def _read_safely(read: Callable[[], Awaitable[T]]) -> T | None:
    """Return what is read, or `None` if reading fails."""
    try:
        return await read()
    except (UnavailableError, UnreadableError):
        return None
    except Exception:
        # A fault in a preview must not prevent the page from being served.
        log.exception("preview_failed")
        return None


# Texts

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
    """Return the generic preview of a room, which may not exist."""
    about = "Same cards, same start. Who’s faster?"
    return Preview("Race me at solitaire", about, path, listed=False)


def watch(typed: str, key: str) -> Preview | None:
    """Return the preview of a link to watch a room; `None` if it cannot be one.

    The key is not checked, so that it says nothing of whether there is such a room.
    """
    code = read_room_code(typed)
    if not (is_code(code) and re.fullmatch(r"[\w-]{1,64}", key, re.ASCII)):
        return None
    about = "Same cards, same start. See every move, a few seconds later."
    return Preview("Watch our race", about, f"/watch/{code}/{key}", listed=False)


def run(attempt: str) -> Preview | None:
    """Return the preview of a run, which may not exist; `None` if it is no id of one."""
    if split_attempt_id(AttemptId(attempt)) is None:
        return None
    about = "Every move of a game of solitaire, as it was played. Everybody had the same cards."
    return Preview("Watch this run", about, f"/run/{attempt}", listed=False)


def deal(shown: str) -> Preview | None:
    """Return the preview of a deal, which may not exist; `None` if it is no id of one."""
    if not is_id(shown):
        return None
    about = "Everybody got these cards. Watch how they were played, and check that it was fair."
    return Preview("One deal of solitaire", about, f"/deal/{shown}", listed=False)


def of_link(screen: str, named: list[str]) -> Preview | None:
    """Return the preview of what a link names, without a read of the store; `None` if nothing."""
    match screen, named:
        case "watch", [code, key]:
            return watch(code, key)
        case "run", [attempt]:
            return run(attempt)
        case "deal", [shown]:
            return deal(shown)
    return None


def _of_game(title: str, about: str, path: str, game: Game, *, listed: bool = True) -> Preview:
    image = f"Playing cards of {game.name} on a green table."
    return Preview(title, about, path, game.id, image, listed)


def today(game: Game) -> Preview:
    """Return the preview of a game's daily."""
    total = ruleset(game.id).total
    about = (
        f"One deal, one try, the same for the whole world. How many of the {total} cards can you "
        "bring home?"
    )
    return _of_game(f"Today’s {game.name}", about, f"/daily/{game.id}", game)


def practice(game: Game) -> Preview:
    """Return the preview of a game's practice table."""
    about = "A deal without a clock, with undo and hints."
    return _of_game(f"Practice {game.name}", about, f"/practice/{game.id}", game)


def rules(game: Game) -> Preview:
    """Return the preview of a game's rules."""
    about = "The rules with pictures, in a minute, and a practice deal to try them on."
    return _of_game(f"How to play {game.name}", about, f"/rules/{game.id}", game)


GAME_SCREENS = {"daily": today, "practice": practice, "rules": rules}
"""Previews of a game's screens that do not read the store, by the first path segment."""


def room(opened: RoomOpened, terms: Terms) -> Preview:
    """Return the preview of a room. It is not listed, since its URL lets anybody join.

    Args:
        opened: the room's first event.
        terms: what its next round is played by.
    """
    game = games()[terms.game]
    variant = "" if terms.variant == STANDARD else f" {game.variant_names[terms.variant]}."
    limit = counted(terms.limit // 60_000, "minute")
    if terms.limit % 60_000:
        limit = counted(terms.limit // 1_000, "second")
    return _of_game(
        f"Race me at {game.name}",
        f"Same cards, same start.{variant} {limit}, {counted(opened.seats, 'seat')}.",
        f"/r/{opened.code}",
        game,
        listed=False,
    )


def todays_leaderboard(game_id: str) -> Preview:
    """Return the preview of the leaderboard of a game's current daily, whichever day that is."""
    game = games()[game_id]
    about = "Everyone gets the same cards, and one try. Who brings the most home?"
    return _of_game(f"{game.name}: today’s leaderboard", about, f"/leaderboard/{game_id}", game)


def leaderboard(shown: DailyId) -> Preview:
    """Return the preview of the leaderboard of a daily."""
    game = games()[shown.game]
    return _of_game(
        f"{game.name}, {date_words(shown.day)}: leaderboard",
        "Everyone got the same cards, and one try. Who brought the most home?",
        leaderboard_path(shown),
        game,
    )


def result(shown: DailyId, standing: Standing, *, today: bool) -> Preview:
    """Return the preview of a player's result of a daily.

    Args:
        shown: the daily.
        standing: the player's profile and row, and the size of the leaderboard.
        today: whether it is the current day, so that readers can still compete.
    """
    game, total = games()[shown.game], ruleset(shown.game).total
    left, time, _ = unpack(standing.row.score)
    home = f"{total - left} of {total} home" if left else f"All {total} cards home"
    when = f" in {clock(time)}" if time else ""
    end = ": can you beat it?" if today else f", on {date_words(shown.day)}."
    return _of_game(
        f"{standing.profile.name}: {ordinal(standing.row.rank)} of {standing.size} at {game.name}",
        f"{home}{when}. Same cards for everyone{end}",
        result_path(shown, standing.row.player),
        game,
        listed=False,
    )


def leaderboard_path(shown: DailyId) -> str:
    """Return the path and query of the leaderboard of a daily."""
    return f"/leaderboard/{shown.game}?day={shown.day}"


def result_path(shown: DailyId, player: PlayerId) -> str:
    """Return the path and query of a player's result."""
    return f"{leaderboard_path(shown)}&player={player}"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, as in `15 minutes`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def ordinal(number: int) -> str:
    """Return an ordinal number, as in `17th`."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in {11, 12, 13} else ending}"


def clock(milliseconds: int) -> str:
    """Return a duration as the page shows it, as in `11:20` or `1:02:03`."""
    minutes, seconds = divmod(milliseconds // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def date_words(day: int) -> str:
    """Return the date of a day (in days since the Unix epoch), as in `22 November 2026`."""
    found = date.fromisoformat(days.date_text(day))
    return f"{found.day} {MONTHS[found.month - 1]} {found.year}"


MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
