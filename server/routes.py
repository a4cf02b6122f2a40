"""All routes below `/api`, and all types of their responses."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import cache

import msgspec
from msgspec import Struct

from server.base.web.api import document as openapi
from server.base.web.api import shared
from server.base.web.api.route import HOUR, Answer, Asked, Nothing, Route
from server.challenges import api as challenges_api
from server.dailies import api as dailies_api
from server.dailies import archive_api
from server.deals.core.certificate import Certificate
from server.play import api as play_api
from server.play.core.run import FileResult, RunFile, Runner
from server.players import api as profiles_api
from server.results import api as results_api
from server.results import players_api
from server.runs import api as runs_api
from server.runs import deals_api
from server.wings import Services


@cache
def document() -> bytes:
    """Return the OpenAPI document, as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(openapi.document(ROUTES, STRUCTS)))


async def show_document(services: object, asked: Nothing) -> Answer[msgspec.Raw]:
    """This document: OpenAPI 3.1."""
    del services, asked
    # The first call takes 70 ms, which would delay moves.
    return Answer(msgspec.Raw(await asyncio.to_thread(document)), HOUR)


ROUTES: tuple[Route[Services], ...] = (
    Route("/openapi.json", show_document),
    *play_api.ROUTES,
    *dailies_api.ROUTES,
    *deals_api.ROUTES,
    *runs_api.ROUTES,
    *challenges_api.ROUTES,
    *results_api.ROUTES,
    *players_api.ROUTES,
    *archive_api.ROUTES,
)


def _structs() -> Iterator[type[Struct]]:
    """Yield the response types defined in the modules, and the types of `core` they contain."""
    for module in (
        play_api,
        profiles_api,
        shared,
        dailies_api,
        deals_api,
        challenges_api,
        results_api,
        players_api,
        archive_api,
    ):
        for value in vars(module).values():
            if (
                isinstance(value, type)
                and issubclass(value, Struct)
                and not issubclass(value, Asked)
                and value.__module__ == module.__name__
            ):
                yield value
    yield from (Certificate, Runner, FileResult, RunFile)


STRUCTS = tuple(_structs())
"""Every response type, in order of declaration."""
