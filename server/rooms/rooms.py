"""Race rooms: creating them, seats, rounds, and the results of rounds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from itertools import count
from typing import TypeVarTuple, Unpack

import structlog

from engine.catalog import race_variant, ruleset
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
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.journals.reader import rules_of
from server.base.journals.store import JournalStore
from server.base.quotas.quotas import Quotas
from server.base.seals.keyring import Keyring
from server.base.work.clock import Clock
from server.base.work.random_text import room_code_of
from server.deals.store import Deal, DealStore
from server.play.answers import Snapshot
from server.play.attempts import Attempts, Reading
from server.play.core import keys as play_keys
from server.play.core.attempt import Attempt, Started
from server.play.core.finish import Finish
from server.play.core.result import Help, Result
from server.rooms.core import charges, commands, keys, quick_match
from server.rooms.core.events import Event, Founded, RoomOpened, Terms, TermsSet
from server.rooms.core.refusals import RoomRefusals
from server.rooms.core.room import Checkpoint, Room, Round
from server.rooms.journal import decode, decode_round
from server.rooms.live_rooms import LiveRooms
from server.rooms.store import RoomStore

_LABEL = b"samedeal room\0"

_NO_DEAL = DealId("")
"""A placeholder for checking whether a round can start before its deal is drawn."""

Given = TypeVarTuple("Given")

log = structlog.get_logger()


class Rooms:
    """Carries out commands on race rooms."""

    def __init__(
        self,
        live: LiveRooms,
        store: RoomStore,
        attempts: Attempts,
        quotas: Quotas,
        keyring: Keyring,
        *,
        journals: JournalStore,
        deals: DealStore,
        clock: Clock,
    ) -> None:
        self._live = live
        self._store = store
        self._journals = journals
        self._deals = deals
        self._clock = clock
        self._quotas = quotas
        self._keyring = keyring
        self._attempts = attempts

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
        winnable: bool = False,
    ) -> Room:
        """Create a room and take its first seat. A retry returns the same room.

        Args:
            player: the host.
            game: a game's id.
            variant: a variant's name.
            seats: number of seats, 1 to 8.
            limit: length of a round in milliseconds.
            creation: idempotency key: a random string that the client repeats in a retry.
            allowed: the help available to the players.
            known: the known deal to play; empty for new deals.
            winnable: whether to draw deals that are certified as winnable.

        Raises:
            Refusal: there is no such game, variant or deal.
        """
        terms = Terms(game, variant, limit, allowed, known, winnable=winnable)
        _check_offered(terms)
        # Another player's room may have the same code; then try the next one.
        for number in count():
            # Derive the code from the key so that retries find the room, as a MAC so that nobody
            # can guess it.
            named = f"{player} {creation} {number}".encode()
            mac, *_ = await self._keyring.macs(_LABEL + named)
            code = room_code_of(mac)

            def decide(room: Room | None, now: int, code: RoomCode = code) -> Founded | None:
                if room is not None:
                    return None
                opened = RoomOpened(
                    *(code, player, game, variant, seats, limit, now),
                    help=allowed,
                    known=known,
                    winnable=winnable,
                )
                return commands.found(opened)

            room = await self._live.decide(code, decide)
            if room.opened.host == player:
                # A retry, too, finds the host seated, unless the host has left meanwhile.
                is_seated = room.seat_of(player) is not None
                return room if is_seated else await self.decide(code, commands.take_seat, player)
        raise AssertionError("some code is free")

    def joined(self, code: RoomCode, player: PlayerId) -> Room | None:
        """Return a room in memory, perhaps stale, if the player has a seat in it and it is open."""
        room = self._live.cached(code)
        if room is None or room.closed or room.seat_of(player) is None:
            return None
        return room

    async def match(self, code: RoomCode, player: PlayerId, game: str) -> Room:
        """Take a seat in a quick match, and open the match if it does not exist yet.

        Raises:
            Refusal: there is no such game, the room no longer waits for a player, it is full or
                locked, or the player was removed from it.
        """
        variant, limit = race_variant(game), quick_match.limit_ms(game)
        _check_offered(Terms(game, variant, limit))

        def decide(room: Room | None, now: int) -> Event | None:
            if room is not None:
                return None
            return RoomOpened(
                code,
                player,
                game,
                variant,
                quick_match.SEATS,
                limit,
                now,
                quick=True,
            )

        await self._live.decide(code, decide)
        return await self.decide(code, commands.match, player)

    async def load(self, code: RoomCode) -> Room:
        """Read a room.

        Raises:
            Refusal: there is no room with this code.
        """
        room = await self._live.load(code) if is_code(code) else None
        if room is None:
            raise Refusal(RoomRefusals.unknown_room)
        return room

    async def terms(self, code: RoomCode) -> tuple[RoomOpened, Terms] | None:
        """Return a room's first event and its next terms, or `None` if there is no such room.

        This is a cheap read for naming the room: it folds and caches nothing. It reads the journal,
        which starts with the last checkpoint, and decodes entries backwards until the latest terms.

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
        """Return the round that was played on a deal, or `None` if it is no longer kept.

        A finished round is stored separately if a player has made a move. Otherwise it is only
        available as the room's last round.

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

    def of_first_move(self, code: RoomCode, days: int) -> list[Item]:
        """Return the storage that a first move in a room adds. See `charges.of_first_move`."""
        room = self._live.cached(code)
        return charges.of_first_move(room.round.players if room and room.round else None, days)

    async def decide(
        self,
        code: RoomCode,
        command: Callable[[Room, Unpack[Given], int], Event | None],
        *given: *Given,
        closed: bool = False,
    ) -> Room:
        """Carry out a command of `server.rooms.core.commands`, and return the room after it.

        Args:
            code: the room's code.
            command: decides on the room, the given arguments and the time.
            given: the arguments.
            closed: whether the command is carried out on a closed room, too.

        Raises:
            Refusal: there is no such room, or it is closed; or as the command.
        """
        if not is_code(code):
            raise Refusal(RoomRefusals.unknown_room)

        def decide_on_room(room: Room | None, now: int) -> Event | None:
            if room is None:
                raise Refusal(RoomRefusals.unknown_room)
            # Keep the times of entries monotonic, even if the clock was set back.
            event = command(room, *given, max(now, room.at))
            # Check this last, so that outsiders do not learn that the room exists.
            if not closed:
                commands.check_open(room)
            return event

        return await self._live.decide(code, decide_on_room)

    async def leave(self, code: RoomCode, player: PlayerId) -> Room:
        """Give up a player's seat, then resign the attempt at the running round, if any.

        Raises:
            Refusal: there is no such room, or the player is neither a member nor a player of its
                last round.
        """
        # Leave first: after a resignation, another round could start with the player in it.
        room = await self.decide(code, commands.leave, player, closed=True)
        await self._resign(room, player)
        return room

    async def close(self, code: RoomCode) -> Room:
        """Close a room permanently, then resign the attempts at the running round, if any.

        This is idempotent.

        Raises:
            Refusal: there is no such room.
        """
        room = await self.decide(code, commands.close, closed=True)
        for player in room.running.unfinished() if room.running is not None else ():
            await self._end(room, player)
        return room

    async def _resign(self, room: Room, player: PlayerId) -> None:
        """Resign a player's attempt at the running round, if there is one."""
        running = room.running
        if running is not None and player in running.unfinished():
            attempt = await self._start_attempt(room, running, player)
            await self._attempts.give_up(attempt)

    async def _end(self, room: Room, player: PlayerId) -> None:
        """Resign a player's attempt, or leave it to its deadline if its deal is lost."""
        try:
            await self._resign(room, player)
        except Refusal:
            log.warning("attempt_not_resigned", room=room.opened.code, player=player)

    async def set_terms(self, code: RoomCode, player: PlayerId, terms: Terms) -> Room:
        """Set the terms of the next rounds.

        Raises:
            Refusal: there is no such room, game, variant or deal, the player is not the room's
                host, or a round is running.
        """
        _check_offered(terms)
        return await self.decide(code, commands.set_terms, player, terms)

    async def propose_terms(self, code: RoomCode, player: PlayerId, terms: Terms) -> Room:
        """Propose terms for the next rounds.

        Raises:
            Refusal: there is no such room, seat, game, variant or deal, or a round is running.
        """
        _check_offered(terms)
        return await self.decide(code, commands.propose_terms, player, terms)

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
            code: the room's code.
            player: the member who gave the command; `None` for the first round of a quick match.
            present: the players who are online in the room.
            anyway: whether to start without members who do not sit out but are away or have not
                agreed.

        Raises:
            Refusal: there is no such room, the player cannot start a round, a round is running, a
                member is away or has not agreed, nobody plays, or the game is no longer offered.
        """
        while True:
            terms = await self._check_start(code, player, present, anyway=anyway)
            try:
                deal = await self._deals.draw(
                    terms.game, terms.variant, code, terms.known, winnable=terms.winnable
                )
            except EngineError as error:
                # The room is older than the game's removal.
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
                    winnable=deal.certificate is not None and deal.certificate.winnable,
                )
                return event if room.terms == terms else None

            room = await self.decide(code, decide)
            if room.terms == terms:
                break
            # The host has changed the terms since the deal was drawn: draw another one.
        running = room.running
        if running is not None:
            # Concurrently, so that the appends share a pipeline.
            days = self._quotas.days(running.players)
            await asyncio.gather(
                *(self._start_attempt(room, running, runner, days) for runner in running.players)
            )
        return room

    async def check_member(self, code: RoomCode, player: PlayerId) -> None:
        """Check that a player has a seat in a room.

        The replica may be stale, so a negative answer is checked against the store.

        Raises:
            Refusal: there is no such room, or the player has no seat in it.
        """
        room = self._live.cached(code)
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
        """Return a room's terms if a round can start now. Checking first saves drawing a deal.

        The room is read only if it is not cached, or if its replica, which may be stale, refuses.

        Raises:
            Refusal: as for `start`.
        """

        def check(room: Room) -> Terms:
            now = self._clock.now()
            commands.start(room, player, _NO_DEAL, "", now, present=present, anyway=anyway)
            return room.terms

        room = self._live.cached(code)
        try:
            if room is not None:
                return check(room)
        except Refusal:
            # The replica may be stale: check again after reading the room.
            pass
        return check(await self.load(code))

    async def apply_finish(self, finish: Finish) -> None:
        """Record the result of a finished attempt, if it belongs to a room."""
        if finish.room is None:
            return
        room = await self.finish(finish.room, finish.deal, finish.player, finish.result)
        # Ending the pace bot's attempt needs no journal entry: the finish stays in the outbox until
        # this returns, and a repeated call decides the same.
        if room is not None and quick_match.bot_stops(room):
            await self._end(room, PACE_BOT)

    async def finish(
        self, code: RoomCode, deal: DealId, player: PlayerId, result: Result
    ) -> Room | None:
        """Record the result of a finished attempt. This is idempotent.

        Returns:
            The room, or `None` if it has expired.
        """
        try:
            return await self.decide(code, commands.finish, deal, player, result, closed=True)
        except Refusal:
            return None

    def read_soon(self, attempt: AttemptId) -> Reading | None:
        """Begin to read an attempt for `open_attempt`; see `Attempts.read_soon`."""
        return self._attempts.read_soon(attempt)

    async def open_attempt(
        self, attempt: AttemptId, player: PlayerId, reading: Reading | None = None
    ) -> Snapshot:
        """Return a snapshot of a player's own attempt, in a room or not.

        If a node died while starting the round, the missing attempt is started now. `reading` is as
        for `Attempts.open`.

        Raises:
            Refusal: the player has no such attempt, or its round has not started.
        """
        try:
            return await self._attempts.open(attempt, player, reading)
        except Refusal as refusal:
            parts = split_attempt_id(attempt)
            if refusal.code != BaseRefusals.unknown_attempt or parts is None or parts[1] != player:
                raise
            if not await self._start_missing(*parts):
                raise
        return await self._attempts.open(attempt, player)

    async def _start_missing(self, deal_id: DealId, player: PlayerId) -> bool:
        """Start a runner's attempt at a deal, if it is the deal of the room's running round.

        Returns:
            Whether it is, and the player is in the round and has not finished.
        """
        deal = await self._deals.find(deal_id)
        room = await self._live.load(deal.room) if deal and deal.room else None
        running = room.running if room else None
        if room and running and running.deal == deal_id and player in running.unfinished():
            await self._start_attempt(room, running, player)
            return True
        return False

    async def pass_deadline(self, code: RoomCode) -> bool:
        """End the unfinished attempts of a round whose deadline has passed.

        Returns:
            Whether the round is over. If not, the deadline is in the future: the clock was wrong
            when it seemed to have passed, and was corrected since.
        """
        room = await self._live.load(code)
        if room is None or room.running is None:
            return True
        over = True
        kept_until = room.running.deadline + play_keys.UNPLAYED_LIFE_MS
        for player in room.running.unfinished():
            try:
                attempt = await self._start_attempt(room, room.running, player)
            except Refusal:
                # The store has lost the deal, so nobody can have played it.
                result = _out_of_time(room.running)
            else:
                state = await self._attempts.find(attempt)
                if state is not None and state.end is not None:
                    result = state.result
                elif state is None and self._clock.now() >= kept_until:
                    # An attempt with moves would still be stored, so the player made none.
                    result = _out_of_time(room.running)
                else:
                    over = False
                    continue
            await self.finish(code, room.running.deal, player, result)
        return over

    async def play_bot(self, room: Room) -> Attempt | None:
        """Return the pace bot's attempt at the running round, after all moves that are due.

        This costs one read, and one append per move.

        Returns:
            The attempt, which may have ended; `None` if the bot does not play, or its result is
            recorded.

        Raises:
            Refusal: the round's deal is no longer stored.
        """
        running = room.running
        if running is None or PACE_BOT not in running.unfinished():
            return None
        found = await self._attempts.find(running.attempt(PACE_BOT))
        if found is None:
            # A node died while starting the round.
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
