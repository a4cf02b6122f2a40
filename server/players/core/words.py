"""Word lists for names: which words a name may not consist of, and whether it has one of them.

A name is compared by what it looks like (UTS 39's skeleton), whole word by whole word: `Scunthorpe`
is no bad word. Words are what spaces, signs and capitals within separate; letters that stand alone
are also read together.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from fnmatch import translate
from itertools import groupby

from server.players.core.unicode_tables import LOOKS

ANY = "*"
"""Stands for any letters of a word, at the beginning, at the end or within an entry."""

SIGNS = " -_.'"
"""Characters of a name beside letters, marks and digits; they separate words."""

_SEPARATORS = re.compile(f"[{re.escape(SIGNS)}]+")
_DIGITS = "0123456789"
_READ_AS = str.maketrans("0134578", "oieastb")
"""Digits that are read as letters within words."""

_LOOKS = {
    int(letter, 16): "".join(chr(int(code, 16)) for code in shape.split())
    for shape, same in (line.split(": ") for line in LOOKS)
    for letter in same.split()
}


def skeleton(text: str) -> str:
    """Return what a text looks like: each character as the prototype of its look-alikes (UTS 39).

    Two texts that look alike have the same skeleton. It is not for display.
    """
    shown = unicodedata.normalize("NFD", text).translate(_LOOKS)
    return unicodedata.normalize("NFD", shown)


def _read(word: str) -> str:
    """Return what is read into a word: its letters without case, accents or digits for letters."""
    return _plain(skeleton(word.casefold().translate(_READ_AS)).casefold())


def _seen(word: str) -> str:
    """Return what is seen of a word, where a capital may look like another letter's small one."""
    return _plain(skeleton(word))


def _plain(shown: str) -> str:
    return "".join(letter for letter in shown if not unicodedata.combining(letter))


class Words:
    """A list of words.

    Args:
        entries: each is a word, or several that follow one another; a star in it stands for any
            letters.

    Raises:
        ValueError: an entry has no letter.
    """

    def __init__(self, entries: Iterable[str]) -> None:
        exact: set[str] = set()
        patterns: set[str] = set()
        for entry in entries:
            if not any(letter.isalpha() for letter in entry):
                raise ValueError(f"{entry!r} is no word")
            forms = patterns if ANY in entry else exact
            forms.add(_formed(_read, entry))
            forms.update(_formed(_seen, text) for text in (entry.upper(), entry.title()))
        self._exact = exact
        self._longest = max((entry.count(" ") + 1 for entry in exact), default=1)
        # The star of a file name is that of an entry, which has no other special signs.
        self._pattern = re.compile("|".join(map(translate, sorted(patterns))) or r"(?!)")

    def has(self, name: str) -> bool:
        """Return whether a name consists of a word of this list, or has one among its words."""
        return (
            any(text in self._exact or self._pattern.match(text) for text in self._readings(name))
            # Stars reach no further than a word: where two meet, there may be anything.
            or any(form("".join(_words(name))) in self._exact for form in (_read, _seen))
        )

    def _readings(self, name: str) -> Iterator[str]:
        """Yield how each of a name's words looks, and some words in a row."""
        for words in {tuple(_words(name)), tuple(_words(_parted(name)))}:
            for form in (_read, _seen):
                shown = [form(word) for word in words]
                for count in range(1, self._longest + 1):
                    for start in range(len(shown) - count + 1):
                        yield " ".join(shown[start : start + count])
            for word in words:
                yield _read(word.strip(_DIGITS))
                yield re.sub(r"(.)\1{2,}", r"\1", _read(word))


def _formed(form: Callable[[str], str], entry: str) -> str:
    """Return an entry with each of its words in a form, between the stars."""
    return " ".join(ANY.join(map(form, word.split(ANY))) for word in _words(entry))


def _words(text: str) -> list[str]:
    """Return the words of a text: what signs separate, and single letters in a row as one."""
    parts = [part for part in _SEPARATORS.split(text) if part]
    found: list[str] = []
    for alone, run in groupby(parts, lambda part: len(part) == 1):
        each = list(run)
        found += ["".join(each)] if alone else each
    return found


def _parted(text: str) -> str:
    """Return a text with a space before each capital that follows a small letter."""
    before = " "
    parts = []
    for letter in text:
        if before.islower() and letter.isupper():
            parts.append(" ")
        parts.append(letter)
        before = letter
    return "".join(parts)
