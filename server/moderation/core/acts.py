"""The acts of operators, as stored in the outbox and in the audit journal."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from server.base.core.ids import AttemptId, CircleId, PlayerId, RoomCode

Outcome = Literal["resolved", "dismissed"]
"""How a case was closed: something was done about it, or there was nothing to do."""


class Act(Struct, frozen=True, kw_only=True):
    """The base of what an operator does.

    Attributes:
        id: random.
        at: when it was asked for, in Unix milliseconds.
        operator: who asked for it.
        reason: why, for other operators.
    """

    id: str
    at: int
    operator: str
    reason: str

    @property
    def field(self) -> str:
        """Its field in the outbox."""
        return self.id


class VoidResult(Act, tag="void", frozen=True, kw_only=True):
    """Take the result of a daily or a race back, or let it stand again.

    Attributes:
        day: the number of the day; `None` for a race.
        void: whether it is taken back.
    """

    attempt: AttemptId
    player: PlayerId
    game: str
    day: int | None
    void: bool

    @property
    def subject(self) -> str:
        """The subject of the act: of two acts on one subject, the later one stands."""
        return f"result {self.attempt}"


class BarPlayer(Act, tag="bar", frozen=True, kw_only=True):
    """Bar a player from the server, or no longer.

    Attributes:
        until: in Unix milliseconds; 0 for ever, `None` to lift it.
    """

    player: PlayerId
    until: int | None

    @property
    def subject(self) -> str:
        """As for `VoidResult`."""
        return f"player {self.player}"


class HideName(Act, tag="name", frozen=True, kw_only=True):
    """Show a guest's name instead of a player's own, or the own one again."""

    player: PlayerId
    hidden: bool

    @property
    def subject(self) -> str:
        """As for `VoidResult`."""
        return f"name {self.player}"


class CloseRoom(Act, tag="close", frozen=True, kw_only=True):
    """Close a room for good."""

    room: RoomCode

    @property
    def subject(self) -> str:
        """As for `VoidResult`."""
        return f"room {self.room}"


class RepairDay(Act, tag="repair", frozen=True, kw_only=True):
    """Let a day, lost by a fault of the server's, end no streak.

    Attributes:
        game: the game's id, or `server.results.core.boards.ALL_GAMES`.
        day: the number of the day.
    """

    game: str
    day: int

    @property
    def subject(self) -> str:
        """As for `VoidResult`."""
        return f"day {self.game} {self.day}"


class DeletePlayer(Act, tag="delete", frozen=True, kw_only=True):
    """Delete a player, as players can themselves: results stay without a name."""

    player: PlayerId

    @property
    def subject(self) -> str:
        """As for `VoidResult`."""
        return f"account {self.player}"


class DeleteCircle(Act, tag="delete_circle", frozen=True, kw_only=True):
    """Delete a circle with all that is stored of it, as its owner can."""

    circle: CircleId

    @property
    def subject(self) -> str:
        """As for `VoidResult`; a new name has another, or it would stand in place of this."""
        return f"circle {self.circle}"


class RenameCircle(Act, tag="rename_circle", frozen=True, kw_only=True):
    """Give a circle another name, which its owner may change again.

    Attributes:
        name: as it is stored: one that may be given.
    """

    circle: CircleId
    name: str

    @property
    def subject(self) -> str:
        """As for `VoidResult`."""
        return f"circle name {self.circle}"


class CloseCase(Act, tag="case", frozen=True, kw_only=True):
    """Close a case: a suspicious run or a report, which somebody has looked at.

    Attributes:
        case: its name, as `server.moderation.cases` has it.
        outcome: whether something was done about it, or there was nothing to do.
    """

    case: str
    outcome: Outcome

    @property
    def subject(self) -> str:
        """As for `VoidResult`."""
        return f"case {self.case}"


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
"""Every act of an operator."""
