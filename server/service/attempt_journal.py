"""The journal of an attempt: what its entries say, and what is written with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from engine.deal import deal_seed
from server.core import attempt as core
from server.core.attempt import Attempt, Event, Started
from server.core.due import AttemptDue
from server.core.ids import AttemptId, DealId, PlayerId, RoomCode
from server.core.ranking import Result
from server.service.stored import Reader, rules_of
from server.store import keys
from server.store.deals import Deal
from server.store.journal import Append

Appended = Callable[[Attempt | None, Attempt], None]
"""Called when an entry of this node stands, with the attempt before and after it."""

_READER: Reader[Event] = Reader(Event)
_ENCODER = msgspec.json.Encoder()


class Finish(msgspec.Struct, tag="finish", frozen=True):
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


class AttemptDefinition:
    """The journal of one attempt; see `server.service.replica.Definition`."""

    __slots__ = ("_appended", "_deal", "_id", "_key")

    def __init__(self, attempt: AttemptId, deal: Deal, appended: Appended) -> None:
        self._id = attempt
        self._key = keys.attempt(attempt)
        self._deal = deal
        self._appended = appended

    def key(self) -> str:
        """Return the key of the stream."""
        return self._key

    def decode(self, text: str) -> Event:
        """Return the event that an entry's text says."""
        return decode(text)

    def fold(self, state: Attempt | None, event: Event) -> Attempt:
        """Return the attempt after an event."""
        return fold_event(self._deal, state, event)

    def due(self, state: Attempt, now: int) -> Event | None:
        """Return what the time alone has brought about."""
        return core.due(state, now)

    def append(self, before: Attempt | None, after: Attempt, event: Event, number: int) -> Append:
        """Return the append of an event, with what is to be written together with it."""
        payload = _ENCODER.encode(event).decode()
        start = after.start
        if before is not None and after.end is None:
            return Append(self._key, number, payload)
        # A round's runners fall due with their room, a daily's each by itself.
        due = AttemptDue(self._id) if start.room is None else None
        partition = keys.partition(self._id)
        if before is None:
            falls_due = (due, start.deadline) if due else None
            expires = start.deadline + keys.ATTEMPT_LIFE
            return Append(self._key, number, payload, partition, expires, None, falls_due)
        finish = _ENCODER.encode(finish_of(after)).decode()
        effect = (str(self._id), finish)
        gone = (due, None) if due else None
        return Append(self._key, number, payload, partition, None, effect, gone)

    def appended(self, before: Attempt | None, after: Attempt, _: Append) -> None:
        """Be told that an event of this node stands."""
        self._appended(before, after)


def decode(text: str) -> Event:
    """Return the event that an entry's text says.

    Raises:
        UnreadableError: it is of a form that this release does not know.
    """
    return _READER.read(text)


def fold_event(deal: Deal, state: Attempt | None, event: Event) -> Attempt:
    """Return the attempt after an entry; the first one begins on the board of its deal.

    Raises:
        UnreadableError: the attempt is played by rules that this release does not know.
    """
    if state is None:
        assert isinstance(event, Started), "a journal begins with the start"
        rules = rules_of(event.game, event.variant, event.rules)
        return core.begin(event, deal_seed(rules, deal.seed))
    return core.fold(state, event)


def steps_of(deal: Deal, state: Attempt | None, texts: list[str]) -> Iterator[Step]:
    """Yield the entries that follow a state, each folded when it is asked for."""
    for text in texts:
        before, event = state, decode(text)
        state = fold_event(deal, state, event)
        yield Step(before, event, state)


def finish_of(attempt: Attempt) -> Finish:
    """Return what must happen after an attempt that is over."""
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
