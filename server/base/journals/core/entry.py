"""Journal entries as read and appended, and the errors of refused appends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from msgspec import Struct

from server.base.core.due import Due
from server.base.core.refusal import BaseRefusals, UnreadableError

CHECKPOINT: Final = '{"type":"checkpoint",'
"""The prefix of a checkpoint, an entry that replaces all entries before it."""


class ConflictError(Exception):
    """The journal does not end with the preceding entry; nothing was written."""


class MistimedError(Exception):
    """The time of the decision is too far from Redis's time; nothing was written.

    The node's clock is wrong, or the append was delayed.
    """


class GapError(UnreadableError):
    """An entry is missing from a journal. It is lost, and later entries cannot be folded."""

    def __init__(self) -> None:
        super().__init__(BaseRefusals.entries_lost)


def is_checkpoint(text: str) -> bool:
    """Return whether an entry's text is a checkpoint."""
    return text.startswith(CHECKPOINT)


class Beside(NamedTuple):
    """A text stored next to a journal, in its slot, until a time in Unix milliseconds."""

    key: str
    text: str
    expires: int


class Placed(NamedTuple):
    """Members of a sorted set next to a journal, in its slot, until a time in Unix milliseconds."""

    key: str
    scores: tuple[tuple[str, int], ...]
    expires: int


class Append(Struct, frozen=True, gc=False):
    """An entry to append, and everything written atomically with it.

    Usually the entry alone follows the known ones; a command can also append several at once.

    Attributes:
        key: the journal's key.
        number: the entry's number, from 1.
        payload: the entry's text.
        partition: the key's partition, or `None` if nothing is written with the entry. A
            checkpoint drops the entries before it, so it has one.
        expires: the journal's expiry in Unix milliseconds.
        effect: a field and a text for the outbox.
        due: a due item and its time in Unix milliseconds; a time of `None` deletes the item.
        beside: a text to store next to the journal.
        placed: scores to set in a sorted set next to the journal; without members, only its expiry
            is set.
        earlier: the texts of the entries before it that are appended with it.
    """

    key: str
    number: int
    payload: str
    partition: int | None = None
    expires: int | None = None
    effect: tuple[str, str] | None = None
    due: tuple[Due, int | None] | None = None
    beside: Beside | None = None
    placed: Placed | None = None
    earlier: tuple[str, ...] = ()


class AppendedEntry(Struct, tag=1, array_like=True, frozen=True):
    """To a journal's topic: a new entry, with its number and text (JSON)."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Entries:
    """Entries read from a journal.

    Attributes:
        texts: their texts, in order.
        generation: the generation of the connection used for reading; 0 if several were used or the
            slot was being moved.
        first: the number of the first entry, or of the next one if there are no entries.
    """

    texts: list[str]
    generation: int
    first: int = 1

    @property
    def last(self) -> int:
        """The number of the last entry; `first - 1` if there are no entries."""
        return self.first + len(self.texts) - 1
