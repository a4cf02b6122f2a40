"""The journal of a circle: decoding and folding its entries, and building its appends."""

from __future__ import annotations

import msgspec

from server.base.core.keys import partition
from server.base.journals.core.entry import Append
from server.base.journals.followed import Kind
from server.base.journals.reader import Reader
from server.base.work.signal import Signal
from server.circles.core import circle as circles
from server.circles.core import commands, keys
from server.circles.core.bus import topic
from server.circles.core.circle import Checkpoint, Circle, Entry
from server.circles.core.ids import CircleId
from server.circles.core.keys import CircleDue

CHECKPOINT_EVERY = 64
"""Entries before a checkpoint, which replaces them."""

_READER: Reader[Entry] = Reader(Entry)


class CircleDefinition:
    """The `server.base.journals.replica.Definition` for a circle's journal.

    `appended` is emitted after each append, with the resulting circle.
    """

    def __init__(self, circle: CircleId, appended: Signal[CircleId, Circle, Append]) -> None:
        self._id = circle
        self._appended = appended

    def key(self) -> str:
        """Return the key of the stream."""
        return keys.circle(self._id)

    def decode(self, text: str) -> Entry:
        """Decode an entry from its JSON text."""
        return decode(text)

    def fold(self, state: Circle | None, event: Entry) -> Circle:
        """Return the circle after an event."""
        return circles.fold(state, event)

    def due(self, state: Circle, now: int) -> Entry | None:
        """Return the close of a settled season, or `None`."""
        return commands.close_season(state, now)

    def checkpoint(self, state: Circle) -> Checkpoint | None:
        """Return a checkpoint if the journal has reached its maximum length."""
        length = state.version - state.begin + 1
        is_due = length >= CHECKPOINT_EVERY and not state.deleted
        return Checkpoint(state, state.at) if is_due else None

    def kept_until(self, state: Circle) -> int:
        """Return the time (Unix milliseconds) until which the journal is guaranteed to exist."""
        return state.used + _life_of(state)

    def shared(self, state: Circle) -> None:
        """Return `None`: a circle shares no data with other replicas."""

    def size(self, state: Circle, oldest: Circle | None) -> int:
        """Return the approximate size of a replica in bytes, in constant time.

        Its older states have the same size and share most of their data.
        """
        seasons = sum(len(each.rounds) for each in state.closed) + 2 * len(state.closed)
        people = len(state.members) + len(state.former)
        size = 2_000 + 200 * people + 250 * (seasons + len(state.rounds))
        size += 300 * len(state.emotes)
        return size if oldest is None else 2 * size

    def append(self, before: Circle | None, after: Circle, event: Entry, number: int) -> Append:
        """Return the append of an event as entry `number`, with its atomic side effects.

        A member's entry renews the journal's expiry, which is short for a deleted circle. An entry
        that the circle makes by itself does not, or an idle circle would never expire. The append
        also updates the circle's due item if that changes.
        """
        was = before.due if before is not None else None
        # An expiry renewed by scheduled work would keep an abandoned circle forever.
        renews = before is None or after.used != before.used or after.deleted
        return Append(
            self.key(),
            number,
            msgspec.json.encode(event).decode(),
            partition(self._id),
            expires=after.at + _life_of(after) if renews else None,
            due=(CircleDue(self._id), after.due) if after.due != was else None,
        )

    def appended(self, before: Circle | None, after: Circle, append: Append) -> None:
        """Announce an accepted append of this node."""
        self._appended.emit(self._id, after, append)


def _life_of(circle: Circle) -> int:
    """Return the milliseconds a circle is kept after a member's last change."""
    return keys.DELETED_LIFE_MS if circle.deleted else keys.CIRCLE_LIFE_MS


decode = _READER.decode
"""Decodes an entry from its JSON text."""

KIND: Kind[CircleId, Circle, Entry] = Kind(
    "live_circles", CircleDefinition, topic, used=16 << 20, read_only=8 << 20
)
"""The journals of circles."""
