"""Attempts: starting, opening, playing and ending them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from msgspec import structs

from engine.board import Board, Delta, delta_between
from engine.catalog import is_ready
from engine.deal import deal_seed
from engine.hints import SLICE, hint_steps
from engine.notation import move_text
from engine.ruleset import Move
from server.base.core.ids import PACE_BOT, AttemptId, DealId, PlayerId, attempt_id, split_attempt_id
from server.base.core.quota import KEPT_DAYS
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.journals.cache import ReplicaCache
from server.base.journals.core.entry import Append
from server.base.journals.core.machine import PAUSE_EVERY
from server.base.journals.core.machine import Step as Submitted
from server.base.journals.reader import rules_of
from server.base.journals.replica import Replica
from server.base.journals.store import JournalStore
from server.base.work.clock import Clock
from server.base.work.metrics import Counts
from server.base.work.signal import Signal
from server.base.work.tasks import run_soon
from server.deals.store import Deal, DealStore
from server.play.answers import Played, Snapshot, snapshot_of
from server.play.core import attempt as core
from server.play.core import keys
from server.play.core.attempt import Attempt, Event, Moved, Started, Undone
from server.play.core.finish import Finish
from server.play.core.keys import AttemptDue
from server.play.core.refusals import PlayRefusals
from server.play.core.run import Run, run_of
from server.play.journal import AttemptDefinition, Step, decode, finish_of, steps_of
from server.play.moves import AnswerAgain, MoveNumbers, PendingMove, Reply, SequenceError

FIRST_MOVE = 2  # the entry number of a first move, the first that can turn a face-down card up

_HIT: Final = "attempts", "hit"
_MISS: Final = "attempts", "miss"
"""The labels of the metric of lookups in the cache."""

Reading: TypeAlias = asyncio.Future[Submitted[Attempt]]
"""A read of an attempt that has begun; it ends with the state in `after`."""


def _retrieve(reading: Reading) -> None:
    """Retrieve the exception of a read, so that it is not reported as lost."""
    if not reading.cancelled():
        reading.exception()


class Attempts:
    """Carries out commands on attempts; `lookups` counts hits and misses of the replica cache."""

    def __init__(
        self,
        lookups: Counts,
        *,
        journals: JournalStore,
        deals: DealStore,
        clock: Clock,
    ) -> None:
        self._journals = journals
        self._deals = deals
        # Each access to the method would create another object, for each move.
        self._answer_again: AnswerAgain = self.answer_again
        self._clock = clock
        self._lookups = lookups
        self._replicas: ReplicaCache[AttemptId, Attempt, Event] = ReplicaCache()
        self._judging = asyncio.Lock()
        # Emitted after each entry appended by this node, with the attempt before and after it, and
        # its text (JSON).
        self.appended: Signal[Attempt | None, Attempt, str] = Signal()
        # Emitted after `appended` if the attempt has ended, with its effect in the outbox.
        self.finished: Signal[Finish] = Signal()
        # Emitted when this node has resigned an attempt without a session's command.
        self.given_up: Signal[Attempt] = Signal()
        self.opened: Signal[Attempt] = Signal()  # emitted when a player opens an attempt

    @property
    def size(self) -> int:
        """The number of cached attempts."""
        return self._replicas.size

    def used(self) -> list[Replica[Attempt, Event]]:
        """Return the cached replicas that this node appends to."""
        return self._replicas.used()

    async def start(self, started: Started) -> Attempt:
        """Start an attempt by the rules of its deal, or return it if it has started before.

        Refused if the deal is no longer kept.
        """
        attempt = attempt_id(started.deal, started.player)
        replica = await self._replica(attempt, to_append=True)
        # All attempts at a deal use the rules of its draw, even if the current rules differ.
        deal = await self._deal(attempt)
        rules = rules_of(deal.game, deal.variant, deal.rules)
        started = structs.replace(started, rules=rules.digest)
        step = await replica.decide(lambda state, _: started if state is None else None)
        return step.after

    async def pass_deadline(self, due: AttemptDue) -> bool:
        """End an attempt whose deadline has passed; return whether it is over or missing."""
        found = await self.find(AttemptId(due.name))
        return found is None or found.end is not None

    async def length(self, attempt: AttemptId) -> int:
        """Return the number of an attempt's entries, or 0."""
        (found,) = await self._journals.lengths([keys.attempt(attempt)])
        return found

    async def has_rules(self, attempt: AttemptId) -> bool:
        """Return whether an attempt's rule tables are built; true if its deal is missing."""
        parts = split_attempt_id(attempt)
        deal = await self._deals.find(parts[0]) if parts else None
        return deal is None or is_ready(deal.game, deal.variant)

    async def unread(self, attempts: Iterable[AttemptId]) -> list[int]:
        """Return the number of entries of each attempt that is not in memory."""
        names = [keys.attempt(each) for each in attempts if self._known(each) is None]
        return await self._journals.lengths(names) if names else []

    async def find(self, attempt: AttemptId) -> Attempt | None:
        """Read an attempt, ended if its deadline has passed; `None` if it does not exist."""
        try:
            return await (await self._replica(attempt)).refresh()
        except Refusal:
            return None

    async def find_all(self, attempts: Iterable[AttemptId]) -> list[Attempt]:
        """Return those attempts that exist, read concurrently.

        One that this node knows to have ended is not read again.
        """
        found = {attempt: self._known(attempt) for attempt in attempts}
        unread = [each for each, known in found.items() if known is None or known.end is None]
        replicas = {each: self._replicas.known(each) for each in unread}
        cached = {name: each for name, each in replicas.items() if each is not None}
        if len(cached) == len(unread):
            # Without a task for each.
            await asyncio.gather(*(replica.refresh_soon() for replica in cached.values()))
            found |= {name: replica.state for name, replica in cached.items()}
        else:
            found |= zip(unread, await asyncio.gather(*map(self.find, unread)), strict=True)
        return [each for each in found.values() if each is not None]

    def read_soon(self, attempt: AttemptId) -> Reading | None:
        """Begin to read an attempt for `open`, or return `None` if it is not in memory."""
        replica = self._replicas.known(attempt)
        if replica is None:
            return None
        reading = replica.refresh_soon()
        # The caller may not need it any longer.
        reading.add_done_callback(_retrieve)
        return reading

    async def open(
        self, attempt: AttemptId, player: PlayerId, reading: Reading | None = None
    ) -> Snapshot:
        """Return a snapshot of a player's own attempt. Refused if unknown or not started.

        `reading` is a read that has begun since the player asked for it; see `read_soon`.
        """
        state = await self.find(attempt) if reading is None else (await reading).after
        if state is None or state.start.player != player:
            raise Refusal(BaseRefusals.unknown_attempt)
        self.opened.emit(state)
        return await self.snapshot(state)

    async def snapshot(self, attempt: Attempt) -> Snapshot:
        """Return an attempt as its player sees it. Refused if it has not started."""
        clock = self._clock
        # Confirm the clock: a node with a wrong one must not show cards early.
        now = await clock.confirm() if attempt.seq == 1 else clock.now()
        # Before that its cards are secret, even if another node's clock says it has started.
        if not attempt.has_begun(now):
            raise Refusal(PlayRefusals.not_started)
        deal = await self._deals.find(attempt.start.deal)
        assert deal is not None, "a deal outlives its attempts"
        return snapshot_of(attempt, deal.commitment, deal.certificate)

    def play_soon(
        self, attempt: AttemptId, player: PlayerId, seq: int, numbers: MoveNumbers, reply: Reply
    ) -> None:
        """Enqueue a move as entry `seq`; `reply` is called later with the outcome."""
        move = PendingMove(attempt, player, seq, numbers, self._answer_again, reply)
        replica = self._replicas.find_to_append(attempt)
        self._lookups[_MISS if replica is None else _HIT] += 1
        # The fast path takes no task. A first move confirms the clock and extends its deal before.
        if replica is None or seq == FIRST_MOVE:
            run_soon(self._play(attempt, seq, move))
        else:
            replica.submit(move)

    async def _play(self, attempt: AttemptId, seq: int, move: PendingMove) -> None:
        """Play a move whose replica is not cached, or a first move, with a confirmed clock."""
        try:
            replica = await self._replica(attempt, to_append=True)
            if seq == FIRST_MOVE:
                await self._extend_deal(attempt, move.decide)
        except Exception as error:
            move.finish(error)
        else:
            replica.submit(move)

    async def started(self, deals: Sequence[DealId], player: PlayerId) -> set[DealId]:
        """Return the given deals that a player has started."""
        names = [keys.attempt(attempt_id(deal, player)) for deal in deals]
        found = await self._journals.existing(names)
        return {deal for deal, exists in zip(deals, found, strict=True) if exists}

    async def _extend_deal(
        self, attempt: AttemptId, decide: Callable[[Attempt | None, int], object]
    ) -> None:
        """Extend the lives of the deal and the pace bot's run at a player's first move.

        Refused if there is no such deal, or `decide` refuses the first entry.
        """
        deal = await self._deal(attempt)
        state = self._known(attempt) or await self.find(attempt)
        # Decide first: a refused entry is not charged, so it must not extend anything.
        decide(state, await self._clock.confirm())
        if deal.room is not None:
            days = state.start.days if state else KEPT_DAYS
            # Extend the pace bot's run only here: the bot plays even if its opponent never moves,
            # and would fill the store with such runs.
            bot = keys.attempt(attempt_id(deal.id, PACE_BOT))
            await self._deals.extend(deal.id, days, bot)

    async def answer_again(
        self, attempt: AttemptId, player: PlayerId, seq: int, numbers: MoveNumbers
    ) -> Played | Snapshot:
        """Answer a repeated move, or one whose number is not the next one.

        Return the outcome of entry `seq` if it is this move and recent enough, and otherwise a
        snapshot. Refused if the player has no such attempt.
        """
        for before, event, after in await self.steps(attempt, seq):
            if after.seq == seq and before is not None and isinstance(event, Moved):
                move = before.board.ruleset.move_of(*numbers)
                if move is not None and move_text(before.board.ruleset, move) == event.move:
                    delta = delta_between(before.board, after.board)
                    return Played(before, after, delta, is_repeated=True)
                break
        return await self.open(attempt, player)

    async def resign(self, attempt: AttemptId, player: PlayerId, seq: int) -> Attempt | Snapshot:
        """Resign an attempt, as entry `seq`, and return it.

        Return it also if that entry is its resignation already, and a snapshot if `seq` is not the
        next entry's number. Refused if the player has no such attempt, or it has ended or has not
        started.
        """
        try:
            step = await self._submit_next(attempt, player, seq, core.resign)
        except SequenceError:
            snapshot = await self.open(attempt, player)
            state = self._known(attempt)
            if state is not None and state.seq == seq and state.end == "resigned":
                return state
            return snapshot
        return step.after

    async def undo(self, attempt: AttemptId, player: PlayerId, seq: int) -> Played | Snapshot:
        """Undo the last move of an attempt, as entry `seq`.

        Return the effect, also if that entry is this undo already and recent enough, and a snapshot
        if `seq` is not the next entry's number. Refused as for `core.undo`, or if the player has no
        such attempt.
        """
        deltas: list[Delta] = []

        def decide(state: Attempt, now: int) -> Event:
            undone = core.undo(state, now)
            deltas.append(undone.delta)
            return undone.event

        try:
            step = await self._submit_next(attempt, player, seq, decide)
        except SequenceError:
            for before, event, after in await self.steps(attempt, seq):
                if after.seq == seq and before is not None and isinstance(event, Undone):
                    return Played(before, after, delta_between(before.board, after.board))
            return await self.open(attempt, player)
        assert step.before is not None, "an undo is never the first entry"
        # `decide` runs again if another node was first, so only the last delta counts.
        return Played(step.before, step.after, deltas[-1])

    async def hint(
        self, attempt: AttemptId, player: PlayerId, seq: int, pay: Callable[[int], None]
    ) -> Attempt | Snapshot:
        """Give the player a hint, as entry `seq`, and return the attempt.

        Return a snapshot if `seq` is the number neither of the next entry nor of the hint. `pay`
        charges for a number of moves before they are judged, or raises a `Refusal`. Refused as for
        `core.hint`, or if the player has no such attempt.
        """
        searched: tuple[Board, Move | None] | None = None

        def find(board: Board) -> Move | None:
            if searched is None or searched[0] != board:
                raise _UnsearchedError(board)
            return searched[1]

        def decide(state: Attempt, now: int) -> Event | None:
            return core.hint(state, now, find)

        while True:
            try:
                step = await self._submit_next(attempt, player, seq, decide, plays=True)
            except _UnsearchedError as unsearched:
                # A decision is synchronous, and a search may take several slices. It is repeated
                # only if another entry has changed the board meanwhile.
                searched = unsearched.board, await self._search(unsearched.board, pay)
            except SequenceError:
                snapshot = await self.open(attempt, player)
                state = self._known(attempt)
                if state is not None and state.seq == seq and state.hinted is not None:
                    return state
                return snapshot
            else:
                return step.after

    async def _search(self, board: Board, pay: Callable[[int], None]) -> Move | None:
        """Return the hint for a board, and charge for its moves before judging them."""
        steps = hint_steps(board)
        moves = next(steps)
        pay(moves)
        # Short enough for one slice.
        if moves <= SLICE:
            return await _result(steps)
        # One at a time, so that each pass of the event loop runs at most one slice.
        async with self._judging:
            return await _result(steps)

    async def _submit_next(
        self,
        attempt: AttemptId,
        player: PlayerId,
        seq: int,
        decide: Callable[[Attempt, int], Event | None],
        *,
        plays: bool = False,
    ) -> Submitted[Attempt]:
        """Carry out a player's command as entry `seq`, or raise `SequenceError`.

        With `plays`, a first entry also extends the lifetime of the attempt's deal. Refused if the
        player has no such attempt, or by `decide`.
        """

        def decide_next(state: Attempt | None, now: int) -> Event | None:
            if state is None or state.start.player != player:
                raise Refusal(BaseRefusals.unknown_attempt)
            if seq != state.seq + 1:
                raise SequenceError
            return decide(state, now)

        replica = await self._replica(attempt, to_append=True)
        if plays and seq == FIRST_MOVE:
            await self._extend_deal(attempt, decide_next)
        return await replica.decide(decide_next)

    async def give_up(self, attempt: AttemptId) -> None:
        """Resign an attempt at any entry, started or not; if it has ended, do nothing."""

        def decide(state: Attempt | None, now: int) -> Event | None:
            return None if state is None else core.give_up(state, now)

        step = await (await self._replica(attempt, to_append=True)).decide(decide)
        if step.before is not step.after:
            # Its player must be told, since no session requested it.
            self.given_up.emit(step.after)

    async def end_stuck(self, attempt: AttemptId, seq: int) -> Attempt | None:
        """End an attempt that cannot bring another card home after entry `seq`.

        Return it, or `None` if it had already ended. Refused if it does not exist, or has expired.
        """

        def decide(state: Attempt | None, now: int) -> Event | None:
            if state is None:
                raise Refusal(BaseRefusals.unknown_attempt)
            return core.end_stuck(state, seq, now)

        step = await (await self._replica(attempt, to_append=True)).decide(decide)
        return step.after if step.before is not step.after else None

    async def steps(self, attempt: AttemptId, first: int) -> Iterator[Step]:
        """Return the steps from entry `first` on, folded lazily; a few earlier ones may precede.

        The iterator is empty if that entry is too old or not there yet. Refused if there is no
        attempt.
        """
        replica = await self._replica(attempt)
        found = await replica.since(first)
        if found is None:
            return iter(())
        state, texts = found
        return steps_of(await self._deal(attempt), state, texts)

    async def run(self, attempt: AttemptId) -> Run | None:
        """Read the run of a journal; `None` without a journal, or before its end."""
        texts = await self._journals.read_from(keys.attempt(attempt), 1)
        events: list[Event] = []
        for number, text in enumerate(texts, 1):
            events.append(decode(text))
            if number % PAUSE_EVERY == 0:
                await asyncio.sleep(0)
        return run_of(events)

    async def first_board(self, run: Run) -> Board | None:
        """Return the first board of a run's deal; `None` if the store has lost the deal.

        Raises:
            UnreadableError: a newer release stored the deal, or defined its rules.
        """
        start = run.start
        deal = await self._deals.find(start.deal)
        rules = rules_of(start.game, start.variant, start.rules)
        return None if deal is None else deal_seed(rules, deal.seed)

    def receive(self, attempt: AttemptId, number: int, text: str) -> Step | None:
        """Apply entry `number`, published by another node, without a read of the store.

        Return `None` if it does not follow this node's last entry, so that the journal must be
        read.
        """
        replica = self._replicas.known(attempt)
        before = replica.settled if replica is not None else None
        if replica is None or before is None or before.seq != number - 1:
            return None
        if not replica.receive(number, text) or replica.state is None:
            return None
        return Step(before, decode(text), replica.state)

    def _appended(self, before: Attempt | None, after: Attempt, append: Append) -> None:
        self.appended.emit(before, after, append.payload)
        if after.end is not None and (finish := finish_of(after)) is not None:
            self.finished.emit(finish)

    def _known(self, attempt: AttemptId) -> Attempt | None:
        replica = self._replicas.known(attempt)
        return replica.state if replica is not None else None

    async def _replica(
        self, attempt: AttemptId, *, to_append: bool = False
    ) -> Replica[Attempt, Event]:
        find = self._replicas.find_to_append if to_append else self._replicas.known
        replica = find(attempt)
        if replica is None:
            definition = AttemptDefinition(attempt, await self._deal(attempt), self._appended)
            self._replicas.put(attempt, Replica(self._journals, self._clock, definition))
            replica = find(attempt)
            assert replica is not None, "it was just added"
        return replica

    async def _deal(self, attempt: AttemptId) -> Deal:
        parts = split_attempt_id(attempt)
        deal = await self._deals.find(parts[0]) if parts else None
        if deal is None:
            raise Refusal(BaseRefusals.unknown_attempt)
        return deal


class _UnsearchedError(Exception):
    """A decision needs the hint for a board that has not been searched."""

    def __init__(self, board: Board) -> None:
        super().__init__()
        self.board = board


async def _result(steps: Generator[int, None, Move | None]) -> Move | None:
    """Run a generator to its result, yielding to the event loop between its steps."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            found: Move | None = done.value
            return found
        await asyncio.sleep(0)
