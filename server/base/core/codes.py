"""Room codes and sign-in codes, as displayed and typed by people.

A code is displayed in capitals, in groups of four characters (five if it has ten characters).
Sign-in codes are stored and compared as lower-case characters of `ids.ALPHABET`, room codes as
capitals and digits of `ids.CODE_ALPHABET`. Neither alphabet has look-alike characters.
`server.base.work.random_text` draws the codes.
"""

from __future__ import annotations

from server.base.core.ids import ALPHABET, RoomCode

# The length of a recovery code: 100 bits, enough to make guessing hopeless without a rate limit.
RECOVERY_LENGTH = 20

# The length of a device code: 50 bits. A code is valid for five minutes. With 25 new guests a
# minute each (`server/base/net/limits.py`), 1,000 addresses on ten nodes can make 2.8 million
# attempts in that time, and hit a given code with a probability of 2.5 in a billion. With a
# thousand valid codes at any time, they hit one in a day with a probability of 0.07 %. A global
# limit on attempts is therefore unnecessary. It would also let attackers lock out the legitimate
# players.
DEVICE_LENGTH = 10

# The group size when displaying a code of this length; 4 for other lengths.
_GROUPS = {DEVICE_LENGTH: 5}
_IGNORED = str.maketrans("", "", " -\u2010\u2011\u2013\u00a0\t\r\n")
_MISREAD = str.maketrans("oil", "011")


def shown_code(code: str) -> str:
    """Format a code for display, such as `K3MQ7-W2R5T`."""
    size = _GROUPS.get(len(code), 4)
    groups = (code[start : start + size] for start in range(0, len(code), size))
    return "-".join(groups).upper()


def parse_code(text: str) -> str | None:
    """Parse a typed sign-in code, or return `None` if it cannot be valid.

    Case, spaces and hyphens are ignored. The letters o, i and l, which codes never contain, are
    read as the digits 0, 1 and 1.
    """
    code = text.lower().translate(_IGNORED).translate(_MISREAD)
    fits = len(code) in {DEVICE_LENGTH, RECOVERY_LENGTH} and set(code).issubset(ALPHABET)
    return code if fits else None


def parse_room_code(text: str) -> RoomCode:
    """Parse a typed room code, ignoring case, spaces and hyphens.

    The result may be malformed: check it with `ids.is_code`.
    """
    return RoomCode(text.translate(_IGNORED).upper())


def is_recovery(code: str) -> bool:
    """Return whether a sign-in code is a recovery code rather than a device code, by its length."""
    return len(code) == RECOVERY_LENGTH
