"""The journal of an attempt: decoding and folding its entries, and building its appends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from engine.deal import deal_seed
from engine.ruleset import Ruleset
from engine.schema import is_changes
from server.base.core import keys as base_keys
from server.base.core.ids import AttemptId
from server.base.journals.core.entry import Append
from server.base.journals.reader import Reader, rules_of
from server.base.outbox import effects
from server.deals.store import Deal
from server.play.core import attempt as core
from server.play.core import keys, pace_bot
from server.play.core.attempt import Attempt, Event, Started
from server.play.core.finish import Finish
from server.play.core.keys import AttemptDue

# Called after an append by this node was accepted, with the attempt before and after it.
Appended = Callable[[Attempt | None, Attempt, Append], None]

_READER: Reader[Event] = Reader(Event)
_ENCODER = msgspec.json.Encoder()


class Step(NamedTuple):
    """A journal entry, with the attempt before it (`None` for the first one) and after it."""

    before: Attempt | None
    event: Event
    after: Attempt


class AttemptDefinition:
    """The `Definition` of one attempt's journal; `appended` is called after each append."""

    __slots__ = ("_deal", "_id", "_key", "appended")

    def __init__(self, attempt: AttemptId, deal: Deal, appended: Appended) -> None:
        self._id = attempt
        self._key = keys.attempt(attempt)
        self._deal = deal
        self.appended = appended
        """See `Definition`."""

    def key(self) -> str:
        """Return the key of the stream."""
        return self._key

    def decode(self, text: str) -> Event:
        """Decode an entry's text (JSON)."""
        return decode(text)

    def fold(self, state: Attempt | None, event: Event) -> Attempt:
        """Return the attempt after an event."""
        return fold_event(self._deal, state, event)

    def due(self, state: Attempt, now: int) -> Event | None:
        """Return the event due at a time (Unix milliseconds) without a command, or `None`."""
        if pace_bot.owns(state) and (played := pace_bot.due(state, now)) is not None:
            return played
        return core.due(state, now)

    def checkpoint(self, state: Attempt) -> None:
        """Return `None`: the rules bound the length, and the run needs the whole journal."""

    def kept_until(self, state: Attempt) -> int:
        """Return the time (Unix milliseconds) until which the journal is guaranteed to be kept."""
        is_kept = state.counts and not pace_bot.owns(state)
        certain = min(_life_of(state), keys.CERTAIN_LIFE_MS)
        return state.start.deadline + (certain if is_kept else keys.UNPLAYED_LIFE_MS)

    def size(self, state: Attempt, oldest: Attempt | None) -> int:
        """Return the approximate size of a replica in bytes, in constant time."""
        # Boards share the piles that a move does not touch. The boards before undoable moves are
        # kept, starting with those of the oldest state.
        piles, boards = len(state.board.piles), len(state.past)
        size = 1_700 + 45 * piles
        if oldest is not None:
            size += 600 + 20 * piles
            if state.past or oldest.past:
                boards = len(oldest.past) + state.seq - oldest.seq
        return size + boards * (290 + 8 * piles)

    def shared(self, state: Attempt) -> Ruleset | None:
        """Return the rules if they are a player's custom rules, else `None`."""
        ruleset = state.board.ruleset
        return ruleset if is_changes(ruleset.variant) else None

    def append(self, before: Attempt | None, after: Attempt, event: Event, number: int) -> Append:
        """Return the append of an event as entry `number`, with its atomic side writes."""
        payload = _ENCODER.encode(event).decode()
        if before is not None and before.is_played and after.end is None:
            # Neither the first entry, nor the first move, nor the last: nothing else changes.
            return Append(self._key, number, payload)
        counts = after.counts and not pace_bot.owns(after)
        if before is not None and after.end is None and not counts:
            return Append(self._key, number, payload)
        start, expires, due, effect = after.start, None, None, None
        # A short life until it counts. The pace bot's journal is kept if another player plays
        # its round: see `DealStore.extend`.
        if before is None or counts:
            life = _life_of(after) if counts else keys.UNPLAYED_LIFE_MS
            expires = start.deadline + life
        # Attempts of a round share the room's deadline; each other attempt has its own.
        if start.room is None and (before is not None or start.occasion is not None):
            due = AttemptDue(self._id), None if after.end is not None else start.deadline
        finish = finish_of(after)
        if finish is not None:
            effect = finish.field, effects.encode(finish)
        partition = base_keys.partition(self._id)
        return Append(self._key, number, payload, partition, expires, effect, due)


def _life_of(attempt: Attempt) -> int:
    """Return the milliseconds that an attempt that counts is kept after its deadline."""
    return attempt.start.days * base_keys.DAY_SECONDS * 1000


decode = _READER.decode  # decodes an entry's text (JSON)


def fold_event(deal: Deal, state: Attempt | None, event: Event) -> Attempt:
    """Return the attempt after an event; the first event starts it on the board of its deal.

    Raises:
        UnreadableError: this release does not know the rules of the attempt.
    """
    if state is None:
        assert isinstance(event, Started), "a journal starts with `Started`"
        rules = rules_of(event.game, event.variant, event.rules)
        return core.begin(event, deal_seed(rules, deal.seed))
    return core.fold(state, event)


def steps_of(deal: Deal, state: Attempt | None, texts: list[str]) -> Iterator[Step]:
    """Yield a step for each of the entries (JSON) that follow a state."""
    for text in texts:
        before, event = state, decode(text)
        state = fold_event(deal, state, event)
        yield Step(before, event, state)


def finish_of(attempt: Attempt) -> Finish | None:
    """Return the outbox effect of a finished attempt, or `None` if it has none."""
    start = attempt.start
    # Rounds and occasions wait for all their runners, also for one without a move. A daily without
    # a move has an effect only if it was given up.
    is_awaited = start.room is not None or start.occasion is not None
    if attempt.end is None or not (is_awaited or attempt.counts):
        return None
    return Finish(
        attempt.id,
        start.player,
        start.deal,
        start.game,
        start.room,
        start.day,
        attempt.result,
        start.ranked,
        start.occasion,
        start.variant,
    )
