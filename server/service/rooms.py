"""Race rooms: making them, taking seats, starting rounds, and their results."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from engine.catalog import ruleset
from engine.errors import EngineError
from server.core import race
from server.core.attempt import Attempt, End, Started
from server.core.due import RoundDue
from server.core.ids import AttemptId, DealId, PlayerId, RoomCode, is_code, split_attempt_id
from server.core.race import Event, Room, RoomOpened, Round, RoundStarted
from server.core.ranking import Result
from server.core.refusal import Refusal, UnreadableError
from server.service.answers import Snapshot
from server.service.attempts import Attempts
from server.service.replica import Replica
from server.service.replica_cache import ReplicaCache
from server.service.signal import Signal
from server.service.store import Store
from server.service.stored import Reader, rules_of
from server.store import keys
from server.store.journal import Append

_READER: Reader[Event] = Reader(Event)

_NO_DEAL = DealId("")
"""Stands for a deal while it is asked whether one may be drawn."""


class _RoomDefinition:
    """The journal of one room."""

    def __init__(
        self, code: RoomCode, store: Store, appended: Signal[RoomCode, Room, Append]
    ) -> None:
        self._code = code
        self._store = store
        self._appended = appended

    def key(self) -> str:
        return keys.room(self._code)

    def decode(self, text: str) -> Event:
        return _READER.read(text)

    def fold(self, state: Room | None, event: Event) -> Room:
        after = race.fold(state, event)
        if isinstance(event, RoundStarted):
            # Whatever is shown of the round goes by its rules: without them the room is unreadable.
            rules_of(after.opened.game, after.opened.variant, event.rules)
        return after

    def due(self, state: Room, now: int) -> Event | None:
        return None

    def append(self, before: Room | None, after: Room, event: Event, number: int) -> Append:
        due: tuple[RoundDue, int | None] | None = None
        if isinstance(event, RoundStarted):
            due = (RoundDue(self._code), event.deadline)
        elif before is not None and before.running and not after.running:
            due = (RoundDue(self._code), None)
        return Append(
            self.key(),
            number,
            msgspec.json.encode(event).decode(),
            keys.partition(self._code),
            expires=self._store.clock.now() + keys.ROOM_LIFE,
            due=due,
        )

    def appended(self, before: Room | None, after: Room, append: Append) -> None:
        self._appended.emit(self._code, after, append)


class Rooms:
    """All race rooms."""

    def __init__(self, store: Store, attempts: Attempts) -> None:
        self._store = store
        self._attempts = attempts
        self._replicas: ReplicaCache[RoomCode, Room, Event] = ReplicaCache()
        self.appended: Signal[RoomCode, Room, Append] = Signal()
        """Emitted after each entry that this node has appended, with the room after it."""

    async def create(
        self, player: PlayerId, game: str, variant: str, *, seats: int, limit: int, creation: str
    ) -> Room:
        """Open a room and take its first seat; the same creation again finds the same room.

        There are 1 to 8 `seats`; `limit` is the milliseconds of a round; `creation` is the
        client's own random key.

        Raises:
            Refusal: there is no such game or variant.
            UnavailableError: the store does not answer.
        """
        try:
            ruleset(game, variant)
        except EngineError as error:
            raise Refusal.of(error) from error
        while True:
            code = await self._store.rooms.code_for(player, creation)

            def decide(room: Room | None, now: int, code: RoomCode = code) -> Event | None:
                if room is not None:
                    return None
                return RoomOpened(code, player, game, variant, seats, limit, now)

            room = await self._append(code, decide)
            if room.opened.host == player:
                return await self.join(code, player)
            await self._store.rooms.forget_code(player, creation)

    async def find(self, code: RoomCode) -> Room:
        """Return a room as it is now.

        Raises:
            Refusal: there is none with this code.
            UnavailableError: the store does not answer.
        """
        room = await self._replica(code).refresh() if is_code(code) else None
        if room is None:
            raise Refusal("unknown_room")
        return room

    async def opened(self, code: RoomCode) -> RoomOpened | None:
        """Return what a room was opened as, or `None` if there is none with this code.

        It takes one entry of the journal, and nothing is held for it.

        Raises:
            UnavailableError: the store does not answer.
        """
        if not is_code(code):
            return None
        replica = self._replicas.find(code)
        if replica is not None and replica.state is not None:
            return replica.state.opened
        text = await self._store.journals.first(keys.room(code))
        event = None if text is None else _READER.read(text)
        return event if isinstance(event, RoomOpened) else None

    def follow(self, code: RoomCode) -> None:
        """Keep a room's replica among those that are appended to, which reads do not evict."""
        self._replicas.find_to_append(code)

    def known(self, code: RoomCode) -> Room | None:
        """Return a room from its replica, if that is held and idle; else `None`."""
        replica = self._replicas.find(code)
        return replica.settled if replica is not None else None

    def receive(self, code: RoomCode, number: int, text: str) -> Room | None:
        """Apply an entry that another node has appended.

        Returns:
            The room with it, or `None` if it has to be read.
        """
        replica = self._replicas.find_to_append(code)
        try:
            return replica.state if replica is not None and replica.receive(number, text) else None
        except UnreadableError:
            return None

    async def join(self, code: RoomCode, player: PlayerId) -> Room:
        """Take a seat, or keep the one that the player has.

        Raises:
            Refusal: there is no such room, or it is full.
            UnavailableError: the store does not answer.
        """
        return await self._submit(code, lambda room, now: race.take_seat(room, player, now))

    async def leave(self, code: RoomCode, player: PlayerId) -> Room:
        """Give the seat up, and resign the attempt that is under way.

        In this order: a round that starts meanwhile has the player in it, or has not.

        Raises:
            Refusal: there is no such room.
            UnavailableError: the store does not answer.
        """
        room = await self._submit(code, lambda room, now: race.leave(room, player, now))
        running = room.running
        if running is not None and player in running.unfinished():
            attempt = await self._start_attempt(room, running, player)
            await self._attempts.give_up(attempt)
        return room

    async def set_ready(self, code: RoomCode, player: PlayerId, *, ready: bool) -> Room:
        """Say whether a player will be in the next round.

        Raises:
            Refusal: there is no such room or seat, or a round is running.
            UnavailableError: the store does not answer.
        """
        return await self._submit(code, lambda room, now: race.set_ready(room, player, ready, now))

    async def start(self, code: RoomCode, player: PlayerId) -> Room:
        """Draw a deal, and call a round on it.

        Raises:
            Refusal: there is no such room, the player is not its host, a round is running, or the
                game is not offered any more.
            UnavailableError: the store does not answer.
        """
        opened = await self._check_start(code, player)
        try:
            deal = await self._store.deals.draw(opened.game, opened.variant, room=code)
        except EngineError as error:
            # The room is from a time at which the game was there.
            raise Refusal.of(error) from error
        room = await self._submit(
            code,
            lambda room, now: race.start(
                room, player, deal.id, deal.commitment, now, rules=deal.rules
            ),
        )
        running = room.running
        if running is not None:
            # Side by side, so that they share a batch.
            await asyncio.gather(
                *(self._start_attempt(room, running, runner) for runner in running.players)
            )
        return room

    async def _check_start(self, code: RoomCode, player: PlayerId) -> RoomOpened:
        """Return what room it is, if a round may be called now: a refused one draws no deal.

        The room is read only if it is not held, or refuses by the replica.
        """
        replica = self._replicas.find(code)
        room = replica.state if replica is not None else None
        try:
            if room is not None:
                race.start(room, player, _NO_DEAL, "", self._store.clock.now())
                return room.opened
        except Refusal:
            # It counts only on a room that is fresh.
            pass
        room = await self.find(code)
        race.start(room, player, _NO_DEAL, "", self._store.clock.now())
        return room.opened

    async def finish(
        self, code: RoomCode, deal: DealId, player: PlayerId, result: Result
    ) -> Room | None:
        """Record that an attempt is over; doing so again changes nothing.

        Returns:
            The room, or `None` if it has been forgotten.

        Raises:
            UnavailableError: the store does not answer.
        """
        try:
            return await self._submit(
                code, lambda room, now: race.finish(room, deal, player, result, now)
            )
        except Refusal:
            return None

    async def open_attempt(self, attempt: AttemptId, player: PlayerId) -> Snapshot:
        """Return a player's own attempt as it may be seen, in a room or not.

        The node that called a round may have died before it started every runner's attempt: then
        that is done now.

        Raises:
            Refusal: the player has no such attempt, or its round has not begun.
            UnavailableError: the store does not answer.
        """
        try:
            return await self._attempts.open(attempt, player)
        except Refusal as refusal:
            parts = split_attempt_id(attempt)
            if refusal.code != "unknown_attempt" or parts is None or parts[1] != player:
                raise
            if not await self._start_missing(*parts):
                raise
        return await self._attempts.open(attempt, player)

    async def _start_missing(self, deal_id: DealId, player: PlayerId) -> bool:
        """Start a runner's attempt at the deal of the round that is running.

        Returns:
            Whether there is such a round, in which the player has not finished.
        """
        deal = await self._store.deals.find(deal_id)
        room = await self._replica(deal.room).refresh() if deal and deal.room else None
        running = room.running if room else None
        if room and running and running.deal == deal_id and player in running.unfinished():
            await self._start_attempt(room, running, player)
            return True
        return False

    async def pass_deadline(self, code: RoomCode) -> bool:
        """End what is still running in a round whose time is up.

        Returns:
            Whether nothing runs any more. By the time itself something may: whoever found that the
            time is up had a wrong clock, which has been put right since.

        Raises:
            UnavailableError: the store does not answer.
        """
        room = await self._replica(code).refresh()
        if room is None or room.running is None:
            return True
        over = True
        for player in room.running.unfinished():
            try:
                attempt = await self._start_attempt(room, room.running, player)
            except Refusal:
                # The store has lost the deal: nobody has played it, and nobody can.
                result = _at_start(room.opened, room.running, "time")
            else:
                state = await self._attempts.find(attempt)
                if state is None or state.end is None:
                    over = False
                    continue
                result = state.result
            await self.finish(code, room.running.deal, player, result)
        return over

    async def runners(self, room: Room) -> list[Attempt]:
        """Return the attempts of a round that are not over, side by side.

        Raises:
            UnavailableError: the store does not answer.
        """
        running = room.running
        if running is None:
            return []
        attempts = (running.attempt(player) for player in running.unfinished())
        found = await asyncio.gather(*map(self._attempts.find, attempts))
        return [attempt for attempt in found if attempt is not None]

    async def _start_attempt(self, room: Room, round_: Round, player: PlayerId) -> AttemptId:
        opened = room.opened
        started = Started(
            player,
            round_.deal,
            opened.game,
            opened.variant,
            opened.code,
            None,
            round_.starts,
            round_.deadline,
        )
        return (await self._attempts.start(started)).id

    async def _submit(self, code: RoomCode, decide: Callable[[Room, int], Event | None]) -> Room:
        if not is_code(code):
            raise Refusal("unknown_room")

        def decide_on_room(room: Room | None, now: int) -> Event | None:
            if room is None:
                raise Refusal("unknown_room")
            # No entry is before the one that it follows, even if the clock has been set back.
            return decide(room, max(now, room.at))

        return await self._append(code, decide_on_room)

    async def _append(
        self, code: RoomCode, decide: Callable[[Room | None, int], Event | None]
    ) -> Room:
        """Decide a command; a room that exists is kept among the replicas that are appended to."""
        step = await self._replica(code).submit(decide)
        self._replicas.find_to_append(code)
        return step.after

    def _replica(self, code: RoomCode) -> Replica[Room, Event]:
        replica = self._replicas.find(code)
        if replica is not None:
            return replica
        definition = _RoomDefinition(code, self._store, self.appended)
        return self._replicas.put(
            code, Replica(self._store.journals, self._store.clock, definition)
        )


def _at_start(opened: RoomOpened, round_: Round, end: End | None = None) -> Result:
    """Return the result of an attempt in which nobody has moved."""
    rules = rules_of(opened.game, opened.variant, round_.rules)
    return Result(rules.home_at_start, rules.total - rules.home_at_start, 0, 0, end)
