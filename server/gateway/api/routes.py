"""All routes below `/api`, and all types of their answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from server.core.run import FileResult, RunFile, Runner
from server.gateway.api import archive, boards, dailies, deals, players, runs, shared
from server.gateway.api.route import HOUR, Answer, Asked, Nothing, Route
from server.service.services import Services

DOCUMENT = Path(__file__).with_name("openapi.json")
"""The OpenAPI document, which `server.gateway.api.openapi` generates."""


async def show_document(services: Services, asked: Nothing) -> Answer[msgspec.Raw]:
    """This document: OpenAPI 3.1."""
    del services, asked
    return Answer(msgspec.Raw(DOCUMENT.read_bytes()), HOUR)


ROUTES = (
    Route("/openapi.json", show_document),
    *dailies.ROUTES,
    *deals.ROUTES,
    *runs.ROUTES,
    *boards.ROUTES,
    *players.ROUTES,
    *archive.ROUTES,
)


def _structs() -> Iterator[type[Struct]]:
    """Yield the structs that the modules define for answers, and those of a run's file."""
    for module in (shared, dailies, deals, boards, players, archive):
        for value in vars(module).values():
            if (
                isinstance(value, type)
                and issubclass(value, Struct)
                and not issubclass(value, Asked)
                and value.__module__ == module.__name__
            ):
                yield value
    yield from (Runner, FileResult, RunFile)


STRUCTS = tuple(_structs())
"""Every struct of an answer, in the order of declaration."""
