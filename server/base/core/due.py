"""Due items and their encoding as members of a sorted set in Redis, scored by time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Due:
    """A deadline. A wing defines a kind of them as a subclass, and registers it (`Outbox.on_due`).

    Attributes:
        name: the name of the item's journal or data, which determines the partition.
        kind: the letter of its kind.
        is_bulk: whether items of this kind fall due in bulk, and must not delay others.
    """

    kind: ClassVar[str] = ""
    is_bulk: ClassVar[bool] = False

    name: str

    @property
    def member(self) -> str:
        """The item's member in the sorted set."""
        return f"{self.kind}:{self.name}"

    @property
    def key(self) -> str | None:
        """The key of the item's journal, or `None` without one."""
        return None


def parse_due(member: str, kinds: Mapping[str, type[Due]]) -> Due | None:
    """Parse a member, or return `None` if this version does not know its kind."""
    kind, _, name = member.partition(":")
    return kinds[kind](name) if kind in kinds else None
