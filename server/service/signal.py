"""Signals: how one part of a node lets others know that something has happened (observers)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVarTuple, Unpack

Arguments = TypeVarTuple("Arguments")


class Signal(Generic[*Arguments]):
    """Something that happens again and again, and who is called then.

    Whoever needs to know subscribes, mostly in its own constructor; who emits knows none of them.
    Subscribers are called at once and in the order in which they subscribed, and must not block.
    """

    __slots__ = ("subscribers",)

    def __init__(self) -> None:
        self.subscribers: list[Callable[[Unpack[Arguments]], object]] = []

    def subscribe(self, subscriber: Callable[[Unpack[Arguments]], object]) -> None:
        """Have a function called each time; what it returns does not matter."""
        self.subscribers.append(subscriber)

    def emit(self, *arguments: *Arguments) -> None:
        """Call all subscribers."""
        for subscriber in self.subscribers:
            subscriber(*arguments)
