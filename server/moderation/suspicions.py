"""Examine each run and race once it is over, and list the suspicious ones for operators.

For a daily, after the run's journal is read, an examination takes up to five round trips in the
background, and a read of the most similar run if there is one.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec

from engine.board import Board
from server.base.core.days import DailyId, day_at
from server.base.core.ids import PlayerId, attempt_id, is_bot
from server.base.core.refusal import UnreadableError
from server.dailies.store import StartStore
from server.deals.store import DealStore
from server.moderation.core.likeness import Choice, Likeness, choices_of, compare, marks
from server.moderation.core.suspicion import (
    MIN_WINS,
    Copied,
    Earlier,
    Suspicion,
    earlier_of,
    race_reasons,
    reasons,
)
from server.moderation.suspicions_store import SuspicionStore
from server.play.attempts import Attempts
from server.play.core.finish import Finish
from server.play.core.result import unpack
from server.play.core.run import Run
from server.play.finishes import FinishedRun
from server.results.core import boards
from server.results.core.race_results import Decision
from server.results.daily_sets import DailySets
from server.results.histories_store import HistoryStore

SLICE = 8  # steps between yields to the event loop: up to 8 ms of comparing, or 0.3 ms of replaying
MAX_EARLIER = 8  # earlier attempts at the same address to examine; the latest are taken

T = TypeVar("T")

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Suspicion)


class Suspicions:
    """Examines runs and races, and lists the suspicious ones."""

    def __init__(
        self,
        store: SuspicionStore,
        attempts: Attempts,
        *,
        starts: StartStore,
        deals: DealStore,
        histories: HistoryStore,
        daily_sets: DailySets,
    ) -> None:
        self._store = store
        self._daily_sets = daily_sets
        self._starts = starts
        self._deals = deals
        self._histories = histories
        self._attempts = attempts

    async def examine_finished(self, _: Finish, finished: FinishedRun) -> None:
        """Examine the run of a finished attempt. This is idempotent."""
        run = await finished.load()
        if run is not None:
            await self.examine(run)

    async def examine(self, run: Run, *, kept: bool | None = None) -> None:
        """Examine a finished run, and store the reasons if it is suspicious.

        This is idempotent. `kept` says whether its player has kept an identity by now; `None` reads
        it.
        """
        start = run.start
        if is_bot(start.player):  # they play by the clock
            return
        median_win, copied, earlier = None, None, list[Earlier]()
        tried = list[PlayerId]()
        if start.day is not None:
            daily = DailyId(start.game, start.day)
            if run.end == "won":
                median_win = await self._median_win(daily)
            neighbours = await self._starts.earlier(daily, start.player)
            board = await self._first_board(run)
            if board is not None:
                copied = await self._copied(daily, run, board)
                earlier = await self._earlier(neighbours, run, board)
            if neighbours and not start.ranked:
                if kept is None:
                    (kept,) = await self._histories.kept([start.player])
                tried = neighbours if kept else []
        found = reasons(run, median_win, copied, earlier, tried)
        if found:
            attempt, at = attempt_id(start.deal, start.player), start.at + run.ended
            suspicion = Suspicion(attempt, start.player, start.game, start.day, at, found)
            await self._add(attempt, suspicion)

    async def _add(self, name: str, suspicion: Suspicion) -> None:
        await self._store.add(name, suspicion.at, _ENCODER.encode(suspicion).decode())

    async def examine_kept(self, player: PlayerId, at: int) -> None:
        """Examine again a player's runs of open dailies, when the player keeps an identity.

        This is idempotent, and reads at most two runs of each game. `at` is in Unix milliseconds.
        """
        if (await self._histories.kept([player]))[0]:
            return
        today = day_at(at)
        sets = await self._daily_sets.load()
        wanted = [DailyId(game, day) for day in (today - 1, today) for game in sets.of(day)]
        deals = list((await self._deals.daily_ids(wanted)).values())
        for deal in await self._attempts.started(deals, player):
            run = await self._attempts.run(attempt_id(deal, player))
            if run is not None:
                await self.examine(run, kept=True)

    async def note_race(self, decision: Decision) -> None:
        """Store the reasons why winning a race is suspicious, if it is. This is idempotent."""
        race = decision.race
        for player, found in race_reasons(decision).items():
            attempt = attempt_id(race.deal, player)
            suspicion = Suspicion(attempt, player, race.game, None, race.at, found)
            # Only the latest one of a player and game is listed, with the number of races in its
            # text, so that racing cannot fill the list.
            await self._add(f"races/{race.game}/{player}", suspicion)

    async def _first_board(self, run: Run) -> Board | None:
        """Return the first board of a run's deal; `None` if only a newer release can deal it."""
        try:
            return await self._attempts.first_board(run)
        except UnreadableError:
            # The read has logged it. The run's times can still be examined.
            return None

    async def _median_win(self, daily: DailyId) -> int | None:
        """Return the median winning time of kept identities, or else of guests."""
        for group in ("ranked", "guests"):
            wins, score = await self._store.median_win(boards.of_daily(daily, group))
            if wins >= MIN_WINS:
                return unpack(score)[1]
        return None

    async def _copied(self, daily: DailyId, run: Run, board: Board) -> Copied | None:
        """Return the most similar earlier run of a daily, if any; `board` is the deal's first."""
        choices = await _in_slices(choices_of(run, board))
        if not choices:
            return None
        me = run.start.player
        firsts = await self._store.first(daily, marks(choices), me)
        others = Counter(player for player in firsts if player != me)
        # The player who reached most of the marked boards first.
        for player, _ in others.most_common(1):
            other = await self._attempts.run(attempt_id(run.start.deal, player))
            if other is None:
                continue
            like = await _likeness(choices, await _in_slices(choices_of(other, board)))
            over = other.start.at + other.ended <= run.start.at
            return like and Copied(player, like, over)
        return None

    async def _earlier(
        self, neighbours: Sequence[PlayerId], run: Run, board: Board
    ) -> list[Earlier]:
        """Return the latest of the earlier runs at the same address, given their players."""
        deal = run.start.deal
        wanted = [attempt_id(deal, player) for player in neighbours[-MAX_EARLIER:]]
        found = await self._attempts.find_all(wanted)
        return [earlier_of(each, board, run.start.at) for each in found]

    async def list(self, day: int | None = None) -> list[Suspicion]:
        """Return the suspicious runs, of a day or all, the most suspicious first."""
        # In slices, since the list can reach two megabytes and game nodes serve it, too.
        found = await _in_slices(map(_DECODER.decode, await self._store.list()))
        runs = [each for each in found if day is None or each.day == day]
        return sorted(runs, key=lambda each: (-each.weight, -each.at))


async def _in_slices(steps: Iterable[T]) -> list[T]:
    """Collect an iterable, yielding to the event loop between slices."""
    found = []
    for number, each in enumerate(steps, 1):
        found.append(each)
        if number % SLICE == 0:
            await asyncio.sleep(0)
    return found


async def _likeness(run: list[Choice], other: list[Choice]) -> Likeness | None:
    """Return the likeness of a run to another; `None` if no move is the same."""
    found = await _in_slices(compare(run, other))
    return found[-1] if found else None
