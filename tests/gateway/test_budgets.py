"""What players and addresses may do: budgets that outlive sessions, and caps on connections."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from server import listening
from server.core.ids import PlayerId
from server.gateway import limits
from server.gateway.addresses import Proxies
from server.gateway.budgets import AddressBudget, Budgets, Payer
from server.gateway.entrance import Entrance
from server.gateway.http import metrics_app
from server.gateway.listener import Listener
from server.gateway.origins import Origins
from server.metrics import Metrics
from tests.store.servers import until

HOME, SCHOOL = "203.0.113.7", "198.51.100.1"
ADA = PlayerId("ada0000000000000")


class Now:
    """A clock that a test sets."""

    time = 1_000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.time


def test_the_sessions_of_a_player_share_a_budget_wherever_they_are() -> None:
    budgets = Budgets()
    first, second, other = (Payer(budgets, each) for each in (HOME, SCHOOL, HOME))
    for payer in (first, second):
        payer.identify(ADA)
    other.identify(PlayerId("b0b0000000000000"))
    assert first.pay(limits.PLAYER_COMMANDS.at_once, 0.0)
    assert not second.pay(1.0, 0.0)
    assert other.pay(1.0, 0.0)
    assert second.too_fast(1.0, 0.0).wait == 1_000 / limits.PLAYER_COMMANDS.second


def test_the_players_of_an_address_share_its_budget(few: Callable[..., None]) -> None:
    few(PLAYER_COMMANDS=5.0, ADDRESS_COMMANDS=5.0)
    budgets = Budgets()
    first, second, elsewhere = (Payer(budgets, each) for each in (HOME, HOME, SCHOOL))
    assert first.pay(5.0, 0.0)
    assert not second.pay(1.0, 0.0)
    assert second.too_fast(1.0, 0.0).wait > 0
    assert elsewhere.pay(1.0, 0.0)
    assert budgets.limited == {("address", "commands"): 1}


def test_a_command_that_the_address_cannot_pay_for_costs_the_player_nothing(
    few: Callable[..., None],
) -> None:
    few(PLAYER_COMMANDS=5.0, ADDRESS_COMMANDS=9.0)
    budgets = Budgets()
    ada, other = (Payer(budgets, HOME) for _ in range(2))
    ada.identify(ADA)
    assert other.pay(5.0, 0.0)
    assert not any(ada.pay(5.0, 0.0) for _ in range(3))
    moved = Payer(budgets, SCHOOL)
    moved.identify(ADA)
    assert moved.pay(5.0, 0.0)
    # What the player cannot pay for costs the address nothing either.
    assert not ada.pay(1.0, 0.0)
    assert Payer(budgets, HOME).pay(4.0, 0.0)


def test_offences_outlive_sessions_and_close_only_who_offends() -> None:
    budgets = Budgets()
    payer = Payer(budgets, HOME)
    payer.identify(ADA)
    most = int(limits.PLAYER_OFFENCES.at_once)
    assert [payer.offend(0.0) for _ in range(most + 1)] == [False] * most + [True]
    again = Payer(budgets, HOME)
    assert not again.offend(0.0)
    again.identify(ADA)
    assert again.offend(0.0)
    # Later it is forgiven.
    assert not again.offend(1 / limits.PLAYER_OFFENCES.second)


def test_an_address_whose_guests_take_turns_to_offend_is_noticed() -> None:
    budgets = Budgets()
    most = int(limits.ADDRESS_OFFENCES.times(limits.ADDRESS_PLAYERS).at_once)
    found = [Payer(budgets, HOME).offend(0.0) for _ in range(most + 1)]
    assert found == [False] * most + [True]
    assert not Payer(budgets, SCHOOL).offend(0.0)


@pytest.mark.parametrize("where", [HOME, "2001:db8:1:2::/64"])
def test_guesses_are_slowed_to_a_few_a_minute(where: str) -> None:
    now = Now()
    budgets = Budgets(clock=now)

    def guesses(seconds: int) -> int:
        """Return how many guesses new guests get at an address, a thousand a second."""
        found = 0
        for _ in range(seconds * 1_000):
            now.time += 0.001
            if not budgets.miss_wait(where):
                budgets.missed(where)
                found += 1
        return found

    assert guesses(1) == 50
    assert guesses(60) == 6


def test_the_networks_of_one_customer_do_not_have_a_budget_each() -> None:
    budgets = Budgets(players=25, clock=Now())

    def networks(take: Callable[[str], float]) -> int:
        """Return how often `take` succeeds for 500 networks of one /48."""
        return sum(take(f"2001:db8:1:{each:x}::/64") == 0 for each in range(500))

    assert networks(budgets.new_guest) == 25 * limits.WIDE
    assert networks(budgets.open_socket) == 50 * limits.WIDE
    assert budgets.new_guest("2001:db8:2::/64") == 0


def test_who_has_many_addresses_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_KNOWN", 100)
    budgets = Budgets()
    playing = Payer(budgets, HOME)
    playing.identify(ADA)
    assert playing.pay(limits.PLAYER_COMMANDS.at_once, 0.0)
    tracemalloc.start()
    for number in range(400):
        budgets.open_socket(f"2001:{number:x}::/64")
        Payer(budgets, SCHOOL).identify(PlayerId(f"{number:016}"))
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert budgets.addresses <= 2 * 100
    assert budgets.players <= 100 + 1
    # As `limits.MAX_KNOWN` says, of its 10,000.
    assert size / 100 < 2_200
    # Who is here is not forgotten.
    tab = Payer(budgets, SCHOOL)
    tab.identify(ADA)
    assert not tab.pay(1.0, 0.0)


# Connections


@asynccontextmanager
async def entered(most: int = 100, *proxies: str) -> AsyncIterator[tuple[int, AddressBudget]]:
    """Run a server with an entrance, and yield its port, and the budget of this machine."""
    metrics = Metrics()
    budgets = Budgets(1, metrics.limited)
    listener = Listener(
        metrics_app(metrics, Origins()), None, Entrance(budgets, Proxies(proxies), most)
    )
    bound = listening.bind("127.0.0.1", 0)[0]
    await listener.open(bound)
    try:
        yield listening.port_of(bound), budgets.address("127.0.0.1")
    finally:
        await listener.close()


async def asked(port: int, stack: AsyncExitStack) -> tuple[int, str | None]:
    """Return the status of a request on a new connection, which stays open, and `Retry-After`."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    stack.callback(writer.close)
    writer.write(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if line)
    return int(head.split()[1]), fields.get("retry-after")


async def test_a_node_has_so_many_connections_and_refuses_the_rest() -> None:
    async with entered(3) as (port, _):
        async with AsyncExitStack() as stack:
            found = [await asked(port, stack) for _ in range(5)]
        assert [status for status, _ in found] == [200] * 3 + [503] * 2
        assert found[-1] == (503, "10")


async def test_beyond_that_connections_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.gateway.entrance.SPARE_CONNECTIONS", 2)
    async with entered(1) as (port, _), AsyncExitStack() as stack:
        assert (await asked(port, stack))[0] == 200
        for _ in range(2):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            stack.callback(writer.close)
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await asked(port, stack)


@pytest.mark.parametrize(("proxies", "last"), [((), 429), (("127.0.0.0/8",), 200)])
async def test_an_address_has_so_many_connections_but_a_proxy_has_all(
    proxies: tuple[str, ...], last: int
) -> None:
    async with entered(100, *proxies) as (port, budget):
        most = limits.ADDRESS_CONNECTIONS
        for _ in range(2):
            async with AsyncExitStack() as stack:
                found = [
                    (await asked(port, stack))[0] for _ in range(limits.ADDRESS_CONNECTIONS + 1)
                ]
            assert found == [200] * most + [last]

            async def ended() -> bool:
                return budget.connections == 0

            await until(ended)
