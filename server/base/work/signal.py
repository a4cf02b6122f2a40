"""Signals: callbacks by which one part of a node notifies others (the observer pattern)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVarTuple, Unpack

Arguments = TypeVarTuple("Arguments")


class Signal(Generic[*Arguments]):
    """An event source with any number of subscribers.

    Subscribers are called synchronously by `emit`, in the order in which they subscribed. They must
    not block. An exception of one is a fault of that one: it goes to the event loop's exception
    handler, and keeps neither the other subscribers nor the emitter from their work. There is no
    unsubscribing: a subscriber lives as long as the node.
    """

    __slots__ = ("subscribers",)

    def __init__(self) -> None:
        self.subscribers: list[Callable[[Unpack[Arguments]], object]] = []

    def subscribe(self, subscriber: Callable[[Unpack[Arguments]], object]) -> None:
        """Have a function called on each `emit`; its return value is ignored."""
        self.subscribers.append(subscriber)

    def emit(self, *arguments: *Arguments) -> None:
        """Call all subscribers with these arguments."""
        for subscriber in self.subscribers:
            try:
                subscriber(*arguments)
            except Exception as error:
                asyncio.get_running_loop().call_exception_handler(
                    {"message": "A subscriber failed.", "exception": error}
                )
