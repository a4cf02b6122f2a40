"""Opening and closing a session, and the answers that any command can have."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from server.base.wire import costs
from server.base.wire.messages import Command, Event, Player, PlayerName

VERSION = 1
"""The version of the protocol that clients of this release state in `Hello`: one that servers of
the last release speak too."""

VERSIONS = range(1, 2)
"""The versions that this server speaks."""


class Hello(Command, tag=1, frozen=True):
    """Open the session: the first command of every connection, and only the first.

    Refused as `bad_version`, `bad_token`, `barred` or `bad_name`.

    Attributes:
        version: the version of the protocol that the client speaks.
        token: the player's, from the last `Welcome`; null makes a new guest.
        name: the player's new name, or null to keep the present one, which is also kept if it has
            changed too often lately.
    """

    version: int
    token: Annotated[str, Meta(max_length=256)] | None = None
    name: PlayerName | None = None
    cost: ClassVar[float] = costs.READ


class Rename(Command, tag=2, frozen=True):
    """Change the player's name.

    Three changes may follow one another, and then one every ten minutes.

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
        token: the player's credential, for `Hello` in later sessions: store it in place of the one
            that was sent. Keep it secret.
        now: the server's time in Unix milliseconds.
        session: the session's id, which is no secret.
    """

    player: Player
    token: str
    now: int
    session: str


class Done(Event, tag=2, frozen=True):
    """The command was carried out, and has no other result."""


class Refused(Event, tag=3, frozen=True):
    """The command was not carried out, or the frame is not a message (`re` may then be 0).

    Any message can be refused as `bad_message`, `hello_first`, `too_fast`, `unavailable` or
    `internal`; one about something stored can be refused as `unknown_rules`,
    `unknown_format`, `seed_not_opened` or `entries_lost`; one that stores more can be refused as
    `address_full`; some of bots as `not_for_bots`.
    Commands name the other codes that they are refused with.

    Attributes:
        code: one of the codes of `server/base/core/refusal.py`.
        text: one sentence for the player.
        wait: milliseconds after which to try again, or 0 if that is up to the client.
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
        wait: milliseconds after which to connect again, drawn at random for each client so that not
            all of them return at once.
    """

    code: str
    text: str
    wait: int
