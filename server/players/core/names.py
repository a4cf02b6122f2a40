"""Player names: permitted characters (UTS 39), and the default names of guests."""

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
from server.players.core.refusals import PlayerRefusals
from server.players.core.unicode_tables import SCRIPTS
from server.players.core.words import SIGNS, Words

MAX_LENGTH = 20  # characters
MAX_MARKS = 2  # consecutive marks shared by many scripts, such as accents; Vietnamese needs two
MAX_OWN_MARKS = 4  # consecutive marks of one script, such as vowel signs; Burmese needs four
MAX_ALL_MARKS = 12  # of a name after normalization

# A burst that is enough to choose a name and correct a typo. With more, players could not be told
# apart, and each rename is broadcast to every viewer of the name.
RENAMES_AT_ONCE = 3

RENAME_EVERY_MS = 600_000  # for each further rename

# 40 bits. At a thousand guests a second, matching a given player's tag takes 17 years on average;
# with 4 characters it took 9 minutes.
TAG_LENGTH = 8

# A host name as readers and programs recognize it: a dot between two words without spaces.
_ADDRESS = re.compile(r"\w\.[^\W\d_]{2}")

_CATEGORIES = {"L", "M", "N"}
_SHARED = {"Zinh", "Zyyy"}
# Scripts used together by one writing system (UTS 39, augmented script sets).
_WRITING_SYSTEMS = {
    "Hani": {"Hanb", "Jpan", "Kore"},
    "Hira": {"Jpan"},
    "Kana": {"Jpan"},
    "Hang": {"Kore"},
    "Bopo": {"Hanb"},
}

# Writing systems that commonly mix in Latin letters (highly restrictive level).
_WITH_LATIN = {"Hanb", "Jpan", "Kore"}

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
    """Return a guest's default name, derived from the player's id; the pace bot has its own."""
    if player == PACE_BOT:
        return "Pace bot"
    first, second = (ALPHABET.index(letter) for letter in player[:2])
    return f"{_FIRST[first]} {_SECOND[second]}"


def tag_of(player: PlayerId) -> str:
    """Return a player's tag: the end of the id, which tells apart players of the same name."""
    return player[-TAG_LENGTH:].upper()


@dataclass(frozen=True, slots=True)
class Profile:
    """A player's public profile."""

    id: PlayerId
    name: str

    @property
    def tag(self) -> str:
        """The player's tag; see `tag_of`."""
        return tag_of(self.id)

    @property
    def isolated(self) -> str:
        """The name for a line of text; see `isolated`."""
        return isolated(self.name)

    @property
    def is_bot(self) -> bool:
        """Whether the player is the pace bot or a player's bot."""
        return is_bot(self.id)


class Recorded(NamedTuple):
    """The outcome of storing a player's record."""

    profile: Profile
    renamed: bool  # whether the name has changed
    unused: bool  # whether the identity is kept without any result yet


def isolated(name: str) -> str:
    """Return a name for a line of text, in bidi isolates if it is right-to-left."""
    if {"R", "AL"}.isdisjoint(map(unicodedata.bidirectional, name)):
        return name
    # Otherwise it would reorder the adjacent text.
    return f"\N{FIRST STRONG ISOLATE}{name}\N{POP DIRECTIONAL ISOLATE}"


def clean_name(text: str) -> str:
    """Return a name in the form that is stored: NFKC, with single spaces.

    Refused as `bad_name` if it is empty or too long; has no letter or digit, too many marks, or
    characters that UTS 39 restricts (invisible or obsolete); mixes scripts; or looks like a host
    name.
    """
    name = " ".join(unicodedata.normalize("NFKC", text).split())
    letters = [letter for letter in name if letter not in SIGNS]
    if not (1 <= len(name) <= MAX_LENGTH) or not letters or not all(map(_scripts, letters)):
        raise Refusal(PlayerRefusals.bad_name)
    _check_marks(name)
    if not _is_of_one_script(letters):
        raise Refusal(PlayerRefusals.bad_name, "Names must use a single script.")
    # Clients would turn it into a link.
    if _ADDRESS.search(name):
        raise Refusal(PlayerRefusals.bad_name, "Names cannot be web addresses.")
    return name


def check_words(name: str, reserved: Words, offensive: Words) -> None:
    """Check a clean name against the word lists. Refused as `name_reserved` or `name_offensive`."""
    if reserved.has(name):
        raise Refusal(PlayerRefusals.name_reserved)
    if offensive.has(name):
        raise Refusal(PlayerRefusals.name_offensive)


def _check_marks(name: str) -> None:
    """Refuse a name with too many marks, or with one that follows no letter."""
    total = row = shared = 0
    after_letter = False
    for character in name:
        if unicodedata.category(character)[0] != "M":
            row = shared = 0
            after_letter = character not in SIGNS
            continue
        total, row = total + 1, row + 1
        scripts = _scripts(character)
        shared += "Latn" in scripts or not scripts.isdisjoint(_SHARED)
        if not after_letter or row > MAX_OWN_MARKS or shared > MAX_MARKS or total > MAX_ALL_MARKS:
            raise Refusal(PlayerRefusals.bad_name)


def _is_of_one_script(letters: Iterable[str]) -> bool:
    """Return whether letters are of one writing system, or an East Asian one with Latin.

    This is the highly restrictive level of UTS 39.
    """
    sets = [found for each in letters if (found := _scripts(each)).isdisjoint(_SHARED)]
    zeros = {ord(each) - unicodedata.decimal(each) for each in letters if each.isdecimal()}
    # Digits must be of one system, too.
    if len(zeros) > 1:
        return False
    others = [found for found in sets if "Latn" not in found]
    together = frozenset.intersection(*others) if others else frozenset({"Latn"})
    alone = frozenset.intersection(*sets) if sets else together
    return bool(alone or together & _WITH_LATIN)


@cache
def _table() -> tuple[list[int], list[tuple[int, frozenset[str]]]]:
    """Return the first code points of the ranges, and each range's last one and its scripts."""
    rows = []
    for line in SCRIPTS:
        names, ranges = line.split(": ")
        used = names.split()
        scripts = frozenset(used).union(*(_WRITING_SYSTEMS.get(name, ()) for name in used))
        for part in ranges.split(","):
            first, _, last = part.partition("-")
            rows.append((int(first, 16), int(last or first, 16), scripts))
    rows.sort()
    return [row[0] for row in rows], [row[1:] for row in rows]


def _scripts(character: str) -> frozenset[str]:
    """Return the scripts and writing systems of a character; empty if names cannot contain it."""
    firsts, rest = _table()
    at = bisect_right(firsts, ord(character)) - 1
    if at < 0 or ord(character) > rest[at][0]:
        return frozenset()
    return rest[at][1]
