"""Requests: the arguments, results and errors of handlers.

Each wing with handlers has a `Request` with its own services and those of the wings below.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Generic, TypeAlias, TypeVar, get_args, get_type_hints

from engine.catalog import is_ready
from engine.schema import is_changes
from server.base.core import costs
from server.base.core.ids import PlayerId
from server.base.core.quota import Item, Need
from server.base.net.load import Load
from server.base.wire.messages import Command, Event
from server.base.wire.scopes import scopes_of
from server.base.wire.session import Session
from server.foundation import Foundation

C_co = TypeVar("C_co", bound=Command, covariant=True)
S_co = TypeVar("S_co", bound=Foundation, covariant=True)


@dataclass(slots=True)
class NodeRequest(Generic[C_co, S_co]):
    """A session's command, and the parts of the node that execute it.

    Attributes:
        paid: the sum that the command has paid so far, without debts.
    """

    command: C_co
    session: Session
    services: S_co
    load: Load
    paid: float = field(init=False)

    def __post_init__(self) -> None:
        self.paid = self.command.cost

    @property
    def player(self) -> PlayerId:
        """The session's player, known for every command but `Hello`."""
        assert self.session.player is not None, "a session accepts nothing else before Hello"
        return self.session.player

    def now(self) -> int:
        """Return the time in Unix milliseconds."""
        return self.services.clock.now()

    def pay_for_rules(self, game: str, variant: str) -> None:
        """Charge for a command's rules, if the node has no tables of them yet.

        Raises:
            Refusal: see `Payer.new_rules`.
        """
        if not is_ready(game, variant):
            self.paid += self.session.payer.new_rules(costs.RULES, self.paid)

    def pay_for_stored_rules(self, variant: str) -> None:
        """Charge for a player's custom rules that a command has read.

        Raises:
            Refusal: as `pay`; the command can be sent again.
        """
        if is_changes(variant):
            self.pay(costs.STORED_RULES)

    def pay(self, cost: float) -> None:
        """Charge the player and the address for costs beyond the command's fixed price.

        Handlers call it as soon as they know the amount of work, before doing it.

        Raises:
            Refusal: as `too_fast`, with the time to wait.
        """
        if cost:
            self.paid += self.session.payer.charge(cost, time.monotonic(), self.paid)

    def paying(self, need: Need, items: Iterable[Item]) -> AbstractAsyncContextManager[None]:
        """Charge the client's address for the command's storage, unless the command is refused.

        Raises:
            Refusal: as `address_full`, if the address's quota is exhausted.
        """
        return self.services.quotas.paying(scopes_of(self.session.address), need, items)


Handler: TypeAlias = Callable[[NodeRequest[Any, Any]], Awaitable[Event]]
"""Executes a command, and returns the event that answers it.

Raises:
    Refusal: the command is refused; its docstring lists the codes.
    UnavailableError: the store does not answer. The command may or may not have been executed, and
        can be sent again.
"""


def handlers_in(module: ModuleType) -> Iterator[tuple[type[Command], Handler]]:
    """Yield a module's handlers by command: the public functions that take only a request."""
    for name, function in vars(module).items():
        if name.startswith("_") or getattr(function, "__module__", "") != module.__name__:
            continue
        hints = get_type_hints(function) if inspect.iscoroutinefunction(function) else {}
        if hints.keys() == {"request", "return"}:
            command = get_args(hints["request"])[0]
            if command is not Command:
                yield command, function
