"""The resolver: addresses of names that users gave, asked for over sockets of its own.

The system's resolver works on threads that all of a process shares, and keeps one for as long as a
name server is silent: then the node's own names, such as that of Redis, would wait behind those of
users. Here a question is a UDP socket, which is closed when there is an answer or no more time.
Nothing is kept between two lookups.

Only the name servers of this machine are asked (`/etc/resolv.conf`), for the name as it is: no
search list and no `/etc/hosts` makes another one of it.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Sequence
from ipaddress import ip_address
from itertools import chain, zip_longest
from typing import Final

import dns.exception
import dns.inet
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.resolver

TIMEOUT: Final = 3.0
"""Seconds for a lookup."""

TRIES: Final = 2
"""Times that each name server is asked: an answer may be lost, or come when it is known there."""

MAX_RECORDS: Final = 16
"""Records that are read of an answer. Each takes up to half a millisecond, if its name is long."""

_PAYLOAD: Final = 1_232
"""Most bytes of an answer: what passes everywhere in one packet. Of a longer one comes a part."""

_MOST_RECEIVED: Final = 65_535
"""Bytes of the longest datagram."""

_REREAD: Final = 60.0
"""Seconds after which the list of name servers is read again."""

_PORT: Final = 53

_KINDS: Final = (dns.rdatatype.A, dns.rdatatype.AAAA)

Place = tuple[str, int]
"""An address and a port."""


class Resolver:
    """Resolves names.

    Args:
        servers: name servers, in place of those of this machine.
    """

    def __init__(self, servers: Sequence[Place] | None = None) -> None:
        self._servers = servers
        self._known: Sequence[Place] = ()
        self._read_at = -_REREAD

    async def addresses(self, host: str) -> list[str]:
        """Return the addresses of a name, those of IPv4 and IPv6 in turn, within `TIMEOUT`.

        Args:
            host: a name, in ASCII; or an address, which is returned as it is.

        Raises:
            OSError: it has none, or no name server answers.
        """
        if _is_address(host):
            return [host]
        if host == "localhost":
            # No name server is to be asked for it (RFC 6761).
            return ["127.0.0.1", "::1"]
        try:
            name = dns.name.from_text(host)
        except dns.exception.DNSException as error:
            raise OSError(f"{host} is no name") from error
        found = await asyncio.gather(
            *(self._ask(name, kind) for kind in _KINDS), return_exceptions=True
        )
        lists = [each for each in found if isinstance(each, list)]
        addresses = [each for each in chain(*zip_longest(*lists)) if each is not None]
        if not addresses:
            raise OSError(f"{host} has no address")
        return addresses

    async def _ask(self, name: dns.name.Name, kind: dns.rdatatype.RdataType) -> list[str]:
        """Return the addresses of a kind that a name has.

        Raises:
            OSError: no name server answers.
        """
        query = dns.message.make_query(name, kind, use_edns=0, payload=_PAYLOAD)
        tries = [*self._name_servers()] * TRIES
        for server in tries:
            try:
                async with asyncio.timeout(TIMEOUT / len(tries)):
                    reply = await _exchange(query, server)
            except OSError:
                continue
            if reply.rcode() in {dns.rcode.NOERROR, dns.rcode.NXDOMAIN}:
                return [
                    record.address
                    for records in reply.answer
                    if records.rdtype == kind
                    for record in records
                ]
        raise OSError("no name server answers")

    def _name_servers(self) -> Sequence[Place]:
        """Return the name servers of this machine, which may have moved to another network."""
        if self._servers is not None:
            return self._servers
        now = time.monotonic()
        if now - self._read_at >= _REREAD:
            try:
                named = dns.resolver.Resolver().nameservers
            except dns.exception.DNSException:
                named = []
            self._known = [(str(each), _PORT) for each in named]
            self._read_at = now
        return self._known


async def _exchange(query: dns.message.Message, server: Place) -> dns.message.Message:
    """Ask a name server, and return the first answer.

    The socket is no endpoint of the event loop: uvloop would never be closed again after one that
    is cancelled while it is made.

    Raises:
        OSError: nobody listens there.
    """
    loop = asyncio.get_running_loop()
    family = dns.inet.af_for_address(server[0])
    with socket.socket(family, socket.SOCK_DGRAM) as asking:
        asking.setblocking(False)
        # Connected, so that only this server's packets come in.
        asking.connect(dns.inet.low_level_address_tuple(server, family))
        asking.send(query.to_wire())
        while True:
            data = await loop.sock_recv(asking, _MOST_RECEIVED)
            try:
                reply = dns.message.from_wire(_shortened(data), ignore_trailing=True)
            except (dns.exception.DNSException, ValueError):
                reply = None
            if reply is not None and query.is_response(reply):
                return reply
            # What is there already is received at once, however much of it somebody sends.
            await asyncio.sleep(0)


def _shortened(data: bytes) -> bytes:
    """Return an answer with only the first of its records, and none beside them.

    Whoever has a name server decides what is in its answers, and so how long they take to read.
    """
    answers = min(int.from_bytes(data[6:8]), MAX_RECORDS)
    return data[:6] + answers.to_bytes(2) + bytes(4) + data[12:]


def _is_address(host: str) -> bool:
    try:
        return bool(ip_address(host))
    except ValueError:
        return False
