"""Link previews: the title, description, image and canonical URL of each path of the page.

Preview bots request the page like any other client, and a client may request a million room codes.
A preview therefore takes at most two bounded reads of one key each, with a limited rate per node. A
generic preview is used if these reads are not allowed, fail, or take too long.

The preview of a room or challenge is cached for some seconds, so that concurrent requests cost one
read. The absence of a room is not cached: each request for a missing room is charged as a guess.
Ids of challenges cannot be guessed.
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

READ_WITHIN = 0.3  # seconds that a request waits for the store before it gets a generic preview
READS = Rate(50.0, 200.0)  # the rate of previews that read the store

# Maximum reads in flight. More would only wait, since the store is slow then.
MAX_READS = 32

KEPT_FOR = 10.0  # seconds that the preview of a room or challenge is cached
MAX_KEPT = 1_000  # cached previews of rooms and challenges: about 0.7 kB each
T = TypeVar("T")

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Preview:
    """The preview of a link."""

    title: str
    about: str  # one or two sentences
    # The canonical path with its query, built from validated values, not from the request.
    path: str
    game: str | None = None  # the id of the game for the image, or `None` for the general image
    image: str = "Five playing cards, fanned out on a green table."  # the image's alternative text
    listed: bool = True  # whether search engines may index the page


# Reads a preview from the store; returns `None` if there is nothing to show.
Read = Callable[[], Awaitable[Preview | None]]

# Reads a challenge's preview; returns `None` if there is nothing to show.
ChallengePreview = Callable[[ChallengeId], Awaitable[Preview | None]]

# Returns the preview of a game's leaderboard for a URL's query, and optionally a function that
# reads a better one.
LeaderboardPreview = Callable[[str, Mapping[str, str]], tuple[Preview, Read | None]]


class RoomPreviews(Protocol):
    """The previews of rooms."""

    def known(self, code: RoomCode) -> Preview | None:
        """Return the preview of a room in memory, or `None`."""
        ...

    async def of_room(self, code: RoomCode) -> Preview | None:
        """Load a room's preview, or `None`."""
        ...


class Previews:
    """Creates link previews.

    Args:
        load: previews do not read the store while it is too high.
        budgets: the budgets of addresses, charged for requests of missing rooms.
    """

    def __init__(
        self,
        rooms: RoomPreviews,
        of_challenge: ChallengePreview,
        of_leaderboard: LeaderboardPreview,
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
        # Loading one ruleset loads all of them: do so at start, not during a game.
        ruleset(next(iter(games())))

    async def preview(self, path: str, query: Mapping[str, str], address: str) -> Preview:
        """Return the preview of a URL; for an unknown URL, the start page's.

        The query is not validated; the address is the client's, as returned by `Proxies.client`.
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
        """Wait for reads in flight, including those whose requests have timed out."""
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
            # Refunded: the room exists, or nothing was read.
            with guess:
                return known or race(path)
        # The read continues after a timeout, and then settles the guess.
        reading.add_done_callback(partial(_settle, guess))
        found = await _wait_briefly(reading)
        return (found.preview if found is not None else None) or race(path)

    async def _challenge(self, name: str) -> Preview:
        if not is_id(name):
            return challenge("/")
        path = f"/c/{name}"
        known = self._kept.get(path)
        if known is not None:
            return known
        reading = self._ask(path, partial(self._of_challenge, ChallengeId(name)))
        found = await _wait_briefly(reading) if reading is not None else None
        return (found.preview if found is not None else None) or challenge(path)

    def _ask(self, path: str, of: Read) -> asyncio.Task[_Found | None] | None:
        """Start reading the preview of a path, or return `None` if that is not possible now."""
        # Concurrent requests share the read.
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
        """Read a preview from the store, or return `None` if that is not possible now."""
        reading = self._start(read)
        return await _wait_briefly(reading) if reading is not None else None

    def _start(self, read: Callable[[], Awaitable[T]]) -> asyncio.Task[T | None] | None:
        """Start reading the store, or return `None` if that is not allowed now."""
        if self._load.is_too_high or len(self._reading) >= MAX_READS:
            return None
        if not self._bucket.take(time.monotonic()):
            return None
        return self._reading.start(_read_safely(read))


@dataclass(frozen=True, slots=True)
class _Found:
    """The result of a lookup: a preview, or `None` if there is nothing to show."""

    preview: Preview | None


def _settle(guess: Guess, reading: asyncio.Task[_Found | None]) -> None:
    """Settle a guess: it is charged if there was no room, whichever request caused the read."""
    with guess:
        if reading.result() == _Found(None):
            guess.missed()


async def _wait_briefly(reading: asyncio.Task[T | None]) -> T | None:
    """Wait for a read, or return `None` after `READ_WITHIN` seconds."""
    # The read is not cancelled: commands to Redis never are, since they have a timeout.
    done, _ = await asyncio.wait({reading}, timeout=READ_WITHIN)
    return reading.result() if done else None


async def _read_safely(read: Callable[[], Awaitable[T]]) -> T | None:
    try:
        return await read()
    except (UnavailableError, UnreadableError):
        return None
    except Exception:
        # An error in a preview must not prevent the page from being served.
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
    "Today’s deals", "One deal a day, the same for the whole world. One try.", "/daily"
)


def of_day(typed: str) -> Preview | None:
    """Return the preview of a calendar day, or `None` if it is not a date like `2026-11-21`."""
    try:
        day = date.fromisoformat(typed)
    except ValueError:
        return None
    about = "The same deals for the whole world. See how it went."
    # Every date has a URL.
    path = f"/archive/{day.isoformat()}"
    return Preview(f"The deals of {day.day} {day:%B %Y}", about, path, listed=False)


def race(path: str) -> Preview:
    """Return the generic preview of a room, which may not exist."""
    about = "Same cards, same start. Who’s faster?"
    return Preview("Race me at solitaire", about, path, listed=False)


def challenge(path: str) -> Preview:
    """Return the generic preview of a challenge, which may not exist, or belong to a circle."""
    about = "Same cards, one try, whenever you have time."
    return Preview("A challenge at solitaire", about, path, listed=False)


def of_link(screen: str, named: list[str]) -> Preview | None:
    """Return the preview of a link, or `None` if the link is malformed.

    Nothing is read, so that the preview does not reveal whether the linked thing exists.
    """
    match screen, named:
        case "archive", [typed]:
            return of_day(typed)
        case "watch", [typed, key]:
            code = parse_room_code(typed)
            if is_code(code) and re.fullmatch(r"[\w-]{1,64}", key, re.ASCII):
                about = "Same cards, same start. See every move, a few seconds later."
                return Preview("Watch our race", about, f"/watch/{code}/{key}", listed=False)
        case "run", [attempt] if split_attempt_id(AttemptId(attempt)) is not None:
            about = (
                "Every move of a game of solitaire, as it was played. Everybody had the same cards."
            )
            return Preview("Watch this run", about, f"/run/{attempt}", listed=False)
        case "deal", [shown] if is_id(shown):
            about = (
                "Everybody got these cards. Watch how they were played, and check that it was fair."
            )
            return Preview("One deal of solitaire", about, f"/deal/{shown}", listed=False)
        case "o", [link] if is_id(link[:ID_LENGTH]) and is_id(link[ID_LENGTH:]):
            about = "The same deals every day, and a table of our own that lasts."
            return Preview("Join our circle", about, f"/o/{link}", listed=False)
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
    """Return the preview of a game with custom rules."""
    about = "A game with custom rules: see what is different, practise it, and race it."
    return of_game(f"{game.name} with a twist", about, f"/own/{game.id}", game)


# Previews of a game's screens that do not read the store, by the first path segment.
GAME_SCREENS = {"daily": today, "practice": practice, "rules": rules, "own": own}
