"""The messages between clients and server, as types: one module per subject.

`server/PROTOCOL.md` explains them to client authors; `client_js/src/messages.ts` and `messages.py`
of `server/client` are generated from them. To add a message, define its class in the module of its
subject and, for a command, a handler in the neighbouring `handlers`. Other code uses the lists
below.

A command goes from a client to the server, an event from the server to a client, never the other
way round. On the wire each is a msgpack array. A command is `[kind, id, *fields]` and an event
`[kind, re, *fields]`, where `re` identifies the answered message: the `id` of a command, the pair
`[number, seq]` of a move, or 0 for nothing. Fields are in order of declaration; at the end of a
command, fields with a default may be omitted. Moves, their answers, and progress have shorter
forms; see `play` and `rooms`.

Times are Unix milliseconds on the server's clock. A card is one byte, `suit * 13 + rank` with suits
and ranks in the order of `engine.cards`, or 127 if it is unseen; a pile is a `bin` of cards from
bottom to top. Piles are numbered: foundations, tableau, stock, waste.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from server.accounts import messages as accounts
from server.base.wire import messages as shared
from server.base.wire import session_messages as session
from server.base.wire.codec import Decoder
from server.base.wire.messages import Command, Event, kind_of
from server.challenges import messages as challenges
from server.circles import messages as circles
from server.dailies import messages as dailies
from server.lobby import messages as lobby
from server.moderation import messages as moderation
from server.moderation import operator_messages as operators
from server.notifications import messages as notifications
from server.play import messages as attempts
from server.results import messages as leaderboards
from server.rooms import messages as rooms
from server.runs import deal_messages as deals
from server.runs import messages as runs
from server.watching import messages as watching

__all__ = [
    "COMMANDS",
    "EVENTS",
    "MODULES",
    "STRUCTS",
    "accounts",
    "attempts",
    "challenges",
    "circles",
    "dailies",
    "deals",
    "decode",
    "decode_of_players",
    "kind_of",
    "leaderboards",
    "lobby",
    "moderation",
    "notifications",
    "operators",
    "rooms",
    "runs",
    "session",
    "shared",
    "watching",
]

MODULES = (
    *(shared, session, rooms, lobby, attempts, deals),
    *(dailies, leaderboards, runs, watching, accounts, moderation, operators),
    *(challenges, circles, notifications),
)


def _structs() -> Iterator[type[Struct]]:
    """Yield the structs defined in the modules, except base classes."""
    for module in MODULES:
        for value in vars(module).values():
            if (
                isinstance(value, type)
                and issubclass(value, Struct)
                and value.__module__ == module.__name__
                and not value.__subclasses__()
            ):
                yield value


STRUCTS = tuple(_structs())
"""Every struct on the wire, in order of declaration."""

COMMANDS = tuple(sorted((struct for struct in STRUCTS if issubclass(struct, Command)), key=kind_of))
"""Every command, by kind."""

EVENTS = tuple(sorted((struct for struct in STRUCTS if issubclass(struct, Event)), key=kind_of))
"""Every event with a kind, by kind; progress has none."""

decode = Decoder(COMMANDS, attempts.PlayMove).decode
"""Decode a frame's command or move."""

decode_of_players = Decoder(
    [each for each in COMMANDS if each.__module__ != operators.__name__], attempts.PlayMove
).decode
"""The same for a server without operators, which does not know their commands."""
