"""Players' names: what a name may consist of (by UTS 39), and the default names of guests."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from server.base.core.ids import ALPHABET, PACE_BOT, PlayerId, is_bot
from server.base.core.refusal import Refusal
from server.players.core.unicode_tables import SCRIPTS
from server.players.core.words import SIGNS, Words

MAX_LENGTH = 20
"""The most characters of a name."""

MAX_MARKS = 2
"""The most marks in a row that go with many scripts, such as accents: Vietnamese needs two."""

MAX_OWN_MARKS = 4
"""The most marks in a row of one script, which writes vowels with them: Burmese needs four."""

MAX_ALL_MARKS = 12
"""The most marks of a name after normalization."""

RENAMES_AT_ONCE = 3
"""Changes of a name that a player may make one after another: to find one, and mend a slip.

Who has more cannot be told from another player, and each is told to everybody who sees the name.
"""

RENAME_EVERY_MS = 600_000
"""Milliseconds after which a player may make one more."""

TAG_LENGTH = 8
"""Characters of a player's tag: 40 bits.

Whoever makes a thousand guests a second meets the tag of a certain player after 17 years on
average; of the 4 characters that it once had, it was 9 minutes.
"""

_ADDRESS = re.compile(r"\w\.[^\W\d_]{2}")
"""A host's name, as readers and programs take it: a point between two words without a space."""

_CATEGORIES = {"L", "M", "N"}
_MANY = {"Zinh", "Zyyy"}
_WRITTEN_AS = {
    "Hani": {"Hanb", "Jpan", "Kore"},
    "Hira": {"Jpan"},
    "Kana": {"Jpan"},
    "Hang": {"Kore"},
    "Bopo": {"Hanb"},
}
"""Scripts that one writing system uses together (UTS 39, augmented script sets)."""

_WITH_LATIN = {"Hanb", "Jpan", "Kore"}
"""Writing systems in which Latin letters are usual beside the others (highly restrictive)."""

_FIRST = (
    "Amber", "Bold", "Brave", "Bright", "Calm", "Clever", "Coral", "Crimson",
    "Eager", "Fleet", "Gentle", "Golden", "Happy", "Humble", "Ivory", "Jolly",
    "Keen", "Kind", "Lively", "Lucky", "Merry", "Nimble", "Patient", "Proud",
    "Quick", "Quiet", "Silver", "Steady", "Sunny", "Swift", "Velvet", "Wise",
)  # fmt: skip
_SECOND = (
    "Badger", "Bear", "Crane", "Deer", "Dolphin", "Eagle", "Falcon", "Finch",
    "Fox", "Hare", "Hawk", "Heron", "Ibis", "Jay", "Kite", "Lark",
    "Lynx", "Magpie", "Marten", "Mole", "Newt", "Otter", "Owl", "Panda",
    "Puffin", "Raven", "Robin", "Seal", "Stork", "Swan", "Wolf", "Wren",
)  # fmt: skip


def guest_name(player: PlayerId) -> str:
    """Return the default name of a guest, which is determined by the player's id.

    The pace bot is no guest, and is called what it is.
    """
    if player == PACE_BOT:
        return "Pace bot"
    first, second = (ALPHABET.index(letter) for letter in player[:2])
    return f"{_FIRST[first]} {_SECOND[second]}"


def tag_of(player: PlayerId) -> str:
    """Return the end of a player's id, which tells players of the same name apart."""
    return player[-TAG_LENGTH:].upper()


@dataclass(frozen=True, slots=True)
class Profile:
    """A player as others see them."""

    id: PlayerId
    name: str

    @property
    def tag(self) -> str:
        """Eight characters that tell players of the same name apart."""
        return tag_of(self.id)

    @property
    def isolated(self) -> str:
        """The name for a line of text."""
        return isolated(self.name)

    @property
    def is_bot(self) -> bool:
        """Whether it is the pace bot's, or that of a player's bot."""
        return is_bot(self.id)


class Recorded(NamedTuple):
    """The outcome of storing a player's record.

    Attributes:
        profile: the player's.
        renamed: whether the name has changed.
        unused: whether the identity is kept, and there is no result yet.
    """

    profile: Profile
    renamed: bool
    unused: bool


def isolated(name: str) -> str:
    """Return a name for a line of text: between isolates if it is written from right to left.

    Otherwise it would change the order of what stands beside it.
    """
    if {"R", "AL"}.isdisjoint(map(unicodedata.bidirectional, name)):
        return name
    return f"\N{FIRST STRONG ISOLATE}{name}\N{POP DIRECTIONAL ISOLATE}"


def clean_name(text: str) -> str:
    """Return a name in the form that is stored: NFKC, with single spaces.

    Raises:
        Refusal: with the code `bad_name`, if the name is empty or too long, has no letter or digit,
            has characters that UTS 39 restricts (they are not displayed, or of no modern use), too
            many marks, mixes scripts, or is written as the name of a host: where it is shown, it
            would be a link.
    """
    name = " ".join(unicodedata.normalize("NFKC", text).split())
    letters = [letter for letter in name if letter not in SIGNS]
    if not (1 <= len(name) <= MAX_LENGTH) or not letters or not all(map(_scripts, letters)):
        raise Refusal("bad_name")
    _check_marks(name)
    if not _is_of_one_script(letters):
        raise Refusal("bad_name", "A name is written in one script.")
    if _ADDRESS.search(name):
        raise Refusal("bad_name", "A name is no web address.")
    return name


def check_words(name: str, reserved: Words, offensive: Words) -> None:
    """Check that a clean name has none of the words that no player may have.

    Raises:
        Refusal: with the code `name_reserved` or `name_offensive`.
    """
    if reserved.has(name):
        raise Refusal("name_reserved")
    if offensive.has(name):
        raise Refusal("name_offensive")


def _check_marks(name: str) -> None:
    """Check that a name has few marks, and none without a letter before.

    Raises:
        Refusal: with the code `bad_name`.
    """
    total = row = shared = 0
    after_letter = False
    for character in name:
        if unicodedata.category(character)[0] != "M":
            row = shared = 0
            after_letter = character not in SIGNS
            continue
        total, row = total + 1, row + 1
        scripts = _scripts(character)
        shared += "Latn" in scripts or not scripts.isdisjoint(_MANY)
        if not after_letter or row > MAX_OWN_MARKS or shared > MAX_MARKS or total > MAX_ALL_MARKS:
            raise Refusal("bad_name")


def _is_of_one_script(letters: Iterable[str]) -> bool:
    """Return whether letters are of one writing system, or of an East Asian one with Latin.

    That is what UTS 39 calls highly restrictive. Digits are of one system, too.
    """
    sets = [found for each in letters if (found := _scripts(each)).isdisjoint(_MANY)]
    zeros = {ord(each) - unicodedata.decimal(each) for each in letters if each.isdecimal()}
    if len(zeros) > 1:
        return False
    others = [found for found in sets if "Latn" not in found]
    together = frozenset.intersection(*others) if others else frozenset({"Latn"})
    alone = frozenset.intersection(*sets) if sets else together
    return bool(alone or together & _WITH_LATIN)


@cache
def _table() -> tuple[list[int], list[tuple[int, frozenset[str]]]]:
    """Return the first code point of each range, and its last one with the scripts that use it."""
    rows = []
    for line in SCRIPTS:
        names, ranges = line.split(": ")
        used = names.split()
        scripts = frozenset(used).union(*(_WRITTEN_AS.get(name, ()) for name in used))
        for part in ranges.split(","):
            first, _, last = part.partition("-")
            rows.append((int(first, 16), int(last or first, 16), scripts))
    rows.sort()
    return [row[0] for row in rows], [row[1:] for row in rows]


def _scripts(character: str) -> frozenset[str]:
    """Return the scripts and writing systems that use a character; none if no name may have it."""
    firsts, rest = _table()
    at = bisect_right(firsts, ord(character)) - 1
    if at < 0 or ord(character) > rest[at][0]:
        return frozenset()
    return rest[at][1]
