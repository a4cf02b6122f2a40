"""Listening sockets, bound before a node runs so that worker processes can inherit them."""

from __future__ import annotations

import errno
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

BACKLOG = 2048
"""Maximum connections waiting to be accepted. The operating system may allow fewer."""

RECEIVE_BUFFER = 16_384
"""Bytes that the kernel buffers per connection before the node reads them.

Requests and messages are short. With the default, a client sending faster than allowed would occupy
6 MB in the kernel, and 256 kB in the node, the size of asyncio's reads.
"""

_UNAVAILABLE = {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}
"""Errors of binding an IPv6 address that the resolver returned on a machine without IPv6."""

Bound = Sequence[socket.socket]
"""A server's sockets, one for each address of its host."""


@dataclass(frozen=True, slots=True)
class NodePorts:
    """A node's listening sockets.

    Attributes:
        players: for players.
        metrics: for Prometheus, or `None` if metrics are not served.
    """

    players: Bound
    metrics: Bound | None = None

    def close(self) -> None:
        """Close the sockets in this process."""
        close(self.players)
        close(self.metrics or ())


def bind(host: str, port: int, count: int = 1) -> list[Bound]:
    """Listen on a port, on every address of a host, for a number of processes.

    On Linux each process gets its own sockets (SO_REUSEPORT), among which the kernel distributes
    connections evenly; on other systems all processes share the same ones. A socket listens until
    its last copy is closed. New connections wait in its backlog meanwhile, so none is lost while a
    process is replaced.

    Args:
        host: a host name or address of this machine; `::` or empty for all addresses.
        port: the TCP port; 0 for any free one.
        count: the number of processes.

    Returns:
        The sockets of each process.

    Raises:
        OSError: the port is in use, or the host is not an address of this machine.
    """
    distinct = count if sys.platform == "linux" else 1
    groups: list[list[socket.socket]] = [[] for _ in range(distinct)]
    unavailable = None
    try:
        addresses = _addresses(host, port)
        # The address `::` alone means IPv4 and IPv6, as in other servers.
        is_dual = [address[0] for _, address in addresses] == ["::"]
        for family, address in addresses:
            # If `port` is 0, the first address determines the port of the others.
            actual_port = port_of(groups[0]) if groups[0] else port
            try:
                own = (address[0], actual_port, *address[2:])
                bound = _bind(family, own, distinct, is_dual=is_dual)
            except OSError as error:
                unavailable = OSError(error.errno, f"{host}:{port}: {str(error.strerror).lower()}")
                if error.errno not in _UNAVAILABLE:
                    raise unavailable from error
            else:
                for group, new in zip(groups, bound, strict=True):
                    group.append(new)
    except OSError:
        for group in groups:
            close(group)
        raise
    # Some of the addresses may be unavailable, but not all.
    if unavailable is not None and not groups[0]:
        raise unavailable
    return [groups[index % distinct] for index in range(count)]


def port_of(sockets: Bound) -> int:
    """Return the TCP port of the sockets."""
    port: int = sockets[0].getsockname()[1]
    return port


def close(sockets: Bound) -> None:
    """Close sockets in this process; copies in other processes still listen."""
    for bound in sockets:
        bound.close()


def _addresses(host: str, port: int) -> list[tuple[int, Any]]:
    """Return the distinct addresses of a host, as (address family, socket address).

    Raises:
        OSError: the host name cannot be resolved.
    """
    kind, flags = socket.SOCK_STREAM, socket.AI_PASSIVE
    found = socket.getaddrinfo(host or None, port, type=kind, flags=flags)
    return list(dict.fromkeys((family, address) for family, _, _, _, address in found))


def _bind(
    family: int, address: tuple[Any, ...], count: int, *, is_dual: bool
) -> list[socket.socket]:
    """Bind a number of sockets to one address, and listen; with `is_dual`, on IPv4 as well.

    Raises:
        OSError: the address cannot be bound.
    """
    sockets: list[socket.socket] = []
    try:
        for index in range(count):
            bound = socket.socket(family, socket.SOCK_STREAM)
            sockets.append(bound)
            # A restarted server can then bind while old connections are in TIME_WAIT.
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, not is_dual)
            # The first socket is bound without SO_REUSEPORT, so that binding fails if another
            # server has the port. The option is set afterwards, so that the others can share the
            # port.
            if index > 0:
                bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            bound.bind(address)
            if index == 0 and count > 1:
                bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
                address = (address[0], bound.getsockname()[1], *address[2:])
        for bound in sockets:
            # Accepted connections inherit it.
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
            bound.listen(BACKLOG)
            bound.setblocking(False)
    except OSError:
        close(sockets)
        raise
    return sockets
