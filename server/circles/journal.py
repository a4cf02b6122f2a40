"""The journal of a circle: decoding and folding its entries, and building its appends."""

from __future__ import annotations

import msgspec

from server.base.core.due import CircleDue
from server.base.core.ids import CircleId
from server.base.core.keys import partition
from server.base.journals.core.entry import Append
from server.base.journals.reader import Reader
from server.base.work.signal import Signal
from server.circles.core import circle as circles
from server.circles.core import commands, keys
from server.circles.core.circle import Checkpoint, Circle, Entry

CHECKPOINT_EVERY = 64
"""Entries of a journal from which on the next one is a checkpoint, with which these are dropped."""

_READER: Reader[Entry] = Reader(Entry)


class CircleDefinition:
    """The `server.base.journals.replica.Definition` of the journal of one circle.

    `appended` is emitted after each append, with the circle after it.
    """

    def __init__(self, circle: CircleId, appended: Signal[Circle, Append]) -> None:
        self._id = circle
        self._appended = appended

    def key(self) -> str:
        """Return the key of the stream."""
        return keys.circle(self._id)

    def decode(self, text: str) -> Entry:
        """Return the event that an entry's text (JSON) encodes."""
        return decode(text)

    def fold(self, state: Circle | None, event: Entry) -> Circle:
        """Return the circle after an event."""
        return circles.fold(state, event)

    def due(self, state: Circle, now: int) -> Entry | None:
        """Return the end of a season that has passed."""
        return commands.close_season(state, now)

    def checkpoint(self, state: Circle) -> Checkpoint | None:
        """Return a checkpoint if there are as many entries as a journal may have without one."""
        length = state.version - state.begin + 1
        is_due = length >= CHECKPOINT_EVERY and not state.deleted
        return Checkpoint(state, state.at) if is_due else None

    def kept_until(self, state: Circle) -> int:
        """Return the time (Unix milliseconds) until which the journal is certainly kept."""
        return state.used + _life_of(state)

    def shared(self, state: Circle) -> None:
        """Return `None`: it holds texts and numbers of its own."""

    def size(self, state: Circle, oldest: Circle | None) -> int:
        """Return about how many bytes a replica takes, in constant time.

        Older states that it keeps are of the same size, and share most of it.
        """
        seasons = sum(len(each.rounds) for each in state.closed) + 2 * len(state.closed)
        people = len(state.members) + len(state.former)
        size = 2_000 + 200 * people + 250 * (seasons + len(state.rounds))
        size += 300 * len(state.emotes)
        return size if oldest is None else 2 * size

    def append(self, before: Circle | None, after: Circle, event: Entry, number: int) -> Append:
        """Return the append of an event as entry `number`, with what is written atomically with it.

        An entry of a member renews when the journal expires, which is soon after the circle was
        deleted. What the circle does by itself does not: it would never end. With each entry the
        time is set at which something is due next, if that changes.
        """
        was = before.due if before is not None else None
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
        """Handle that an append of this node has been accepted."""
        self._appended.emit(after, append)


def _life_of(circle: Circle) -> int:
    """Return the milliseconds that a circle is kept after a member has changed it."""
    return keys.DELETED_LIFE_MS if circle.deleted else keys.CIRCLE_LIFE_MS


decode = _READER.decode
"""Returns the event that an entry's text (JSON) encodes."""
