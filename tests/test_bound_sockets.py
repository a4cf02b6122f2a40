"""Sockets bound for one process, or for several on the same port."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from server.base.net.bound_sockets import Bound, bind, close, port_of


@contextmanager
def bound_to(host: str, port: int, count: int = 1) -> Iterator[list[Bound]]:
    each = bind(host, port, count)
    try:
        yield each
    finally:
        for sockets in each:
            close(sockets)


def test_port_0_binds_the_same_free_port_on_every_address() -> None:
    with bound_to("localhost", 0, 3) as each:
        assert port_of(each[0]) > 0
        found = {bound.getsockname()[1] for sockets in each for bound in sockets}
        assert found == {port_of(each[0])}


def test_all_addresses_include_ipv4_and_ipv6() -> None:
    for host in ("", "::") if has_ipv6() else ("",):
        with bound_to(host, 0) as (sockets,):
            for peer in ("127.0.0.1", "::1") if has_ipv6() else ("127.0.0.1",):
                socket.create_connection((peer, port_of(sockets))).close()


def has_ipv6() -> bool:
    """Return whether this machine has IPv6, which a container may lack."""
    try:
        with bound_to("::1", 0):
            return True
    except OSError:
        return False


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("others", [1, 2])
def test_a_port_in_use_cannot_be_bound(count: int, others: int) -> None:
    """Only processes of the same server share a port."""
    with bound_to("127.0.0.1", 0, count) as each:
        with pytest.raises(OSError, match="address already in use"):
            bind("127.0.0.1", port_of(each[0]), others)
        port = port_of(each[0])
    with bound_to("127.0.0.1", port, others):
        pass


def test_an_address_of_another_machine_cannot_be_bound() -> None:
    with pytest.raises(OSError, match="192"):
        bind("192.0.2.1", 0)


def test_connections_are_distributed_over_the_processes() -> None:
    with bound_to("127.0.0.1", 0, 2) as each, ExitStack() as stack:
        for _ in range(200):
            peer = socket.create_connection(("127.0.0.1", port_of(each[0])))
            stack.enter_context(peer)
        if sys.platform == "linux":
            # The kernel chooses at random: 50 or fewer of 200 happens once in 1e12 runs.
            assert all(accept_pending(sockets[0]) > 50 for sockets in each)
        else:
            assert each[0] == each[1]


def accept_pending(bound: socket.socket) -> int:
    accepted = 0
    while True:
        try:
            bound.accept()[0].close()
        except BlockingIOError:
            return accepted
        accepted += 1
