"""Bases of messages, and types that several subjects share: fields, players and results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct

from engine.schema import MAX_CHANGES
from server.base.core import ids
from server.base.core.days import Level
from server.base.core.ids import AttemptId
from server.base.wire.short_forms import FIRST_NUMBER, LAST_NUMBER

Re = int | tuple[int, int]
"""The reference to what an event answers: a command's `id`, a move's `(number, seq)`, or `NEWS`."""

PACE_BOT = ids.PACE_BOT
"""The id of the pace bot, which plays by hints."""

NEWS = 0
"""The `re` of an event that answers nothing: the server sends it of its own accord."""

CommandId = Annotated[int, Meta(ge=1, le=2**53 - 1)]
EntryNumber = Annotated[int, Meta(ge=1, le=2**31)]
"""The number of an entry of an attempt's journal; 1 is its start."""

AttemptNumber = Annotated[int, Meta(ge=FIRST_NUMBER, le=LAST_NUMBER)]
"""An attempt's number in the session, as an `Attempt` or `Missed` gave it."""

GameId = Annotated[str, Meta(max_length=40)]
"""The id of a game."""

VariantId = Annotated[str, Meta(max_length=MAX_CHANGES)]
"""The id of a variant of a game, or changes to its standard rules: see `engine/RULES.md`."""

PlayerName = Annotated[str, Meta(max_length=64)]

End = Literal["won", "stuck", "resigned", "time"]
"""Why an attempt ended. `time`: it ran out of time."""

AttemptOf = Callable[[int], AttemptId | None]
"""Returns the attempt with a number in a session."""


class Command(Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """The base of all commands.

    A subclass gives its kind as `tag`: a number that no other command has, less than 32 or more
    than 95: between them are those of attempts. Fields that are added to a command later come last,
    and have a default.

    Attributes:
        id: chosen by the client, ascending within a session; the answer names it in `re`.
        cost: its cost to the player and the address, one of `server.base.wire.costs`.
        misses: the codes with which it is refused if it was a wrong guess: of a code that lets
            somebody in, or of a credential. Whoever has been wrong too often may not try it.
        for_bots: whether the bots of players may send it; else it is refused as `not_for_bots`.
    """

    id: CommandId
    cost: ClassVar[float]
    misses: ClassVar[frozenset[str]] = frozenset()
    for_bots: ClassVar[bool] = True

    def subject(self, attempt_of: AttemptOf) -> dict[str, str]:
        """Return what it is about, as fields of its log entries: public ids only."""
        del attempt_of
        return {}


class MoveMessage(Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """The base of `PlayMove`: what a session reads of a move.

    Attributes:
        number: the attempt's number in the session.
        seq: one more than the last journal entry that the client knows.
        cost: as a command's.
    """

    number: AttemptNumber
    seq: EntryNumber
    cost: ClassVar[float]


class Event(Struct, array_like=True, frozen=True):
    """The base of all events with a kind, which a subclass gives as `tag`.

    `re` is not among the fields: the codec writes it between the kind and the fields.
    """


def kind_of(message: type[Struct]) -> int:
    """Return the number that a type of commands or events begins with on the wire."""
    kind = message.__struct_config__.tag
    assert isinstance(kind, int), f"{message.__name__} has no tag"
    return kind


class Player(Struct, array_like=True, frozen=True):
    """A player's public profile.

    Attributes:
        id: public, and no credential.
        name: as the player chose it; several players may have the same one.
        tag: eight characters that tell players of one name apart, the end of the id.
        bot: whether it is a program, and is to be labelled as one: the pace bot, or the bot of a
            player.
    """

    id: str
    name: str
    tag: str
    bot: bool = False


class Certificate(Struct, array_like=True, frozen=True):
    """The certificate of a daily's deal: what was proved before anybody could play it.

    Attributes:
        winnable: whether it can be won.
        par: the moves of the line that wins it; if it cannot be won, the most cards that can come
            home.
        level: how hard it is among the certified deals of its game: 1 easy, 2 medium, 3 hard.
    """

    winnable: bool
    par: int
    level: Level


class Result(Struct, array_like=True, frozen=True):
    """How an attempt stands, or how it ended.

    Attributes:
        home: cards on the foundations.
        left: cards that are not on the foundations yet.
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
