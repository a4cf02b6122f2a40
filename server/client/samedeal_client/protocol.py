"""Base classes of messages."""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar

Answer_co = TypeVar("Answer_co", covariant=True)


class Command(Generic[Answer_co]):
    """A message to the server, generic over the event that answers it.

    Attributes:
        kind: the number that starts its frame; 0 for a move, which has none.
        cost: its cost to the player's budget; a move costs 1.
    """

    __slots__ = ()
    kind: ClassVar[int] = 0
    cost: ClassVar[float]


class Event:
    """A message from the server.

    Attributes:
        kind: the number that starts its frame; 0 if it has none.
    """

    __slots__ = ()
    kind: ClassVar[int] = 0


# Reference to the answered message: a command's id, a move's number and entry, or 0 for none.
Re = int | tuple[int, int]
