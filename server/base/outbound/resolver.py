"""A DNS resolver for names given by users, with its own sockets.

The system's resolver uses threads shared by the whole process, and blocks one while a name server
is silent. Lookups of the node's own names, such as Redis's, would then wait behind users' names.
Here each query uses a UDP socket, which is closed after the answer or a timeout. Nothing is cached
between lookups.

Only the machine's name servers are queried (`/etc/resolv.conf`), and only for the name as given:
neither search lists nor `/etc/hosts` apply.
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

TIMEOUT: Final = 3.0  # seconds for a lookup

# Queries to each name server: an answer may be lost, or arrive only once the server has cached it.
TRIES: Final = 2

# Maximum records read from an answer. Each takes up to half a millisecond if its name is long.
MAX_RECORDS: Final = 16

# Maximum bytes of an answer, which fit into one packet everywhere. Longer answers are truncated.
_PAYLOAD: Final = 1_232

_MOST_RECEIVED: Final = 65_535  # maximum bytes of a datagram
_REREAD: Final = 60.0  # seconds between reads of the list of name servers
_PORT: Final = 53

_KINDS: Final = (dns.rdatatype.A, dns.rdatatype.AAAA)

Place = tuple[str, int]  # an address and a port


class Resolver:
    """Resolves names.

    Args:
        servers: name servers to use instead of the machine's.
    """

    def __init__(self, servers: Sequence[Place] | None = None) -> None:
        self._servers = servers
        self._known: Sequence[Place] = ()
        self._read_at = -_REREAD

    async def addresses(self, host: str) -> list[str]:
        """Return the addresses of a name, alternating between IPv4 and IPv6, within `TIMEOUT`.

        Args:
            host: a name, in ASCII; or an address, which is returned unchanged.

        Raises:
            OSError: it has no address, or no name server answers.
        """
        if _is_address(host):
            return [host]
        if host == "localhost":
            # Name servers must not be queried for it (RFC 6761).
            return ["127.0.0.1", "::1"]
        try:
            name = dns.name.from_text(host)
        except dns.exception.DNSException as error:
            raise OSError(f"{host} is no name") from error
        found = await asyncio.gather(
            *(self._ask(name, kind) for kind in _KINDS), return_exceptions=True
        )
        lists = [each for each in found if isinstance(each, list)]
        # Alternating, so that the first tries cover both kinds.
        addresses = [each for each in chain(*zip_longest(*lists)) if each is not None]
        if not addresses:
            raise OSError(f"{host} has no address")
        return addresses

    async def _ask(self, name: dns.name.Name, kind: dns.rdatatype.RdataType) -> list[str]:
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
        """Return the name servers."""
        if self._servers is not None:
            return self._servers
        now = time.monotonic()
        # The machine may have changed networks.
        if now - self._read_at >= _REREAD:
            try:
                named = dns.resolver.Resolver().nameservers
            except dns.exception.DNSException:
                named = []
            self._known = [(str(each), _PORT) for each in named]
            self._read_at = now
        return self._known


async def _exchange(query: dns.message.Message, server: Place) -> dns.message.Message:
    """Query a name server, and return the first valid answer.

    Raises:
        OSError: nothing listens there.
    """
    # A plain socket rather than an endpoint of the event loop: if creating an endpoint is
    # cancelled, uvloop never closes it.
    loop = asyncio.get_running_loop()
    family = dns.inet.af_for_address(server[0])
    with socket.socket(family, socket.SOCK_DGRAM) as asking:
        asking.setblocking(False)
        # Connected, so that only this server's packets are received.
        asking.connect(dns.inet.low_level_address_tuple(server, family))
        asking.send(query.to_wire())
        while True:
            data = await loop.sock_recv(asking, _MOST_RECEIVED)
            try:
                reply = dns.message.from_wire(_with_fewer_records(data), ignore_trailing=True)
            except (dns.exception.DNSException, ValueError):
                reply = None
            if reply is not None and query.is_response(reply):
                return reply
            # Buffered packets are received without waiting, however many a sender floods.
            await asyncio.sleep(0)


def _with_fewer_records(data: bytes) -> bytes:
    """Return an answer reduced to its first records, without the later sections."""
    # The owner of a name server controls its answers, and so the time for parsing them.
    answers = min(int.from_bytes(data[6:8]), MAX_RECORDS)
    return data[:6] + answers.to_bytes(2) + bytes(4) + data[12:]


def _is_address(host: str) -> bool:
    try:
        return bool(ip_address(host))
    except ValueError:
        return False
