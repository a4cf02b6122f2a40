"""Effects: what must happen once after an attempt is over, and the sweeper that sees to it.

A finish stands in the outbox from the instant of the attempt's last entry until its effects are
done. Each effect changes nothing when it is applied again, so any node may do it at any time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

import msgspec
import structlog

from server.core.ids import AttemptId, RoomCode
from server.core.ranking import packed
from server.core.refusal import UnavailableError
from server.service.attempts import Attempts, Finish
from server.service.dailies import Dailies
from server.service.leaderboards import Leaderboards
from server.service.rooms import Rooms
from server.service.store import Store
from server.stop import Stop

SWEEP_EVERY = 1.0
"""Seconds between two sweeps."""

MOST_FAILURES = 5
"""How much of one sweep the store may leave unanswered before the rest waits for the next."""

log = structlog.get_logger()


class Effects:
    """Applies finishes, of this node at once and of any node by sweeping."""

    def __init__(
        self,
        store: Store,
        attempts: Attempts,
        rooms: Rooms,
        dailies: Dailies,
        leaderboards: Leaderboards,
    ) -> None:
        self._store = store
        self._attempts = attempts
        self._rooms = rooms
        self._dailies = dailies
        self._leaderboards = leaderboards

    async def run(self, stop: Stop) -> None:
        """Apply this node's finishes as they come, until told to stop."""
        while (finish := await stop.or_wait(self._attempts.finishes.get())) is not None:
            await self._by_itself(finish.attempt, self.apply(finish))

    async def apply(self, finish: Finish) -> None:
        """Do everything that follows from a finish, and take it out of the outbox.

        Raises:
            UnavailableError: the store does not answer; the sweeper will try again.
        """
        if finish.day is not None:
            score = packed(finish.result)
            await self._leaderboards.enter(finish.game, finish.day, finish.player, score)
        if finish.room is not None:
            await self._rooms.finish(finish.room, finish.deal, finish.player, finish.result)
        await self._store.outboxes.drop_effect(finish.attempt)

    async def sweep_forever(self, stop: Stop) -> None:
        """Sweep again and again, until told to stop."""
        while not stop.told:
            try:
                await self.sweep()
            except UnavailableError as error:
                log.warning("sweep_failed", error=str(error))
            except Exception:
                log.exception("sweep_broken")
            await stop.or_wait(asyncio.sleep(SWEEP_EVERY))

    async def sweep(self) -> None:
        """Do what has fallen due, and what nodes have left undone.

        Raises:
            UnavailableError: the store does not answer.
        """
        await self._dailies.draw_ahead()
        failures = 0
        for member, time in await self._store.outboxes.due(self._store.clock.now()):
            failures += not await self._by_itself(member, self._pass_deadline(member, time))
            if failures >= MOST_FAILURES:
                return
        for field, text in await self._store.outboxes.effects():
            failures += not await self._by_itself(field, self._apply_text(text))
            if failures >= MOST_FAILURES:
                return

    @staticmethod
    async def _by_itself(name: str, work: Awaitable[None]) -> bool:
        """Do one thing of many, and return whether it is done; if not, the others are tried."""
        try:
            await work
        except UnavailableError as error:
            # A part of the store may be away while the rest is there.
            log.warning("effect_waits", name=name, error=str(error))
            return False
        except Exception:
            log.exception("effect_broken", name=name)
        return True

    async def _apply_text(self, text: str) -> None:
        await self.apply(msgspec.json.decode(text, type=Finish))

    async def _pass_deadline(self, member: str, time: int) -> None:
        kind, _, name = member.partition(":")
        if kind == "r":
            over = await self._rooms.pass_deadline(RoomCode(name))
        else:
            attempt = await self._attempts.find(AttemptId(name))
            over = attempt is None or attempt.end is not None
        if over:
            await self._store.outboxes.drop_due(name, member, time)
