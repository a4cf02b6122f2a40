"""Players' names: which ones can be used, and the one that a guest begins with."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from server.core.ids import ALPHABET, PlayerId
from server.core.refusal import Refusal

LONGEST = 20

_CATEGORIES = {"L", "M", "N"}
_SIGNS = set(" -_.'")
_SCRIPTS = ("LATIN", "GREEK", "CYRILLIC", "HEBREW", "ARABIC", "CJK", "HIRAGANA", "KATAKANA")
_TOGETHER = {"CJK", "HIRAGANA", "KATAKANA"}

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
    """Return the name that a new guest has, which follows from the id."""
    first, second = (ALPHABET.index(letter) for letter in player[:2])
    return f"{_FIRST[first]} {_SECOND[second]}"


def tag_of(player: PlayerId) -> str:
    """Return the four letters that tell players of one name apart; they never change."""
    return player[-4:].upper()


@dataclass(frozen=True, slots=True)
class Profile:
    """A player as others see it."""

    id: PlayerId
    name: str

    @property
    def tag(self) -> str:
        """What tells players of one name apart."""
        return tag_of(self.id)


def clean_name(text: str) -> str:
    """Return a name as it is kept: NFKC, single spaces, of one script, nothing invisible.

    Raises:
        Refusal: it cannot be used.
    """
    name = " ".join(unicodedata.normalize("NFKC", text).split())
    letters = [c for c in name if unicodedata.category(c)[0] in _CATEGORIES]
    allowed = all(c in _SIGNS or unicodedata.category(c)[0] in _CATEGORIES for c in name)
    starts_with_mark = bool(name) and unicodedata.category(name[0])[0] == "M"
    if not (1 <= len(name) <= LONGEST) or not letters or not allowed or starts_with_mark:
        raise Refusal("bad_name")
    scripts = {_script(c) for c in letters} - {""}
    if len(scripts) > 1 and not scripts <= _TOGETHER:
        raise Refusal("bad_name", "A name is written in one script.")
    return name


def _script(letter: str) -> str:
    """Return a letter's script, or an empty text for one that goes with any."""
    if not letter.isalpha():
        return ""
    described = unicodedata.name(letter, "")
    return next((script for script in _SCRIPTS if described.startswith(script)), "OTHER")
