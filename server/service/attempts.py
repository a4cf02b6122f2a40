"""Attempts: starting, opening and playing them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator

import structlog
from msgspec import structs

from engine.board import delta_between
from engine.notation import move_text
from server.core import attempt as core
from server.core.attempt import Attempt, Event, Moved, Started
from server.core.ids import AttemptId, DealId, PlayerId, attempt_id, split_attempt_id
from server.core.refusal import Refusal
from server.metrics import Counts
from server.service.answers import Over, Played, Snapshot, snapshot_of
from server.service.attempt_journal import AttemptKind, Finish, Step, finish_of, steps_of
from server.service.held import Held
from server.service.moves import MoveNumbers, OutOfStepError, PendingMove, Reply
from server.service.shelf import Shelf
from server.service.store import Store
from server.service.stored import rules_of
from server.service.tasks import run_soon
from server.store.deals import Deal

MOST_FINISHES = 10_000
"""Finishes that wait for their effects; what is over that is left to the sweeper."""

FIRST_MOVE = 2
"""The number of the first entry by which a player may see a card that was not dealt face up."""

log = structlog.get_logger()


class Attempts:
    """All attempts."""

    def __init__(self, store: Store, lookups: Counts | None = None) -> None:
        self._store = store
        self._lookups = Counter() if lookups is None else lookups
        self._shelf: Shelf[AttemptId, Attempt, Event] = Shelf()
        self.finishes: asyncio.Queue[Finish] = asyncio.Queue(MOST_FINISHES)
        """What has finished on this node, for whoever applies its effects."""
        self.on_advance: Callable[[Attempt], None] = lambda _: None
        """Called after each entry of this node, with the attempt after it."""
        self.on_open: Callable[[Attempt], None] = lambda _: None
        """Called when a player opens an attempt."""
        self.on_missing: Callable[[DealId, PlayerId], Awaitable[None]] = _leave_missing
        """Called when a player asks for an attempt that has no journal; it may start it."""

    @property
    def size(self) -> int:
        """How many attempts are held in memory."""
        return self._shelf.size

    async def start(self, started: Started) -> Attempt:
        """Start an attempt by the rules of its deal, or find it started.

        Raises:
            Refusal: the deal is not kept any more.
            UnreadableError: a newer release drew the deal.
            UnavailableError: the store does not answer.
        """
        attempt = attempt_id(started.deal, started.player)
        held = await self._held(attempt, to_use=True)
        # All attempts at a deal are played by its rules, whatever the rules of today are.
        deal = await self._deal(attempt)
        rules = rules_of(deal.game, deal.variant, deal.rules)
        started = structs.replace(started, rules=rules.digest)
        step = await held.submit(lambda state, _: started if state is None else None)
        return step.after

    async def find(self, attempt: AttemptId) -> Attempt | None:
        """Return an attempt as it is now, or `None`; one whose time is up is ended by this.

        Raises:
            UnreadableError: a newer release stored it.
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
            await self._store.clock.confirm()
        if not attempt.has_begun(self._store.clock.now()):
            raise Refusal("not_started")
        deal = await self._store.deals.find(attempt.start.deal)
        assert deal is not None, "a deal outlives its attempts"
        return snapshot_of(attempt, deal.commitment)

    def play_soon(
        self, attempt: AttemptId, player: PlayerId, seq: int, what: MoveNumbers, reply: Reply
    ) -> None:
        """Play a move that is to become entry `seq`; `reply` is called when it stands, or not."""
        move = PendingMove(attempt, player, seq, what, self.answer_again, reply)
        held = self._shelf.find_to_use(attempt)
        self._lookups["attempts", "miss" if held is None else "hit"] += 1
        if held is None or seq == FIRST_MOVE:
            run_soon(self._play(attempt, seq, move))
        else:
            held.submit_soon(move)

    async def _play(self, attempt: AttemptId, seq: int, move: PendingMove) -> None:
        """Play a move of a journal that must be fetched, or whose first card is to be shown."""
        try:
            held = await self._held(attempt, to_use=True)
            if seq == FIRST_MOVE:
                await self._store.clock.confirm()
        except Exception as error:
            move.finish(None, error)
        else:
            held.submit_soon(move)

    async def answer_again(
        self, attempt: AttemptId, player: PlayerId, seq: int, what: MoveNumbers
    ) -> Played | Snapshot:
        """Return the answer that entry `seq` had if it is this move and not long ago.

        Otherwise it is a snapshot.

        Raises:
            Refusal: the player has no such attempt.
            UnavailableError: the store does not answer.
        """
        for before, event, after in await self.steps(attempt, seq):
            if after.seq == seq and before is not None and isinstance(event, Moved):
                move = before.board.ruleset.move_of(*what)
                if move is not None and move_text(before.board.ruleset, move) == event.move:
                    return Played(before, after, delta_between(before.board, after.board))
                break
        return await self.open(attempt, player)

    async def resign(self, attempt: AttemptId, player: PlayerId, seq: int) -> Over | Snapshot:
        """Carry out a resignation that is to become entry `seq`.

        Returns:
            The end, also if it stands already; or a snapshot, if the number is not the next one.

        Raises:
            Refusal: it is not carried out.
            UnavailableError: the store does not answer; it may stand or not.
        """

        def decide(state: Attempt | None, now: int) -> Event:
            if state is None or state.start.player != player:
                raise Refusal("unknown_attempt")
            if seq != state.seq + 1:
                raise OutOfStepError
            return core.resign(state, now)

        try:
            step = await (await self._held(attempt, to_use=True)).submit(decide)
        except OutOfStepError:
            snapshot = await self.open(attempt, player)
            state = self._known(attempt)
            if state is not None and state.seq == seq and state.end == "resigned":
                return Over(state)
            return snapshot
        return Over(step.after)

    async def give_up(self, attempt: AttemptId) -> None:
        """Resign an attempt wherever it stands, begun or not; one that is over stays as it is.

        Raises:
            UnavailableError: the store does not answer.
        """

        def decide(state: Attempt | None, now: int) -> Event | None:
            return None if state is None else core.give_up(state, now)

        await (await self._held(attempt, to_use=True)).submit(decide)

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

        step = await (await self._held(attempt, to_use=True)).submit(decide)
        return step.after if step.before is not step.after else None

    async def steps(self, attempt: AttemptId, first: int) -> Iterator[Step]:
        """Return the entries from `first` on, or a few before it, each folded when asked for.

        None are returned if `first` is long ago or not there yet.

        Raises:
            Refusal: there is no such attempt.
            UnavailableError: the store does not answer.
        """
        held = await self._held(attempt)
        found = await held.since(first)
        if found is None:
            return iter(())
        state, texts = found
        return steps_of(await self._deal(attempt), state, texts)

    def advanced(self, before: Attempt | None, after: Attempt) -> None:
        """Note an entry of this node: tell of it, and hand a finish on."""
        self.on_advance(after)
        if before is None or after.end is None:
            return
        try:
            self.finishes.put_nowait(finish_of(after))
        except asyncio.QueueFull:
            log.warning("finishes_full", attempt=after.id)

    def _known(self, attempt: AttemptId) -> Attempt | None:
        """Return an attempt as this node knows it, or `None`."""
        held = self._shelf.find(attempt)
        return held.state if held is not None else None

    async def _held(self, attempt: AttemptId, *, to_use: bool = False) -> Held[Attempt, Event]:
        find = self._shelf.find_to_use if to_use else self._shelf.find
        held = find(attempt)
        if held is None:
            kind = AttemptKind(attempt, await self._deal(attempt), self.advanced)
            self._shelf.put(attempt, Held(self._store.journals, self._store.clock, kind))
            held = find(attempt)
            assert held is not None, "it has just been put there"
        return held

    async def _deal(self, attempt: AttemptId) -> Deal:
        """Return the deal that an attempt is played on."""
        parts = split_attempt_id(attempt)
        deal = await self._store.deals.find(parts[0]) if parts else None
        if deal is None:
            raise Refusal("unknown_attempt")
        return deal


async def _leave_missing(_: DealId, __: PlayerId) -> None:
    """Start nothing."""
