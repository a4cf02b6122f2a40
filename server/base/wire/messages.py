"""Base classes of messages, and types shared by several subjects: fields, players and results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct

from engine.schema import MAX_CHANGES
from server.base.core import ids
from server.base.core.days import Level
from server.base.core.ids import AttemptId
from server.base.core.refusal import RefusalCode
from server.base.wire.short_forms import FIRST_NUMBER, LAST_NUMBER

Re = int | tuple[int, int]
"""The reference to an answered message: a command's `id`, a move's `(number, seq)`, or `NEWS`."""

PACE_BOT = ids.PACE_BOT
"""The id of the pace bot, which plays by hints."""

NEWS = 0
"""The `re` of an event that answers nothing: the server sends it unprompted."""

CommandId = Annotated[int, Meta(ge=1, le=2**53 - 1)]
EntryNumber = Annotated[int, Meta(ge=1, le=2**31)]
"""The number of an entry in an attempt's journal; 1 is its start."""

AttemptNumber = Annotated[int, Meta(ge=FIRST_NUMBER, le=LAST_NUMBER)]
"""An attempt's number in the session, as assigned by an `Attempt` or `Missed`."""

GameId = Annotated[str, Meta(max_length=40)]
"""A game's id."""

VariantId = Annotated[str, Meta(max_length=MAX_CHANGES)]
"""The id of a game's variant, or changes to its standard rules: see `engine/RULES.md`."""

PlayerName = Annotated[str, Meta(max_length=64)]

End = Literal["won", "stuck", "resigned", "time"]
"""The reason for an attempt's end. `time`: it ran out of time."""

AttemptOf = Callable[[int], AttemptId | None]
"""Returns the attempt with a number in a session."""


class Command(Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """The base of all commands.

    A subclass sets its kind as `tag`, a unique number below 32 or above 95; the numbers in between
    are attempts. Fields added to a command later come last, and have a default.

    Attributes:
        id: chosen by the client, ascending within a session; the answer refers to it in `re`.
        cost: its cost to the player and the address, one of `server.base.core.costs`.
        misses: the refusals that mean a wrong guess of a code, watch key or credential. After too
            many of them, further guesses are refused.
        for_bots: whether players' bots can send it; else it is refused as `not_for_bots`.
    """

    id: CommandId
    cost: ClassVar[float]
    misses: ClassVar[frozenset[RefusalCode]] = frozenset()
    for_bots: ClassVar[bool] = True

    def subject(self, attempt_of: AttemptOf) -> dict[str, str]:
        """Return the command's subject as fields for its log entries: public ids only."""
        del attempt_of
        return {}


class MoveMessage(Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """The base of `PlayMove`, with the fields that a session reads.

    Attributes:
        number: the attempt's number in the session.
        seq: one more than the last journal entry known to the client.
        cost: its cost, like a command's.
    """

    number: AttemptNumber
    seq: EntryNumber
    cost: ClassVar[float]


class Event(Struct, array_like=True, frozen=True):
    """The base of all events with a kind, which a subclass sets as `tag`.

    `re` is not among the fields: the codec writes it between the kind and the fields.
    """


def kind_of(message: type[Struct]) -> int:
    """Return the kind of a type of commands or events, its first value on the wire."""
    kind = message.__struct_config__.tag
    assert isinstance(kind, int), f"{message.__name__} has no tag"
    return kind


class Player(Struct, array_like=True, frozen=True):
    """A player's public profile.

    Attributes:
        id: public, not a credential.
        name: chosen by the player, and not unique.
        tag: the last eight characters of the id, to tell players with the same name apart.
        bot: whether it is a program, and must be labelled as one: the pace bot or a player's bot.
    """

    id: str
    name: str
    tag: str
    bot: bool = False


class Certificate(Struct, array_like=True, frozen=True):
    """The certificate of a daily's deal, proved before the deal could be played.

    Attributes:
        winnable: whether it can be won.
        par: the number of moves of a winning line; if it cannot be won, the maximum number of cards
            that can come home.
        level: its difficulty among its game's certified deals: 1 easy, 2 medium, 3 hard.
    """

    winnable: bool
    par: int
    level: Level


class Result(Struct, array_like=True, frozen=True):
    """The state or result of an attempt.

    Attributes:
        home: cards on the foundations.
        left: cards not yet on the foundations.
        time: milliseconds from the start to the last card that reached a foundation.
        moves: moves played; an undo counts as one.
        end: why the attempt ended, or null while it is being played.
        undos: how many of the moves were undos.
        hints: hints given to the player.
        peeked: whether an undo has covered a card that had been seen.
    """

    home: int
    left: int
    time: int
    moves: int
    end: End | None
    undos: int = 0
    hints: int = 0
    peeked: bool = False
