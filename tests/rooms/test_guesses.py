"""Players who guess codes, and other players at their address, who must not be affected."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from server.base.core import quota
from server.base.core.ids import RoomCode
from server.base.wire.scopes import scopes_of
from server.protocol import COMMANDS, MISSES
from server.rooms.messages import RoomCommand
from tests.clients.seats import HubNode, Seat, room_of
from tests.conftest import ALONE
from tests.nodes import Node
from tests.wire import COMMANDS as NAMES
from tests.wire import Message

HERE, ELSEWHERE = "203.0.113.7", "198.51.100.1"


async def seat_at(hub: HubNode, address: str) -> Seat:
    seat = Seat(hub, address)
    await seat.hello(token=None)
    return seat


async def guess(seat: Seat) -> int:
    """Guess codes of all kinds until refused; return the wait in milliseconds."""
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


@ALONE
async def test_guests_who_guess_keep_nobody_out_at_their_address(hub: HubNode) -> None:
    host = await seat_at(hub, ELSEWHERE)
    code = await room_of(host)
    for _ in range(30):
        assert 0 < await guess(await seat_at(hub, HERE)) <= 10_000
    assert hub.budgets.guess(HERE) is None

    # It does not affect a new player who mistypes a code once, and then succeeds.
    guest = await seat_at(hub, HERE)
    assert (await guest.ask("SignIn", code="0000000000"))["code"] == "bad_code"
    linked = (await host.ask("LinkDevice"))["code"]
    assert (await guest.ask("SignIn", code=linked))["type"] == "SignedIn"
    key = (await host.ask("GetWatchKey", code=code))["key"]
    assert (await guest.ask("WatchRound", code=code, key=key))["type"] == "Watched"
    assert (await guest.ask("room.join", code=code))["type"] == "room"
    # A member can send commands to the room, after any number of wrong guesses elsewhere.
    assert 0 < await guess(guest) <= 10_000
    assert (await guest.ask("room.ready", code=code, ready=False))["type"] == "room"
    assert (await guest.ask("room.join", code=code))["type"] == "room"


@ALONE
async def test_correct_codes_cost_nothing(hub: HubNode) -> None:
    for guest in [await seat_at(hub, HERE) for _ in range(24)]:
        for _ in range(5):
            linked = (await guest.ask("LinkDevice"))["code"]
            assert (await guest.ask("SignIn", code=linked))["type"] == "SignedIn"
    # The whole burst is still available.
    tried = 0
    while (found := hub.budgets.guess(HERE)) is not None:
        with found:
            found.missed()
        tried += 1
    assert tried == 50


TERMS: dict[str, object] = {"game": "robert", "variant": "standard", "limit": 300}

ASKED: dict[str, dict[str, object]] = {
    "LeaveRoom": {},
    "SetReady": {"ready": False},
    "StartRound": {"anyway": True},
    "SetTerms": TERMS,
    "ProposeTerms": TERMS,
    "RemoveMember": {"player": "x"},
    "HandOver": {"player": "x"},
    "SetLock": {"locked": True},
    "SetPublic": {"public": True},
    "SendEmote": {"emote": 0},
    "WatchRound": {"key": "x"},
    "GetWatchKey": {},
}
"""All commands to a room, except the command to join it by its code."""


def named(command: str) -> str:
    return next((short for short, each in NAMES.items() if each.__name__ == command), command)


@ALONE
@pytest.mark.parametrize("command", ASKED)
async def test_who_has_no_seat_does_not_learn_whether_there_is_a_room(
    hub: HubNode, node: Node, few: Callable[..., None], command: str
) -> None:
    few(PLAYER_SLIPS=100.0, EMOTES=100.0)
    host, guest = await seat_at(hub, ELSEWHERE), await seat_at(hub, ELSEWHERE)
    stranger = await seat_at(hub, HERE)
    code = await room_of(host, guest)

    async def told(asked: str) -> Message:
        answer = await stranger.ask(named(command), code=asked, **ASKED[command])
        return {name: value for name, value in answer.items() if name != "re"}

    async def alike() -> None:
        expected = await told("22222222")
        assert expected["type"] == "refused"
        assert expected["code"] in {code.name for code in MISSES}
        assert await told(code) == expected

    await alike()
    await host.ask("room.lock", code=code, locked=True)
    await alike()
    for each in (host, guest):
        await each.ask("room.ready", code=code, ready=True)
    assert (await host.ask("room.start", code=code, anyway=True))["round"]["number"] == 1
    await alike()
    # A full quota of the address does not reveal it either.
    full = [quota.Item(quota.PLAYER_BYTES * quota.ADDRESS_PLAYERS - 5_000, quota.HOUR)]
    await node.services.quotas.take(scopes_of(HERE), "any", full)
    await alike()
    await node.services.rooms.close(RoomCode(code))
    await alike()


def test_the_tests_above_cover_all_commands_to_a_room() -> None:
    named = {each.__name__ for each in COMMANDS if issubclass(each, RoomCommand)}
    assert {*ASKED, "JoinRoom"} == named
