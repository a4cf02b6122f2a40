"""Word lists for names, and whether a name contains a listed word.

Names are compared by appearance (UTS 39's skeleton) and by whole words, so that `Scunthorpe`
passes. Spaces, signs and inner capitals separate words; single letters in a row are also read as
one word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from fnmatch import translate
from itertools import groupby

from server.players.core.unicode_tables import LOOKS

ANY = "*"  # matches any letters at the start, at the end or within an entry
SIGNS = " -_.'"  # characters of a name other than letters, marks and digits; they separate words

_SEPARATORS = re.compile(f"[{re.escape(SIGNS)}]+")
_DIGITS = "0123456789"
_READ_AS = str.maketrans("0134578", "oieastb")  # digits read as letters within words

_LOOKS = {
    int(letter, 16): "".join(chr(int(code, 16)) for code in shape.split())
    for shape, same in (line.split(": ") for line in LOOKS)
    for letter in same.split()
}


def skeleton(text: str) -> str:
    """Return a text's appearance: each character replaced by its prototype (UTS 39).

    Texts that look alike have the same one. It is not for display.
    """
    shown = unicodedata.normalize("NFD", text).translate(_LOOKS)
    return unicodedata.normalize("NFD", shown)


def _as_read(word: str) -> str:
    """Return a word as read: without case or accents, and with digits read as letters."""
    return _plain(skeleton(word.casefold().translate(_READ_AS)).casefold())


def _as_seen(word: str) -> str:
    """Return a word as seen: without accents, but a capital may resemble another small letter."""
    return _plain(skeleton(word))


def _plain(shown: str) -> str:
    return "".join(letter for letter in shown if not unicodedata.combining(letter))


class Words:
    """A list of words or sequences of words; a star stands for any letters.

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
            forms.add(_apply_form(_as_read, entry))
            forms.update(_apply_form(_as_seen, text) for text in (entry.upper(), entry.title()))
        self._exact = exact
        self._longest = max((entry.count(" ") + 1 for entry in exact), default=1)
        # `translate` is for file names: its star means the same, and entries have no other
        # wildcards.
        self._pattern = re.compile("|".join(map(translate, sorted(patterns))) or r"(?!)")

    def has(self, name: str) -> bool:
        """Return whether a name contains or equals an entry."""
        return (
            any(text in self._exact or self._pattern.match(text) for text in self._readings(name))
            # Patterns match within words only: across word boundaries, stars would match too much.
            or any(form("".join(_words(name))) in self._exact for form in (_as_read, _as_seen))
        )

    def _readings(self, name: str) -> Iterator[str]:
        """Yield the readings of a name's words and of consecutive words."""
        for words in {tuple(_words(name)), tuple(_words(_split_capitals(name)))}:
            for form in (_as_read, _as_seen):
                shown = [form(word) for word in words]
                for count in range(1, self._longest + 1):
                    for start in range(len(shown) - count + 1):
                        yield " ".join(shown[start : start + count])
            for word in words:
                yield _as_read(word.strip(_DIGITS))
                yield re.sub(r"(.)\1{2,}", r"\1", _as_read(word))


def _apply_form(form: Callable[[str], str], entry: str) -> str:
    return " ".join(ANY.join(map(form, word.split(ANY))) for word in _words(entry))


def _words(text: str) -> list[str]:
    """Split a text into words at signs, joining single letters in a row."""
    parts = [part for part in _SEPARATORS.split(text) if part]
    found: list[str] = []
    for alone, run in groupby(parts, lambda part: len(part) == 1):
        each = list(run)
        found += ["".join(each)] if alone else each
    return found


def _split_capitals(text: str) -> str:
    before = " "
    parts = []
    for letter in text:
        if before.islower() and letter.isupper():
            parts.append(" ")
        parts.append(letter)
        before = letter
    return "".join(parts)
