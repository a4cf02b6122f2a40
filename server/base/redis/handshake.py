"""New connections to a Redis server: the handshake, and the encoding of commands and replies."""

from __future__ import annotations

import asyncio
import socket
from typing import Any, Final, cast

import hiredis
from redis.asyncio import Redis, SSLConnection, UnixDomainSocketConnection
from redis.exceptions import (
    AskError,
    AuthenticationError,
    BusyLoadingError,
    ClusterDownError,
    MasterDownError,
    MovedError,
    NoPermissionError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    ResponseError,
    TryAgainError,
)
from redis.exceptions import ConnectionError as ConnectionLostError

from server.base.redis.masters import MasterConnection, without_password
from server.base.redis.scripts import Argument, Script

# redis-py's exceptions for error replies, by the code or the whole text.
_ERRORS: Final = {
    "ASK": AskError,
    "CLUSTERDOWN": ClusterDownError,
    "ERR": ResponseError,
    "ERR max number of clients reached": ConnectionLostError,
    "LOADING": BusyLoadingError,
    "MASTERDOWN": MasterDownError,
    "MOVED": MovedError,
    "NOAUTH": AuthenticationError,
    "NOPERM": NoPermissionError,
    "NOSCRIPT": NoScriptError,
    "OOM": OutOfMemoryError,
    "READONLY": ReadOnlyError,
    "TRYAGAIN": TryAgainError,
    "WRONGPASS": AuthenticationError,
}


def pack(*command: Argument) -> bytes:
    """Encode a command in the Redis protocol."""
    packed: bytes = hiredis.pack_command(command)  # type: ignore[arg-type]
    return packed


def _error_of(text: str) -> Exception:
    """Return the exception for an error reply."""
    code, _, rest = text.partition(" ")
    kind = _ERRORS.get(text) or _ERRORS.get(code)
    return ResponseError(text) if kind is None else kind(rest)


class _Handshake(asyncio.Protocol):
    """Sends commands on a new connection, and collects their replies."""

    def __init__(self, commands: list[bytes]) -> None:
        self.reader = hiredis.Reader(
            replyError=_error_of, encoding="utf-8", errors="surrogateescape"
        )
        self.replies: list[Any] = []
        self.ended = asyncio.Event()  # also set if the connection is lost
        self.failure: Exception | None = None
        self._commands = commands

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast("asyncio.WriteTransport", transport).write(b"".join(self._commands))

    def data_received(self, data: bytes) -> None:
        try:
            self.reader.feed(data)
            while (reply := self.reader.gets()) is not False:
                self.replies.append(reply)
        except hiredis.HiredisError as error:  # not Redis, or TLS at redis://
            self.connection_lost(error)
        if len(self.replies) >= len(self._commands):
            self.ended.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.failure = self.failure or exc
        self.ended.set()


async def open_connection(
    client: Redis, protocol: asyncio.Protocol
) -> tuple[asyncio.WriteTransport, hiredis.Reader]:
    """Connect to a client's server, authenticate, and load all scripts.

    Args:
        client: its settings are used, but none of its connections.
        protocol: takes over the connection; its `connection_made` is not called.

    Returns:
        The transport, and the parser of replies.

    Raises:
        RedisError: the server cannot be reached, or refuses the connection.
    """
    # It is never opened, and only provides the settings.
    settings: Any = client.connection_pool.make_connection()  # type: ignore[no-untyped-call]
    is_master_required = isinstance(settings, MasterConnection)
    if is_master_required:
        await settings.find_master()
    hello: list[Argument] = ["HELLO", 3]
    if settings.username or settings.password:
        hello += ["AUTH", settings.username or "default", settings.password or ""]
    if settings.client_name:
        hello += ["SETNAME", settings.client_name]
    # Scripts are called by their digests.
    loads = [pack("SCRIPT", "LOAD", each.text) for each in Script.all]
    handshake = _Handshake([pack(*hello), *loads])
    transport = None
    try:
        async with asyncio.timeout(settings.socket_connect_timeout):
            transport = await _connect(settings, handshake)
            await handshake.ended.wait()
        for reply in handshake.replies:
            if isinstance(reply, Exception):
                raise without_password(reply)
        if handshake.failure is not None or transport.is_closing():
            raise ConnectionLostError(str(handshake.failure or "Connection closed by server."))
        if is_master_required:
            settings.check_role(handshake.replies[0])
        transport.set_protocol(protocol)
    except OSError as error:
        where = getattr(settings, "path", "") or f"{settings.host}:{settings.port}"
        reason = str(error) or "timeout"
        raise ConnectionLostError(f"Error connecting to {where}: {reason}") from error
    finally:
        # Also after a cancellation.
        if transport is not None and transport.get_protocol() is handshake:
            transport.abort()
    return transport, handshake.reader


async def _connect(settings: Any, protocol: asyncio.Protocol) -> asyncio.WriteTransport:
    """Open a connection with a redis-py connection's settings.

    Raises:
        OSError: the server cannot be reached.
    """
    loop = asyncio.get_running_loop()
    if isinstance(settings, UnixDomainSocketConnection):
        transport, _ = await loop.create_unix_connection(lambda: protocol, settings.path)
        return transport
    tls = settings.ssl_context.get() if isinstance(settings, SSLConnection) else None
    transport, _ = await loop.create_connection(
        lambda: protocol, settings.host, settings.port, ssl=tls
    )
    raw = transport.get_extra_info("socket")
    if raw is not None and settings.socket_keepalive:
        try:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for option, value in settings.socket_keepalive_options.items():
                raw.setsockopt(socket.IPPROTO_TCP, option, value)
        except OSError:
            transport.abort()  # the caller does not have it yet
            raise
    return transport
