"""Attempts: starting, opening and playing them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator

import structlog
from msgspec import structs

from engine.board import delta_between
from engine.notation import move_text
from server.core import attempt as core
from server.core.attempt import Attempt, Event, Moved, Started
from server.core.ids import AttemptId, PlayerId, attempt_id, split_attempt_id
from server.core.refusal import Refusal
from server.metrics import Counts
from server.service.answers import Over, Played, Snapshot, snapshot_of
from server.service.attempt_journal import AttemptDefinition, Finish, Step, finish_of, steps_of
from server.service.moves import MoveNumbers, OutOfStepError, PendingMove, Reply
from server.service.replica import Replica
from server.service.replica_cache import ReplicaCache
from server.service.signal import Signal
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
        self._replicas: ReplicaCache[AttemptId, Attempt, Event] = ReplicaCache()
        self.finishes: asyncio.Queue[Finish] = asyncio.Queue(MOST_FINISHES)
        """What has finished on this node, for whoever applies its effects."""
        self.advanced: Signal[Attempt] = Signal()
        """Emitted after each entry that this node has appended, with the attempt after it."""
        self.opened: Signal[Attempt] = Signal()
        """Emitted when a player opens an attempt."""

    @property
    def size(self) -> int:
        """How many attempts are held in memory."""
        return self._replicas.size

    async def start(self, started: Started) -> Attempt:
        """Start an attempt by the rules of its deal, or find it started.

        Raises:
            Refusal: the deal is not kept any more.
            UnreadableError: a newer release drew the deal.
            UnavailableError: the store does not answer.
        """
        attempt = attempt_id(started.deal, started.player)
        replica = await self._replica(attempt, to_append=True)
        # All attempts at a deal are played by its rules, whatever the rules of today are.
        deal = await self._deal(attempt)
        rules = rules_of(deal.game, deal.variant, deal.rules)
        started = structs.replace(started, rules=rules.digest)
        step = await replica.submit(lambda state, _: started if state is None else None)
        return step.after

    async def find(self, attempt: AttemptId) -> Attempt | None:
        """Return an attempt as it is now, or `None`; one whose time is up is ended by this.

        Raises:
            UnreadableError: a newer release stored it.
            UnavailableError: the store does not answer.
        """
        try:
            return await (await self._replica(attempt)).refresh()
        except Refusal:
            return None

    async def open(self, attempt: AttemptId, player: PlayerId) -> Snapshot:
        """Return a player's own attempt as it may be seen.

        Raises:
            Refusal: the player has no such attempt, or its round has not begun.
            UnavailableError: the store does not answer.
        """
        state = await self.find(attempt)
        if state is None or state.start.player != player:
            raise Refusal("unknown_attempt")
        self.opened.emit(state)
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
        replica = self._replicas.find_to_append(attempt)
        self._lookups["attempts", "miss" if replica is None else "hit"] += 1
        if replica is None or seq == FIRST_MOVE:
            run_soon(self._play(attempt, seq, move))
        else:
            replica.submit_soon(move)

    async def _play(self, attempt: AttemptId, seq: int, move: PendingMove) -> None:
        """Play a move of a journal that must be fetched, or whose first card is to be shown."""
        try:
            replica = await self._replica(attempt, to_append=True)
            if seq == FIRST_MOVE:
                await self._store.clock.confirm()
        except Exception as error:
            move.finish(None, error)
        else:
            replica.submit_soon(move)

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
            step = await (await self._replica(attempt, to_append=True)).submit(decide)
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

        await (await self._replica(attempt, to_append=True)).submit(decide)

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

        step = await (await self._replica(attempt, to_append=True)).submit(decide)
        return step.after if step.before is not step.after else None

    async def steps(self, attempt: AttemptId, first: int) -> Iterator[Step]:
        """Return the entries from `first` on, or a few before it, each folded when asked for.

        None are returned if `first` is long ago or not there yet.

        Raises:
            Refusal: there is no such attempt.
            UnavailableError: the store does not answer.
        """
        replica = await self._replica(attempt)
        found = await replica.since(first)
        if found is None:
            return iter(())
        state, texts = found
        return steps_of(await self._deal(attempt), state, texts)

    def _appended(self, before: Attempt | None, after: Attempt) -> None:
        """Note an entry of this node: tell of it, and hand a finish on."""
        self.advanced.emit(after)
        if before is None or after.end is None:
            return
        try:
            self.finishes.put_nowait(finish_of(after))
        except asyncio.QueueFull:
            log.warning("finishes_full", attempt=after.id)

    def _known(self, attempt: AttemptId) -> Attempt | None:
        """Return an attempt as this node knows it, or `None`."""
        replica = self._replicas.find(attempt)
        return replica.state if replica is not None else None

    async def _replica(
        self, attempt: AttemptId, *, to_append: bool = False
    ) -> Replica[Attempt, Event]:
        find = self._replicas.find_to_append if to_append else self._replicas.find
        replica = find(attempt)
        if replica is None:
            definition = AttemptDefinition(attempt, await self._deal(attempt), self._appended)
            self._replicas.put(
                attempt, Replica(self._store.journals, self._store.clock, definition)
            )
            replica = find(attempt)
            assert replica is not None, "it has just been put there"
        return replica

    async def _deal(self, attempt: AttemptId) -> Deal:
        """Return the deal that an attempt is played on."""
        parts = split_attempt_id(attempt)
        deal = await self._store.deals.find(parts[0]) if parts else None
        if deal is None:
            raise Refusal("unknown_attempt")
        return deal
