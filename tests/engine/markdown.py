"""The tables in the engine's pages, for tests of their content."""

from __future__ import annotations

import re
from importlib.resources import files

Row = dict[str, str]


def tables(page: str) -> list[list[Row]]:
    """Return the tables of one of the engine's pages; each row maps columns to cells."""
    text = (files("engine") / page).read_text(encoding="utf-8")
    found: list[list[Row]] = []
    for block in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
        head, _, *rows = ([c.strip() for c in line[1:-1].split("|")] for line in block.splitlines())
        found.append([dict(zip(head, row, strict=True)) for row in rows])
    return found


def table(page: str, *columns: str) -> list[Row]:
    """Return the rows of the only table with these columns, its cells without back-quotes."""
    (rows,) = (found for found in tables(page) if tuple(found[0]) == columns)
    return [{key: cell.replace("`", "") for key, cell in row.items()} for row in rows]
