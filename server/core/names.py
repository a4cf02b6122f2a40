"""Players' names: validation, and the default names of guests."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from server.core.ids import ALPHABET, PACE_BOT, PlayerId
from server.core.refusal import Refusal

MAX_LENGTH = 20
"""The most characters of a name."""

_CATEGORIES = {"L", "M", "N"}
_SIGNS = set(" -_.'")
_TOGETHER = {"CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA"}
"""Scripts that may be mixed in one name, as Japanese does."""

_INVISIBLE = {
    chr(code)
    for first, last in (
        (0x034F, 0x034F),  # the grapheme joiner
        (0x115F, 0x1160),  # Hangul fillers; NFKC makes the others into one of these
        (0x17B4, 0x17B5),  # Khmer inherent vowels
        (0x180B, 0x180F),  # Mongolian variation selectors
        (0xFE00, 0xFE0F),  # variation selectors
        (0xE0100, 0xE01EF),
    )
    for code in range(first, last + 1)
}
"""Letters and marks that are not displayed: Unicode's Default_Ignorable_Code_Point."""

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
    """Return four characters of a player's id, which tell players of the same name apart."""
    return player[-4:].upper()


@dataclass(frozen=True, slots=True)
class Profile:
    """A player as others see them."""

    id: PlayerId
    name: str

    @property
    def tag(self) -> str:
        """Four characters that tell players of the same name apart."""
        return tag_of(self.id)

    @property
    def is_bot(self) -> bool:
        """Whether it is the pace bot's."""
        return self.id == PACE_BOT


def clean_name(text: str) -> str:
    """Return a name in the form that is stored: NFKC, with single spaces.

    Raises:
        Refusal: with the code `bad_name`, if the name is empty or too long, has no letter or digit,
            begins with a combining mark, mixes scripts, or has characters that are not displayed.
    """
    name = " ".join(unicodedata.normalize("NFKC", text).split())
    letters = [c for c in name if _is_letter(c)]
    allowed = all(c in _SIGNS or _is_letter(c) for c in name)
    starts_with_mark = bool(name) and unicodedata.category(name[0])[0] == "M"
    if not (1 <= len(name) <= MAX_LENGTH) or not letters or not allowed or starts_with_mark:
        raise Refusal("bad_name")
    scripts = {_script(c) for c in letters} - {""}
    if len(scripts) > 1 and not scripts <= _TOGETHER:
        raise Refusal("bad_name", "A name is written in one script.")
    return name


def _is_letter(character: str) -> bool:
    """Return whether a character is a letter, mark or number that is displayed."""
    return unicodedata.category(character)[0] in _CATEGORIES and character not in _INVISIBLE


def _script(letter: str) -> str:
    """Return a letter's script, or an empty string for a character that goes with any script."""
    # unicodedata has no scripts, but they are the first words of the letters' names.
    return re.split("[ -]", unicodedata.name(letter, "?"))[0] if letter.isalpha() else ""
