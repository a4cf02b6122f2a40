"""Progress: how far the runners of this node have got, told to their rooms now and then."""

from __future__ import annotations

import asyncio

import msgspec
import structlog

from server.core.attempt import Attempt
from server.core.ids import RoomCode
from server.core.ranking import Result
from server.core.refusal import UnavailableError
from server.service import topics
from server.service.effects import Publish
from server.service.store import Store
from server.stop import Stop

EVERY = 0.2
"""Seconds for which moves are gathered: only the latest result of each attempt is told."""

log = structlog.get_logger()


class Progress:
    """Gathers results of attempts in rooms, and tells of them."""

    def __init__(self, store: Store, publish: Publish) -> None:
        self._store = store
        self._publish = publish
        self._news: dict[RoomCode, dict[str, Result]] = {}
        self._any = asyncio.Event()

    def note(self, attempt: Attempt) -> None:
        """Note that an attempt got further."""
        if attempt.start.room is not None and attempt.seq > 1:
            self._news.setdefault(attempt.start.room, {})[attempt.id] = attempt.result
            self._any.set()

    async def run(self, stop: Stop) -> None:
        """Tell of what was noted, until told to stop."""
        while not stop.told:
            await stop.or_wait(self._any.wait())
            await stop.or_wait(asyncio.sleep(EVERY))
            self._any.clear()
            news, self._news = self._news, {}
            for code, results in news.items():
                try:
                    await self._tell(code, results)
                except UnavailableError as error:
                    # The next move tells it again, and the result comes from the journal.
                    log.warning("progress_lost", room=code, error=str(error))

    async def _tell(self, code: RoomCode, results: dict[str, Result]) -> None:
        texts = {id_: msgspec.json.encode(result).decode() for id_, result in results.items()}
        await self._store.rooms.set_progress(code, texts)
        await self._publish(topics.progress(code))
