"""Registration: a node says again and again that it is alive, so that operators see which are."""

from __future__ import annotations

import asyncio
import secrets
import socket

import structlog

from server.core.refusal import UnavailableError
from server.service.store import Store
from server.stop import Stop

RENEW_EVERY = 5.0
"""Seconds between two signs of life."""

log = structlog.get_logger()


class Registration:
    """One node's entry among those that are alive.

    Attributes:
        name: the machine, the port, and a random part, since a port is used again.
    """

    def __init__(self, store: Store, port: int) -> None:
        self.name = f"{socket.gethostname()}:{port}#{secrets.token_hex(4)}"
        self._store = store

    async def run(self, stop: Stop) -> None:
        """Renew the entry until told to stop, and then withdraw it."""
        while not stop.told:
            try:
                await self._store.nodes.renew(self.name)
            except UnavailableError as error:
                log.warning("registration_failed", error=str(error))
            await stop.or_wait(asyncio.sleep(RENEW_EVERY))
        try:
            await self._store.nodes.drop(self.name)
        except UnavailableError as error:
            log.warning("registration_lingers", error=str(error))
