"""The HTTP interface below `/api/`: public data as JSON, for pages, programs and researchers.

`server/HTTP.md` explains it, and `openapi.json` describes it formally. There is one module for each
subject, with the types of its answers, its handlers and its routes; `routes` lists all of them, and
`app` serves them. Generated from these are `openapi.json` and `client_js/src/apiTypes.ts`.

Times are Unix milliseconds on the server's clock, unless they are said to be durations. Days are
UTC days: `day` counts them from 1970-01-01, and `date` is the same day in ISO 8601.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from server.core.run import FileResult, RunFile, Runner
from server.gateway.api import archive, boards, dailies, deals, players, shared

_MODULES = (shared, dailies, deals, boards, players, archive)


def _structs() -> Iterator[type[Struct]]:
    """Yield the structs that the modules define, and those of a run's file."""
    for module in _MODULES:
        for value in vars(module).values():
            if (
                isinstance(value, type)
                and issubclass(value, Struct)
                and value.__module__ == module.__name__
            ):
                yield value
    yield from (Runner, FileResult, RunFile)


STRUCTS = tuple(_structs())
"""Every struct of an answer, in the order of declaration."""
