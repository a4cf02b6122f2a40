"""A node: the server without its sockets, connected to the simulated Redis."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from itertools import count
from typing import Any

from engine.board import Board
from engine.notation import move_text
from engine.search import MAX_POSITIONS, search
from server.base.core.days import DailyId
from server.base.core.refusal import UnavailableError
from server.base.net.budgets import Budgets
from server.base.net.load import Load
from server.base.redis.bus import Bus
from server.base.redis.clock import RedisClock
from server.base.redis.connection import connect
from server.base.redis.database import Database
from server.base.wire.contracts import Wire
from server.base.wire.session import Session
from server.base.work.background import Background
from server.base.work.metrics import Metrics
from server.deals.store import Deal
from server.foundation import Setup
from server.handlers import handlers_of
from server.play.searcher import Answer
from server.settings import Settings
from server.wings import services_of
from tests.conftest import secret_keys
from tests.simulation.link import Link
from tests.simulation.world import World

START_AGAIN = 0.2
"""Seconds before a node that could not reach the store tries again to start."""

SEARCH_LASTS = 0.05
"""Duration of a search in seconds."""

METRICS = Metrics()
"""Shared by all nodes, since creating metrics takes longer than a race."""


async def _no_dailies(dailies: Sequence[DailyId]) -> list[Deal]:
    """Draw nothing, for a race without dailies, which every starting node would otherwise draw."""
    return []


class InlineSearcher:
    """Searches in this process instead of a subprocess."""

    async def ask(self, board: Board, positions: int = MAX_POSITIONS) -> Answer:
        """Search a board."""
        await asyncio.sleep(SEARCH_LASTS)
        found = search(board, positions)
        return Answer(found.outcome, tuple(move_text(board.ruleset, move) for move in found.line))

    async def close(self) -> None:
        """Do nothing: there is no process."""


class Node:
    """A node from its start until it ends or is killed."""

    def __init__(self, world: World, name: str, *, dailies: bool) -> None:
        self.world = world
        self.name = name
        self.link = Link(world, name)
        self.up = False
        self._database = Database(connect(f"redis://{name}:6379"), 0, METRICS)
        self._jumped = 0.0
        self._clock = RedisClock(self._database, lambda: world.now() / 1000 + self._jumped)
        self._bus = Bus(self._database)
        self._background = Background()
        self._stop = self._background.stop
        self.services = services_of(
            Setup(
                *(self._database, secret_keys(), self._clock, self._bus, Metrics()),
                background=self._background,
                settings=Settings(),
            )
        )
        self._registration = self.services.registration
        self.services.searches._searcher = InlineSearcher()
        if not dailies:
            self.services.deal_store.dailies = _no_dailies  # type: ignore[method-assign]
        self._hub = self.services.hub
        self._handlers = handlers_of(self.services, Load(lambda: 0.0))
        self._budgets = Budgets()
        for each in (self._bus, self._clock, self._registration):
            each.run_in(self._background)
        self._numbers = count(1)
        self._sessions: dict[Session, Callable[[], None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Start it; it is up once it has reached the store."""
        self._do(self._run())

    async def _run(self) -> None:
        stop = self._stop
        while self.link.alive:
            try:
                await self._clock.sample()
                await self.services.prepare()
            except UnavailableError:
                await asyncio.sleep(START_AGAIN)
            else:
                break
        if not self.link.alive:
            return
        self.up = not stop.is_set
        self.world.note(self.name, "up")
        await self._background.run()
        await self.services.close()
        await self._database.close()
        self._forget_charges()
        self.world.note(self.name, "ended")

    def jump(self, seconds: float) -> None:
        """Make its machine's monotonic clock jump."""
        self._jumped += seconds

    def kill(self) -> None:
        """Kill it: none of its later actions has an effect."""
        self.up = False
        self.link.alive = False
        self._forget_charges()
        # Its tasks go on without effect; stopping makes them end soon.
        self._stop.set()
        self._break()

    def add_noted(self, found: dict[str, Counter[int]]) -> None:
        """Add the charges that it has not written yet: bytes by expiry, by address."""
        charged = self.services.quotas
        if self.link.alive:
            for scope, sizes in charged._noted.items():
                found[scope.name].update(sizes)
            # Whether these have been written is unknown.
            self.world.forgotten.update(scope.name for scope in charged._writes._running)

    def _forget_charges(self) -> None:
        """Record the addresses whose latest charges are not written yet."""
        charged = self.services.quotas
        noted = [*charged._noted, *charged._writes._running]
        self.world.forgotten.update(scope.name for scope in noted)

    async def disconnect(self) -> None:
        """Close its connections."""
        await self._database.client.aclose()

    def end(self) -> None:
        """End it as on SIGTERM."""
        self.up = False
        for session in list(self._sessions):
            session.close_for_restart()
        self._hub.close()
        self._stop.set()
        self.world.loop.call_later(1.0, self._break)

    def _break(self) -> None:
        for lose in list(self._sessions.values()):
            lose()

    def open(self, wire: Wire, lose: Callable[[], None], address: str = "") -> Session:
        """Open a session; `lose` is called if the node ends before the connection.

        Without an address, it shares its budgets with no other session.
        """
        budgets = self._budgets if address else None
        session = Session(
            f"{self.name}/{next(self._numbers)}",
            wire,
            self._handlers,
            METRICS,
            address=address,
            budgets=budgets,
        )
        self._sessions[session] = lose
        return session

    def leave(self, session: Session) -> None:
        """Remove a session whose connection has ended."""
        if self._sessions.pop(session, None) is not None and self.link.alive:
            session.cancel_hello_timer()
            self._hub.remove_session(session)

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        task = self.world.loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None and self.link.alive:
            self.world.complain("broken", self.name, repr(error))
