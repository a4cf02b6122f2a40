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
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import structlog
from cachetools import TTLCache

from engine.catalog import games, ruleset
from engine.schema import Game
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


@dataclass(frozen=True, slots=True)
class Shown:
    """The preview of a link, and a better one that may have to be read.

    Attributes:
        generic: the preview that needs no read.
        known: a better one in memory, or `None`.
        read: reads a better one; `None` if there is none to read.
        is_kept: whether a preview that was read is cached, and reads by concurrent requests shared.
        is_guess: whether a request is charged as a guess if there is nothing to read.
    """

    generic: Preview
    known: Preview | None = None
    read: Read | None = None
    is_kept: bool = False
    is_guess: bool = False


Screen = Callable[[Sequence[str], Mapping[str, str]], Shown | None]
"""Returns the preview of a screen of the page, or `None` for a malformed link, given the segments
of the path after the screen's, and the URL's query, neither of them validated."""


class Previews:
    """Creates link previews.

    Args:
        screens: the screens of the wings, by the first segment of their paths.
        load: previews do not read the store while it is too high.
        budgets: the budgets of addresses, charged for requests of missing rooms.
    """

    def __init__(
        self,
        screens: Mapping[str, Screen],
        load: Load,
        budgets: Budgets,
    ) -> None:
        self._screens = screens
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
        screen, *named = [part for part in path.split("/") if part] or [""]
        if screen in self._screens:
            shown = self._screens[screen](named, query)
        else:
            shown = of_game_screen(screen, named)
        return HOME if shown is None else await self._best(shown, address)

    async def close(self) -> None:
        """Wait for reads in flight, including those whose requests have timed out."""
        await self._reading.wait()

    async def _best(self, shown: Shown, address: str) -> Preview:
        """Return the best preview that can be had now."""
        generic, read = shown.generic, shown.read
        if not shown.is_kept or read is None:
            return (await self._read(read) if read is not None else None) or generic
        guess = self._budgets.guess(address) if shown.is_guess else Guess()
        if guess is None:
            return generic
        known = shown.known or self._kept.get(generic.path)
        reading = None if known is not None else self._ask(generic.path, read)
        if reading is None:
            # Refunded: there is such a preview, or nothing was read.
            with guess:
                return known or generic
        # The read continues after a timeout, and then settles the guess.
        reading.add_done_callback(partial(_settle, guess))
        found = await _wait_briefly(reading)
        return (found.preview if found is not None else None) or generic

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


def of_game(title: str, about: str, path: str, game: Game, *, listed: bool = True) -> Preview:
    """Return a preview with a game's image."""
    image = f"Playing cards of {game.name} on a green table."
    return Preview(title, about, path, game.id, image, listed)


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


def of_game_screen(screen: str, named: Sequence[str]) -> Shown | None:
    """Return the preview of a game's screen that belongs to no wing, or `None`."""
    if len(named) != 1 or screen not in GAME_SCREENS or named[0] not in games():
        return None
    return Shown(GAME_SCREENS[screen](games()[named[0]]))


GAME_SCREENS = {"practice": practice, "rules": rules, "own": own}
"""Previews of a game's screens that belong to no wing, by the first path segment."""
