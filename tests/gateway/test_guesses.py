"""Players who guess codes, and others at their address, who are not to notice them."""

from __future__ import annotations

import pytest

from server.store import journal
from tests.conftest import ALONE
from tests.gateway.seats import HubNode, Seat, room_of

HERE, ELSEWHERE = "203.0.113.7", "198.51.100.1"

pytestmark = ALONE


@pytest.fixture(autouse=True)
def at_any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "CLOCK_TOLERANCE", 10**15)


async def seat_at(hub: HubNode, address: str) -> Seat:
    seat = Seat(hub, address)
    await seat.hello(token=None)
    return seat


async def guess(seat: Seat) -> int:
    """Guess codes of all kinds until it is refused; return for how many milliseconds."""
    for number in range(100):
        command, fields = (
            ("room.join", {"code": f"2222222{number % 8 + 2}"}),
            ("SignIn", {"code": f"00000-0000{number % 10}"}),
            ("room.ready", {"code": "22222222", "ready": True}),
            ("WatchRound", {"code": "22222222", "key": "x"}),
        )[number % 4]
        answer = await seat.ask(command, **fields)
        assert answer["type"] == "refused"
        if answer["code"] == "too_fast":
            return int(answer["wait"])
    raise AssertionError("nobody may guess as often as that")


async def test_guests_who_guess_keep_nobody_out_at_their_address(hub: HubNode) -> None:
    host = await seat_at(hub, ELSEWHERE)
    code = await room_of(host)
    for _ in range(30):
        assert 0 < await guess(await seat_at(hub, HERE)) <= 10_000
    assert hub.budgets.guess(HERE) is None

    # Nothing is kept of it for who comes now, mistypes a code once, and then is right.
    guest = await seat_at(hub, HERE)
    assert (await guest.ask("SignIn", code="0000000000"))["code"] == "bad_code"
    linked = (await host.ask("LinkDevice"))["code"]
    assert (await guest.ask("SignIn", code=linked))["type"] == "SignedIn"
    key = (await host.ask("GetWatchKey", code=code))["key"]
    assert (await guest.ask("WatchRound", code=code, key=key))["type"] == "Watched"
    assert (await guest.ask("room.join", code=code))["type"] == "room"
    # Who has a seat gives commands there, however often they were wrong elsewhere.
    assert 0 < await guess(guest) <= 10_000
    assert (await guest.ask("room.ready", code=code, ready=False))["type"] == "room"
    assert (await guest.ask("room.join", code=code))["type"] == "room"


async def test_codes_that_are_right_cost_nobody_anything(hub: HubNode) -> None:
    guests = [await seat_at(hub, HERE) for _ in range(24)]
    for guest in guests:
        for _ in range(5):
            linked = (await guest.ask("LinkDevice"))["code"]
            assert (await guest.ask("SignIn", code=linked))["type"] == "SignedIn"
    # All of what there is at once is there still.
    tried = 0
    while (found := hub.budgets.guess(HERE)) is not None:
        with found:
            found.missed()
        tried += 1
    assert tried == 50
