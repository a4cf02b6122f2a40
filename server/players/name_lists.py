"""Forbidden words in names: the bundled lists and an operator's own."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from server.players.core import names
from server.players.core.words import Words

_SHIPPED = resources.files("server.players.core") / "words"


class NameLists(NamedTuple):
    """Word lists that names are checked against."""

    reserved: Words  # words that suggest a member of staff
    offensive: Words  # words that are not acceptable as a name

    def clean(self, name: str) -> str:
        """Return a name in the form that is stored.

        Refused as `bad_name`, `name_reserved` or `name_offensive`.
        """
        cleaned = names.clean_name(name)
        names.check_words(cleaned, self.reserved, self.offensive)
        return cleaned


def name_lists(reserved: Path | None = None, offensive: Path | None = None) -> NameLists:
    """Return the bundled lists, extended by an operator's files.

    The files are UTF-8 with one entry per line; lines that start with # are comments.

    Raises:
        OSError: a file cannot be read.
        ValueError: an entry has no letter, or a file is not UTF-8.
    """
    return NameLists(_words("reserved.txt", reserved), _words("offensive.txt", offensive))


def _words(shipped: str, own: Path | None) -> Words:
    texts = [(_SHIPPED / shipped).read_text(encoding="utf-8")]
    if own is not None:
        texts.append(own.read_text(encoding="utf-8-sig"))
    return Words(entry for text in texts for entry in _entries(text))


def _entries(text: str) -> Iterator[str]:
    for line in text.splitlines():
        entry = line.strip()
        if entry and not entry.startswith("#"):
            yield entry
