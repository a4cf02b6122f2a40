"""Players whose sessions are connected directly to a node's hub, without sockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count
from typing import Any

from server.base.core.ids import PlayerId
from server.base.net.budgets import Budgets
from server.base.net.load import Load
from server.base.wire.session import Session as NodeSession
from server.base.work.metrics import Metrics
from server.handlers import handlers_of
from tests.base.redis.servers import running
from tests.clients.play import KEY, room_of
from tests.clients.session import Session
from tests.nodes import Node
from tests.processes import PATIENCE
from tests.wire import Message

__all__ = ["KEY", "HubNode", "Seat", "hubs_on", "room_of"]

_ids = count(1)


class Seat(Session):
    """A player with a session on the node, and the frames sent by it.

    Attributes:
        frames: all frames, in order.
        news: the unsolicited events among them.
        behind: whether the client counts as too slow to be sent changes.
        code: the close code, once the session has been closed.
    """

    def __init__(self, node: HubNode, address: str = "") -> None:
        super().__init__(self._keep)
        self.frames: list[bytes] = []
        self.news: list[Message] = []
        self.behind = False
        self.code: int | None = None
        self.session = NodeSession(
            f"session {next(_ids)}",
            self,
            node.handlers,
            Metrics(),
            address=address,
            budgets=node.budgets,
        )
        self._hub = node.hub
        self._came = asyncio.Event()

    @property
    def player(self) -> PlayerId:
        """The player's id; the player must be known."""
        assert self.session.player is not None
        return self.session.player

    def transmit(self, frame: bytes) -> None:
        """Pass a frame to the node."""
        self.session.receive(frame)

    async def next(self, type_: str, test: Callable[[Message], bool] = lambda _: True) -> Message:
        """Wait for news of a type that passes a test, and return it."""
        async with asyncio.timeout(PATIENCE):
            while True:
                for event in self.news:
                    if event["type"] == type_ and test(event):
                        return event
                self._came.clear()
                await self._came.wait()

    async def told(self, begin: int) -> None:
        """Wait until there are more than `begin` frames."""
        if len(self.frames) > begin:
            return
        async with asyncio.timeout(PATIENCE):
            while len(self.frames) <= begin:
                self._came.clear()
                await self._came.wait()

    def received(self, type_: str) -> list[Message]:
        """Return all news of a type."""
        return [event for event in self.news if event["type"] == type_]

    def leave(self) -> None:
        """End the connection, as seen by the hub."""
        self._hub.remove_session(self.session)

    # The session's `Wire`

    def send(self, frame: bytes, _key: Hashable = None) -> None:
        """Record a frame, and deliver its event."""
        self.frames.append(frame)
        self.receive(frame)

    def _keep(self, event: Message) -> None:
        if event.get("re") not in self._answers:
            self.news.append(event)
            self._came.set()

    def is_full(self) -> bool:
        """Return `False`: nothing large is sent."""
        return False

    def is_behind(self) -> bool:
        """Return whether the client is too slow."""
        return self.behind

    def in_turn(self, begin: Callable[[], None], _cost: float) -> None:
        """Begin immediately."""
        begin()

    def hold(self) -> None:
        """Do nothing: commands are not queued here."""

    def release(self) -> None:
        """Do nothing."""

    def close(self, code: int) -> None:
        """Record the close code."""
        self.code = code
        self._came.set()


class HubNode:
    """A node with a hub, where tests open sessions."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.budgets = Budgets()
        self.services = node.services
        self.hub = self.services.hub
        self.handlers = handlers_of(self.services, Load(lambda: 0.0))

    async def seat(self, token: str | None = None, **fields: Any) -> Seat:
        """Open a session, and say hello."""
        seat = Seat(self)
        await seat.hello(token=token, **fields)
        return seat


@asynccontextmanager
async def hubs_on(*nodes: Node) -> AsyncIterator[list[HubNode]]:
    """Run a hub on each node, until the block is left."""
    hubs = [HubNode(node) for node in nodes]
    for node in nodes:
        for other in nodes:
            node.registration.note_alive(other.registration.id)
    async with AsyncExitStack() as stack:
        for each in hubs:
            stack.push_async_callback(each.services.room_feeds.close)
            await stack.enter_async_context(running(each.node.run))
        yield hubs
