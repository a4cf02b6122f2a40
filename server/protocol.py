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

from collections.abc import Collection, Iterator
from types import ModuleType

from msgspec import Struct

from server.base.core.refusal import BaseRefusals
from server.base.wire import messages, session_messages
from server.base.wire.codec import Decoder
from server.base.wire.messages import Command, Event, kind_of
from server.play.messages import PlayMove
from server.wing import structs_in
from server.wings import WINGS

MODULES = (
    messages,
    session_messages,
    *(module for wing in WINGS for module in wing.messages),
)
"""The modules of all messages."""


def _structs() -> Iterator[type[Struct]]:
    for module in MODULES:
        yield from (struct for struct in structs_in(module) if not struct.__subclasses__())


STRUCTS = tuple(_structs())
"""Every struct on the wire except base classes, in order of declaration."""

COMMANDS = tuple(sorted((struct for struct in STRUCTS if issubclass(struct, Command)), key=kind_of))
"""Every command, by kind."""

EVENTS = tuple(sorted((struct for struct in STRUCTS if issubclass(struct, Event)), key=kind_of))
"""Every event with a kind, by kind; progress has none."""

REFUSALS = (*BaseRefusals, *(code for wing in WINGS for code in wing.refusals))
"""Every refusal of a command, of the base first and then by wing."""

MISSES = frozenset(code for command in COMMANDS for code in command.misses)
"""The refusals which reveal that a guessed code or credential is wrong.

Unknown random ids are not among them: their 80 bits cannot be guessed.
"""


def decoder(disabled: Collection[ModuleType] = ()) -> Decoder[PlayMove]:
    """Return a decoder of commands and moves that does not know the commands of some modules."""
    names = {module.__name__ for module in disabled}
    known = [command for command in COMMANDS if command.__module__ not in names]
    return Decoder(known, PlayMove)


decode = decoder().decode
"""Decode a frame's command or move."""
