"""The journal of a room: decoding and folding its entries, and building its appends."""

from __future__ import annotations

import msgspec

from server.base.core import keys as base_keys
from server.base.core.ids import PACE_BOT, RoomCode
from server.base.journals.core.entry import Append, Beside
from server.base.journals.reader import Reader, rules_of
from server.base.outbox import effects
from server.base.work.clock import Clock
from server.base.work.signal import Signal
from server.rooms.core import keys
from server.rooms.core import room as race
from server.rooms.core.effects import RoundOver, race_over
from server.rooms.core.events import Founded, RoundStarted
from server.rooms.core.keys import RoundDue
from server.rooms.core.room import Change, Checkpoint, Entry, KeptRound, Room, Round

CHECKPOINT_EVERY = 128
"""The journal length from which the next entry is a checkpoint, which trims earlier entries."""

_ENCODER = msgspec.json.Encoder()
_READER: Reader[Entry] = Reader(Entry)
_ROUNDS: Reader[KeptRound] = Reader(KeptRound)


class RoomDefinition:
    """The `server.base.journals.replica.Definition` of one room's journal.

    `appended` is emitted after each append, with the room after it.
    """

    def __init__(
        self, clock: Clock, code: RoomCode, appended: Signal[RoomCode, Room, Append]
    ) -> None:
        self._code = code
        self._clock = clock
        self._appended = appended

    def key(self) -> str:
        """Return the key of the stream."""
        return keys.room(self._code)

    def decode(self, text: str) -> Entry:
        """Decode an entry's text (JSON)."""
        return decode(text)

    def fold(self, state: Room | None, event: Change) -> Room:
        """Return the room after an event.

        Raises:
            UnreadableError: this release does not know the rules of the room's round.
        """
        after = race.fold(state, event)
        if isinstance(event, RoundStarted | Checkpoint) and after.round is not None:
            # Every view of the round depends on its rules, so without them the room is unreadable.
            rules_of(after.round.terms.game, after.round.terms.variant, after.round.rules)
        return after

    def due(self, state: Room, now: int) -> None:
        """Return `None`: at the deadline, attempts end, and their results end the round."""

    def checkpoint(self, state: Room) -> Checkpoint | None:
        """Return a checkpoint if the journal has reached its maximum length without one."""
        length = state.version - state.begin + 1
        return Checkpoint(state, state.at) if length >= CHECKPOINT_EVERY else None

    def kept_until(self, state: Room) -> int:
        """Return the time (Unix milliseconds) until which the journal is guaranteed to be kept."""
        return state.at + _life_of(state)

    def shared(self, state: Room) -> None:
        """Return `None`: a room shares no memory with others."""

    def size(self, state: Room, oldest: Room | None) -> int:
        """Return the approximate size of a replica in bytes, in constant time.

        Its older states have the same size, and share little with it.
        """
        runners = len(state.round.players) if state.round is not None else 0
        members = len(state.seats) + len(state.proposals)
        others = len(state.removed) + len(state.paces)
        size = 1_800 + 250 * members + 150 * others + 350 * runners + 900 * len(state.scores)
        return size if oldest is None else 2 * size

    def append(self, before: Room | None, after: Room, event: Change, number: int) -> Append:
        """Return the append of an event from entry `number` on, with its atomic side writes.

        Each entry renews the journal's lifetime, which is short before the first round. The start
        of a round registers its deadline. Its last result removes the deadline, writes a
        `RoundOver` to the outbox if the round was a race, and stores the round for its runs if a
        player has made a move.
        """
        due: tuple[RoundDue, int | None] | None = None
        effect: tuple[str, str] | None = None
        beside: Beside | None = None
        earlier: tuple[str, ...] = ()
        if isinstance(event, Founded):
            earlier = (_encode(event.opened),)
            event = event.taken
        elif isinstance(event, RoundStarted):
            due = (RoundDue(self._code), event.deadline)
        elif before is not None and before.running and not after.running:
            due = (RoundDue(self._code), None)
            raced = race_over(after)
            if raced is not None and after.round is not None:
                over = RoundOver(after.round.number, raced)
                effect = (over.field, effects.encode(over))
            beside = self._kept(after)
        return Append(
            self.key(),
            number + len(earlier),
            _encode(event),
            base_keys.partition(self._code),
            expires=self._clock.now() + _life_of(after),
            effect=effect,
            due=due,
            beside=beside,
            earlier=earlier,
        )

    def _kept(self, room: Room) -> Beside | None:
        """Return the finished round in its stored form, or `None` if no player has made a move."""
        round_ = room.round
        if round_ is None:
            return None
        if not any(each.moves for player, each in round_.results.items() if player != PACE_BOT):
            return None
        text = msgspec.json.encode(KeptRound(round_)).decode()
        until = self._clock.now() + keys.ROUND_LIFE_MS
        return Beside(keys.round_in(self._code, round_.deal), text, until)

    def appended(self, before: Room | None, after: Room, append: Append) -> None:
        """Handle that an append by this node was accepted."""
        self._appended.emit(self._code, after, append)


def _encode(entry: Entry) -> str:
    """Encode an entry as text (JSON)."""
    return _ENCODER.encode(entry).decode()


def _life_of(room: Room) -> int:
    """Return the milliseconds that a room is kept after its last event, or after it was left."""
    return keys.UNUSED_ROOM_LIFE_MS if room.round is None else keys.ROOM_LIFE_MS


def decode_round(text: str) -> Round:
    """Decode a stored round (JSON).

    Raises:
        UnreadableError: this release does not know its type.
    """
    return _ROUNDS.decode(text).round


decode = _READER.decode
"""Decodes an entry's text (JSON)."""
