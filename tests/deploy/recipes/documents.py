"""The commands in the operators' documents."""

from __future__ import annotations

import re
from textwrap import dedent

from tests.processes import ROOT

_HEADING = re.compile(r"(#+) (.*)")
_FENCE = re.compile(r" *```(\w*)$")
"""The first or last line of a block. A block in a list item is indented."""


def blocks(document: str, heading: str, language: str = "sh") -> list[str]:
    """Return the fenced blocks of a language below a heading, in order.

    The section ends at the next heading of the same or a higher level.
    """
    found: list[str] = []
    level = 0
    kind: str | None = None
    body: list[str] = []
    for line in (ROOT / document).read_text(encoding="utf-8").splitlines(keepends=True):
        fence = _FENCE.match(line)
        if fence and kind is None:
            kind, body = fence[1], []
        elif fence:
            if level and kind == language:
                found.append(dedent("".join(body)))
            kind = None
        elif kind is not None:
            body.append(line)
        elif title := _HEADING.match(line):
            if title[2] == heading:
                level = len(title[1])
            elif len(title[1]) <= level:
                level = 0
    assert found, f"{document} has no commands below {heading!r}"
    return found
