"""The resolver withstands misbehaving name servers."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import cast

import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.rrset
import pytest

from server.base.outbound import resolver as resolvers
from server.base.outbound.core.post import Outgoing
from server.base.outbound.resolver import MAX_RECORDS, Place, Resolver
from server.base.outbound.sender import Sender, SendError
from tests.base.redis.servers import until
from tests.fixtures import BOTH_LOOPS
from tests.processes import PATIENCE

pytestmark = BOTH_LOOPS

HOST = "hooks.example.org"

Answer = Callable[[dns.message.Message], list[bytes]]
"""Returns the packets that answer a question."""


class _NameServer(asyncio.DatagramProtocol):
    """A name server.

    Attributes:
        asked: the questions, as kind and name.
    """

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._received: list[tuple[bytes, Place]] = []
        self.asked: list[tuple[str, str]] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: Place) -> None:
        query = dns.message.from_wire(data)
        (question,) = query.question
        self.asked.append((dns.rdatatype.to_text(question.rdtype), str(question.name)))
        self._received.append((data, addr))
        for packet in self._answer(query):
            self._transport.sendto(packet, addr)

    def answer_all(self, answer: Answer) -> None:
        """Use another answer for earlier and later questions."""
        self._answer = answer
        for data, addr in self._received[:]:
            self.datagram_received(data, addr)


@asynccontextmanager
async def naming(answer: Answer) -> AsyncIterator[tuple[_NameServer, Place]]:
    """Run a name server; yield it with its address."""
    # Bind here, because uvloop would look the address up.
    listening = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listening.bind(("127.0.0.1", 0))
    transport, server = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: _NameServer(answer), sock=listening
    )
    try:
        yield server, listening.getsockname()
    finally:
        transport.abort()


def answered(query: dns.message.Message, *addresses: str, alias: str = "") -> bytes:
    """Return an answer with the addresses of the requested kind."""
    reply = dns.message.make_response(query)
    (question,) = query.question
    name = question.name
    if alias:
        reply.answer.append(dns.rrset.from_text(name, 60, "IN", "CNAME", alias + "."))
        name = dns.name.from_text(alias)
    kind = dns.rdatatype.to_text(question.rdtype)
    if found := [each for each in addresses if (":" in each) == (kind == "AAAA")]:
        reply.answer.append(dns.rrset.from_text_list(name, 60, "IN", kind, found))
    return reply.to_wire()


def silent(_: dns.message.Message) -> list[bytes]:
    return []


async def test_a_name_has_its_addresses_of_both_kinds_in_turn() -> None:
    def answer(query: dns.message.Message) -> list[bytes]:
        addresses = ("192.0.2.1", "192.0.2.2", "2001:db8::1")
        # Two forged packets arrive first.
        other = dns.message.make_query("other.example.org", "A")
        return [b"", answered(other, "127.0.0.1"), answered(query, *addresses, alias="a.b.org")]

    async with naming(answer) as (server, place):
        found = await Resolver([place]).addresses(HOST)
    # The library that answers in this test shuffles addresses of a kind.
    assert sorted(found) == ["192.0.2.1", "192.0.2.2", "2001:db8::1"]
    assert found[1] == "2001:db8::1"
    # The name is used as it is: a search domain would change it.
    assert sorted(server.asked) == [("A", f"{HOST}."), ("AAAA", f"{HOST}.")]


async def test_silent_name_servers_do_not_block_other_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """More lookups than a loop has threads."""
    monkeypatch.setattr(resolvers, "TIMEOUT", PATIENCE)
    async with naming(silent) as (server, place), naming(answering_one) as (_, other):
        sender = Sender(resolve=Resolver([place]).addresses)

        async def reason(number: int) -> str:
            request = Outgoing(f"https://h{number}.example.org/", {}, b"")
            with pytest.raises(SendError) as caught:
                await sender.send(request)
            return caught.value.reason

        waiting = [asyncio.create_task(reason(number)) for number in range(40)]
        # Each lookup requests both kinds of addresses, and some of so many datagrams may be
        # dropped.
        await until(lambda: len(server.asked) >= len(waiting))
        assert await Resolver([other]).addresses(HOST) == ["192.0.2.1"]
        found = await asyncio.get_running_loop().getaddrinfo("localhost", 443)
        assert found
        assert not any(each.done() for each in waiting)
        server.answer_all(failing)
        assert set(await asyncio.gather(*waiting)) == {"name"}


async def has_none(*places: Place) -> None:
    """Assert that name servers find no address of the host."""
    with pytest.raises(OSError, match="no address"):
        await Resolver([*places]).addresses(HOST)


async def test_unanswered_lookups_time_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolvers, "TIMEOUT", 0.05)
    async with naming(silent) as (_, place):
        await has_none(place)


def open_files() -> int:
    return len(list(Path("/dev/fd").iterdir()))


@pytest.mark.parametrize("passes", range(5))
async def test_cancelled_lookups_leave_no_socket(passes: int) -> None:
    async with naming(silent) as (_, place):
        before = open_files()
        lookups = [asyncio.create_task(Resolver([place]).addresses(HOST)) for _ in range(10)]
        for _ in range(passes):
            await asyncio.sleep(0)
        for each in lookups:
            each.cancel()
        await asyncio.wait(lookups)
        assert open_files() == before


def failing(query: dns.message.Message, code: dns.rcode.Rcode = dns.rcode.SERVFAIL) -> list[bytes]:
    reply = dns.message.make_response(query)
    reply.set_rcode(code)
    return [reply.to_wire()]


def answering_one(query: dns.message.Message) -> list[bytes]:
    return [answered(query, "192.0.2.1")]


async def test_another_name_server_is_queried_if_one_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolvers, "TIMEOUT", 0.9)

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        nobody = free.getsockname()
    async with (
        naming(failing) as (_, refusing),
        naming(silent) as (_, quiet),
        naming(answering_one) as (_, place),
    ):
        for first in (nobody, refusing, quiet):
            assert await Resolver([first, place]).addresses(HOST) == ["192.0.2.1"]
            await has_none(first)


async def test_only_the_beginning_of_a_long_answer_is_read() -> None:
    host = ".".join("a" * 120)

    def answer(query: dns.message.Message) -> list[bytes]:
        return [answered(query, *(f"192.0.2.{number}" for number in range(60)))]

    async with naming(answer) as (_, place):
        assert len(await Resolver([place]).addresses(host)) == MAX_RECORDS


async def test_an_unknown_name_has_no_address() -> None:

    async with naming(partial(failing, code=dns.rcode.NXDOMAIN)) as (server, place):
        await has_none(place)
    assert len(server.asked) == 2


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
async def test_an_address_needs_no_name_server(host: str) -> None:
    async with naming(silent) as (server, place):
        assert host in {*await Resolver([place]).addresses(host), "localhost"}
    assert server.asked == []


async def test_this_machines_name_servers_are_used() -> None:
    """Only the configuration is checked; no server gets a query."""
    assert await Resolver().addresses("192.0.2.1") == ["192.0.2.1"]
    assert all(port == 53 for _, port in Resolver()._name_servers())
