"""Link previews: the title, description, image and canonical URL of each path of the page.

Link preview bots request the page like any other client, and anybody can request a million room
codes. So a preview takes at most two reads of the store, of one key each, which is bounded; their
rate per node is limited; and a generic preview is used if they are not allowed, fail, or take too
long. That of a room or a challenge is kept for some seconds, so that all who ask for it meanwhile
cost one read; that there is none is not kept, and everybody who asks for a room that there is not
pays for a guess. Nobody can guess the id of a challenge.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Protocol, TypeVar

import structlog
from cachetools import TTLCache

from engine.catalog import games, ruleset
from engine.schema import Game
from server.base.core.codes import parse_room_code
from server.base.core.ids import (
    ID_LENGTH,
    AttemptId,
    ChallengeId,
    RoomCode,
    is_code,
    is_id,
    split_attempt_id,
)
from server.base.core.refusal import UnavailableError, UnreadableError
from server.base.net.budgets import Budgets, Guess
from server.base.net.limits import Bucket, Rate
from server.base.net.load import Load
from server.base.work.tasks import Tasks

READ_WITHIN = 0.3
"""Seconds that a request waits for the store before it gets a generic preview."""

READS = Rate(50.0, 200.0)
"""Previews that may read the store."""

MAX_READS = 32
"""Reads that may be in flight: with more, the store is slow, and further ones would only wait."""

KEPT_FOR = 10.0
"""Seconds for which the preview of a room or a challenge is kept."""

MAX_KEPT = 1_000
"""Previews of rooms and challenges that are kept: about 0.7 kB each."""

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


Read = Callable[[], Awaitable[Preview | None]]
"""Reads the store for a preview; `None` if there is nothing to show."""

OfChallenge = Callable[[ChallengeId], Awaitable[Preview | None]]
"""Reads that of a challenge; `None` if there is nothing to show."""

OfLeaderboard = Callable[[str, Mapping[str, str]], tuple[Preview, Read | None]]
"""Returns that of a game's leaderboard by a URL's query, and maybe how to read a better one."""


class OfRooms(Protocol):
    """The previews of rooms."""

    def known(self, code: RoomCode) -> Preview | None:
        """Return that of a room that is in memory."""
        ...

    async def of_room(self, code: RoomCode) -> Preview | None:
        """Return that of a room, which is read; `None` if there is none."""
        ...


class Previews:
    """Makes link previews.

    Args:
        rooms: those of rooms.
        of_challenge: that of a challenge.
        of_leaderboard: that of a leaderboard.
        load: no previews read the store while it is too high.
        budgets: those of addresses, which pay for rooms that there are not.
    """

    def __init__(
        self,
        rooms: OfRooms,
        of_challenge: OfChallenge,
        of_leaderboard: OfLeaderboard,
        load: Load,
        budgets: Budgets,
    ) -> None:
        self._rooms = rooms
        self._of_challenge = of_challenge
        self._of_leaderboard = of_leaderboard
        self._load = load
        self._budgets = budgets
        self._bucket = Bucket(READS)
        self._reading = Tasks()
        self._kept: TTLCache[str, Preview] = TTLCache(MAX_KEPT, KEPT_FOR)
        self._asked: dict[str, asyncio.Task[_Found | None]] = {}
        # Loading one ruleset loads all of them: do so at start, not while somebody plays.
        ruleset(next(iter(games())))

    async def preview(self, path: str, query: Mapping[str, str], address: str) -> Preview:
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
            case ["r" | "c" as screen, name]:
                of_room = screen == "r"
                return await (self._room(name, address) if of_room else self._challenge(name))
            case ["archive" | "watch" | "run" | "deal" | "o" as screen, *named]:
                return of_link(screen, named) or HOME
            case [screen, name] if (game := games().get(name)) is not None:
                if screen == "leaderboard":
                    preview, read = self._of_leaderboard(game.id, query)
                    return (await self._read(read) if read is not None else None) or preview
                if screen in GAME_SCREENS:
                    return GAME_SCREENS[screen](game)
        return HOME

    async def close(self) -> None:
        """Wait for reads in flight, including those whose requests no longer wait for them."""
        await self._reading.wait()

    async def _room(self, typed: str, address: str) -> Preview:
        code = parse_room_code(typed)
        if not is_code(code):
            return race("/")
        path = f"/r/{code}"
        guess = self._budgets.guess(address)
        if guess is None:
            return race(path)
        known = self._rooms.known(code) or self._kept.get(path)
        reading = None if known is not None else self._ask(path, partial(self._rooms.of_room, code))
        if reading is None:
            with guess:
                return known or race(path)
        reading.add_done_callback(partial(_settle, guess))
        found = await _within(reading)
        return (found.preview if found is not None else None) or race(path)

    async def _challenge(self, name: str) -> Preview:
        if not is_id(name):
            return challenge("/")
        path = f"/c/{name}"
        known = self._kept.get(path)
        if known is not None:
            return known
        reading = self._ask(path, partial(self._of_challenge, ChallengeId(name)))
        found = await _within(reading) if reading is not None else None
        return (found.preview if found is not None else None) or challenge(path)

    def _ask(self, path: str, of: Read) -> asyncio.Task[_Found | None] | None:
        """Begin to read the preview of a path, for all who ask for it meanwhile.

        `None` if it cannot be read now.
        """
        asked = self._asked.get(path)
        if asked is not None:
            return asked

        async def read() -> _Found:
            return _Found(await of())

        def end(task: asyncio.Task[_Found | None]) -> None:
            del self._asked[path]
            if (found := task.result()) is not None and found.preview is not None:
                self._kept[path] = found.preview

        reading = self._start(read)
        if reading is not None:
            self._asked[path] = reading
            reading.add_done_callback(end)
        return reading

    async def _read(self, read: Read) -> Preview | None:
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
    """The result of looking something up: its preview, or that there is none to show."""

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
    "One deal a day, the same for the whole world. One try.",
    "/daily",
)


def of_day(typed: str) -> Preview | None:
    """Return the preview of a day of the calendar; `None` if it is no date as in `2026-11-21`."""
    try:
        day = date.fromisoformat(typed)
    except ValueError:
        return None
    about = "The same deals for the whole world. See how it went."
    # Any date has an address.
    path = f"/archive/{day.isoformat()}"
    return Preview(f"The deals of {day.day} {day:%B %Y}", about, path, listed=False)


def race(path: str) -> Preview:
    """Return the generic preview of a room, which may not exist."""
    about = "Same cards, same start. Who’s faster?"
    return Preview("Race me at solitaire", about, path, listed=False)


def challenge(path: str) -> Preview:
    """Return the generic preview of a challenge, which may not exist, or be for a circle."""
    about = "Same cards, one try, whenever you have time."
    return Preview("A challenge at solitaire", about, path, listed=False)


def watch(typed: str, key: str) -> Preview | None:
    """Return the preview of a link to watch a room; `None` if it cannot be one.

    The key is not checked, so that it says nothing of whether there is such a room.
    """
    code = parse_room_code(typed)
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


def invitation(link: str) -> Preview | None:
    """Return the preview of a link by which a circle is joined; `None` if it cannot be one.

    Nothing is read, so that it says nothing of whether there is such a circle.
    """
    if not (is_id(link[:ID_LENGTH]) and is_id(link[ID_LENGTH:])):
        return None
    about = "The same deals every day, and a table of our own that lasts."
    return Preview("Join our circle", about, f"/o/{link}", listed=False)


def of_link(screen: str, named: list[str]) -> Preview | None:
    """Return the preview of what a link names, without a read of the store; `None` if nothing."""
    match screen, named:
        case "archive", [typed]:
            return of_day(typed)
        case "watch", [code, key]:
            return watch(code, key)
        case "run", [attempt]:
            return run(attempt)
        case "deal", [shown]:
            return deal(shown)
        case "o", [link]:
            return invitation(link)
    return None


def of_game(title: str, about: str, path: str, game: Game, *, listed: bool = True) -> Preview:
    """Return a preview with a game's image."""
    image = f"Playing cards of {game.name} on a green table."
    return Preview(title, about, path, game.id, image, listed)


def today(game: Game) -> Preview:
    """Return the preview of a game's daily."""
    total = ruleset(game.id).total
    about = (
        f"One deal, one try, the same for the whole world. How many of the {total} cards can you "
        "bring home?"
    )
    return of_game(f"Today’s {game.name}", about, f"/daily/{game.id}", game)


def practice(game: Game) -> Preview:
    """Return the preview of a game's practice table."""
    about = "A deal without a clock, with undo and hints."
    return of_game(f"Practice {game.name}", about, f"/practice/{game.id}", game)


def rules(game: Game) -> Preview:
    """Return the preview of a game's rules."""
    about = "The rules with pictures, in a minute, and a practice deal to try them on."
    return of_game(f"How to play {game.name}", about, f"/rules/{game.id}", game)


def own(game: Game) -> Preview:
    """Return the preview of a game by rules of somebody's own."""
    about = "A game by rules of one's own: see what is different, practise it, and race it."
    return of_game(f"{game.name} with a twist", about, f"/own/{game.id}", game)


GAME_SCREENS = {"daily": today, "practice": practice, "rules": rules, "own": own}
"""Previews of a game's screens that do not read the store, by the first path segment."""
