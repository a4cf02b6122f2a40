"""Attempts: starting, opening and playing them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import NamedTuple

import msgspec
import structlog

from engine.board import Board
from engine.catalog import ruleset as find_ruleset
from engine.deal import deal_seed
from server.core import attempt as core
from server.core.attempt import Attempt, Ended, Event, Moved, Play, Resign, Started
from server.core.ids import AttemptId, DealId, PlayerId, RoomCode, attempt_id, split_attempt_id
from server.core.ranking import Result
from server.core.refusal import Refusal
from server.service.answers import Answer, Snapshot, answered, snapshot_of
from server.service.held import Held, Shelf
from server.service.store import Store
from server.store import keys
from server.store.journal import Append

MOST_FINISHES = 10_000
"""Finishes that wait for their effects; what is over that is left to the sweeper."""

FIRST_MOVE = 2
"""The number of the first entry by which a player may see a card that was not dealt face up."""

log = structlog.get_logger()


class Finish(msgspec.Struct, frozen=True):
    """What must happen once after an attempt is over: the text in the outbox."""

    attempt: AttemptId
    player: PlayerId
    deal: DealId
    game: str
    room: RoomCode | None
    day: int | None
    result: Result


class Step(NamedTuple):
    """An entry of a journal, with the attempt before it (`None` for the start) and after it."""

    before: Attempt | None
    event: Event
    after: Attempt


_DECODER: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


class _OutOfStepError(Refusal):
    """The command's number is not the next one."""

    def __init__(self) -> None:
        super().__init__("bad_message")


class _Kind:
    """The journal of one attempt."""

    def __init__(self, attempt: AttemptId, board: Board, attempts: Attempts) -> None:
        self._id = attempt
        self._board = board
        self._attempts = attempts

    def key(self) -> str:
        return keys.attempt(self._id)

    def decode(self, text: str) -> Event:
        return _decode(text)

    def fold(self, state: Attempt | None, event: Event) -> Attempt:
        return _fold(self._board, state, event)

    def due(self, state: Attempt, now: int) -> Event | None:
        return core.due(state, now)

    def append(self, before: Attempt | None, after: Attempt, event: Event, number: int) -> Append:
        start = after.start
        expires: int | None = None
        effect: tuple[str, str] | None = None
        due: tuple[str, int | None] | None = None
        # A round's runners fall due with their room, a daily's each by itself.
        member = f"a:{self._id}" if start.room is None else None
        if before is None:
            expires = start.deadline + keys.ATTEMPT_LIFE
            due = (member, start.deadline) if member else None
        elif after.end is not None:
            finish = _finish_of(after)
            effect = (str(self._id), msgspec.json.encode(finish).decode())
            due = (member, None) if member else None
        return Append(
            self.key(),
            keys.partition(self._id),
            number,
            msgspec.json.encode(event).decode(),
            expires,
            effect,
            due,
        )

    def appended(self, before: Attempt | None, after: Attempt, append: Append) -> None:
        self._attempts.advanced(before, after)


class Attempts:
    """All attempts."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._shelf: Shelf[AttemptId, Attempt, Event] = Shelf()
        self.finishes: asyncio.Queue[Finish] = asyncio.Queue(MOST_FINISHES)
        """What has finished on this node, for whoever applies its effects."""
        self.on_advance: Callable[[Attempt], None] = lambda _: None
        """Called after each entry of this node, with the attempt after it."""
        self.on_open: Callable[[Attempt], None] = lambda _: None
        """Called when a player opens an attempt."""
        self.on_missing: Callable[[DealId, PlayerId], Awaitable[None]] = _leave_missing
        """Called when a player asks for an attempt that has no journal; it may start it."""

    async def start(self, started: Started) -> Attempt:
        """Start an attempt, or find it started.

        Raises:
            UnavailableError: the store does not answer.
        """
        held = await self._held(attempt_id(started.deal, started.player))
        step = await held.submit(lambda state, _: started if state is None else None)
        return step.after

    async def find(self, attempt: AttemptId) -> Attempt | None:
        """Return an attempt as it is now, or `None`; one whose time is up is ended by this.

        Raises:
            UnavailableError: the store does not answer.
        """
        try:
            return await (await self._held(attempt)).look()
        except Refusal:
            return None

    async def open(self, attempt: AttemptId, player: PlayerId) -> Snapshot:
        """Return a player's own attempt as it may be seen.

        Raises:
            Refusal: the player has no such attempt, or its round has not begun.
            UnavailableError: the store does not answer.
        """
        state = await self.find(attempt)
        parts = split_attempt_id(attempt)
        if state is None and parts is not None and parts[1] == player:
            await self.on_missing(*parts)
            state = await self.find(attempt)
        if state is None or state.start.player != player:
            raise Refusal("unknown_attempt")
        self.on_open(state)
        return await self.snapshot(state)

    async def snapshot(self, attempt: Attempt) -> Snapshot:
        """Return what an attempt's player may see of it.

        Raises:
            Refusal: it has not begun yet: until then that is nothing. The clocks of two nodes
                are not quite the same, so this may be a run that has just begun elsewhere.
            UnavailableError: the store does not answer.
        """
        if attempt.seq == 1:
            # Nobody is shown a card early because this node's clock is wrong.
            await self._store.clock.sample()
        if self._store.clock.now() < attempt.start.at:
            raise Refusal("not_started")
        deal = await self._store.deals.find(attempt.start.deal)
        assert deal is not None, "a deal outlives its attempts"
        return snapshot_of(attempt, deal.commitment)

    async def command(
        self, attempt: AttemptId, player: PlayerId, seq: int, command: Play | Resign
    ) -> Answer:
        """Carry out a command that is to become entry `seq`.

        Returns:
            What became of it; its first answer, if it stands already; or a snapshot, if the
            number is not the next one.

        Raises:
            Refusal: it is not carried out.
            UnavailableError: the store does not answer; the command may stand or not.
        """
        held = await self._held(attempt)
        if seq == FIRST_MOVE:
            await self._store.clock.sample()

        def decide(state: Attempt | None, now: int) -> Event:
            if state is None or state.start.player != player:
                raise Refusal("unknown_attempt")
            if seq != state.seq + 1:
                raise _OutOfStepError
            return core.decide(state, command, now)

        try:
            step = await held.submit(decide)
        except _OutOfStepError:
            return await self._first_answer(attempt, player, seq, command)
        assert step.before is not None
        return answered(step.before, step.after, command)

    async def give_up(self, attempt: AttemptId) -> None:
        """Resign an attempt wherever it stands, begun or not; one that is over stays as it is.

        Raises:
            UnavailableError: the store does not answer.
        """

        def decide(state: Attempt | None, now: int) -> Event | None:
            assert state is not None, "only started attempts are given up"
            return core.give_up(state, now)

        await (await self._held(attempt)).submit(decide)

    async def end_stuck(self, attempt: AttemptId, seq: int) -> Attempt | None:
        """End an attempt whose entry `seq` left no line of moves that brings a card home.

        Returns:
            The attempt, if this ended it; it may be over.

        Raises:
            Refusal: it is no longer kept.
            UnavailableError: the store does not answer.
        """

        def decide(state: Attempt | None, now: int) -> Event | None:
            if state is None:
                raise Refusal("unknown_attempt")
            return core.end_stuck(state, seq, now)

        step = await (await self._held(attempt)).submit(decide)
        return step.after if step.before is not step.after else None

    async def _first_answer(
        self, attempt: AttemptId, player: PlayerId, seq: int, command: Play | Resign
    ) -> Answer:
        """Return the answer that entry `seq` had if it is this command, else a snapshot."""
        for before, event, after in await self.steps(attempt, seq):
            if before is not None and after.seq == seq and _is_entry_of(command, event):
                return answered(before, after, command)
        return await self.open(attempt, player)

    async def steps(self, attempt: AttemptId, seq: int) -> Iterator[Step]:
        """Return the entries up to `seq` as they stand in the journal, each folded when asked for.

        Raises:
            Refusal: there is no such attempt.
            UnavailableError: the store does not answer.
        """
        board = await self._board(attempt)
        texts = await self._store.journals.read(keys.attempt(attempt))
        return _steps(board, texts[:seq])

    def advanced(self, before: Attempt | None, after: Attempt) -> None:
        """Note an entry of this node: tell of it, and hand a finish on."""
        self.on_advance(after)
        if before is None or after.end is None:
            return
        try:
            self.finishes.put_nowait(_finish_of(after))
        except asyncio.QueueFull:
            log.warning("finishes_full", attempt=after.id)

    async def _held(self, attempt: AttemptId) -> Held[Attempt, Event]:
        held = self._shelf.find(attempt)
        if held is not None:
            return held
        kind = _Kind(attempt, await self._board(attempt), self)
        return self._shelf.put(attempt, Held(self._store.journals, self._store.clock, kind))

    async def _board(self, attempt: AttemptId) -> Board:
        """Return the board that an attempt starts on."""
        parts = split_attempt_id(attempt)
        deal = await self._store.deals.find(parts[0]) if parts else None
        if deal is None:
            raise Refusal("unknown_attempt")
        return deal_seed(find_ruleset(deal.game, deal.variant), deal.seed)


async def _leave_missing(_: DealId, __: PlayerId) -> None:
    """Start nothing."""


def _decode(text: str) -> Event:
    return _DECODER.decode(text)


def _fold(board: Board, state: Attempt | None, event: Event) -> Attempt:
    if state is None:
        assert isinstance(event, Started), "a journal begins with the start"
        return core.begin(event, board)
    return core.fold(state, event)


def _steps(board: Board, texts: list[str]) -> Iterator[Step]:
    state: Attempt | None = None
    for text in texts:
        before, event = state, _decode(text)
        state = _fold(board, state, event)
        yield Step(before, event, state)


def _finish_of(attempt: Attempt) -> Finish:
    start = attempt.start
    return Finish(
        attempt.id,
        start.player,
        start.deal,
        start.game,
        start.room,
        start.day,
        attempt.result,
    )


def _is_entry_of(command: Play | Resign, event: Event) -> bool:
    """Return whether an entry is what this command became."""
    if isinstance(command, Play):
        return isinstance(event, Moved) and event.move == command.move
    return isinstance(event, Ended) and event.end == "resigned"
