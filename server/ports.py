"""Sockets that listen: bound before a node runs, so that processes can share and inherit them."""

from __future__ import annotations

import errno
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

BACKLOG = 2048
"""Connections that wait to be accepted. The system may allow fewer."""

_UNAVAILABLE = {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}
"""What binding fails with on a machine without IPv6, whose resolver names IPv6 addresses."""

Bound = Sequence[socket.socket]
"""The sockets of one server: one for each address of its host."""


@dataclass(frozen=True, slots=True)
class NodePorts:
    """What a node listens on: the players' port, and that for Prometheus if there is one."""

    players: Bound
    metrics: Bound | None = None

    def close(self) -> None:
        """Listen no more, in this process."""
        close(self.players)
        close(self.metrics or ())


def bind(host: str, port: int, count: int = 1) -> list[Bound]:
    """Listen on a port, on every address of a host, for a number of processes.

    On Linux each process gets sockets of its own, among which the kernel spreads connections
    evenly; elsewhere all share the same. A socket is listened on until its last copy is closed,
    and what is connected meanwhile waits, so none is lost while a process is replaced.

    Args:
        host: a name or an address of this machine; an empty one is all its addresses.
        port: 0 for one that is free.
        count: the number of processes.

    Returns:
        The sockets of each process.

    Raises:
        OSError: the port is in use, or the host is none of this machine's.
    """
    apart = count if sys.platform == "linux" else 1
    each: list[list[socket.socket]] = [[] for _ in range(apart)]
    unavailable = None
    try:
        for family, address in _addresses(host, port):
            # What was free for the first address is taken for the others as well.
            own_port = port_of(each[0]) if each[0] else port
            try:
                bound = _bind(family, (address[0], own_port, *address[2:]), apart)
            except OSError as error:
                unavailable = OSError(error.errno, f"{host}:{port}: {str(error.strerror).lower()}")
                if error.errno not in _UNAVAILABLE:
                    raise unavailable from error
            else:
                for own, new in zip(each, bound, strict=True):
                    own.append(new)
    except OSError:
        for own in each:
            close(own)
        raise
    if unavailable is not None and not each[0]:
        raise unavailable
    return [each[index % apart] for index in range(count)]


def port_of(sockets: Bound) -> int:
    """Return the port that sockets are bound to."""
    port: int = sockets[0].getsockname()[1]
    return port


def close(sockets: Bound) -> None:
    """Stop listening, in this process."""
    for bound in sockets:
        bound.close()


def _addresses(host: str, port: int) -> list[tuple[int, Any]]:
    """Return the addresses of a host, each once, with their families."""
    kind, flags = socket.SOCK_STREAM, socket.AI_PASSIVE
    found = socket.getaddrinfo(host or None, port, type=kind, flags=flags)
    return list(dict.fromkeys((family, address) for family, _, _, _, address in found))


def _bind(family: int, address: tuple[Any, ...], count: int) -> list[socket.socket]:
    """Bind a number of sockets to one address.

    The first is bound without SO_REUSEPORT, so that it fails if another server has the port, and
    allows the others to share it afterwards.
    """
    sockets: list[socket.socket] = []
    try:
        for index in range(count):
            bound = socket.socket(family, socket.SOCK_STREAM)
            sockets.append(bound)
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            if index > 0:
                bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            bound.bind(address)
            if index == 0 and count > 1:
                bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
                address = (address[0], bound.getsockname()[1], *address[2:])
        for bound in sockets:
            bound.listen(BACKLOG)
            bound.setblocking(False)
    except OSError:
        close(sockets)
        raise
    return sockets
