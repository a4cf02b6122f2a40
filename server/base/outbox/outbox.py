"""Effects: what follows once from the end of an attempt or a race, and from a passed deadline.

A finish is written to the outbox atomically with the attempt's last entry (transactional outbox),
and a race with the room's entry that ends it. They are removed when they have been applied. Effects
are idempotent, so any node may apply them at any time: the node that appended the entry does so at
once, and the sweeper applies what a dead node has left.
"""

from __future__ import annotations

import structlog

from engine.catalog import ruleset
from server.accounts.keeping import Keeping
from server.base.core.due import AttemptDue, Due, RoundDue
from server.base.core.ids import RoomCode
from server.base.core.refusal import UnavailableError
from server.base.journals.store import Append
from server.base.outbox import effects
from server.base.outbox.effects import Deleted, Effect, Finish, Kept, RoundOver
from server.base.work.background import Background
from server.base.work.signal import Signal
from server.base.work.worker_pool import WorkerPool
from server.moderation.moderation import Moderation
from server.moderation.suspicions import Suspicions
from server.play.attempts import Attempts
from server.play.core.result import Result
from server.play.core.run import Run
from server.results.core.history import DayResult, points
from server.results.curves import curve_of
from server.results.histories import Histories
from server.rooms.core.room import Room
from server.rooms.races import Races
from server.rooms.rooms import Rooms
from server.stores import Store

CONCURRENCY = 8
"""Finishes and races of this node that are applied concurrently."""

MAX_WAITING = 10_000
"""Those that may wait for it; the sweeper applies others."""

log = structlog.get_logger()


class Effects:
    """Applies effects, and ends what is past its deadline.

    Attributes:
        left: emitted with the name of an effect that could not be applied, and is in the outbox.
    """

    def __init__(
        self,
        store: Store,
        attempts: Attempts,
        rooms: Rooms,
        *,
        histories: Histories,
        races: Races,
        keeping: Keeping,
        moderation: Moderation,
        suspicions: Suspicions,
        background: Background,
    ) -> None:
        self.left: Signal[str] = Signal()
        self._outboxes = store.outboxes
        self._attempts = attempts
        self._rooms = rooms
        self._histories = histories
        self._keeping = keeping
        self._races = races
        self._moderation = moderation
        self._suspicions = suspicions
        self._background = background
        self._waiting: dict[str, Effect] = {}
        self._workers = WorkerPool(
            background, "effects", self._apply_waiting, size=CONCURRENCY, most=MAX_WAITING
        )
        background.forever("finishes", self._take_finish, every=0.0)
        rooms.appended.subscribe(self._room_appended)

    async def _take_finish(self) -> None:
        """Have the next finish or race of this node applied."""
        effect = await self._background.stop.or_wait(self._attempts.finishes.get())
        # If the pool is full, the effect stays in the outbox for the sweeper.
        if effect is not None and self._workers.add(effect.field):
            self._waiting[effect.field] = effect

    def _room_appended(self, _: RoomCode, __: Room, append: Append) -> None:
        """Enqueue what an entry of a room brought along: the end of a race."""
        if append.effect is not None:
            self._attempts.enqueue(effects.decode(append.effect[1]))

    async def flush(self) -> None:
        """Apply the effects that are queued, for a process that does not `run`.

        Raises:
            UnavailableError: the store does not answer; a sweeper applies the others.
        """
        while not self._attempts.finishes.empty():
            await self.apply(self._attempts.finishes.get_nowait())

    async def submit(self, effect: Effect) -> None:
        """Carry out an effect that follows from no journal entry.

        It is written to the outbox first, and applied then. So what was begun is completed by a
        sweeper if this node dies.

        Raises:
            UnavailableError: the store does not answer. It may be applied, now or by a sweeper.
        """
        await self._outboxes.put_effect(effect.field, effects.encode(effect))
        try:
            await self.apply(effect)
        except UnavailableError:
            self.left.emit(effect.field)
            raise

    async def _apply_waiting(self, name: str) -> None:
        """Apply an effect; log a failure, after which the sweeper tries again.

        That counts the failures of each, and sets an effect aside which keeps failing: it is
        stored, so it would take one node after the other out of service.
        """
        effect = self._waiting.pop(name, None)
        if effect is None:
            return
        try:
            await self.apply(effect)
        except UnavailableError as error:
            log.debug("effect_deferred", name=effect.field, error=str(error))
            self.left.emit(effect.field)
        except Exception as error:
            log.warning("effect_failed", name=effect.field, error=type(error).__name__)
            self.left.emit(effect.field)

    async def apply(self, effect: Effect) -> None:
        """Apply an effect, and remove it from the outbox.

        Raises:
            UnavailableError: the store does not answer; the sweeper will try again.
        """
        match effect:
            case Finish():
                await self._finish(effect)
            case Kept():
                await self._suspicions.examine_kept(effect.player, effect.at)
                await self._keeping.keep(effect)
            case Deleted():
                await self._keeping.delete(effect)
            case RoundOver():
                await self._suspicions.note_race(await self._races.apply(effect.race))
            case _:
                await self._moderation.apply(effect)
        await self._outboxes.drop_effect(effect.field)
        log.debug("effect_applied", name=effect.field, kind=type(effect).__name__)

    async def _finish(self, finish: Finish) -> None:
        result = finish.result.restored()
        if finish.room is not None:
            await self._rooms.finish(finish.room, finish.deal, finish.player, result)
        run = await self._attempts.run(finish.attempt)
        if finish.day is not None:
            await self._add_day(finish, finish.day, result, run)
        if run is not None:
            await self._suspicions.examine(run)

    async def _add_day(self, finish: Finish, day: int, result: Result, run: Run | None) -> None:
        assert result.end is not None, "a finish is of an attempt that is over"
        found = DayResult(
            result.home,
            result.left,
            result.time,
            result.moves,
            result.end,
            points(result, ruleset(finish.game).home_at_start),
            ranked=finish.ranked,
        )
        # Only a store that has lost it lacks the run.
        curve = () if run is None else curve_of(run)
        await self._histories.add_day(finish.player, finish.game, day, found, curve)

    async def pass_deadline(self, due: Due, time: int) -> bool:
        """End a round or an attempt whose deadline, `time` in Unix milliseconds, has passed.

        Returns:
            Whether it is over now. If not, the caller's clock was wrong, and the deadline is yet to
            come.

        Raises:
            UnavailableError: the store does not answer; the sweeper will try again.
        """
        match due:
            case RoundDue(room):
                over = await self._rooms.pass_deadline(room)
            case AttemptDue(attempt_id):
                attempt = await self._attempts.find(attempt_id)
                over = attempt is None or attempt.end is not None
        if over:
            await self._outboxes.drop_due(due, time)
        return over
