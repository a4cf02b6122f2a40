"""Moderating by the page. A server that has no operators knows none of these messages."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from server.accounts.messages import Credential
from server.base.core import costs
from server.base.wire.messages import Command, Event, PlayerName

Place = tuple[Annotated[int, Meta(ge=0, le=2**53)], Annotated[str, Meta(max_length=100)]]
"""A place in the list of cases: a time in Unix milliseconds, and a name."""

ActName = Literal[
    "resolve", "dismiss", "hide_name", "show_name", "bar", "unbar", "delete", "void", "unvoid",
    "close_room", "repair_day", "delete_circle", "rename_circle",
]  # fmt: skip
"""The acts of operators, named as by `samedeal admin`."""


class AskOperator(Command, tag=112, frozen=True):
    """Ask for what a browser is to be given to show a passkey of the player, who is an operator.

    Refused as `not_operator` or `no_passkeys`.
    """

    cost: ClassVar[float] = costs.READ


class ConfirmOperator(Command, tag=113, frozen=True):
    """Show a passkey of the player: this session may moderate for half an hour.

    Refused as `not_operator`, `bad_passkey`, `no_passkeys` or `too_fast`.
    """

    credential: Credential
    cost: ClassVar[float] = costs.SEARCH
    misses: ClassVar[frozenset[str]] = frozenset({"bad_passkey"})


class ListCases(Command, tag=114, frozen=True):
    """Ask for suspicious runs and reports, newest first.

    Refused as `not_operator` or `confirm_first`.

    Attributes:
        state: only those that are open, or closed.
        source: only suspicious runs, or reports.
        day: only runs at dailies of the day with this number.
        before: only those after this place, as the page before says it.
    """

    state: Literal["open", "closed"]
    source: Literal["suspicion", "report"] | None = None
    day: Annotated[int, Meta(ge=0, le=100_000)] | None = None
    before: Place | None = None
    cost: ClassVar[float] = costs.OPEN


class LookUp(Command, tag=115, frozen=True):
    """Ask for players, a player, rooms, a room, a circle, a run, or the audit journal.

    Refused as `not_operator`, `confirm_first`, `unknown_player`, `unknown_room`, `unknown_circle`,
    `unknown_run` or `too_fast`.

    Attributes:
        what: what it is.
        about: the beginning of names, an id, or a room's code; of lists of rooms a game or nothing.
    """

    what: Literal[
        "players", "player", "open_rooms", "running_rooms", "room", "circle", "run", "acts"
    ]
    about: Annotated[str, Meta(max_length=64)] = ""
    cost: ClassVar[float] = costs.OPEN
    misses: ClassVar[frozenset[str]] = frozenset({"unknown_room"})


class Moderate(Command, tag=116, frozen=True):
    """Act, as `samedeal admin` does: for the audit journal, with a reason.

    Refused as `not_operator`, `confirm_first`, `too_fast`, `unknown_player`, `unknown_room`,
    `unknown_circle`, `unknown_run`, `unknown_case`, `unknown_game`, `unknown_day`, `bad_name`,
    `name_reserved` or `name_offensive`.

    Attributes:
        act: what is done.
        about: a case's name, a player's id, an attempt's, a circle's, a room's code, or a game's id
            or `all`.
        reason: why, for other operators.
        number: for how many days a player is barred, for ever without it; or the number of the day
            that is repaired.
        name: the new one of a circle, to which the rules of players' names apply.
    """

    act: ActName
    about: Annotated[str, Meta(max_length=100)]
    reason: Annotated[str, Meta(min_length=1, max_length=200)]
    number: Annotated[int, Meta(ge=1, le=100_000)] | None = None
    name: PlayerName | None = None
    cost: ClassVar[float] = costs.OPEN
    misses: ClassVar[frozenset[str]] = frozenset({"unknown_room"})


class Operating(Event, tag=103, frozen=True):
    """The session may moderate.

    Attributes:
        operator: who acts, as the audit journal says it.
        until: until when, in Unix milliseconds.
    """

    operator: str
    until: int


class LookedUp(Event, tag=104, frozen=True):
    """The answer to what an operator has asked for.

    Attributes:
        json: as `samedeal admin --json` prints it; of cases, an object with the next place.
    """

    json: str


class Moderated(Event, tag=105, frozen=True):
    """An act was carried out.

    Attributes:
        act: its id in the audit journal.
    """

    act: str
