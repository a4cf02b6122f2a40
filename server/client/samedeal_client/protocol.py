"""The bases of messages."""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar

Answer_co = TypeVar("Answer_co", covariant=True)


class Command(Generic[Answer_co]):
    """A message to the server, with the type of the event that answers it.

    Attributes:
        kind: the number that it begins with; 0 of a move, which has none.
        cost: what it takes of the player's budget; a move costs 1.
    """

    __slots__ = ()
    kind: ClassVar[int] = 0
    cost: ClassVar[float]


class Event:
    """A message from the server.

    Attributes:
        kind: the number that it begins with; 0 if it has none.
    """

    __slots__ = ()
    kind: ClassVar[int] = 0


Re = int | tuple[int, int]
"""The reference to what an event answers: a command's id, a move's number and entry, or 0."""
