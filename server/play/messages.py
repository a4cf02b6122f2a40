"""Attempts: opening and resigning them, and moves.

Moves and their answers are by far the most frequent messages. They have no kind: they begin with
the attempt's number in the session, which no kind is.
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
"""The least number of an attempt."""

MAX_NUMBERS = short_forms.MAX_NUMBERS
"""Attempts that a session has numbers for; after that a new one replaces the oldest."""

LAST_NUMBER = short_forms.LAST_NUMBER
"""The greatest number of an attempt; other numbers at the start of a message are kinds."""

UNDO_DEPTH = core.UNDO_DEPTH
"""Moves that can be undone in a row."""

PileNumber = Annotated[int, Meta(ge=0, le=63)]


class Have(Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """The part of an attempt that a client already has.

    Attributes:
        seq: the last journal entry that was acknowledged to it.
        digest: the 32-bit digest of its view after that entry.
    """

    seq: EntryNumber
    digest: Annotated[int, Meta(ge=0, le=2**32 - 1)]


class OpenAttempt(Command, tag=8, frozen=True):
    """Ask for an attempt's snapshot, or for what the client has missed of it.

    The session is told from then on what the player's other sessions play in it, and if it ends
    without a command. Refused as `unknown_attempt` or `not_started`.

    Attributes:
        attempt: its id.
        have: the part that the client has of it, or null to get the snapshot.
        take: whether it is played by this session from now on, and no other one of the player.
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
        seq: one more than the last journal entry that the client knows.
    """

    number: AttemptNumber
    seq: EntryNumber

    def subject(self, attempt_of: AttemptOf) -> dict[str, str]:
        """Return the attempt, if there is one with that number."""
        attempt = attempt_of(self.number)
        return {} if attempt is None else {"attempt": attempt}


class Resign(AttemptCommand, tag=9, frozen=True):
    """End the attempt as it stands.

    Refused as `unknown_attempt`, `not_started` or `attempt_ended`.

    Attributes:
        number: the attempt's number in the session.
        seq: one more than the last journal entry that the client knows.
    """

    cost: ClassVar[float] = costs.OPEN


class Undo(AttemptCommand, tag=29, frozen=True):
    """Undo the last move; it is answered by what it has changed, with the cards covered again.

    Refused as `unknown_attempt`, `not_started`, `attempt_ended`, `no_help`, `nothing_to_undo` or
    `too_many_moves`.

    Attributes:
        number: the attempt's number in the session.
        seq: one more than the last journal entry that the client knows.
    """

    cost: ClassVar[float] = costs.LOOK


class Hint(AttemptCommand, tag=30, frozen=True):
    """Ask for a hint. On the same board, the answer is the same, and counts once.

    The more moves are legal, the more it costs.

    Refused as `unknown_attempt`, `not_started`, `attempt_ended` or `no_help`.

    Attributes:
        number: the attempt's number in the session.
        seq: one more than the last journal entry that the client knows.
    """

    cost: ClassVar[float] = costs.READ


class PlayMove(MoveMessage, frozen=True):
    """Play a move, `[number, seq, source, target, count?]`.

    Refused as `unknown_attempt`, `not_started`, `bad_move`, `illegal_move`, `attempt_ended` or
    `too_many_moves`.

    Attributes:
        number: the attempt's number in the session.
        seq: one more than the last journal entry that the client knows.
        source: the number of the pile that cards are taken from.
        target: the number of the pile that they are put on; one more than the last pile's deals a
            row from the stock.
        count: how many cards.
    """

    source: PileNumber
    target: PileNumber
    count: PileNumber = 1
    cost: ClassVar[float] = costs.MOVE


class Attempt(Event, tag=7, frozen=True):
    """An attempt's snapshot, as its player may see it.

    Attributes:
        number: its number in the session from now on.
        attempt: its id.
        deal: the id of its deal.
        commitment: to the deal's seed, in hexadecimal.
        room: the code of its room, or null if it is in none.
        day: the UTC day of its daily, counted from 1970-01-01, or null if it is of none.
        seq: the last entry of its journal.
        piles: all piles by number, each from bottom to top with a byte for each card.
        redeals: how often the waste has been turned over.
        started: when its clock started, in Unix milliseconds.
        deadline: when it ends by itself, in Unix milliseconds.
        now: the server's time in Unix milliseconds.
        rules: the digest of the rules that it is played by.
        help: the help that its player may ask for.
        hint: the hint that was given on this board: source, target and count as in `PlayMove`.
        undoable: how many moves can be undone in a row.
        certificate: the proof about its deal; null if there is none, as of all deals of rooms.
        occasion: what it is played for if it is neither in a room nor of a daily: `c:` and the id
            of a challenge.
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
    """The move is in the journal as entry `seq`: `[number, seq, changes, time?, end?, redeals?]`.

    Nulls at the end are left out. Each move adds 1 to `result.moves`.

    Attributes:
        number: the attempt's number in the session.
        seq: the entry.
        changes: for each pile that changed `[pile, take, card, ...]`: `take` cards leave its end,
            and then these cards are put there.
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
    """A move that a client has missed, or an undo: its `count` is 0, like `source` and `target`.

    Attributes:
        source: as in `PlayMove`.
        target: as in `PlayMove`.
        count: how many cards.
        changes: as in `Moved`.
        redeals: how often the waste has been turned over after it.
    """

    source: int
    target: int
    count: int
    changes: list[list[int]]
    redeals: int


class Missed(Event, tag=9, frozen=True):
    """The events of an attempt after the entry `since`, which the client has.

    As news, it is what another session of the player has played; it also answers an `Undo`.

    Attributes:
        number: the attempt's number in the session from now on.
        attempt: its id.
        seq: the last entry of its journal.
        moves: one for each entry, except the last if the attempt ended without a move.
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
        move: source, target and count as in `PlayMove`; null if no move is known to get further.
        hints: hints given to the player in this attempt.
    """

    number: int
    seq: int
    move: list[int] | None
    hints: int


class Taken(Event, tag=22, frozen=True):
    """Another session of the player holds the attempt: this one mirrors it, until it takes it over.

    Attributes:
        number: the attempt's number in the session.
        session: the one that holds it, as its `Welcome` named it; null if that is not known.
    """

    number: int
    session: str | None


class Released(Event, tag=26, frozen=True):
    """The session that held an attempt which this one mirrors has ended: no session holds it.

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
