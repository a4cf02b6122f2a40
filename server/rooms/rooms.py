"""Race rooms: opening them, seats, rounds, and the results of rounds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from itertools import count

import structlog

from engine.catalog import ruleset
from engine.errors import EngineError
from engine.known import known_deck
from server.base.core.ids import (
    PACE_BOT,
    AttemptId,
    DealId,
    PlayerId,
    RoomCode,
    is_code,
    split_attempt_id,
)
from server.base.core.quota import KEPT_DAYS, Item
from server.base.core.refusal import Refusal, UnreadableError
from server.base.journals.cache import ReplicaCache
from server.base.journals.core.entry import Append
from server.base.journals.reader import rules_of
from server.base.journals.replica import Replica
from server.base.journals.store import JournalStore
from server.base.quotas.quotas import Quotas
from server.base.seals.keyring import Keyring
from server.base.work.clock import Clock
from server.base.work.random_text import room_code_of
from server.base.work.signal import Signal
from server.deals.store import Deal, DealStore
from server.play.answers import Snapshot
from server.play.attempts import Attempts
from server.play.core import keys as play_keys
from server.play.core.attempt import Attempt, Started
from server.play.core.finish import Finish
from server.play.core.result import Help, Result
from server.rooms.core import charges, commands, keys, quick_match
from server.rooms.core.events import Event, RoomOpened, Terms, TermsSet
from server.rooms.core.room import Checkpoint, Entry, Room, Round
from server.rooms.journal import RoomDefinition, decode, decode_round
from server.rooms.store import RoomStore

_LABEL = b"samedeal room\0"

STANDARD = "standard"
"""The variant that is every game's base form."""

_NO_DEAL = DealId("")
"""A placeholder for checking whether a round may start before its deal is drawn."""

MAX_BYTES = 64 << 20
"""About how many bytes the rooms in memory take that this node appends to or follows, 20,000 or so.
"""

MAX_READ_ONLY_BYTES = 4 << 20
"""About how many bytes those take that this node has only read."""

log = structlog.get_logger()


class Rooms:
    """Carries out commands on race rooms, by replicas of their journals."""

    def __init__(
        self,
        store: RoomStore,
        attempts: Attempts,
        quotas: Quotas,
        keyring: Keyring,
        *,
        journals: JournalStore,
        deals: DealStore,
        clock: Clock,
    ) -> None:
        self._store = store
        self._journals = journals
        self._deals = deals
        self._clock = clock
        self._quotas = quotas
        self._keyring = keyring
        self._attempts = attempts
        self._replicas: ReplicaCache[RoomCode, Room, Entry] = ReplicaCache(
            MAX_BYTES, MAX_READ_ONLY_BYTES
        )
        self.appended: Signal[RoomCode, Room, Append] = Signal()
        """Emitted after each entry that this node has appended, with the room after it."""

    def all(self) -> AsyncIterator[list[RoomCode]]:
        """Yield the codes of all rooms, for operators. See `RoomStore.all`."""
        return self._store.all()

    async def create(
        self,
        player: PlayerId,
        game: str,
        variant: str,
        *,
        seats: int,
        limit: int,
        creation: str,
        allowed: Help = "none",
        known: str = "",
    ) -> Room:
        """Open a room and take its first seat. A retry returns the same room.

        Args:
            player: the host.
            game: a game's id.
            variant: a variant's name.
            seats: number of seats, 1 to 8.
            limit: length of a round in milliseconds.
            creation: idempotency key: a random string that the client repeats in a retry.
            allowed: the help that the players of its rounds may ask for.
            known: the known deal that they are played on.

        Raises:
            Refusal: there is no such game, variant or deal.
        """
        terms = Terms(game, variant, limit, allowed, known)
        _check_offered(terms)
        for number in count():
            # It follows from the creation, so that a retry finds the room, and nobody can guess it.
            named = f"{player} {creation} {number}".encode()
            mac, *_ = await self._keyring.macs(_LABEL + named)
            code = room_code_of(mac)

            def decide(room: Room | None, now: int, code: RoomCode = code) -> Event | None:
                if room is not None:
                    return None
                return RoomOpened(
                    *(code, player, game, variant, seats, limit, now), help=allowed, known=known
                )

            room = await self._append(code, decide)
            if room.opened.host == player:
                return await self.join(code, player)
        raise AssertionError("some code is free")

    async def match(self, code: RoomCode, player: PlayerId, game: str) -> Room:
        """Take a seat in a quick match, which is opened unless it is open already.

        Raises:
            Refusal: there is no such game, the room does not wait for a player any more, it is
                full or locked, or the player was removed from it.
        """
        _check_offered(Terms(game, STANDARD, quick_match.LIMIT_MS))

        def decide(room: Room | None, now: int) -> Event | None:
            if room is not None:
                return None
            return RoomOpened(
                code,
                player,
                game,
                STANDARD,
                quick_match.SEATS,
                quick_match.LIMIT_MS,
                now,
                quick=True,
            )

        await self._append(code, decide)
        return await self._submit(code, lambda room, now: commands.match(room, player, now))

    async def seat_bot(self, code: RoomCode) -> Room:
        """Let the pace bot take the second seat of a quick match, if it is time for that.

        Raises:
            Refusal: there is no such room.
        """
        return await self._submit(code, quick_match.seat_bot)

    async def load(self, code: RoomCode) -> Room:
        """Return a room as it is now.

        Raises:
            Refusal: there is no room with this code.
        """
        room = await self._replica(code).refresh() if is_code(code) else None
        if room is None:
            raise Refusal("unknown_room")
        return room

    async def terms(self, code: RoomCode) -> tuple[RoomOpened, Terms] | None:
        """Return a room's first event, and what its next round is played by.

        For whoever only names the room: nothing is folded or cached. It reads the journal, which
        begins with the last checkpoint, and decodes the entries from the last one back to the
        latest terms.

        Returns:
            `None` if there is no room with this code.

        Raises:
            UnreadableError: a newer release has written to the room.
        """
        texts = await self._journals.read_from(keys.room(code), 1) if is_code(code) else []
        if not texts:
            return None
        first = decode(texts[0])
        if isinstance(first, Checkpoint):
            opened, terms = first.room.opened, first.room.terms
        else:
            assert isinstance(first, RoomOpened), "the first entry is RoomOpened or a checkpoint"
            opened, terms = first, first.terms
        later = map(decode, reversed(texts[1:]))
        return opened, next((event.terms for event in later if isinstance(event, TermsSet)), terms)

    async def round_on(self, code: RoomCode, deal: DealId) -> Round | None:
        """Return the round that was played on a deal, or `None` if it is not kept any more.

        It is kept by itself if somebody has made a move; if not, as long as it is the room's last.

        Raises:
            UnreadableError: a newer release has stored it.
        """
        text = await self._store.round_on(code, deal)
        if text is not None:
            return decode_round(text)
        try:
            room = await self.load(code)
        except Refusal:
            return None
        return room.round if room.round is not None and room.round.deal == deal else None

    def used(self) -> list[Replica[Room, Entry]]:
        """Return the cached replicas that this node appends to, or follows."""
        return self._replicas.used()

    def follow(self, code: RoomCode) -> None:
        """Cache a room's replica with those that are appended to, so that reads do not evict it."""
        self._replicas.find_to_append(code)

    def known(self, code: RoomCode) -> Room | None:
        """Return a room from its replica, or `None` if that is not cached or is busy."""
        replica = self._replicas.known(code)
        return replica.settled if replica is not None else None

    def of_first_move(self, code: RoomCode, days: int) -> list[Item]:
        """Return what a first move in a room stores, as `charges.of_first_move` does."""
        room = self.known(code)
        return charges.of_first_move(room.round.players if room and room.round else None, days)

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
            Refusal: there is no such room, it is full or locked, or the player was removed.
        """
        return await self._submit(code, lambda room, now: commands.take_seat(room, player, now))

    async def leave(self, code: RoomCode, player: PlayerId) -> Room:
        """Give up a player's seat, and then resign the attempt at the running round, if any.

        In the opposite order, a round could start in between with the player in it.

        Raises:
            Refusal: there is no such room, or the player has no seat there, and had no part in its
                last round.
        """
        room = await self._submit(
            code, lambda room, now: commands.leave(room, player, now), closed=True
        )
        await self._resign(room, player)
        return room

    async def close(self, code: RoomCode) -> Room:
        """Close a room for good, and then resign the attempts at the running round, if any.

        This is idempotent.

        Raises:
            Refusal: there is no such room.
        """
        room = await self._submit(code, commands.close, closed=True)
        for player in room.running.unfinished() if room.running is not None else ():
            await self._end(room, player)
        return room

    async def remove(self, code: RoomCode, host: PlayerId, player: PlayerId) -> Room:
        """Take a member's seat away for good; of who is in a running round, nobody can.

        Raises:
            Refusal: there is no such room, `host` is not its host, or the member is in a round.
        """
        return await self._submit(code, lambda room, now: commands.remove(room, host, player, now))

    async def _resign(self, room: Room, player: PlayerId) -> None:
        """Resign a player's attempt at the running round, if there is one."""
        running = room.running
        if running is not None and player in running.unfinished():
            attempt = await self._start_attempt(room, running, player)
            await self._attempts.give_up(attempt)

    async def _end(self, room: Room, player: PlayerId) -> None:
        """Resign a player's attempt, which ends at its deadline if the store has lost the deal."""
        try:
            await self._resign(room, player)
        except Refusal:
            log.warning("attempt_not_resigned", room=room.opened.code, player=player)

    async def hand_over(self, code: RoomCode, host: PlayerId, player: PlayerId) -> Room:
        """Make another member the host.

        Raises:
            Refusal: there is no such room or seat, or `host` is not the room's host.
        """
        return await self._submit(
            code, lambda room, now: commands.hand_over(room, host, player, now)
        )

    async def replace_host(
        self, code: RoomCode, host: PlayerId, present: Collection[PlayerId]
    ) -> Room:
        """Make the longest seated member who is present the host instead of one who is away.

        Nothing changes if `host` is not the host any more, or nobody is present.

        Raises:
            Refusal: there is no such room.
        """
        return await self._submit(
            code, lambda room, now: commands.replace_host(room, host, present, now)
        )

    async def free_seat(self, code: RoomCode, player: PlayerId) -> Room:
        """Take the seat of a member who is away, unless a round is running.

        Raises:
            Refusal: there is no such room.
        """
        return await self._submit(code, lambda room, now: commands.free_seat(room, player, now))

    async def set_lock(self, code: RoomCode, player: PlayerId, *, locked: bool) -> Room:
        """Set whether no more seats may be taken.

        Raises:
            Refusal: there is no such room, or the player is not its host.
        """
        return await self._submit(
            code, lambda room, now: commands.set_lock(room, player, locked, now)
        )

    async def set_public(self, code: RoomCode, player: PlayerId, *, public: bool) -> Room:
        """Set whether the room is in the list of open rooms.

        Raises:
            Refusal: there is no such room, or the player is not its host.
        """
        return await self._submit(
            code, lambda room, now: commands.set_public(room, player, public, now)
        )

    async def set_terms(self, code: RoomCode, player: PlayerId, terms: Terms) -> Room:
        """Set what the next rounds are played by.

        Raises:
            Refusal: there is no such room, game, variant or deal, the player is not the room's
                host, or a round is running.
        """
        _check_offered(terms)
        return await self._submit(
            code, lambda room, now: commands.set_terms(room, player, terms, now)
        )

    async def propose_terms(self, code: RoomCode, player: PlayerId, terms: Terms) -> Room:
        """Propose what the next rounds are played by.

        Raises:
            Refusal: there is no such room, seat, game, variant or deal, or a round is running.
        """
        _check_offered(terms)
        return await self._submit(
            code, lambda room, now: commands.propose_terms(room, player, terms, now)
        )

    async def set_ready(self, code: RoomCode, player: PlayerId, *, ready: bool) -> Room:
        """Set whether a player agrees to the next round, or sits out.

        Raises:
            Refusal: there is no such room or seat, or a round is running.
        """
        return await self._submit(
            code, lambda room, now: commands.set_ready(room, player, ready, now)
        )

    async def start(
        self,
        code: RoomCode,
        player: PlayerId | None,
        present: Collection[PlayerId],
        *,
        anyway: bool = False,
    ) -> Room:
        """Draw a deal, and start a round on it with a countdown.

        Args:
            code: the room's.
            player: the one who gave the command; `None` if the first round of a quick match starts.
            present: the players who are online in the room.
            anyway: whether to start without members who do not sit out, and are away or have not
                agreed.

        Raises:
            Refusal: there is no such room, the player may not start a round, a round is running,
                somebody is away or has not agreed, nobody plays, or the game is not offered any
                more.
        """
        while True:
            terms = await self._check_start(code, player, present, anyway=anyway)
            try:
                deal = await self._deals.draw(terms.game, terms.variant, code, terms.known)
            except EngineError as error:
                # The room is from a time at which the game was there.
                raise Refusal.of(error) from error
            home = rules_of(deal.game, deal.variant, deal.rules).home_at_start

            def decide(
                room: Room, now: int, terms: Terms = terms, deal: Deal = deal, home: int = home
            ) -> Event | None:
                event = commands.start(
                    room,
                    player,
                    deal.id,
                    deal.commitment,
                    now,
                    present=present,
                    anyway=anyway,
                    rules=deal.rules,
                    home=home,
                )
                return event if room.terms == terms else None

            room = await self._submit(code, decide)
            if room.terms == terms:
                break
            # The host has set others since the deal was drawn: it would be of another game.
        running = room.running
        if running is not None:
            # Concurrently, so that the appends share a batch.
            days = self._quotas.days(running.players)
            await asyncio.gather(
                *(self._start_attempt(room, running, runner, days) for runner in running.players)
            )
        return room

    async def check_member(self, code: RoomCode, player: PlayerId) -> None:
        """Check that a player has a seat in a room.

        The room is read unless the player has one in the replica, which may be stale.

        Raises:
            Refusal: there is no such room, or the player has no seat there.
        """
        replica = self._replicas.known(code)
        room = replica.state if replica is not None else None
        if room is None or not room.seat_of(player):
            commands.check_member(await self.load(code), player)

    async def _check_start(
        self,
        code: RoomCode,
        player: PlayerId | None,
        present: Collection[PlayerId],
        *,
        anyway: bool,
    ) -> Terms:
        """Return a room's terms if a round may start now, so that a refusal draws no deal.

        The room is read only if it is not cached, or if the replica, which may be stale, refuses.

        Raises:
            Refusal: as for `start`.
        """

        def check(room: Room) -> Terms:
            now = self._clock.now()
            commands.start(room, player, _NO_DEAL, "", now, present=present, anyway=anyway)
            return room.terms

        replica = self._replicas.known(code)
        room = replica.state if replica is not None else None
        try:
            if room is not None:
                return check(room)
        except Refusal:
            # The replica may be stale: check again on the room as it is now.
            pass
        return check(await self.load(code))

    async def apply_finish(self, finish: Finish) -> None:
        """Record the result of an attempt that is over, if it is one in a room.

        The pace bot's attempt is ended after the last one of a person, which needs no entry of its
        own: the finish stays in the outbox until this is done, and whoever applies it finds the
        room as it is.
        """
        if finish.room is None:
            return
        room = await self.finish(finish.room, finish.deal, finish.player, finish.result)
        if room is not None and quick_match.bot_stops(room):
            await self._end(room, PACE_BOT)

    async def finish(
        self, code: RoomCode, deal: DealId, player: PlayerId, result: Result
    ) -> Room | None:
        """Record the result of an attempt that is over. This is idempotent.

        Returns:
            The room, or `None` if it has expired.
        """
        try:
            return await self._submit(
                code,
                lambda room, now: commands.finish(room, deal, player, result, now),
                closed=True,
            )
        except Refusal:
            return None

    async def open_attempt(self, attempt: AttemptId, player: PlayerId) -> Snapshot:
        """Return a snapshot of a player's own attempt, in a room or not.

        If the attempt is missing because a node died while it started a round, it is started now.

        Raises:
            Refusal: the player has no such attempt, or its round has not begun.
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
        deal = await self._deals.find(deal_id)
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
        """
        room = await self._replica(code).refresh()
        if room is None or room.running is None:
            return True
        over = True
        kept_until = room.running.deadline + play_keys.UNPLAYED_LIFE_MS
        for player in room.running.unfinished():
            try:
                attempt = await self._start_attempt(room, room.running, player)
            except Refusal:
                # The store has lost the deal, so that nobody can have played it.
                result = _out_of_time(room.running)
            else:
                state = await self._attempts.find(attempt)
                if state is not None and state.end is not None:
                    result = state.result
                elif state is None and self._clock.now() >= kept_until:
                    # Nothing was played at it, or it would be kept still.
                    result = _out_of_time(room.running)
                else:
                    over = False
                    continue
            await self.finish(code, room.running.deal, player, result)
        return over

    async def runners(self, room: Room) -> list[Attempt]:
        """Return the attempts of the running round that are not finished, read concurrently."""
        running = room.running
        if running is None:
            return []
        attempts = (running.attempt(player) for player in running.unfinished())
        found = await asyncio.gather(*map(self._attempts.find, attempts))
        return [attempt for attempt in found if attempt is not None]

    async def play_bot(self, room: Room) -> Attempt | None:
        """Return the pace bot's attempt at the running round, after all moves that are due by now.

        It costs a read, and an append for each move.

        Returns:
            The attempt, which may be over; `None` if the bot does not run, or its result stands.

        Raises:
            Refusal: the round's deal is not kept any more.
        """
        running = room.running
        if running is None or PACE_BOT not in running.unfinished():
            return None
        found = await self._attempts.find(running.attempt(PACE_BOT))
        if found is None:
            # A node died while it started the round.
            await self._start_attempt(room, running, PACE_BOT)
        return found or await self._attempts.find(running.attempt(PACE_BOT))

    async def _start_attempt(
        self, room: Room, round_: Round, player: PlayerId, days: int = KEPT_DAYS
    ) -> AttemptId:
        started = Started(
            player,
            round_.deal,
            round_.terms.game,
            round_.terms.variant,
            room.opened.code,
            None,
            round_.starts,
            round_.deadline,
            round_.rules,
            help=round_.terms.help,
            days=days,
        )
        return (await self._attempts.start(started)).id

    async def _submit(
        self,
        code: RoomCode,
        decide: Callable[[Room, int], Event | None],
        *,
        closed: bool = False,
    ) -> Room:
        """Carry out a command; on a room that is closed, only if `closed` says so."""
        if not is_code(code):
            raise Refusal("unknown_room")

        def decide_on_room(room: Room | None, now: int) -> Event | None:
            if room is None:
                raise Refusal("unknown_room")
            # An entry is never older than the one before it, even if the clock was set back.
            event = decide(room, max(now, room.at))
            # Last, so that whoever has no seat is not told that there is such a room.
            if not closed:
                commands.check_open(room)
            return event

        return await self._append(code, decide_on_room)

    async def _append(
        self, code: RoomCode, decide: Callable[[Room | None, int], Event | None]
    ) -> Room:
        """Carry out a command, and cache the room's replica with those that are appended to."""
        step = await self._replica(code).decide(decide)
        self._replicas.find_to_append(code)
        return step.after

    def _replica(self, code: RoomCode) -> Replica[Room, Entry]:
        replica = self._replicas.known(code)
        if replica is not None:
            return replica
        definition = RoomDefinition(code, self._clock, self.appended)
        return self._replicas.put(code, Replica(self._journals, self._clock, definition))


def _check_offered(terms: Terms) -> None:
    """Raise a `Refusal` if there is no such game, variant or known deal."""
    try:
        rules = ruleset(terms.game, terms.variant)
        if terms.known:
            known_deck(rules, terms.known)
    except EngineError as error:
        raise Refusal.of(error) from error


def _out_of_time(round_: Round) -> Result:
    """Return the result of an attempt that ended at the deadline without a move."""
    rules = rules_of(round_.terms.game, round_.terms.variant, round_.rules)
    return Result(rules.home_at_start, rules.total - rules.home_at_start, 0, 0, "time")
