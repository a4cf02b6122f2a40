"""Race rooms: opening them, seats, rounds, and the results of rounds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from engine.catalog import ruleset
from engine.errors import EngineError
from server.core import race
from server.core.attempt import Attempt, Started
from server.core.ids import AttemptId, DealId, PlayerId, RoomCode, is_code, split_attempt_id
from server.core.race import Event, Room, RoomOpened, Round
from server.core.ranking import Result
from server.core.refusal import Refusal, UnreadableError
from server.service.answers import Snapshot
from server.service.attempts import Attempts
from server.service.replica import YIELD_EVERY, Replica
from server.service.replica_cache import ReplicaCache
from server.service.room_journal import RoomDefinition, decode
from server.service.signal import Signal
from server.service.store import Store
from server.service.stored import rules_of
from server.store import keys
from server.store.journal import Append

_NO_DEAL = DealId("")
"""A placeholder for checking whether a round may start before its deal is drawn."""


class Rooms:
    """Carries out commands on race rooms, by replicas of their journals."""

    def __init__(self, store: Store, attempts: Attempts) -> None:
        self._store = store
        self._attempts = attempts
        self._replicas: ReplicaCache[RoomCode, Room, Event] = ReplicaCache()
        self.appended: Signal[RoomCode, Room, Append] = Signal()
        """Emitted after each entry that this node has appended, with the room after it."""

    async def create(
        self, player: PlayerId, game: str, variant: str, *, seats: int, limit: int, creation: str
    ) -> Room:
        """Open a room and take its first seat. A retry returns the same room.

        Args:
            player: the host.
            game: a game's id.
            variant: a variant's name.
            seats: number of seats, 1 to 8.
            limit: length of a round in milliseconds.
            creation: idempotency key: a random string that the client repeats in a retry.

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
            Refusal: there is no room with this code.
            UnavailableError: the store does not answer.
        """
        room = await self._replica(code).refresh() if is_code(code) else None
        if room is None:
            raise Refusal("unknown_room")
        return room

    async def opened(self, code: RoomCode) -> RoomOpened | None:
        """Return the first event of a room, or `None` if there is no room with this code.

        It reads one entry of the journal at most, and caches nothing.

        Raises:
            UnavailableError: the store does not answer.
        """
        if not is_code(code):
            return None
        replica = self._replicas.find(code)
        if replica is not None and replica.state is not None:
            return replica.state.opened
        text = await self._store.journals.first(keys.room(code))
        event = None if text is None else decode(text)
        return event if isinstance(event, RoomOpened) else None

    async def round_on(self, code: RoomCode, deal: DealId) -> Round | None:
        """Return the round that was played on a deal, or `None` if there is none, or no room.

        For the last round of a room, that is what this node has of it, or a read of what is new;
        for an earlier one the room's whole journal is read and folded.

        Raises:
            UnavailableError: the store does not answer.
        """
        try:
            room = await self.find(code)
        except Refusal:
            return None
        if room.round is not None and room.round.deal == deal:
            return room.round
        found: Round | None = None
        before: Room | None = None
        for number, text in enumerate(await self._store.journals.read_from(keys.room(code), 1)):
            if number % YIELD_EVERY == 0:
                await asyncio.sleep(0)
            before = race.fold(before, decode(text))
            if before.round is not None and before.round.deal == deal:
                found = before.round
        return found

    def follow(self, code: RoomCode) -> None:
        """Cache a room's replica with those that are appended to, so that reads do not evict it."""
        self._replicas.find_to_append(code)

    def known(self, code: RoomCode) -> Room | None:
        """Return a room from its replica, or `None` if that is not cached or is busy."""
        replica = self._replicas.find(code)
        return replica.settled if replica is not None else None

    def receive(self, code: RoomCode, number: int, text: str) -> Room | None:
        """Apply entry `number`, which another node has appended and published.

        Returns:
            The room after it, or `None` if the room has to be read.
        """
        replica = self._replicas.find_to_append(code)
        try:
            return replica.state if replica is not None and replica.receive(number, text) else None
        except UnreadableError:
            return None

    async def join(self, code: RoomCode, player: PlayerId) -> Room:
        """Take a seat; a player who has one keeps it.

        Raises:
            Refusal: there is no such room, or it is full.
            UnavailableError: the store does not answer.
        """
        return await self._submit(code, lambda room, now: race.take_seat(room, player, now))

    async def leave(self, code: RoomCode, player: PlayerId) -> Room:
        """Give up a player's seat, and then resign the attempt at the running round, if any.

        In the opposite order, a round could start in between with the player in it.

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
        """Set whether a player is ready, and thus takes part in the next round.

        Raises:
            Refusal: there is no such room or seat, or a round is running.
            UnavailableError: the store does not answer.
        """
        return await self._submit(code, lambda room, now: race.set_ready(room, player, ready, now))

    async def start(self, code: RoomCode, player: PlayerId) -> Room:
        """Draw a deal, and start a round on it with a countdown.

        Raises:
            Refusal: there is no such room, the player is not its host, a round is running, or the
                game is not offered any more.
            UnavailableError: the store does not answer.
        """
        opened = await self._check_start(code, player)
        try:
            deal = await self._store.deals.draw(opened.game, opened.variant, code)
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
            # Concurrently, so that the appends share a batch.
            await asyncio.gather(
                *(self._start_attempt(room, running, runner) for runner in running.players)
            )
        return room

    async def _check_start(self, code: RoomCode, player: PlayerId) -> RoomOpened:
        """Return a room's first event if a round may start now, so that a refusal draws no deal.

        The room is read only if it is not cached, or if the replica, which may be stale, refuses.

        Raises:
            Refusal: as for `start`.
            UnavailableError: the store does not answer.
        """
        replica = self._replicas.find(code)
        room = replica.state if replica is not None else None
        try:
            if room is not None:
                race.start(room, player, _NO_DEAL, "", self._store.clock.now())
                return room.opened
        except Refusal:
            # The replica may be stale: check again on the room as it is now.
            pass
        room = await self.find(code)
        race.start(room, player, _NO_DEAL, "", self._store.clock.now())
        return room.opened

    async def finish(
        self, code: RoomCode, deal: DealId, player: PlayerId, result: Result
    ) -> Room | None:
        """Record the result of an attempt that is over. This is idempotent.

        Returns:
            The room, or `None` if it has expired.

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
        """Return a snapshot of a player's own attempt, in a room or not.

        If the attempt is missing because a node died while it started a round, it is started now.

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
        """Start a runner's attempt at a deal, if that is the deal of the room's running round.

        Returns:
            Whether it is, and the player takes part in the round and has not finished.
        """
        deal = await self._store.deals.find(deal_id)
        room = await self._replica(deal.room).refresh() if deal and deal.room else None
        running = room.running if room else None
        if room and running and running.deal == deal_id and player in running.unfinished():
            await self._start_attempt(room, running, player)
            return True
        return False

    async def pass_deadline(self, code: RoomCode) -> bool:
        """End the attempts that are still running in a round whose deadline has passed.

        Returns:
            Whether the round is over. If not, the deadline is yet to come: the clock by which it
            had passed was wrong, and has been corrected since.

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
                # The store has lost the deal, so that nobody can have played it.
                result = _out_of_time(room.opened, room.running)
            else:
                state = await self._attempts.find(attempt)
                if state is None or state.end is None:
                    over = False
                    continue
                result = state.result
            await self.finish(code, room.running.deal, player, result)
        return over

    async def runners(self, room: Room) -> list[Attempt]:
        """Return the attempts of the running round that are not finished, read concurrently.

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
            # An entry is never older than the one before it, even if the clock was set back.
            return decide(room, max(now, room.at))

        return await self._append(code, decide_on_room)

    async def _append(
        self, code: RoomCode, decide: Callable[[Room | None, int], Event | None]
    ) -> Room:
        """Carry out a command, and cache the room's replica with those that are appended to."""
        step = await self._replica(code).submit(decide)
        self._replicas.find_to_append(code)
        return step.after

    def _replica(self, code: RoomCode) -> Replica[Room, Event]:
        replica = self._replicas.find(code)
        if replica is not None:
            return replica
        definition = RoomDefinition(code, self._store.clock, self.appended)
        return self._replicas.put(
            code, Replica(self._store.journals, self._store.clock, definition)
        )


def _out_of_time(opened: RoomOpened, round_: Round) -> Result:
    """Return the result of an attempt that ended at the deadline without a move."""
    rules = rules_of(opened.game, opened.variant, round_.rules)
    return Result(rules.home_at_start, rules.total - rules.home_at_start, 0, 0, "time")
