"""The node under test: `samedeal serve` with shorter times and a clock that can jump.

python -m tests.faults.node --jumps FILE [--countdown MS] [--share N] [--absence MS] [--broken]
[--watch-delay MS] [--checkpoint-every N] OPTIONS

OPTIONS are the options of `samedeal serve`.

On SIGUSR1, the node's clock jumps by the number of seconds in FILE. This clock interpolates between
samples of Redis's clock. With `--broken`, the node acknowledges before it appends. An absent host
is replaced after `--absence`, and an absent member loses the seat after three times as long. In a
waiting quick match the seat is lost after half of `--absence`, and the pace bot joins after
`--absence`. Spectators see a round `--watch-delay` later. A room's journal gets a checkpoint each
`--checkpoint-every` entries; the dropped entries are copied for the checker.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import time
from pathlib import Path
from typing import Any

import msgspec

from server.base.core.ids import PlayerId, RoomCode
from server.base.core.refusal import UnavailableError
from server.base.journals.core.entry import Append, GapError, is_checkpoint
from server.base.journals.store import JournalStore
from server.base.redis import clock, embedded
from server.base.work.tasks import run_soon
from server.challenges.challenges import Challenges
from server.challenges.core.challenge import Challenge
from server.challenges.core.events import Terms as ChallengeTerms
from server.cli.main import main as samedeal
from server.rooms import journal as rooms_journal
from server.rooms.core import absence, commands, quick_match
from server.rooms.core.events import Terms
from server.rooms.core.room import Room
from server.rooms.rooms import Rooms
from server.watching import watching as service_watching
from server.watching.core import sight

QUICK_LIMIT = 12_000
"""Milliseconds of a quick match's round, enough for about six moves of the pace bot."""


CHALLENGE_OPEN = 12_000
"""How long a challenge stays open, in milliseconds."""


class JumpingTime:
    """Replaces the module `time` in the clock's module."""

    def __init__(self, jumps: Path) -> None:
        self._jumps = jumps
        self._off = 0.0

    def monotonic(self) -> float:
        """Return the machine's monotonic time in seconds, plus all jumps so far."""
        return time.monotonic() + self._off

    def jump(self, *_: object) -> None:
        """Jump by the number of seconds in the file."""
        self._off += float(self._jumps.read_text())


def shorten_rounds(share: int) -> None:
    create, set_terms = Rooms.create, Rooms.set_terms

    async def shorter(self: Rooms, *given: Any, limit: int, **named: Any) -> Room:
        return await create(self, *given, limit=limit // share, **named)

    async def set_shorter(self: Rooms, code: RoomCode, player: PlayerId, terms: Terms) -> Room:
        shorter_terms = msgspec.structs.replace(terms, limit=terms.limit // share)
        return await set_terms(self, code, player, shorter_terms)

    Rooms.create = shorter  # type: ignore[method-assign]
    Rooms.set_terms = set_shorter  # type: ignore[method-assign]


def shorten_challenges(share: int) -> None:
    """Divide the time limits of challenges by `share`, and close them after `CHALLENGE_OPEN`."""
    create = Challenges.create

    async def shorter(
        self: Challenges, creator: PlayerId, terms: ChallengeTerms, *given: Any, **named: Any
    ) -> Challenge:
        limit = max(1, terms.limit // share)
        short = msgspec.structs.replace(terms, limit=limit, open_for=CHALLENGE_OPEN)
        return await create(self, creator, short, *given, **named)

    Challenges.create = shorter  # type: ignore[method-assign]


def acknowledge_first() -> None:
    append: Any = JournalStore.append

    def at_once(self: JournalStore, entry: Append, *given: Any) -> None:
        append(self, entry, *given[:-1], lambda _: None)
        asyncio.get_running_loop().call_soon(given[-1], self.generation(entry.key))

    JournalStore.append = at_once  # type: ignore[method-assign, assignment]


def keep_dropped() -> None:
    """Copy the entries that a checkpoint drops from a room's journal, for the checker.

    A checkpoint follows exactly these entries or is refused. A later one copies them anew.
    """
    append: Any = JournalStore.append

    async def copy_first(self: JournalStore, entry: Append, *given: Any) -> None:
        try:
            found = await self.read(entry.key)
            pairs = [str(each) for pair in enumerate(found.texts, found.first) for each in pair]
            key = entry.key.replace(":room:", ":dropped:")
            if pairs:
                await self._database.write(key, "HSET", key, *pairs)
        except (UnavailableError, GapError) as error:
            given[-1](UnavailableError(str(error)))
        else:
            append(self, entry, *given)

    def copying(self: JournalStore, entry: Append, *given: Any) -> None:
        if is_checkpoint(entry.payload) and ":room:" in entry.key:
            run_soon(copy_first(self, entry, *given))
        else:
            append(self, entry, *given)

    JournalStore.append = copying  # type: ignore[method-assign, assignment]


def changed() -> list[str]:
    """Apply the arguments to this process, and return the options of `samedeal serve`."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--jumps", type=Path, required=True)
    parser.add_argument("--countdown", type=int, default=commands.COUNTDOWN_MS)
    parser.add_argument("--share", type=int, default=1)
    parser.add_argument("--absence", type=int, default=absence.HOST_ABSENCE_MS)
    parser.add_argument("--watch-delay", type=int, default=sight.WATCH_DELAY_MS)
    parser.add_argument("--checkpoint-every", type=int, default=rooms_journal.CHECKPOINT_EVERY)
    parser.add_argument("--broken", action="store_true")
    given, options = parser.parse_known_args()
    jumping = JumpingTime(given.jumps)
    vars(clock)["time"] = jumping
    signal.signal(signal.SIGUSR1, jumping.jump)
    commands.COUNTDOWN_MS = given.countdown
    absence.HOST_ABSENCE_MS = given.absence
    absence.SEAT_ABSENCE_MS = 3 * given.absence
    vars(service_watching)["WATCH_DELAY_MS"] = given.watch_delay
    absence.QUICK_ABSENCE_MS = given.absence // 2
    quick_match.BOT_AFTER_MS = given.absence
    vars(quick_match)["limit_ms"] = lambda _: QUICK_LIMIT
    rooms_journal.CHECKPOINT_EVERY = given.checkpoint_every
    keep_dropped()
    shorten_rounds(given.share)
    shorten_challenges(given.share)
    if given.broken:
        acknowledge_first()
    # Avoid long pauses between restarts of a repeatedly killed private store.
    vars(embedded)["STABLE_AFTER"] = 0.5
    return options


def main() -> None:
    samedeal(["serve", *changed()])


if __name__ == "__main__":
    main()
elif __name__ == "__mp_main__":  # in a worker, which inherits its supervisor's arguments
    changed()
