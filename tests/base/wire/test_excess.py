"""Clients that exceed their limits: over real sockets, by several sessions and addresses."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from server.base.net import limits
from tests.base.web.test_pages import get
from tests.clients.client import Client, opened
from tests.clients.play import room_of
from tests.conftest import ALONE, node
from tests.processes import free_port

pytestmark = [ALONE, pytest.mark.usefixtures("short_countdown")]

HOME, SCHOOL = "203.0.113.7", "198.51.100.1"


def at(address: str) -> dict[str, Any]:
    """Return the options of a socket that a proxy opens for an address."""
    return {"additional_headers": {"X-Forwarded-For": address}}


PROXY = {"trusted_proxies": ("127.0.0.1",)}


async def refused(port: int, **options: Any) -> tuple[int, str]:
    """Return the status of a refused handshake, and the time to wait."""
    with pytest.raises(InvalidStatus) as error:
        async with opened(port, patient=False, **options):
            pass
    return error.value.response.status_code, error.value.response.headers["Retry-After"]


async def test_two_sessions_of_a_player_share_the_budget_and_a_third_finds_it_spent(
    port: int, few: Callable[..., None]
) -> None:
    few(PLAYER_COMMANDS=15.0)
    async with opened(port) as one, opened(port) as other:
        token = (await one.hello())["token"]
        await other.hello(token)
        codes = [(await each.ask("daily.list")).get("code") for each in (one, other) * 5]
        assert codes == [None] * 5 + ["too_fast"] * 5
    # The session pays for `Hello`, the player for all other commands.
    async with opened(port) as again:
        await again.hello(token)
        answer = await again.ask("daily.list")
        assert (answer["code"], answer["wait"] > 0) == ("too_fast", True)


async def test_reconnecting_does_not_reset_offences(port: int, few: Callable[..., None]) -> None:
    few(PLAYER_OFFENCES=8.0)
    async with opened(port) as first:
        token = (await first.hello())["token"]
        for _ in range(9):
            await first.socket.send(b"\xc1")
        assert await first.closed() == 4000
    async with opened(port) as second, opened(port) as bystander:
        await second.hello(token)
        await bystander.hello()
        await second.socket.send(b"\xc1")
        assert (await second.next("bye"))["code"] == "bad_messages"
        assert await second.closed() == 4000
        assert (await bystander.ask("ping"))["type"] == "pong"


async def test_guests_of_an_address_are_limited(redis_url: str, few: Callable[..., None]) -> None:
    few(ADDRESS_GUESTS=2.0)
    async with node(redis_url, **PROXY) as port, AsyncExitStack() as stack:

        async def client(address: str) -> Client:
            return await stack.enter_async_context(opened(port, **at(address)))

        found = [await (await client(each)).hello() for each in (HOME, HOME, HOME, SCHOOL)]
        assert [each["type"] for each in found] == ["welcome", "welcome", "refused", "welcome"]
        assert found[2]["code"] == "too_fast"
        assert found[2]["wait"] > 0
        # A known player is admitted.
        known = await (await client(HOME)).hello(found[0]["token"])
        assert known["type"] == "welcome"


@pytest.mark.parametrize("trusted", [True, False])
async def test_sockets_of_an_address_are_limited_and_addresses_cannot_be_forged(
    redis_url: str, trusted: bool
) -> None:
    settings = PROXY if trusted else {}
    async with AsyncExitStack() as stack:
        port = await stack.enter_async_context(node(redis_url, address_players=1, **settings))
        for address in (HOME, f"{SCHOOL}, {HOME}"):
            await stack.enter_async_context(opened(port, **at(address)))
        if trusted:
            assert (await refused(port, **at(HOME)))[0] == 429
            await stack.enter_async_context(opened(port, **at(SCHOOL)))
        else:
            status, wait = await refused(port, **at(SCHOOL))
            assert (status, int(wait) > 0) == (429, True)


async def test_a_closed_socket_makes_room(redis_url: str, few: Callable[..., None]) -> None:
    few(ADDRESS_HANDSHAKES=100.0 * limits.ADDRESS_PLAYERS)
    async with node(redis_url, address_players=1) as port:
        for _ in range(5):
            async with opened(port, patient=False) as one, opened(port, patient=False) as other:
                await other.hello()
                await one.hello()
                assert (await refused(port))[0] == 429


async def test_handshakes_of_an_address_are_limited(port: int, few: Callable[..., None]) -> None:
    few(ADDRESS_HANDSHAKES=3.0)
    for _ in range(3):
        async with opened(port):
            pass
    status, wait = await refused(port)
    assert (status, int(wait) > 0) == (429, True)


async def test_sockets_without_a_hello_make_room_for_others(redis_url: str) -> None:
    async with node(redis_url, max_connections=6) as port, AsyncExitStack() as stack:
        one, *silent = [await stack.enter_async_context(opened(port)) for _ in range(6)]
        await one.hello()
        for _ in range(5):
            another = await stack.enter_async_context(opened(port, patient=False))
            assert (await another.hello())["type"] == "welcome"
        for client in silent:
            assert await client.closed() == 1006
        # A session that has said hello stays.
        assert (await refused(port))[0] == 503
        assert (await one.ask("ping"))["type"] == "pong"


# Guesses


async def test_three_typing_errors_have_no_effect_but_guessers_have_to_wait(port: int) -> None:
    async with opened(port) as host, opened(port) as guest, opened(port) as guesser:
        code = await room_of(host)
        await guest.hello()
        await guesser.hello()
        for _ in range(3):
            assert (await guest.ask("room.join", code="22222222"))["code"] == "unknown_room"
        assert (await guest.ask("room.join", code=code))["type"] == "room"
        codes = {"room.join": "unknown_room", "WatchRound": "not_invited"}
        for kind in ("room.join", "WatchRound", "room.join", "WatchRound", "room.join"):
            assert (await guesser.ask(kind, code="22222222"))["code"] == codes[kind]
        # From here on, the answer does not reveal whether a guess was right.
        for typed in ("22222222", code):
            answer = await guesser.ask("room.join", code=typed)
            assert (answer["code"], answer["wait"] > 5_000) == ("too_fast", True)


async def test_new_guests_share_the_limit_of_guesses_and_seat_holders_return(
    port: int, few: Callable[..., None]
) -> None:
    few(PLAYER_SLIPS=1.0, PLAYER_MISSES=2.0, ADDRESS_MISSES=4.0)
    async with AsyncExitStack() as stack:
        host, seated, one, other, new = [
            await stack.enter_async_context(opened(port)) for _ in range(5)
        ]
        code = await room_of(host, seated)
        for client in (one, other):
            await client.hello()
            for _ in range(3):
                assert (await client.ask("room.join", code="22222222"))["code"] == "unknown_room"
        await new.hello()
        assert (await new.ask("room.join", code="22222222"))["code"] == "unknown_room"
        assert (await new.ask("room.join", code=code))["code"] == "too_fast"
        assert (await seated.ask("room.join", code=code))["type"] == "room"


async def test_limits_are_counted_for_the_operator(
    redis_url: str, few: Callable[..., None]
) -> None:
    few(ADDRESS_GUESTS=1.0)
    number = free_port()
    settings: dict[str, Any] = {"metrics_host": "127.0.0.1", "metrics_port": number}
    async with node(redis_url, **settings) as port, opened(port) as one, opened(port) as other:
        await one.hello()
        await other.hello()
        _, text = await get(number, "/metrics")
    assert 'samedeal_limited_total{limit="guests",of="address"} 1.0' in text
    assert 'samedeal_budgets{of="players"} 1.0' in text
    assert "samedeal_connections 2.0" in text
