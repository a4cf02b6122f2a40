"""Unicode tables for names: permitted characters, scripts and look-alikes (UTS 39).

`python -m tests.unicode_tables` generates the files in `unicode/`.
"""

from __future__ import annotations

from importlib import resources
from typing import Final


def _lines(file: str) -> tuple[str, ...]:
    table = resources.files(__package__).joinpath("unicode", file)
    lines = table.read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if not line.startswith("#"))


# Letters, marks and numbers with the status Allowed, and those of limited-use scripts. Each line
# has one or more scripts (Script_Extensions) and ranges of code points in hexadecimal. Zyyy and
# Zinh combine with any script.
SCRIPTS: Final = _lines("scripts.txt")

# Prototypes of look-alike characters, both decomposed (NFD): each line has a prototype and the
# characters that map to it.
LOOKS: Final = _lines("looks.txt")
