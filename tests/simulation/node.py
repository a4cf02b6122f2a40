"""A node: the real services and handlers, without sockets, on a simulated store."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec

from engine.board import Board
from engine.notation import move_text
from engine.solver import search
from server.core.ids import PlayerId, RoomCode
from server.core.race import Room
from server.core.refusal import Refusal, UnavailableError
from server.gateway.handlers import Handlers
from server.gateway.hub import Hub
from server.gateway.messages import AnyCommand, AnyEvent, Refused
from server.gateway.session import Session
from server.service import topics
from server.service.searcher import Answer, Searcher
from server.service.services import Services
from server.stop import Stop
from tests.faults.ledger import Message
from tests.simulation.link import Link
from tests.simulation.stores import SimulatedClock, store_on
from tests.simulation.world import World

START_AGAIN = 0.2
"""Seconds after which a node that does not find the store tries again to start."""

SEARCH_LASTS = 0.05
"""Seconds of a search."""

FAR = 10**9
"""A day that no deals have to be drawn ahead for."""

Reply = Callable[[Message], None]


class SimulatedSession(Session):
    """A player's session without a socket; `told` is called when there may be news for it."""

    def __init__(self, name: str, player: PlayerId, told: Callable[[], None]) -> None:
        self.id = name
        self.player = player
        self.room = None
        self.attempt = None
        self.watched = None
        self.hint = told
        self.waiting: deque[tuple[AnyCommand, Reply]] = deque()
        self.busy = False


class Ears(Hub):
    """Knows which room a session hears of."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def enter_room(self, session: Session, player: PlayerId, room: Room) -> None:
        """Let a session hear of a room."""
        session.room = room.opened.code

    def watch_room(self, session: Session, code: RoomCode | None) -> None:
        """Let a session hear of a room, or of none."""
        session.room = code

    def watch_leaderboard(self, session: Session, watched: tuple[str, int] | None) -> None:
        """Let a session hear of a leaderboard, or of none."""
        session.watched = watched


class InlineSearcher(Searcher):
    """Searches where it is, instead of in a process beside it."""

    async def ask(self, board: Board) -> Answer:
        """Search a board."""
        await asyncio.sleep(SEARCH_LASTS)
        found = search(board)
        return Answer(found.hope, tuple(move_text(board.ruleset, move) for move in found.way))


class Node:
    """One life of one node.

    Attributes:
        up: whether it takes commands.
    """

    def __init__(
        self, world: World, name: str, publish: Callable[[str], None], *, dailies: bool
    ) -> None:
        self.world = world
        self.name = name
        self.link = Link(world, name)
        self.up = False
        self._store = store_on(self.link)
        self._wake_all = publish
        self.services = Services(self._store, self._publish)
        self.services._searches._searcher = InlineSearcher()
        if not dailies:
            self.services.dailies._drawn_until = FAR
        self._handlers = Handlers(self.services, Ears(self.services))
        self._stop = Stop()
        self._sessions: dict[tuple[PlayerId, int], SimulatedSession] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Start it; it is up when it has found the store."""
        self.do(self._run())

    async def _run(self) -> None:
        while True:
            try:
                await self._store.clock.sample()
                await self.services.prepare()
            except UnavailableError:
                await asyncio.sleep(START_AGAIN)
            else:
                break
        self.up = True
        self.world.note(self.name, "up")
        await asyncio.gather(self.services.run(self._stop), self._store.clock.run(self._stop))
        await self.services.close()
        self.world.note(self.name, "ended")

    def kill(self) -> None:
        """Let it never do anything again."""
        self.up = False
        self.link.alive = False

    def end(self) -> None:
        """Let it end in good order."""
        self.up = False
        self._stop.tell()

    def jump(self, seconds: float) -> None:
        """Let its clock jump."""
        clock = self._store.clock
        assert isinstance(clock, SimulatedClock)
        clock.jump(seconds)

    async def _publish(self, topic: str) -> None:
        await self.link.call("publish", lambda: self._wake_all(topic), topic)

    def wake(self, topic: str) -> None:
        """Let the sessions that hear of a topic know that there is news."""
        for session in self._sessions.values():
            heard = {topics.ended(session.player)} if session.player is not None else set()
            if session.room is not None:
                heard.add(topics.room(session.room))
            if topic in heard:
                session.hint()

    def take(
        self,
        player: PlayerId,
        device: int,
        command: AnyCommand,
        reply: Reply,
        told: Callable[[], None],
    ) -> None:
        """Carry a command out when those before it in the session have been."""
        session = self._sessions.get((player, device))
        if session is None:
            session = SimulatedSession(f"{player}/{device}", player, told)
            self._sessions[player, device] = session
        session.waiting.append((command, reply))
        if not session.busy:
            session.busy = True
            self.do(self._serve(session))

    async def _serve(self, session: SimulatedSession) -> None:
        while session.waiting:
            command, reply = session.waiting.popleft()
            event = await self._carry_out(session, command)
            if self.link.alive:
                # The types of events differ in what this function needs not know.
                answered: Any = event
                reply(msgspec.to_builtins(msgspec.structs.replace(answered, re=command.id)))
        session.busy = False

    async def _carry_out(self, session: Session, command: AnyCommand) -> AnyEvent:
        """Return the answer to a command, as a session makes it."""
        try:
            return await self._handlers.answer(session, command)
        except Refusal as refusal:
            return Refused(code=refusal.code, text=refusal.text)
        except UnavailableError:
            return Refused(code="unavailable", text="")
        except Exception as error:
            self.world.complain("broken", self.name, f"{command}: {error!r}")
            return Refused(code="internal", text="")

    def do(self, work: Coroutine[Any, Any, None]) -> None:
        """Let it do something."""
        task = self.world.loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.world.complain("broken", self.name, repr(error))
