"""Connections to the current master of a group of servers, the others being its replicas.

Each new connection looks for the master again, so nodes follow the promotion of a replica by an
operator, Sentinel, or a provider behind one name. A demoted server refuses writes; `Database`
notices this and drops all connections to it.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from redis.asyncio.connection import Connection, SSLConnection
from redis.exceptions import ConnectionError as ConnectionLostError
from redis.exceptions import RedisError, ResponseError

ANSWER_WITHIN: Final = 2.0
"""Seconds within which a server must report its role."""

SECOND_WITHIN: Final = 0.25
"""Seconds to wait for other servers after the first master has answered; there should be no other.
"""

Address = tuple[str, int]
"""A server's host and port."""


class MasterConnection(Connection):
    """A connection that can be opened only to a master.

    `servers` are the addresses, at least one; the other settings are redis-py's.
    """

    def __init__(self, *, servers: tuple[Address, ...], **settings: Any) -> None:
        self._servers = servers
        self._settings = settings
        host, port = servers[0]
        super().__init__(host=host, port=port, redis_connect_func=_authenticate, **settings)

    async def connect(self) -> None:
        """Connect to the master, unless already connected.

        Raises:
            ConnectionError: there is no master, or there are several.
        """
        if not self.is_connected:
            await self.find_master()
        await super().connect()  # type: ignore[no-untyped-call]

    def check_role(self, hello: dict[str, Any]) -> None:
        """Check a server's role in its reply to HELLO.

        Raises:
            ConnectionError: it is a replica, whose data may lack acknowledged writes.
        """
        if hello["role"] != "master":
            raise ConnectionLostError(f"{self.host}:{self.port} is a {hello['role']}.")

    async def find_master(self) -> None:
        """Set host and port to those of the only server that reports being a master.

        Raises:
            ConnectionError: there is no master, or there are several, so that one may be outdated.
        """
        if len(self._servers) == 1:
            return
        each = [type(self)(servers=(server,), **self._settings) for server in self._servers]
        asked = [asyncio.create_task(one.refusal()) for one in each]
        try:
            waiting = set(asked)
            while waiting and not any(task.done() and not task.result() for task in asked):
                _, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            # A second master must be detected, so the other servers get a moment to answer.
            if waiting:
                await asyncio.wait(waiting, timeout=SECOND_WITHIN)
        finally:
            for task in asked:
                task.cancel()
            answers = await asyncio.gather(*asked, return_exceptions=True)
        masters = [
            server for server, answer in zip(self._servers, answers, strict=True) if answer == ""
        ]
        if len(masters) > 1:
            named = " and ".join(f"{host}:{port}" for host, port in masters)
            raise ConnectionLostError(
                f"{named} are masters. Only one may be: stop the one that is behind, and start it "
                "as a replica of the other."
            )
        if not masters:
            raise ConnectionLostError(f"No server is a master. {' '.join(map(str, answers))}")
        self.host, self.port = masters[0]

    async def refusal(self) -> str:
        """Return the reason why the server cannot be used; empty if it is a master."""
        try:
            async with asyncio.timeout(ANSWER_WITHIN):
                await self.connect()
        except TimeoutError:
            return f"{self.host}:{self.port} does not answer."
        except (RedisError, OSError) as error:
            return str(error)
        finally:
            # This connection was only a test.
            await self.disconnect(nowait=True)
        return ""


class MasterSSLConnection(MasterConnection, SSLConnection):
    """A connection that can be opened only to a master, over TLS."""


def without_password(error: Exception) -> Exception:
    """Replace a reply of an old server that repeats the arguments of HELLO."""
    if not ("unknown command" in str(error) and "HELLO" in str(error)):
        return error
    return ResponseError("The server does not know HELLO: it is older than Redis 7.0.")


async def _authenticate(connection: MasterConnection) -> None:
    """Authenticate, and check the server's role."""
    try:
        await connection.on_connect()
    except ResponseError as error:
        raise without_password(error) from None
    await connection.send_command("HELLO", check_health=False)
    connection.check_role(await connection.read_response())
