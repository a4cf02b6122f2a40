"""Signals: callbacks that notify other parts of a node (the observer pattern)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVarTuple, Unpack

Arguments = TypeVarTuple("Arguments")


class Signal(Generic[*Arguments]):
    """An event source with any number of subscribers.

    `emit` calls subscribers synchronously, in the order of their subscription. They must not block.
    A subscriber's exception goes to the event loop's exception handler, and affects neither the
    other subscribers nor the emitter. There is no unsubscribing: a subscriber lives as long as the
    node.
    """

    __slots__ = ("subscribers",)

    def __init__(self) -> None:
        self.subscribers: list[Callable[[Unpack[Arguments]], object]] = []

    def subscribe(self, subscriber: Callable[[Unpack[Arguments]], object]) -> None:
        """Register a function to call on each `emit`; its return value is ignored."""
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


class AsyncSignal(Generic[*Arguments]):
    """An event source whose subscribers are awaited, in the order of their subscription.

    The emitter must handle a subscriber's exception; later subscribers are not called.
    """

    __slots__ = ("_subscribers",)

    def __init__(self) -> None:
        self._subscribers: list[Callable[[Unpack[Arguments]], Awaitable[object]]] = []

    def subscribe(self, subscriber: Callable[[Unpack[Arguments]], Awaitable[object]]) -> None:
        """Register a function to await on each `emit`; its result is ignored."""
        self._subscribers.append(subscriber)

    async def emit(self, *arguments: *Arguments) -> None:
        """Await all subscribers with these arguments, one after the other."""
        for subscriber in self._subscribers:
            await subscriber(*arguments)
