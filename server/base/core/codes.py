"""Codes that people read and type: those by which a player signs in, and those of rooms.

People see a code in capitals, in groups of four, or of five if it has ten characters. One that
signs a player in is kept and compared as lower-case letters and digits of `ids.ALPHABET`, a room's
as capitals and digits of `ids.CODE_ALPHABET`; neither has characters that look alike. They are
drawn in `server.base.work.random_text`.
"""

from __future__ import annotations

from server.base.core.ids import ALPHABET, RoomCode

RECOVERY_LENGTH = 20
"""Characters of a recovery code: 100 bits, so that guessing is hopeless without any limit."""

DEVICE_LENGTH = 10
"""Characters of a device code: 50 bits. It holds for five minutes, in which 1,000 addresses, on ten
nodes each, try 2.8 million if each has 25 new guests a minute (`server/base/net/limits.py`): they
hit a given code with a probability of 2.5 in a billion. If a thousand codes hold at any time, they
hit one of them on a day with a probability of 0.07 %. So no limit for all together is needed, by
which those who guess could keep out whoever is right.
"""

_GROUPS = {DEVICE_LENGTH: 5}
"""How many characters of a code stand together, by its length; else four."""
_IGNORED = str.maketrans("", "", " -\u2010\u2011\u2013\u00a0\t\r\n")
_MISREAD = str.maketrans("oil", "011")


def shown_code(code: str) -> str:
    """Return a code as people see it, such as `K3MQ7-W2R5T`."""
    size = _GROUPS.get(len(code), 4)
    groups = (code[start : start + size] for start in range(0, len(code), size))
    return "-".join(groups).upper()


def parse_code(text: str) -> str | None:
    """Return the code in what somebody typed, or `None` if it cannot be one.

    Case, spaces and hyphens do not matter; the letters o, i and l, which no code has, count as the
    digits that they look like.
    """
    code = text.lower().translate(_IGNORED).translate(_MISREAD)
    fits = len(code) in {DEVICE_LENGTH, RECOVERY_LENGTH} and set(code).issubset(ALPHABET)
    return code if fits else None


def parse_room_code(text: str) -> RoomCode:
    """Return the room code in what somebody typed, which may be none: see `ids.is_code`.

    Case, spaces and hyphens do not matter.
    """
    return RoomCode(text.translate(_IGNORED).upper())


def is_recovery(code: str) -> bool:
    """Return whether a code is a recovery code, by its length; else it is a device code."""
    return len(code) == RECOVERY_LENGTH
