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
from server.wing import structs_in
from server.wings import WINGS, Services


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
    *(route for wing in WINGS for module in wing.api for route in vars(module).get("ROUTES", ())),
)


def _structs() -> Iterator[type[Struct]]:
    """Yield the types of answers, including those of `core` that they contain."""
    for module in (shared, *(module for wing in WINGS for module in wing.api)):
        yield from (struct for struct in structs_in(module) if not issubclass(struct, Asked))
    for wing in WINGS:
        yield from wing.answers


STRUCTS = tuple(_structs())
"""Every response type, in order of declaration."""
