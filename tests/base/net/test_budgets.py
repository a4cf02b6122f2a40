"""Budgets of players and addresses outlive sessions, and connections are capped."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.base.core.ids import PlayerId
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.net import bound_sockets, limits
from server.base.net.addresses import Proxies
from server.base.net.admission import Admission
from server.base.net.budgets import TOO_MANY_RULES, AddressBudget, Budgets, Payer
from server.base.net.listener import Listener
from server.base.net.origins import Origins
from server.base.net.silences import Silence, Silences
from server.base.web.http import metrics_app
from server.base.work.metrics import Metrics
from tests.base.redis.servers import until
from tests.processes import PATIENCE
from tests.traced import traced

HOME, SCHOOL, WIDE = "203.0.113.7", "198.51.100.1", "2001:db8:1::/48"
ADA = PlayerId("ada0000000000000")


def payer_of(budgets: Budgets, address: str = HOME, player: PlayerId = ADA) -> Payer:
    payer = Payer(budgets, address)
    payer.identify(player)
    return payer


def player_at(budgets: Budgets, address: str, number: int) -> Payer:
    return payer_of(budgets, address, PlayerId(f"{number:016}"))


class _FakeClock:
    """A clock set by the test."""

    time = 1_000.0

    def __call__(self) -> float:
        return self.time


def test_the_sessions_of_a_player_share_a_budget_wherever_they_are() -> None:
    budgets = Budgets()
    first, second = payer_of(budgets), payer_of(budgets, SCHOOL)
    other = player_at(budgets, HOME, 1)
    assert first.pay(limits.PLAYER_COMMANDS.at_once, 0.0)
    assert not second.pay(1.0, 0.0)
    assert other.pay(1.0, 0.0)
    assert second.too_fast(1.0, 0.0).wait == 1_000 / limits.PLAYER_COMMANDS.second


def test_a_command_that_costs_more_than_a_full_budget_leaves_a_debt() -> None:
    budgets = Budgets()
    payer = payer_of(budgets)
    (shared,) = budgets.address(HOME).scopes
    payer.charge(300.0, 0.0)
    rate = limits.ADDRESS_COMMANDS.times(limits.ADDRESS_PLAYERS)
    assert shared.commands.wait(0.0, rate.at_once) == pytest.approx(300.0 / rate.second)
    owed = 300.0 - limits.PLAYER_COMMANDS.at_once
    assert payer.too_fast(1.0, 0.0).wait == 1_000 * (owed + 1) / limits.PLAYER_COMMANDS.second
    with pytest.raises(Refusal, match="too_fast"):
        payer.charge(300.0, 10.0 + (limits.PREPAID - 1) / limits.PLAYER_COMMANDS.second)
    payer.charge(300.0, 10.0 + limits.PREPAID / limits.PLAYER_COMMANDS.second)


def test_the_time_to_wait_covers_what_a_command_pays_again() -> None:
    payer = payer_of(Budgets())
    costs = (6.0, 10.0, 20.0)

    def execute(now: float) -> None:
        paid = 0.0
        for cost in costs:
            paid += payer.charge(cost, now, paid)

    assert payer.pay(limits.PLAYER_COMMANDS.at_once - sum(costs) + 1.0, 0.0)
    with pytest.raises(Refusal, match="too_fast") as refused:
        execute(0.0)
    execute(refused.value.wait / 1_000)


def test_new_rules_that_cannot_be_paid_for_do_not_count() -> None:
    budgets = Budgets()
    payer = payer_of(budgets)
    assert payer.pay(limits.PLAYER_COMMANDS.at_once, budgets.clock())
    with pytest.raises(Refusal, match="too_fast"):
        payer.new_rules(limits.PREPAID)
    now = budgets.clock()
    assert payer.player.rules.wait(now, limits.PLAYER_RULES.at_once) == 0.0
    assert budgets.rules.wait(now, limits.NODE_RULES.at_once) == 0.0


def test_the_players_of_an_address_share_its_budget(few: Callable[..., None]) -> None:
    few(PLAYER_COMMANDS=5.0, ADDRESS_COMMANDS=5.0)
    budgets = Budgets()
    first, second, elsewhere = (Payer(budgets, each) for each in (HOME, HOME, SCHOOL))
    assert first.pay(5.0, 0.0)
    assert not second.pay(1.0, 0.0)
    assert second.too_fast(1.0, 0.0).wait > 0
    assert elsewhere.pay(1.0, 0.0)
    assert budgets.limited == {("address", "commands"): 1}


def test_a_command_the_address_cannot_pay_for_costs_the_player_nothing(
    few: Callable[..., None],
) -> None:
    few(PLAYER_COMMANDS=5.0, ADDRESS_COMMANDS=9.0)
    budgets = Budgets()
    ada, other = payer_of(budgets), Payer(budgets, HOME)
    assert other.pay(5.0, 0.0)
    assert not any(ada.pay(5.0, 0.0) for _ in range(3))
    assert payer_of(budgets, SCHOOL).pay(5.0, 0.0)
    # A command that the player cannot pay for costs the address nothing either.
    assert not ada.pay(1.0, 0.0)
    assert Payer(budgets, HOME).pay(4.0, 0.0)


def test_offences_outlive_sessions_and_close_only_the_offenders() -> None:
    budgets = Budgets()
    payer = payer_of(budgets)
    most = int(limits.PLAYER_OFFENCES.at_once)
    assert [payer.offend(0.0) for _ in range(most + 1)] == [False] * most + [True]
    again = Payer(budgets, HOME)
    assert not again.offend(0.0)
    again.identify(ADA)
    assert again.offend(0.0)
    # Later the offence is forgiven.
    assert not again.offend(1 / limits.PLAYER_OFFENCES.second)


def test_guests_taking_turns_to_offend_are_counted_at_their_address() -> None:
    budgets = Budgets()
    most = int(limits.ADDRESS_OFFENCES.times(limits.ADDRESS_PLAYERS).at_once)
    found = [Payer(budgets, HOME).offend(0.0) for _ in range(most + 1)]
    assert found == [False] * most + [True]
    assert not Payer(budgets, SCHOOL).offend(0.0)


def tried(payer: Payer, *, right: bool = False) -> float:
    """Try a code; return 0, or the seconds to wait."""
    try:
        with payer.guess() as guess:
            if not right:
                guess.missed()
    except Refusal as refusal:
        return refusal.wait / 1_000
    return 0.0


@pytest.mark.parametrize("where", [HOME, "2001:db8:1:2::/64"])
def test_guesses_are_limited_to_a_few_a_minute(where: str) -> None:
    now = _FakeClock()
    budgets = Budgets(clock=now)
    guessing = [player_at(budgets, where, number) for number in range(50)]

    def guesses(seconds: int) -> int:
        """Return the number of allowed guesses when these players make a thousand a second."""
        found = 0
        for number in range(seconds * 1_000):
            now.time += 0.001
            found += not tried(guessing[number % 50])
        return found

    # Each player has two a day, and the address has 50.
    assert guesses(1) == 2 * 50 + 50
    assert guesses(60) == 6


def test_a_correct_code_is_accepted_despite_other_players_guesses() -> None:
    now = _FakeClock()
    budgets = Budgets(clock=now)
    for number in range(100):
        guesser = player_at(budgets, HOME, number)
        waits = [tried(guesser) for _ in range(1_000)]
        assert 0 < max(waits) <= 10
    # A player with at most one wrong guess never waits for them, however often it guesses right.
    ada = player_at(budgets, HOME, 1_000)
    assert not tried(ada)
    assert not any(tried(ada, right=True) for _ in range(1_000))
    assert not tried(ada)
    assert tried(ada, right=True) > 0
    now.time += 10
    assert not any(tried(ada, right=True) for _ in range(1_000))
    # On the next day the guess is forgotten.
    assert tried(guesser) == 0
    assert tried(ada, right=True) > 0
    now.time += 86_400 / 2
    assert not tried(ada, right=True)


def test_new_rules_are_limited_per_player_address_and_node() -> None:
    budgets, own = Budgets(100, clock=_FakeClock()), int(limits.PLAYER_RULES.at_once)
    shared, whole = int(100 * limits.ADDRESS_RULES.at_once), int(limits.NODE_RULES.at_once)

    def refusals(count: int, name: str, address: str = HOME) -> list[Refusal]:
        payer, refused = payer_of(budgets, address, PlayerId(name)), []
        for _ in range(count):
            try:
                payer.new_rules(0)
            except Refusal as refusal:
                refused.append(refusal)
        return refused

    assert not refusals(own, "a")
    (of_player,) = refusals(1, "a")
    assert not refusals(shared - own, "b")
    (of_address,) = refusals(1, "c")
    for number in range((whole - shared) // own):
        assert not refusals(own, f"d{number}", f"198.51.100.{number}")
    left = (whole - shared) % own
    (of_node,) = refusals(left + 1, "e", "203.0.113.1")
    for refused in (of_player, of_address, of_node):
        assert (refused.code, refused.text) == (BaseRefusals.too_fast, TOO_MANY_RULES)
        assert 0 < refused.wait <= 60_000
    assert set(budgets.limited) == {("player", "rules"), ("address", "rules"), ("node", "rules")}


def test_reports_are_limited_per_player_and_address_and_refused_ones_are_free() -> None:
    budgets, own = Budgets(10, clock=_FakeClock()), int(limits.PLAYER_REPORTS.at_once)

    def refused(payer: Payer) -> None:
        with pytest.raises(Refusal, match="too_fast"), payer.report():
            raise AssertionError("it was let through")

    # An address has at least a player's budget; the share of ten players would be less.
    for number in range(own):
        with player_at(budgets, HOME, number).report():
            pass
    refused(player_at(budgets, HOME, own))
    mine = payer_of(budgets, SCHOOL)
    for _ in range(9):
        with pytest.raises(ValueError, match="refused"), mine.report():
            raise ValueError("refused")
    for _ in range(own):
        with mine.report():
            pass
    refused(mine)


def test_a_preview_does_not_allow_further_guesses() -> None:
    now = _FakeClock()
    budgets = Budgets(clock=now)
    found = 0
    for _ in range(100):
        if (guess := budgets.guess(HOME)) is not None:
            with guess:
                found += 1
                guess.missed()
    assert found == 50
    # Players are unaffected.
    assert not tried(player_at(budgets, HOME, 1))


def test_networks_of_one_customer_share_a_budget() -> None:
    budgets = Budgets(players=25, clock=_FakeClock())
    numbers = count()

    def networks(take: Callable[[str], object], times: int = 2_000) -> int:
        """Return how often `take` succeeds for `times` networks of one /48."""
        return sum(not take(f"2001:db8:1:{each:x}::/64") for each in range(times))

    def guest(address: str) -> bool:
        try:
            with Payer(budgets, address).new_guest():
                return False
        except Refusal:
            return True

    def wrong(address: str) -> float:
        payer = player_at(budgets, address, next(numbers))
        return max(tried(payer) for _ in range(3))

    def connect(address: str) -> bool:
        budget = budgets.address(address)
        if budget.full is not None:
            return True
        budget.count_connection(1)
        return False

    assert networks(guest) == 25 * limits.WIDE
    assert networks(budgets.open_socket) == 50 * limits.WIDE
    assert networks(budgets.answer) == 100 * limits.WIDE
    assert networks(lambda where: budgets.request(where, 20.0)) == limits.WIDE
    assert networks(wrong) == 5 * limits.WIDE
    assert networks(lambda where: not Payer(budgets, where).pay(100.0, 0.0)) == 5 * limits.WIDE
    assert networks(lambda where: Payer(budgets, where).offend(0.0)) == 25 * limits.WIDE
    assert networks(connect) == 150 * limits.WIDE
    assert not guest("2001:db8:2::/64")


def test_forgetting_an_address_does_not_reset_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_KNOWN", 10)
    monkeypatch.setattr(limits, "MAX_SPENT", 1_000)
    now = _FakeClock()
    budgets = Budgets(clock=now)
    where = "2001:db8:1:1::/64"

    def left() -> int:
        return sum(not budgets.answer(where) for _ in range(10_000))

    def forget() -> None:
        for number in range(200):
            budgets.answer(f"2001:db8:{number + 2:x}::/64")
            player_at(budgets, SCHOOL, number + 1_000)
        gc.collect()

    ada = player_at(budgets, where, 1)
    ada.begin_session(lambda: None)
    assert not any(tried(ada) for _ in range(5))
    assert left() == 1_000
    forget()
    # Spending before the end of a session is remembered as well.
    assert ada.pay(limits.PLAYER_COMMANDS.at_once, now.time)
    ada.end_session()
    del ada
    forget()
    assert budgets.addresses <= 20
    assert left() == 0
    back = player_at(budgets, where, 1)
    assert not back.pay(1.0, now.time)
    assert tried(back) == 10
    # An entry is kept only until its budget is full again.
    now.time += 86_400
    forget()
    assert tried(player_at(budgets, where, 1)) == 0
    assert left() == 1_000


def test_a_client_with_many_addresses_does_not_fill_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "MAX_KNOWN", 100)
    monkeypatch.setattr(limits, "MAX_SPENT", 300)
    budgets = Budgets()
    playing = payer_of(budgets)
    assert playing.pay(limits.PLAYER_COMMANDS.at_once, 0.0)
    with traced() as held:
        for number in range(1_000):
            budgets.open_socket(f"2001:{number:x}::/64")
            player_at(budgets, SCHOOL, number)
        size = held()
    assert budgets.addresses <= 2 * 100
    assert budgets.players <= 100 + 1
    # As `limits.MAX_KNOWN` says, of its 10,000.
    assert size / 100 < 4_000
    # A connected client is not forgotten.
    assert not payer_of(budgets, SCHOOL).pay(1.0, 0.0)


# Connections


@asynccontextmanager
async def entered(most: int = 100, *proxies: str) -> AsyncIterator[tuple[int, AddressBudget]]:
    """Run a server with admission; yield its port and this machine's budget."""
    metrics = Metrics()
    budgets = Budgets(1, metrics.limited)
    listener = Listener(
        metrics_app(metrics, Origins()), None, Admission(budgets, Proxies(proxies), most)
    )
    bound = bound_sockets.bind("127.0.0.1", 0)[0]
    await listener.open(bound)
    try:
        yield bound_sockets.port_of(bound), budgets.address("127.0.0.1")
    finally:
        await listener.close()


async def silent(
    port: int, stack: AsyncExitStack
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    stack.callback(writer.close)
    return reader, writer


async def asked(port: int, stack: AsyncExitStack) -> tuple[int, str | None]:
    """Return the status and `Retry-After` of a request on a new connection, which stays open."""
    reader, writer = await silent(port, stack)
    writer.write(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if line)
    return int(head.split()[1]), fields.get("retry-after")


async def test_connections_beyond_a_nodes_limit_are_refused() -> None:
    async with entered(3) as (port, _):
        async with AsyncExitStack() as stack:
            found = [await asked(port, stack) for _ in range(5)]
        assert [status for status, _ in found] == [200] * 3 + [503] * 2
        assert found[-1] == (503, "10")


async def test_connections_beyond_the_refused_ones_are_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("server.base.net.admission.SPARE_CONNECTIONS", 2)
    async with entered(1) as (port, _), AsyncExitStack() as stack:
        assert (await asked(port, stack))[0] == 200
        for _ in range(2):
            await silent(port, stack)
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await asked(port, stack)


@pytest.mark.parametrize(("proxies", "last"), [((), 429), (("127.0.0.0/8",), 200)])
async def test_an_address_has_a_connection_limit_but_a_proxy_has_none(
    proxies: tuple[str, ...], last: int
) -> None:
    async with entered(100, *proxies) as (port, budget):
        most = limits.ADDRESS_CONNECTIONS
        for _ in range(2):
            async with AsyncExitStack() as stack:
                found = [(await asked(port, stack))[0] for _ in range(most + 1)]
            assert found == [200] * most + [last]
            await until(lambda: budget.connections == 0)


async def ended(reader: asyncio.StreamReader) -> None:
    async with asyncio.timeout(PATIENCE):
        with contextlib.suppress(ConnectionError):
            assert not await reader.read()


@pytest.mark.parametrize("most", [limits.ADDRESS_CONNECTIONS, 5])
async def test_silent_connections_make_room_for_others_oldest_first(most: int) -> None:
    # Either the address or the node has no room for more.
    async with entered(most if most == 5 else 100) as (port, _), AsyncExitStack() as stack:
        talked = await asked(port, stack)
        quiet = [await silent(port, stack) for _ in range(most - 1)]
        found = [talked] + [await asked(port, stack) for _ in range(most)]
        # With no silent connection left, there is no room.
        assert [status for status, _ in found] == [200] * most + [503 if most == 5 else 429]
        for reader, _ in quiet:
            await ended(reader)


async def test_a_client_counts_as_silent_until_its_request_is_complete() -> None:
    async with entered(2) as (port, _), AsyncExitStack() as stack:
        assert (await asked(port, stack))[0] == 200
        reader, writer = await silent(port, stack)
        for piece in (b"GET /metrics HTTP/1.1\r\n", b"Host: localhost\r\n", b"X: x\r\n"):
            writer.write(piece)
            await writer.drain()
        assert (await asked(port, stack))[0] == 200
        await ended(reader)


def test_the_address_with_most_connections_loses_its_oldest() -> None:
    silences = Silences()
    lost: list[str] = []

    def begin(name: str, *keys: str) -> Silence:
        return silences.begin(keys, lambda: lost.append(name))

    first = begin("first", HOME)
    begin("second", SCHOOL)
    networks = [begin(f"{each}", f"2001:db8:1:{each}::/64", WIDE) for each in range(3)]
    assert silences.make_room()
    assert silences.make_room()
    assert lost == ["0", "1"]
    begin("third", SCHOOL)
    assert silences.make_room()
    assert lost[2:] == ["second"]
    assert silences.leaving == 3
    networks[0].end()
    assert silences.leaving == 2
    first.end()
    first.end()
    assert not silences.make_room(HOME)
    assert silences.make_room(SCHOOL)
    networks[2].end()
    assert not silences.make_room()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=60))
def test_silent_connections_are_counted(steps: list[tuple[int, int]]) -> None:
    silences = Silences()
    lost: list[int] = []
    there: dict[int, tuple[str, Silence]] = {}
    for number, (what, where) in enumerate(steps):
        if what < 2:
            key = f"192.0.2.{where}"
            there[number] = key, silences.begin((key,), partial(lost.append, number))
        elif what == 2 and there:
            there.pop(min(there))[1].end()
        elif what == 3:
            counts = Counter(key for key, _ in there.values())
            assert silences.make_room() == bool(there)
            if there:
                key, _ = there.pop(lost[-1])
                assert counts[key] == max(counts.values())
                assert all(each > lost[-1] for each, (other, _) in there.items() if other == key)
