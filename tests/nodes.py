"""Nodes without a gateway: services on a real Redis, with a clock set by the test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from redis.asyncio import RedisCluster

from engine.ruleset import Move
from server.base.core.ids import AttemptId, PlayerId, RoomCode
from server.base.redis.bus import Bus
from server.base.redis.connection import connect
from server.base.work.background import Background
from server.base.work.clock import Clock
from server.base.work.metrics import Metrics
from server.base.work.stop import Stop
from server.foundation import Setup
from server.notifications.push_key import make_push_key, read_push_key
from server.play.answers import Played, Snapshot
from server.play.core.attempt import Attempt
from server.play.core.bus import Ended
from server.players.identity import Identified
from server.rooms.core import commands
from server.rooms.core.commands import COUNTDOWN_MS
from server.rooms.core.room import Room, Round
from server.settings import Settings
from server.wings import services_of
from tests.base.redis.servers import running
from tests.builders import LIMIT, START, homewards
from tests.conftest import database_on, secret_keys
from tests.redis_users import as_node

BY_HAND = (
    "dailies",
    "finishes",
    "format",
    "keyring",
    "store_memory",
    "sweeper_poll",
    "sweeper_renewal",
    "sweeper_scan",
)
"""Background work that tests of services trigger themselves."""

_FOLDER = TemporaryDirectory(prefix="samedeal")

PUSH_KEY_FILE = Path(_FOLDER.name) / "push"
"""File of the key that identifies the nodes to push services."""

make_push_key(PUSH_KEY_FILE)

PUSH_KEY = read_push_key(PUSH_KEY_FILE, "mailto:ops@example.org")
"""This key."""


class SetClock:
    """A clock that shows the time set last, in Unix milliseconds."""

    def __init__(self, time: int = START) -> None:
        self.time = time

    def now(self) -> int:
        """Return the time that was set."""
        return self.time

    async def sample(self) -> None:
        """Do nothing: the clock is right by definition."""

    async def confirm(self) -> int:
        """Return the time, like a node that samples before it trusts the clock."""
        await self.sample()
        return self.now()


class _Bus(Bus):
    """A bus that records its publications."""

    def __init__(self, node: Node) -> None:
        super().__init__(node.database)
        self._published = node.published

    def publish(self, topic: str, payload: bytes = b"") -> None:
        """Publish, and record it."""
        self._published.append((topic, payload))
        super().publish(topic, payload)


class Node:
    """The services of one node, recording its publications. It receives messages only in `run`.

    It has a node's rights; its `redis`, for tests, has all rights.
    """

    def __init__(self, url: str, clock: Clock, daily_games: Sequence[str] = ()) -> None:
        self._clock = clock
        self.redis = connect(url)
        self.database = database_on(connect(as_node(url)))
        self.published: list[tuple[str, bytes]] = []
        self.bus = _Bus(self)
        self.background = Background()
        settings = Settings(
            local_posts=True,
            webhooks=True,
            public_url="https://play.example.org",
            push_key_file=PUSH_KEY_FILE,
            push_contact=PUSH_KEY.contact,
            daily_games=tuple(daily_games),
        )
        self.services = services_of(
            Setup(
                *(self.database, secret_keys(), clock, self.bus, Metrics(), self.background),
                settings=settings,
            )
        )
        self.registration = self.services.registration
        self.bus.run_in(self.background)
        self.by_hand = {name: self.background.loops.pop(name) for name in BY_HAND}
        self.ended: list[Ended] = []
        self.services.mirrors.ended.subscribe(self.ended.append)
        self.attempts = self.services.attempts
        self.rooms = self.services.rooms
        self.dailies = self.services.dailies
        self.outbox = self.services.outbox
        self.sweeper = self.services.sweeper

    @property
    def clock(self) -> SetClock:
        """The clock, if it is set by the test."""
        assert isinstance(self._clock, SetClock)
        return self._clock

    async def run(self, stop: Stop) -> None:
        """Receive bus messages and keep live rooms current, until `stop` is set."""
        self.background.start()
        await stop.wait()
        await self.background.close()
        self.background.raise_failure()

    async def run_all(self, stop: Stop) -> None:
        """Run all of a node's work until `stop` is set."""
        self.background.loops |= self.by_hand
        await self.run(stop)
        await self.services.close()

    async def keys(self, pattern: str = "*") -> list[str]:
        """Return all keys that match a pattern."""
        all_primaries = {"target_nodes": RedisCluster.PRIMARIES}
        options = all_primaries if isinstance(self.redis, RedisCluster) else {}
        found: Any = await self.redis.keys(pattern, **options)
        return list(found)

    async def identify(self, token: str | None = None, name: str | None = None) -> Identified:
        """Identify a player or a new guest as `Hello` does, but without a session."""
        identity, players = self.services.identity, self.services.player_store
        claim, now = await identity.claim(token, name), self.services.clock.now()
        recorded = None
        if claim.name is not None:
            recorded = await players.update(claim.player, claim.name, claim.epoch, now)
        return await identity.identify(claim, recorded)

    async def sweep(self) -> None:
        """Scan all partitions once, and handle everything due."""
        await self.dailies.draw_ahead()
        await self.sweeper.renew()
        for known in self.sweeper._partitions.values():
            known.scanned = 0
        await self.sweeper.scan()
        await self.sweeper.poll()
        await self.sweeper._urgent.finish()
        await self.sweeper._dailies.finish()

    async def apply_effects(self) -> None:
        """Apply the effects of attempts that ended on this node, like a running node."""
        await self.outbox.flush()

    async def state_of(self, attempt: AttemptId) -> Attempt:
        """Return the current state of an attempt, which must exist."""
        found = await self.attempts.find(attempt)
        assert found is not None
        return found

    async def play(self, attempt: AttemptId, player: PlayerId) -> Played:
        """Play the move chosen by `homewards`."""
        state = await self.state_of(attempt)
        answer = await self._play(attempt, player, state.seq + 1, _homewards(state))
        assert isinstance(answer, Played)
        return answer

    async def move(self, attempt: AttemptId, player: PlayerId, seq: int, move: Move) -> Played:
        """Play a move as entry `seq`."""
        answer = await self._play(attempt, player, seq, move)
        assert isinstance(answer, Played)
        return answer

    async def play_out(self, attempt: AttemptId, player: PlayerId) -> Attempt:
        """Play until the attempt ends, and return it.

        It may be found stuck between two moves; then the second is not played.
        """
        while (state := await self.state_of(attempt)).end is None:
            await self._play(attempt, player, state.seq + 1, _homewards(state))
        return state

    async def _play(
        self, attempt: AttemptId, player: PlayerId, seq: int, move: Move
    ) -> Played | Snapshot:
        numbers = (await self.state_of(attempt)).board.ruleset.numbers_of(move)
        done: asyncio.Future[Played | Snapshot | Exception] = asyncio.Future()
        self.attempts.play_soon(attempt, player, seq, numbers, done.set_result)
        answer = await done
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def room_of(self, *players: PlayerId, seats: int = 8, game: str = "lady-betty") -> Room:
        """Open a room with these players in it; the first is its host."""
        host, *others = players
        room = await self.rooms.create(
            host, game, "standard", seats=seats, limit=LIMIT, creation=f"{game} by {host}"
        )
        for player in others:
            await self.rooms.decide(room.opened.code, commands.take_seat, player)
        return await self.rooms.load(room.opened.code)

    async def race_of(self, *players: PlayerId, game: str = "lady-betty") -> tuple[Room, RoomCode]:
        """Open a room, start a round of these players, and return the room and its code."""
        code = (await self.room_of(*players, game=game)).opened.code
        return await self.rooms.start(code, players[0], players), code

    async def rematch(self, code: RoomCode, *players: PlayerId) -> Room:
        """Start another round: the other players agree, then the first starts it."""
        for player in players[1:]:
            await self.rooms.decide(code, commands.set_ready, player, True)
        return await self.rooms.start(code, players[0], players)


@asynccontextmanager
async def node_on(url: str, clock: Clock, daily_games: Sequence[str] = ()) -> AsyncIterator[Node]:
    """Run a node on a Redis, with its own connections, until the block is left."""
    node = Node(url, clock, daily_games)
    try:
        yield node
    finally:
        await node.services.close()
        await node.database.close()
        await node.redis.aclose()


def _homewards(state: Attempt) -> Move:
    move = homewards(state.board)
    assert move is not None
    return move


def round_of(room: Room) -> Round:
    """Return the last round of a room that has had one."""
    assert room.round is not None
    return room.round


def attempt_of(room: Room, player: PlayerId) -> AttemptId:
    """Return the id of a runner's attempt."""
    return round_of(room).attempt(player)


BEGUN = START + COUNTDOWN_MS
"""End of the countdown of a round started at `START`, in Unix milliseconds."""

OVER = BEGUN + LIMIT
"""The deadline of such a round."""


@asynccontextmanager
async def running_together(*nodes: Node) -> AsyncIterator[None]:
    """Run nodes in the block that know each other as alive."""
    for one, another in permutations(nodes, 2):
        one.registration.note_alive(another.registration.id)
    async with AsyncExitStack() as stack:
        for each in nodes:
            await stack.enter_async_context(running(each.run))
        yield
