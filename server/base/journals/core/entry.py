"""Entries of a journal as they are appended and read, and why an append is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from server.base.core.due import Due
from server.base.core.refusal import UnreadableError

CHECKPOINT: Final = '{"type":"checkpoint",'
"""The prefix of an entry (a checkpoint) that says all that those before it do."""


class ConflictError(Exception):
    """The journal does not end with the entry that this one should follow; nothing was written."""


class MistimedError(Exception):
    """The time of the decision is too far from Redis's time; nothing was written.

    The node's clock is wrong, or the append was delayed.
    """


class GapError(UnreadableError):
    """An entry is missing from a journal: it is lost, and what follows cannot be read."""

    def __init__(self) -> None:
        super().__init__("entries_lost")


def is_checkpoint(text: str) -> bool:
    """Return whether the text of an entry says all that those before it do."""
    return text.startswith(CHECKPOINT)


class Beside(NamedTuple):
    """A text that is stored beside a journal, in its slot, until a time in Unix milliseconds."""

    key: str
    text: str
    expires: int


class Placed(NamedTuple):
    """Members of a sorted set beside a journal, in its slot, until a time in Unix milliseconds."""

    key: str
    scores: tuple[tuple[str, int], ...]
    expires: int


class Append(NamedTuple):
    """An entry to append, and what is written together with it.

    Attributes:
        key: the journal's key.
        number: the entry's number, from 1.
        payload: the entry's text.
        partition: the partition that the key is in, needed for an effect or a due time.
        expires: when the journal expires, in Unix milliseconds.
        effect: a field and text for the outbox.
        due: a due item and its time in Unix milliseconds; a time of `None` deletes the item.
        beside: a text that is stored beside the journal.
        placed: members that are added to a sorted set beside the journal, or get another score; of
            none, how long it is kept.
    """

    key: str
    number: int
    payload: str
    partition: int = 0
    expires: int | None = None
    effect: tuple[str, str] | None = None
    due: tuple[Due, int | None] | None = None
    beside: Beside | None = None
    placed: Placed | None = None


@dataclass(frozen=True, slots=True)
class Entries:
    """Entries that were read from a journal.

    Attributes:
        texts: their texts, in order.
        generation: the generation of the connection that they were read on; 0 if there was more
            than one, or if the slot was being moved.
        first: the number of the first of them, or what it would be.
    """

    texts: list[str]
    generation: int
    first: int = 1

    @property
    def last(self) -> int:
        """The number of the last of them; that before the first if there is none."""
        return self.first + len(self.texts) - 1
