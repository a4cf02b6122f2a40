"""Which characters a name may have, their scripts, and what they look like, by UTS 39.

The tables are in `unicode/`, which `python -m tests.unicode_tables` makes.
"""

from __future__ import annotations

from importlib import resources
from typing import Final


def _lines(file: str) -> tuple[str, ...]:
    """Return the lines of a table but for its comments."""
    table = resources.files(__package__).joinpath("unicode", file)
    lines = table.read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if not line.startswith("#"))


SCRIPTS: Final = _lines("scripts.txt")
"""Letters, marks and numbers with the status Allowed, and those of scripts in limited use.

A line has a script, or several that share the characters (Script_Extensions), and ranges of code
points in hexadecimal. Zyyy and Zinh go with any script.
"""

LOOKS: Final = _lines("looks.txt")
"""The prototype of a character that looks like another one, both decomposed (NFD).

A line has a prototype and the characters that have it.
"""
