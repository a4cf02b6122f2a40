"""Messages of attempts: opening and resigning them, and moves.

Moves and their answers are by far the most frequent messages. Instead of a kind, they start with
the attempt's number in the session; kinds and these numbers do not overlap.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from server.base.core import costs
from server.base.wire import short_forms
from server.base.wire.messages import (
    AttemptNumber,
    AttemptOf,
    Certificate,
    Command,
    End,
    EntryNumber,
    Event,
    MoveMessage,
    Result,
)
from server.play.core import attempt as core
from server.play.core.result import Help

FIRST_NUMBER = short_forms.FIRST_NUMBER
"""The lowest number of an attempt."""

MAX_NUMBERS = short_forms.MAX_NUMBERS
"""The number of attempts that a session has numbers for; then a new one replaces the oldest."""

LAST_NUMBER = short_forms.LAST_NUMBER
"""The highest number of an attempt; other numbers at the start of a message are kinds."""

UNDO_DEPTH = core.UNDO_DEPTH
"""Moves that can be undone in a row."""

PileNumber = Annotated[int, Meta(ge=0, le=63)]


class Have(Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """The part of an attempt that a client already has.

    Attributes:
        seq: the last journal entry known to the client.
        digest: the 32-bit digest of its view after that entry.
    """

    seq: EntryNumber
    digest: Annotated[int, Meta(ge=0, le=2**32 - 1)]


class OpenAttempt(Command, tag=8, frozen=True):
    """Request an attempt's snapshot, or only the entries that the client has missed.

    It also subscribes the session to moves by the player's other sessions, and to an end without a
    command. Refused as `unknown_attempt` or `not_started`.

    Attributes:
        attempt: its id.
        have: the part that the client has, or null to request the snapshot.
        take: whether this session takes the attempt over from the player's other sessions.
    """

    attempt: Annotated[str, Meta(max_length=64)]
    have: Have | None = None
    take: bool = False
    cost: ClassVar[float] = costs.READ

    def subject(self, attempt_of: AttemptOf) -> dict[str, str]:
        """Return the attempt."""
        del attempt_of
        return {"attempt": self.attempt}


class AttemptCommand(Command, frozen=True):
    """The base of commands that change an attempt, as a move does.

    Attributes:
        number: the attempt's number in the session.
        seq: one more than the last journal entry known to the client.
    """

    number: AttemptNumber
    seq: EntryNumber

    def subject(self, attempt_of: AttemptOf) -> dict[str, str]:
        """Return the attempt, if there is one with that number."""
        attempt = attempt_of(self.number)
        return {} if attempt is None else {"attempt": attempt}


class Resign(AttemptCommand, tag=9, frozen=True):
    """Resign the attempt.

    Refused as `unknown_attempt`, `not_started` or `attempt_ended`.

    Attributes:
        number: the attempt's number in the session.
        seq: one more than the last journal entry known to the client.
    """

    cost: ClassVar[float] = costs.OPEN


class Undo(AttemptCommand, tag=29, frozen=True):
    """Undo the last move; answered by the changes, with cards covered again.

    Refused as `unknown_attempt`, `not_started`, `attempt_ended`, `no_help`, `nothing_to_undo` or
    `too_many_moves`.

    Attributes:
        number: the attempt's number in the session.
        seq: one more than the last journal entry known to the client.
    """

    cost: ClassVar[float] = costs.LOOK


class Hint(AttemptCommand, tag=30, frozen=True):
    """Request a hint. Repeated on the same board, it returns the same hint and counts once.

    The price grows with the number of legal moves.

    Refused as `unknown_attempt`, `not_started`, `attempt_ended` or `no_help`.

    Attributes:
        number: the attempt's number in the session.
        seq: one more than the last journal entry known to the client.
    """

    cost: ClassVar[float] = costs.READ


class PlayMove(MoveMessage, frozen=True, gc=False):
    """Play a move, `[number, seq, source, target, count?]`.

    Refused as `unknown_attempt`, `not_started`, `bad_move`, `illegal_move`, `attempt_ended` or
    `too_many_moves`.

    Attributes:
        number: the attempt's number in the session.
        seq: one more than the last journal entry known to the client.
        source: the number of the pile to take cards from.
        target: the number of the pile to put them on; one more than the last pile's number deals a
            row from the stock.
        count: the number of cards.
    """

    source: PileNumber
    target: PileNumber
    count: PileNumber = 1
    cost: ClassVar[float] = costs.MOVE


class Attempt(Event, tag=7, frozen=True):
    """A snapshot of an attempt, as seen by its player.

    Attributes:
        number: its number in the session from now on.
        attempt: its id.
        deal: the id of its deal.
        commitment: to the deal's seed, in hexadecimal.
        room: the code of its room, or null.
        day: the UTC day of its daily, counted from 1970-01-01, or null if it is not a daily.
        seq: the last entry of its journal.
        piles: all piles by number, each from bottom to top with one byte per card.
        redeals: how often the waste has been turned over.
        started: when its clock started, in Unix milliseconds.
        deadline: when it ends automatically, in Unix milliseconds.
        now: the server's time in Unix milliseconds.
        rules: the digest of its rules.
        help: the help available to its player.
        hint: the hint given on this board: source, target and count as in `PlayMove`.
        undoable: how many moves can be undone in a row.
        certificate: the proof about its deal; null without a proof, as for most deals of rooms.
        occasion: its purpose if it is neither in a room nor a daily: `c:` and the id of a
            challenge.
    """

    number: int
    attempt: str
    deal: str
    commitment: str
    game: str
    variant: str
    room: str | None
    day: int | None
    seq: int
    piles: list[bytes]
    redeals: int
    started: int
    deadline: int
    now: int
    result: Result
    rules: str
    help: Help = "none"
    hint: list[int] | None = None
    undoable: int = 0
    certificate: Certificate | None = None
    occasion: str | None = None


class Moved(Struct, array_like=True, frozen=True):
    """A move was stored as entry `seq`: `[number, seq, changes, time?, end?, redeals?]`.

    Trailing nulls are omitted. Each move adds 1 to `result.moves`.

    Attributes:
        number: the attempt's number in the session.
        seq: the entry.
        changes: `[pile, take, card, ...]` for each changed pile: remove `take` cards from its end,
            then append these cards.
        time: the new `result.time`, if a card reached a foundation.
        end: `won` or `stuck`, if this was the last move.
        redeals: how often the waste has been turned over, if this move did so.
    """

    number: int
    seq: int
    changes: list[list[int]]
    time: int | None = None
    end: End | None = None
    redeals: int | None = None


class MissedMove(Struct, array_like=True, frozen=True):
    """A missed move, or a missed undo, with 0 as `source`, `target` and `count`.

    Attributes:
        source: as in `PlayMove`.
        target: as in `PlayMove`.
        count: the number of cards.
        changes: as in `Moved`.
        redeals: how often the waste has been turned over after it.
    """

    source: int
    target: int
    count: int
    changes: list[list[int]]
    redeals: int


class Missed(Event, tag=9, frozen=True):
    """The moves of an attempt after the entry `since`, which the client has.

    It answers `OpenAttempt` and `Undo`, and is also sent when another session of the player has
    moved.

    Attributes:
        number: the attempt's number in the session from now on.
        attempt: its id.
        seq: the last entry of its journal.
        moves: one per entry, except the last if the attempt ended without a move.
        now: the server's time in Unix milliseconds.
        result: after the last entry.
    """

    number: int
    attempt: str
    since: int
    seq: int
    moves: list[MissedMove]
    now: int
    result: Result


class Hinted(Event, tag=21, frozen=True):
    """A hint.

    Attributes:
        number: the attempt's number in the session.
        seq: the last entry of its journal.
        move: source, target and count as in `PlayMove`; null if no useful move is known.
        hints: the number of hints given in this attempt.
    """

    number: int
    seq: int
    move: list[int] | None
    hints: int


class Taken(Event, tag=22, frozen=True):
    """Another session of the player holds the attempt; this one mirrors it until it takes it over.

    Attributes:
        number: the attempt's number in the session.
        session: the holder's id, as in its `Welcome`; null if unknown.
    """

    number: int
    session: str | None


class Released(Event, tag=26, frozen=True):
    """The session that held a mirrored attempt has ended, and no session holds it now.

    Attributes:
        number: the attempt's number in the session.
    """

    number: int


class Ended(Event, tag=10, frozen=True):
    """The attempt ended without a move: resigned, out of time, or found to be stuck.

    Attributes:
        number: its number in the session.
        seq: the last entry of its journal.
    """

    number: int
    seq: int
    result: Result
