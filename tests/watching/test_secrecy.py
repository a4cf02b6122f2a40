"""No player of a deal is sent cards that another player has seen, whatever they try.

Players race, watch, reconnect and try to watch on two nodes, in an order determined by a seed. Each
frame sent to their sessions is recorded with its time, and checked against the journals.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import pytest

from engine.moves import legal_moves
from engine.notation import move_text
from server.base.core.ids import AttemptId, DealId, PlayerId, RoomCode, attempt_id
from server.base.journals import store as journals_store
from server.base.net import limits
from server.rooms import progress
from server.watching import feed as module
from server.watching import watching as service
from tests.base.redis.servers import until
from tests.clients.seats import KEY, HubNode, Seat, hubs_on
from tests.conftest import ALONE
from tests.nodes import SetClock, node_on
from tests.sizes import SAMPLED, cases
from tests.wire import Message

pytestmark = [ALONE, pytest.mark.usefixtures("short_countdown")]

DELAY = 30
"""Milliseconds by the test's clock."""

STEPS = 60
"""The number of random steps per round."""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Accept entries at the time that a test sets, and shorten all waits."""
    monkeypatch.setattr(limits, "PLAYER_COMMANDS", limits.Rate(1_000, 10_000))
    monkeypatch.setattr(journals_store, "CLOCK_TOLERANCE_MS", 10**15)
    monkeypatch.setattr(progress, "EVERY", 0.005)
    monkeypatch.setattr(service, "WATCH_DELAY_MS", DELAY)
    monkeypatch.setattr(module, "CATCH_UP_EVERY", 0.01)


@dataclass(slots=True)
class Sent:
    """An event with the state at the time when it was sent.

    Attributes:
        running: the deals that its recipient was playing.
        over: the deals without a running attempt.
    """

    player: PlayerId
    event: Message
    at: int
    running: frozenset[DealId]
    over: frozenset[DealId]


@dataclass(slots=True)
class Race:
    """The sent events, and the facts to check them against.

    Attributes:
        runners: the players of each deal.
        rounds: the deal of each round, by number.
        done: the attempts that were about to end, or had ended.
        times: when each entry was appended, by attempt and number.
        public: the deals with hidden boards.
    """

    clock: SetClock
    runners: dict[DealId, list[PlayerId]] = field(default_factory=dict)
    rounds: dict[int, DealId] = field(default_factory=dict)
    done: set[AttemptId] = field(default_factory=set)
    times: dict[tuple[AttemptId, int], int] = field(default_factory=dict)
    public: set[DealId] = field(default_factory=set)
    sent: list[Sent] = field(default_factory=list)

    def keep(self, player: PlayerId, event: Message) -> None:
        """Record an event sent to a player's session."""
        running, over = set(), set()
        for deal, players in self.runners.items():
            left = [each for each in players if attempt_id(deal, each) not in self.done]
            if player in left:
                running.add(deal)
            if not left:
                over.add(deal)
        self.sent.append(Sent(player, event, self.clock.time, frozenset(running), frozenset(over)))

    def boards(self) -> list[tuple[Sent, DealId, PlayerId, int]]:
        """Return (event, deal, runner, last entry) of all boards sent to watchers."""
        found: list[tuple[Sent, DealId, PlayerId, int]] = []
        for sent in self.sent:
            event = sent.event
            deal = self.rounds.get(event.get("round", 0)) if "Watched" in event["type"] else None
            if deal is None:
                continue
            if event["type"] == "WatchedMove":
                found.append((sent, deal, self.runners[deal][event["board"]], event["seq"]))
            found += [
                (sent, deal, PlayerId(board["player"]), board["seq"])
                for board in event.get("boards", [])
                if board["seq"] > 0
            ]
        return found

    def check(self) -> int:
        """Check that no player was sent a forbidden board; return the number of boards sent."""
        boards = self.boards()
        for sent, deal, runner, seq in boards:
            assert deal not in sent.running, f"{sent.player} plays {deal}: {sent.event}"
            attempt = attempt_id(deal, runner)
            shown = self.times[attempt, seq] + (0 if sent.player in self.runners[deal] else DELAY)
            assert sent.at >= shown, f"{shown - sent.at} ms early: {sent.event}"
            assert deal in sent.over or deal not in self.public, f"hidden: {sent.event}"
        for sent in self.sent:
            # All other events with cards must be about the recipient's own attempt.
            if "attempt" in sent.event:
                assert sent.event["attempt"].endswith(sent.player)
        return len(boards)


class Recorded(Seat):
    """A seat with recorded events."""

    def __init__(self, node: HubNode, race: Race) -> None:
        super().__init__(node)
        self._race = race
        self.token = ""

    def send(self, frame: bytes, _key: Hashable = None) -> None:
        """Record a frame and its event."""
        before = len(self.news)
        answers = dict(self._answers)
        super().send(frame, _key)
        events = self.news[before:]
        events += [each.result() for each in answers.values() if each.done()]
        if self.session.player is not None:
            for event in events:
                self._race.keep(self.session.player, event)


class Player:
    """A player with a session on each node, which may reconnect."""

    def __init__(self, hubs: list[HubNode], race: Race) -> None:
        self._hubs = hubs
        self._race = race
        self._token: str | None = None
        self.seats: list[Recorded] = []

    async def open(self) -> None:
        """Open a session on each node."""
        for hub in self._hubs:
            self.seats.append(await self._opened(hub))

    async def _opened(self, hub: HubNode) -> Recorded:
        seat = Recorded(hub, self._race)
        self._token = (await seat.hello(token=self._token))["token"]
        return seat

    @property
    def id(self) -> PlayerId:
        """The player's id."""
        return self.seats[0].player

    async def reconnect(self, number: int, code: RoomCode, *, member: bool) -> None:
        """Drop a session, and open another one on the same node."""
        self.seats[number].leave()
        self.seats[number] = await self._opened(self._hubs[number])
        if member:
            await self.seats[number].ask("room.join", code=code)


class Scenario:
    """Three players with seats, one of them sitting out, and one player with the key."""

    def __init__(self, hubs: list[HubNode], clock: SetClock, rng: random.Random) -> None:
        self.hubs = hubs
        self.clock = clock
        self.rng = rng
        self.race = Race(clock)
        self.players = [Player(hubs, self.race) for _ in range(4)]
        self.code = RoomCode("")
        self.key = ""

    async def open(self) -> None:
        """Open a room with three of the players in it."""
        for player in self.players:
            await player.open()
        host = self.players[0].seats[0]
        wanted = {"game": "robert", "seats": 4, "limit": 600, "key": KEY}
        self.code = RoomCode((await host.ask("room.create", **wanted))["code"])
        self.key = (await host.ask("GetWatchKey", code=self.code))["key"]
        for player in self.players[:3]:
            for seat in player.seats:
                await seat.ask("room.join", code=self.code)

    async def play(self, number: int, out: int, *, public: bool) -> None:
        """Play a round that one player sits out, to its end."""
        for player in self.players[:3]:
            ready = player is not self.players[out]
            await player.seats[0].ask("room.ready", code=self.code, ready=ready)
        host = self.players[0].seats[0]
        await host.ask("room.public", code=self.code, public=public)
        room = await host.ask("room.start", code=self.code, anyway=True)
        deal = DealId(room["round"]["deal"])
        runners = [PlayerId(each["player"]["id"]) for each in room["round"]["runners"]]
        self.race.rounds[number], self.race.runners[deal] = deal, runners
        if public:
            self.race.public.add(deal)
        for runner in runners:
            self.race.times[attempt_id(deal, runner), 1] = room["round"]["starts"]
        await self.some(STEPS // 4, deal)
        self.clock.time = max(self.clock.time, room["round"]["starts"])
        for hub in self.hubs:
            hub.node.services.live.changed.emit(self.code)
        await self.some(STEPS, deal)
        while self.running(deal):
            await self.end(deal)
            await self.some(STEPS // 4, deal)
        self.clock.time += 2 * DELAY
        await self.some(STEPS // 4, deal)

    def running(self, deal: DealId) -> list[Player]:
        """Return the players with running attempts at a deal."""
        runners = self.race.runners[deal]
        return [
            player
            for player in self.players
            if player.id in runners and attempt_id(deal, player.id) not in self.race.done
        ]

    async def some(self, steps: int, deal: DealId) -> None:
        """Try random actions."""
        for _ in range(steps):
            match self.rng.randrange(10):
                case 0 | 1 | 2 | 3:
                    await self.move(deal)
                case 4 | 5 | 6:
                    await self.watch()
                case 7:
                    player = self.rng.choice(self.players)
                    await self.rng.choice(player.seats).ask("StopWatching")
                case 8:
                    player = self.rng.choice(self.players)
                    member = player is not self.players[3]
                    await player.reconnect(self.rng.randrange(2), self.code, member=member)
                case _:
                    self.clock.time += self.rng.randrange(DELAY)
            await asyncio.sleep(self.rng.choice((0, 0, 0.002)))

    async def watch(self) -> None:
        """Try to watch, with or without the key."""
        player = self.rng.choice(self.players)
        key = self.rng.choice((None, self.key))
        await self.rng.choice(player.seats).ask("WatchRound", code=self.code, key=key)

    async def move(self, deal: DealId) -> None:
        """Make a runner move on one of the sessions."""
        running = self.running(deal)
        if not running:
            return
        player = self.rng.choice(running)
        attempt = attempt_id(deal, player.id)
        seat = self.rng.choice(player.seats)
        if (await seat.ask("attempt.open", attempt=attempt))["type"] == "refused":
            return
        state = await seat_node(seat, self.hubs, player).attempts.find(attempt)
        assert state is not None
        moves = legal_moves(state.board)
        if state.end is not None or not moves:
            self.race.done.add(attempt)
            return
        move = move_text(state.board.ruleset, self.rng.choice(moves))
        self.race.times[attempt, state.seq + 1] = self.clock.time
        await seat.ask("move", attempt=attempt, seq=state.seq + 1, move=move)

    async def end(self, deal: DealId) -> None:
        """Make a runner resign, and wait until the room has the result."""
        player = self.rng.choice(self.running(deal))
        attempt = attempt_id(deal, player.id)
        node = self.hubs[0].node
        state = await node.attempts.find(attempt)
        assert state is not None
        self.race.done.add(attempt)
        self.race.times[attempt, state.seq + 1] = self.clock.time
        await node.attempts.give_up(attempt)
        for hub in self.hubs:
            await hub.node.apply_effects()

        async def known() -> bool:
            rooms = [hub.node.services.live.known(self.code) for hub in self.hubs]
            rounds = [live.room.round for live in rooms if live is not None]
            return all(each is not None and player.id in each.results for each in rounds)

        await until(known)


def seat_node(seat: Recorded, hubs: list[HubNode], player: Player) -> Any:
    return hubs[player.seats.index(seat)].node


@SAMPLED
@pytest.mark.parametrize("seed", range(cases(1, 4)))
async def test_no_player_is_sent_a_forbidden_board(redis_url: str, seed: int) -> None:
    clock = SetClock()
    async with (
        node_on(redis_url, clock) as one,
        node_on(redis_url, clock) as two,
        hubs_on(one, two) as hubs,
    ):
        scenario = Scenario(hubs, clock, random.Random(seed))
        race = scenario.race
        await scenario.open()
        for number, out in enumerate((2, 0, 1), 1):
            await scenario.play(number, out, public=number == 2)
        seen = {(deal, sent.player) for sent, deal, _, _ in race.boards()}
        assert race.check() > 20
        # Each round was seen by a finished runner, and by the player with the key.
        assert {deal for deal, _ in seen} == set(race.runners)
        assert any(player == scenario.players[3].id for _, player in seen)
