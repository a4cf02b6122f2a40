"""Opening and closing a session, and the answers common to all commands."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from server.base.core import costs
from server.base.wire.messages import Command, Event, Player, PlayerName

VERSION = 1
"""The protocol version that clients of this release send in `Hello`. Servers of the previous
release support it too."""

VERSIONS = range(1, 2)
"""The versions supported by this server."""


class Hello(Command, tag=1, frozen=True):
    """Open the session. It must be the first command of every connection, and is sent only once.

    Refused as `bad_version`, `bad_token`, `barred` or `bad_name`.

    Attributes:
        version: the client's version of the protocol.
        token: the player's token from the last `Welcome`; null creates a new guest.
        name: the player's new name, or null to keep the current one. The current name is also kept
            if it has been changed too often lately.
    """

    version: int
    token: Annotated[str, Meta(max_length=256)] | None = None
    name: PlayerName | None = None
    cost: ClassVar[float] = costs.READ


class Rename(Command, tag=2, frozen=True):
    """Change the player's name.

    Three changes are allowed in a row, then one every ten minutes.

    Refused as `bad_name`, `name_reserved`, `name_offensive`, `name_too_soon` or `name_hidden`.
    """

    name: PlayerName
    cost: ClassVar[float] = costs.CHANGE


class Ping(Command, tag=15, frozen=True):
    """Ask for the server's time."""

    cost: ClassVar[float] = costs.MOVE


class Welcome(Event, tag=1, frozen=True):
    """The session is open.

    Attributes:
        token: the player's credential for `Hello` in later sessions. Store it in place of the
            previous one, and keep it secret.
        now: the server's time in Unix milliseconds.
        session: the session's id; not a secret.
    """

    player: Player
    token: str
    now: int
    session: str


class Done(Event, tag=2, frozen=True):
    """The command was executed, and has no other result."""


class Refused(Event, tag=3, frozen=True):
    """The command was refused, or the frame is not a message (`re` may then be 0).

    Any message can be refused as `bad_message`, `hello_first`, `too_fast`, `unavailable` or
    `internal`; one about stored data can be refused as `unknown_rules`, `unknown_format`,
    `seed_not_opened` or `entries_lost`; one that stores more can be refused as `address_full`; some
    commands of bots can be refused as `not_for_bots`. Each command documents its other codes.

    Attributes:
        code: see "Errors" in `server/PROTOCOL.md`.
        text: one sentence for the player.
        wait: milliseconds to wait before a retry, or 0 if the client may choose.
    """

    code: str
    text: str
    wait: int


class Pong(Event, tag=4, frozen=True):
    """The answer to a `Ping`.

    Attributes:
        now: the server's time in Unix milliseconds.
    """

    now: int


class Bye(Event, tag=14, frozen=True):
    """The server is about to close the socket.

    Attributes:
        code: the reason, in lower case, as in the protocol's table of close codes.
        text: one sentence for the player.
        wait: milliseconds to wait before reconnecting, random for each client to spread the
            reconnects.
    """

    code: str
    text: str
    wait: int
