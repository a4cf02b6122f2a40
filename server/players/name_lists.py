"""The words that names may not have: those that come with the server, and an operator's own."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from server.players.core import names
from server.players.core.words import Words

_SHIPPED = resources.files("server.players.core") / "words"


class NameLists(NamedTuple):
    """The lists of words that names are compared with.

    Attributes:
        reserved: words by which a player could pass for those who run the game.
        offensive: words that nobody should have to read as a name.
    """

    reserved: Words
    offensive: Words

    def clean(self, name: str) -> str:
        """Return a name in the form that is stored.

        Raises:
            Refusal: as `bad_name`, `name_reserved` or `name_offensive`.
        """
        cleaned = names.clean_name(name)
        names.check_words(cleaned, self.reserved, self.offensive)
        return cleaned


def name_lists(reserved: Path | None = None, offensive: Path | None = None) -> NameLists:
    """Return the lists that come with the server, with the entries of an operator's files.

    Args:
        reserved: a text file (UTF-8) with an entry a line; lines that begin with # are comments.
        offensive: such a file.

    Raises:
        OSError: a file cannot be read.
        ValueError: an entry is no word, or the file is not UTF-8.
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
