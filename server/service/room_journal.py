"""The journal of a room: decoding and folding its entries, and building its appends."""

from __future__ import annotations

import msgspec

from server.core import race, races
from server.core.due import RoundDue
from server.core.ids import RoomCode
from server.core.race import Room
from server.core.race_events import Event, RoundStarted
from server.service import outbox_entries
from server.service.outbox_entries import RoundOver
from server.service.ports import Clock
from server.service.signal import Signal
from server.service.stored import Reader, rules_of
from server.store import keys
from server.store.journal import Append

_READER: Reader[Event] = Reader(Event)


class RoomDefinition:
    """How the journal of one room is folded and written: a `server.service.replica.Definition`.

    `appended` is emitted after each append, with the room after it.
    """

    def __init__(
        self, code: RoomCode, clock: Clock, appended: Signal[RoomCode, Room, Append]
    ) -> None:
        self._code = code
        self._clock = clock
        self._appended = appended

    def key(self) -> str:
        """Return the key of the stream."""
        return keys.room(self._code)

    def decode(self, text: str) -> Event:
        """Return the event that an entry's text (JSON) encodes."""
        return decode(text)

    def fold(self, state: Room | None, event: Event) -> Room:
        """Return the room after an event.

        Raises:
            UnreadableError: this release does not know the rules of the round that it starts.
        """
        after = race.fold(state, event)
        if isinstance(event, RoundStarted) and after.round is not None:
            # Whatever is shown of the round goes by its rules: without them the room is unreadable.
            rules_of(after.round.terms.game, after.round.terms.variant, event.rules)
        return after

    def due(self, state: Room, now: int) -> Event | None:
        """Return `None`: a round's deadline ends its attempts, and they end the round."""
        return None

    def kept_until(self, state: Room) -> int:
        """Return the time (Unix milliseconds) until which the journal is certainly kept."""
        return state.at + _life_of(state)

    def size(self, state: Room, oldest: Room | None) -> int:
        """Return about how many bytes a replica takes, in constant time.

        Older states that it keeps are of the same size, and share little with it.
        """
        runners = len(state.round.players) if state.round is not None else 0
        members = len(state.seats) + len(state.removed) + len(state.proposals)
        size = 1_800 + 250 * members + 350 * runners + 900 * len(state.scores)
        return size if oldest is None else 2 * size

    def append(self, before: Room | None, after: Room, event: Event, number: int) -> Append:
        """Return the append of an event as entry `number`, with what is written atomically with it.

        Each entry renews when the journal expires, which is soon before the first round. The start
        of a round sets its deadline, and its last result drops that, and writes a `RoundOver` to
        the outbox if the round was a race.
        """
        due: tuple[RoundDue, int | None] | None = None
        effect: tuple[str, str] | None = None
        if isinstance(event, RoundStarted):
            due = (RoundDue(self._code), event.deadline)
        elif before is not None and before.running and not after.running:
            due = (RoundDue(self._code), None)
            race_over = races.race_over(after)
            if race_over is not None and after.round is not None:
                over = RoundOver(after.round.number, race_over)
                effect = (over.field, outbox_entries.encode(over))
        return Append(
            self.key(),
            number,
            msgspec.json.encode(event).decode(),
            keys.partition(self._code),
            expires=self._clock.now() + _life_of(after),
            effect=effect,
            due=due,
        )

    def appended(self, before: Room | None, after: Room, append: Append) -> None:
        """Handle that an append of this node has been accepted."""
        self._appended.emit(self._code, after, append)


def _life_of(room: Room) -> int:
    """Return the milliseconds that a room is kept after its last event, or after it was left."""
    return keys.UNUSED_ROOM_LIFE if room.round is None else keys.ROOM_LIFE


def decode(text: str) -> Event:
    """Return the event that an entry's text (JSON) encodes.

    Raises:
        UnreadableError: this release does not know its type.
    """
    return _READER.read(text)
