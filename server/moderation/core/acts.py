"""Operators' acts, as stored in the outbox and in the audit journal."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from msgspec import Struct

from server.base.core.ids import AttemptId, PlayerId, RoomCode
from server.circles.core.ids import CircleId

Outcome = Literal["resolved", "dismissed"]  # How a case was closed: with consequences, or without.


class Act(Struct, frozen=True, kw_only=True):
    """Base class of operators' acts; `SUBJECT` is the format of its subject."""

    SUBJECT: ClassVar[str]

    id: str  # random
    at: int  # the time of the request, in Unix milliseconds
    operator: str
    reason: str

    @property
    def field(self) -> str:
        """Its field in the outbox."""
        return self.id

    @property
    def subject(self) -> str:
        """The act's subject: the latest act on a subject prevails."""
        return self.SUBJECT.format(self)


class VoidResult(Act, tag="void", frozen=True, kw_only=True):
    """Void the result of a daily or a race, or restore it.

    Attributes:
        day: the number of the day; `None` for a race.
        void: whether to void it.
    """

    attempt: AttemptId
    player: PlayerId
    game: str
    day: int | None
    void: bool
    SUBJECT: ClassVar[str] = "result {0.attempt}"


class BarPlayer(Act, tag="bar", frozen=True, kw_only=True):
    """Bar a player from the server, or lift the bar.

    Attributes:
        until: the end of the bar, in Unix milliseconds; 0 if permanent, `None` to lift it.
    """

    player: PlayerId
    until: int | None
    SUBJECT: ClassVar[str] = "player {0.player}"


class HideName(Act, tag="name", frozen=True, kw_only=True):
    """Replace a player's name by a default name, or restore it."""

    player: PlayerId
    hidden: bool
    SUBJECT: ClassVar[str] = "name {0.player}"


class CloseRoom(Act, tag="close", frozen=True, kw_only=True):
    """Close a room permanently."""

    room: RoomCode
    SUBJECT: ClassVar[str] = "room {0.room}"


class RepairDay(Act, tag="repair", frozen=True, kw_only=True):
    """Keep a day that was lost through a server fault from ending streaks.

    Attributes:
        game: the game's id, or `server.results.core.boards.ALL_GAMES`.
        day: the number of the day.
    """

    game: str
    day: int
    SUBJECT: ClassVar[str] = "day {0.game} {0.day}"


class DeletePlayer(Act, tag="delete", frozen=True, kw_only=True):
    """Delete a player, as players can themselves; results stay, anonymized."""

    player: PlayerId
    SUBJECT: ClassVar[str] = "account {0.player}"


class DeleteCircle(Act, tag="delete_circle", frozen=True, kw_only=True):
    """Delete a circle and its data, as its owner can."""

    circle: CircleId
    SUBJECT: ClassVar[str] = "circle {0.circle}"


class RenameCircle(Act, tag="rename_circle", frozen=True, kw_only=True):
    """Rename a circle; its owner can rename it again.

    Attributes:
        name: the cleaned and permitted name.
    """

    circle: CircleId
    name: str
    # Not the subject of a deletion, so that a rename cannot undo one.
    SUBJECT: ClassVar[str] = "circle name {0.circle}"


class CloseCase(Act, tag="case", frozen=True, kw_only=True):
    """Close a case: a suspicion or a report that an operator has reviewed.

    Attributes:
        case: its name in `server.moderation.cases`.
        outcome: whether there were consequences.
    """

    case: str
    outcome: Outcome
    SUBJECT: ClassVar[str] = "case {0.case}"


AnyAct: TypeAlias = (
    VoidResult
    | BarPlayer
    | HideName
    | CloseRoom
    | RepairDay
    | DeletePlayer
    | DeleteCircle
    | RenameCircle
    | CloseCase
)
