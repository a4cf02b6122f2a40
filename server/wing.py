"""The declaration of a wing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import ModuleType

from msgspec import Struct

from server.base.core.refusal import RefusalCode
from server.foundation import Foundation


@dataclass(frozen=True, slots=True, kw_only=True)
class Wing:
    """The parts of a wing.

    Attributes:
        services: the class of its services, if it has any of its own.
        refusals: the codes of its refusals.
        messages: the modules of its messages.
        is_rare: whether few visits need its messages, so that the page loads their tables later.
        handlers: the modules of its commands' handlers.
        api: the modules of its routes below `/api`, with the types of their answers.
        answers: types of `core/` in these answers.
    """

    services: type[Foundation] | None = None
    refusals: Iterable[RefusalCode] = ()
    messages: tuple[ModuleType, ...] = ()
    is_rare: bool = False
    handlers: tuple[ModuleType, ...] = ()
    api: tuple[ModuleType, ...] = ()
    answers: tuple[type[Struct], ...] = ()


def structs_in(module: ModuleType) -> Iterator[type[Struct]]:
    """Yield the structs defined in a module, in order of declaration."""
    for value in vars(module).values():
        if (
            isinstance(value, type)
            and issubclass(value, Struct)
            and value.__module__ == module.__name__
        ):
            yield value
