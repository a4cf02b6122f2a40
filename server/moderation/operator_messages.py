"""Moderation on the page. A server without operators does not know these messages."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from server.accounts.core.refusals import AccountRefusals
from server.accounts.messages import Credential
from server.base.core import costs
from server.base.core.refusal import RefusalCode
from server.base.wire.messages import Command, Event, PlayerName
from server.rooms.core.refusals import RoomRefusals

Place = tuple[Annotated[int, Meta(ge=0, le=2**53)], Annotated[str, Meta(max_length=100)]]
"""A cursor in the list of cases: a time in Unix milliseconds, and a name."""

ActName = Literal[
    "resolve", "dismiss", "hide_name", "show_name", "bar", "unbar", "delete", "void", "unvoid",
    "close_room", "repair_day", "delete_circle", "rename_circle",
]  # fmt: skip
"""Operators' acts, named as in `samedeal admin`."""


class AskOperator(Command, tag=112, frozen=True):
    """Request the browser's options for showing a passkey of the player, an operator.

    Refused as `not_operator` or `no_passkeys`.
    """

    cost: ClassVar[float] = costs.READ


class ConfirmOperator(Command, tag=113, frozen=True):
    """Show a passkey, so that this session may moderate for half an hour.

    Refused as `not_operator`, `bad_passkey`, `no_passkeys` or `too_fast`.
    """

    credential: Credential
    cost: ClassVar[float] = costs.SEARCH
    misses: ClassVar[frozenset[RefusalCode]] = frozenset({AccountRefusals.bad_passkey})


class ListCases(Command, tag=114, frozen=True):
    """Request suspicious runs and reports, newest first.

    Refused as `not_operator` or `confirm_first`.

    Attributes:
        state: only open or only closed cases.
        source: only suspicious runs or only reports.
        day: only runs of this day's dailies, by its number.
        before: only cases after this cursor, as in the previous page.
    """

    state: Literal["open", "closed"]
    source: Literal["suspicion", "report"] | None = None
    day: Annotated[int, Meta(ge=0, le=100_000)] | None = None
    before: Place | None = None
    cost: ClassVar[float] = costs.OPEN


class LookUp(Command, tag=115, frozen=True):
    """Request players, a player, rooms, a room, a circle, a run, or the audit journal.

    Refused as `not_operator`, `confirm_first`, `unknown_player`, `unknown_room`, `unknown_circle`,
    `unknown_run` or `too_fast`.

    Attributes:
        what: the kind of item or list.
        about: a prefix of names, an id, or a room's code; for lists of rooms, a game's id or empty.
    """

    what: Literal[
        "players", "player", "open_rooms", "running_rooms", "room", "circle", "run", "acts"
    ]
    about: Annotated[str, Meta(max_length=64)] = ""
    cost: ClassVar[float] = costs.OPEN
    misses: ClassVar[frozenset[RefusalCode]] = frozenset({RoomRefusals.unknown_room})


class Moderate(Command, tag=116, frozen=True):
    """Carry out an act, as `samedeal admin` does; its reason is recorded in the audit journal.

    Refused as `not_operator`, `confirm_first`, `too_fast`, `unknown_player`, `unknown_room`,
    `unknown_circle`, `unknown_run`, `unknown_case`, `unknown_game`, `unknown_day`, `bad_name`,
    `name_reserved` or `name_offensive`.

    Attributes:
        act: the kind of act.
        about: a case's name; the id of a player, an attempt or a circle; a room's code; or a game's
            id or `all`.
        reason: the reason, for other operators.
        number: the length of a bar in days, null for a permanent one; or the number of the day to
            repair.
        name: a circle's new name, subject to the rules of players' names.
    """

    act: ActName
    about: Annotated[str, Meta(max_length=100)]
    reason: Annotated[str, Meta(min_length=1, max_length=200)]
    number: Annotated[int, Meta(ge=1, le=100_000)] | None = None
    name: PlayerName | None = None
    cost: ClassVar[float] = costs.OPEN
    misses: ClassVar[frozenset[RefusalCode]] = frozenset({RoomRefusals.unknown_room})


class Operating(Event, tag=103, frozen=True):
    """The session may moderate.

    Attributes:
        operator: the operator's name in the audit journal.
        until: Unix milliseconds.
    """

    operator: str
    until: int


class LookedUp(Event, tag=104, frozen=True):
    """An item or list requested by an operator.

    Attributes:
        json: as printed by `samedeal admin --json`; for cases, an object with the next cursor.
    """

    json: str


class Moderated(Event, tag=105, frozen=True):
    """An act was carried out.

    Attributes:
        act: its id in the audit journal.
    """

    act: str
