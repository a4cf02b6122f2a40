"""The servers behind a URL: one Redis, or a cluster's servers and the slots that each owns.

redis-py's cluster client is used only for the topology. It does not send commands for keys, since
it closes connections in use by other tasks when a slot has moved or a server is lost.
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

from server.base.redis.connection import FAILURES, Client, owner_of, raising_lost, server_client

Server = ClusterNode | None
"""A server of a cluster; `None` outside of a cluster."""

Elsewhere = AskError | TryAgainError
"""Replies about a key whose slot has moved or is moving. `MovedError` is a kind of `AskError`."""

log = structlog.get_logger()


class Servers:
    """The servers known to a client, and a separate client for each server of a cluster."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._clients: dict[str, Redis] = {}
        self._refreshing: asyncio.Task[None] | None = None

    @property
    def is_standalone(self) -> bool:
        """Whether this is a single Redis server rather than a cluster."""
        return isinstance(self._client, Redis)

    def known_owner(self, key: str) -> Server:
        """Return the server of a cluster that owns a key, or `None` if the topology is unknown."""
        assert isinstance(self._client, RedisCluster)
        try:
            return self._client.get_node_from_key(key)
        except FAILURES:
            return None

    async def owner(self, key: str) -> Server:
        """Return the server that owns a key, loading the topology if needed.

        Raises:
            OSError, RedisError, RedisClusterException: the topology cannot be read, or no server
                owns the key's slot.
        """
        if isinstance(self._client, Redis):
            return None
        await self._client.initialize()
        return owner_of(self._client, key)

    def client_of(self, server: Server) -> Redis:
        """Return the client for a server."""
        if server is None:
            assert isinstance(self._client, Redis)
            return self._client
        if server.name not in self._clients:
            self._clients[server.name] = server_client(server)
        return self._clients[server.name]

    async def follow(self, key: str, error: Elsewhere) -> tuple[Server, bool]:
        """Follow a redirection.

        Args:
            key: the key of the redirected command.
            error: the reply to that command.

        Returns:
            The server to send the command to, and whether an ASKING must precede it.

        Raises:
            RedisClusterException: no server owns the key's slot.
        """
        assert isinstance(self._client, RedisCluster)
        if isinstance(error, MovedError):
            # MOVED: the slot has a new owner permanently.
            await self._client.nodes_manager.move_slot(error)
        if isinstance(error, AskError):
            server = self._client.get_node(error.host, error.port)
            if server is not None:
                return server, not isinstance(error, MovedError)
            # The server has just joined the cluster.
            await self.refresh_topology()
        return owner_of(self._client, key), False

    async def refresh_topology(self, lost: Server = None) -> None:
        """Reload a cluster's servers and the slots that each owns.

        A failure is logged. Concurrent calls share one refresh.

        Args:
            lost: a server that did not answer, which is queried last.
        """
        if isinstance(self._client, Redis):
            return
        if self._refreshing is None:
            self._refreshing = asyncio.create_task(self._refresh(self._client, lost))
        # The shield prevents one cancelled caller from cancelling the refresh for the others.
        await asyncio.shield(self._refreshing)

    async def _refresh(self, client: RedisCluster, lost: Server) -> None:
        try:
            await self._read_topology(client, lost)
        finally:
            self._refreshing = None

    async def _read_topology(self, client: RedisCluster, lost: Server) -> None:
        manager = client.nodes_manager
        try:
            with raising_lost():
                await manager.initialize(last_failed_node_name=lost.name if lost else None)
        except FAILURES as error:
            log.debug("topology_refresh_failed", error=f"{type(error).__name__}: {error}")
            return
        known = {server.name for server in client.get_nodes()}
        for name in self._clients.keys() - known:
            # Connections in use belong to other tasks.
            await self._clients[name].connection_pool.disconnect(inuse_connections=False)

    async def close(self) -> None:
        """Close all clients."""
        if self._refreshing is not None:
            await self._refreshing
        for client in self._clients.values():
            await client.aclose()
        await self._client.aclose()


def suggests_failover(reply: object) -> bool:
    """Return whether a reply suggests that its server was lost or replaced.

    A broken connection, a timeout, CLUSTERDOWN and an acknowledgement by too few replicas do. Other
    error replies come from a working server.
    """
    if isinstance(reply, ResponseError):
        return isinstance(reply, ClusterDownError)
    return isinstance(reply, BaseException)
