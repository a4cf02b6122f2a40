"""The servers behind an address: one Redis, or those of a cluster, and who owns which key.

redis-py's own client of a cluster tells us who owns what, and does no more than that: when a slot
has moved or is lost, it closes its connections under the hands of others.
"""

from __future__ import annotations

import asyncio

import structlog
from redis.asyncio import Redis, RedisCluster
from redis.asyncio.cluster import ClusterNode
from redis.exceptions import (
    AskError,
    ClusterDownError,
    MovedError,
    ResponseError,
    TryAgainError,
)

from server.store.connection import FAILURES, Client, alone, owner_of

Server = ClusterNode | None
"""A server of a cluster; `None` outside of a cluster."""

Elsewhere = AskError | TryAgainError
"""What a server says about a key whose slot has moved or is moving. A MOVED is an ASK as well."""

log = structlog.get_logger()


class Servers:
    """The servers of one address, with connections of our own to each."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._clients: dict[str, Redis] = {}
        self._looking: asyncio.Task[None] | None = None

    @property
    def alone(self) -> bool:
        """Whether this is one Redis and no cluster."""
        return isinstance(self._client, Redis)

    def known_owner(self, key: str) -> Server:
        """Return the server of a cluster that owns a key, or `None` while that is not known."""
        assert isinstance(self._client, RedisCluster)
        try:
            return self._client.get_node_from_key(key)
        except FAILURES:
            return None

    async def owner(self, key: str) -> Server:
        """Return the server that owns a key, as far as is known here."""
        if isinstance(self._client, Redis):
            return None
        await self._client.initialize()
        return owner_of(self._client, key)

    def client_of(self, server: Server) -> Redis:
        """Return the client of a server."""
        if server is None:
            assert isinstance(self._client, Redis)
            return self._client
        if server.name not in self._clients:
            self._clients[server.name] = alone(server)
        return self._clients[server.name]

    async def follow(self, key: str, error: Elsewhere) -> tuple[Server, bool]:
        """Return where a key is by now, and whether that server must be told that it was sent."""
        assert isinstance(self._client, RedisCluster)
        if isinstance(error, MovedError):
            await self._client.nodes_manager.move_slot(error)
        if isinstance(error, AskError):
            server = self._client.get_node(error.host, error.port)
            if server is not None:
                return server, not isinstance(error, MovedError)
            # It has joined a moment ago.
            await self.look_around()
        return owner_of(self._client, key), False

    async def look_around(self, lost: Server = None) -> None:
        """Ask a cluster anew which server owns what; one that was lost is asked last."""
        if isinstance(self._client, Redis):
            return
        if self._looking is None:
            self._looking = asyncio.create_task(self._look_around(self._client, lost))
        # However many miss a server, it is looked for once; whoever is cancelled waits no longer.
        await asyncio.shield(self._looking)

    async def _look_around(self, client: RedisCluster, lost: Server) -> None:
        try:
            await self._ask_anew(client, lost)
        finally:
            self._looking = None

    async def _ask_anew(self, client: RedisCluster, lost: Server) -> None:
        manager = client.nodes_manager
        try:
            await manager.initialize(last_failed_node_name=lost.name if lost else None)
        except FAILURES as error:
            log.warning("cluster_unseen", error=f"{type(error).__name__}: {error}")
            return
        here = {server.name for server in client.get_nodes()}
        for name in self._clients.keys() - here:
            await self._clients[name].connection_pool.disconnect(inuse_connections=False)

    async def close(self) -> None:
        """Close all connections."""
        if self._looking is not None:
            await self._looking
        for client in self._clients.values():
            await client.aclose()
        await self._client.aclose()


def is_loss(answer: object) -> bool:
    """Return whether an answer is that there was none, or that the cluster is not whole."""
    if isinstance(answer, ResponseError):
        return isinstance(answer, ClusterDownError)
    return isinstance(answer, BaseException)
