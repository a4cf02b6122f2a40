"""Quotas of addresses, charged over real sockets: refusals, and play that goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from redis.asyncio import Redis

from server.accounts.core import charges as accounts_charges
from server.base.core import quota
from server.base.core.memory_level import Level
from server.base.core.quota import PARTS
from server.base.journals import store as journals_store
from server.base.net import limits
from server.base.net.load import Load
from server.base.quotas import quotas
from server.base.quotas.quotas import Scope
from server.base.wire.scopes import scopes_of
from server.circles.core import charges as circles_charges
from server.circles.core.circle import PAID_ROUNDS
from server.handlers import handlers_of
from server.moderation.core import charges as moderation_charges
from server.notifications.core.encryption import public_key
from server.players.core import charges as players_charges
from server.protocol import COMMANDS
from server.rooms.core import charges as rooms_charges
from server.rooms.core import keys
from tests.authenticator import Authenticator
from tests.builders import BOB
from tests.clients.client import opened
from tests.clients.seats import HubNode, Seat, room_of
from tests.conftest import ALONE
from tests.nodes import Node, SetClock

HERE, ELSEWHERE = "192.0.2.1", "192.0.2.2"
SHARED = 100_000
"""Bytes that an address may store in these tests."""


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give an address a small quota, and lift the rate limits."""
    monkeypatch.setattr(journals_store, "CLOCK_TOLERANCE_MS", 10**15)
    monkeypatch.setattr(quota, "PLAYER_BYTES", SHARED // 250)
    for name in ("PLAYER_COMMANDS", "ADDRESS_COMMANDS"):
        monkeypatch.setattr(limits, name, limits.Rate(1e6, 1e6))


async def seat_at(hub: HubNode, address: str, **fields: object) -> Seat:
    seat = Seat(hub, address)
    await seat.hello(token=None, **fields)
    return seat


async def create(seat: Seat, key: str) -> str:
    """Create a room; return its code, or the code of the refusal."""
    asked = await seat.ask("room.create", game="robert", seats=8, limit=600, key=f"{key:>010}")
    return str(asked["code"])


async def move(seat: Seat, attempt: dict[str, Any], seq: int) -> str:
    """Play a move; return the type of the answer, or the code of the refusal."""
    answer = await seat.ask("move", attempt=attempt["attempt"], seq=seq, move="s>w")
    return str(answer.get("code", answer["type"]))


async def stored(node: Node, address: str = HERE) -> int:
    """Return the bytes stored for an address, including recent charges."""
    charged = node.services.quotas
    for scope in list(charged._noted):
        charged._writes.schedule(scope, None)
        charged._writes.add(scope)
    while len(charged._writes):
        await asyncio.sleep(0.001)
    return (await charged.stored(scopes_of(address)))[0].used


@ALONE
async def test_empty_rooms_fill_only_the_quota_of_their_address(
    hub: HubNode, node: Node, clock: SetClock
) -> None:
    guests = [await seat_at(hub, HERE) for _ in range(5)]
    code = await room_of(*guests[:2])
    found = [await create(guests[number % 5], str(number)) for number in range(100)]
    opened = [each for each in found if each != "address_full"]
    assert 20 < len(opened) < 40
    assert found[len(opened) :] == ["address_full"] * (100 - len(opened))
    noted = len(opened) * rooms_charges.ENTRY.size
    assert await stored(node) < PARTS["room"] * SHARED + 1_000 + noted
    taken = sum([await node.redis.memory_usage(key) or 0 for key in await node.keys("*room:*")])
    assert taken < await stored(node)
    # Existing players go on: they join rooms, start rounds, and open dailies.
    for guest in guests[:2]:
        assert (await guest.ask("room.join", code=code))["type"] == "room"
    begun = await guests[0].ask("room.start", code=code, anyway=True)
    assert begun["round"]["number"] == 1
    assert (await guests[4].ask("daily.open", game="robert"))["type"] == "attempt"
    refused = await guests[4].ask("room.quick", game="robert")
    assert (refused["code"], refused["wait"] >= quotas.SHORTEST_WAIT_MS) == ("address_full", True)
    # Other addresses are unaffected.
    bob = await seat_at(hub, ELSEWHERE, name="Bob")
    assert len(await create(bob, "bob")) == 8
    assert (await bob.ask("room.quick", game="robert"))["type"] == "room"
    assert (await bob.ask("daily.open", game="robert"))["type"] == "attempt"
    # Empty rooms expire within minutes and then no longer count.
    clock.time += keys.UNUSED_ROOM_LIFE_MS + 3 * quota.HOUR + 30 * quota.MINUTE
    assert len(await create(guests[3], "later")) == 8


@ALONE
async def test_games_are_refused_later_and_moves_last(hub: HubNode, node: Node) -> None:
    ada = await seat_at(hub, HERE)
    charged, where = node.services.quotas, scopes_of(HERE)
    attempt = await ada.ask("daily.open", game="robert")
    code = await room_of(ada)

    async def fill(part: float) -> None:
        size = int(part * SHARED) - await stored(node)
        await charged.take(where, "any", [quota.Item(size, quota.HOUR)])

    await fill(PARTS["game"])
    assert (await ada.ask("room.start", code=code))["code"] == "address_full"
    assert (await ada.ask("daily.open", game="deuces"))["code"] == "address_full"
    back = await ada.ask("daily.open", game="robert")
    assert back["attempt"] == attempt["attempt"]
    assert await move(ada, attempt, 2) == "moved"
    await stored(node)
    await fill(1)
    assert await move(ada, attempt, 3) == "address_full"
    await charged.take(where, "any", [quota.Item(-1, quota.HOUR)])
    assert await move(ada, attempt, 3) == "moved"
    # A new guest is refused; a guest with a token comes back.
    await fill(1)
    late = Seat(hub, HERE)
    assert (await late.hello(token=None))["code"] == "address_full"
    again = Seat(hub, HERE)
    assert (await again.hello(token=ada.token))["type"] == "welcome"


@ALONE
async def test_a_refused_command_is_not_charged(hub: HubNode, node: Node) -> None:
    ada = await seat_at(hub, HERE)
    code, before = await room_of(ada), await stored(node)
    bob = await seat_at(hub, ELSEWHERE)
    assert (await bob.ask("room.start", code=code))["type"] == "refused"
    assert (await bob.ask("room.quick", game="none"))["type"] == "refused"
    assert (await bob.ask("rename", name="  "))["type"] == "refused"
    assert await stored(node) == before
    assert await stored(node, ELSEWHERE) == sum(item.size for item in players_charges.GUEST)


TERMS: dict[str, object] = {"game": "robert", "variant": "standard", "limit": 300}


async def keep_code(seat: Seat) -> None:
    code = (await seat.ask("NewRecoveryCode"))["code"]
    assert (await seat.ask("KeepRecoveryCode", code=code))["type"] == "done"


async def found_circle(seat: Seat) -> dict[str, Any]:
    return await seat.ask("CreateCircle", name="Friends", key="the key of a circle")


CHARGED: dict[str, Callable[[Seat, str], Awaitable[object]]] = {
    "Rename": lambda seat, _: seat.ask("rename", name="Someone"),
    "CreateRoom": lambda seat, _: create(seat, "charged"),
    "QuickMatch": lambda seat, _: seat.ask("room.quick", game="robert"),
    "JoinRoom": lambda seat, code: seat.ask("room.join", code=code),
    "SetReady": lambda seat, code: seat.ask("room.ready", code=code, ready=False),
    "SetLock": lambda seat, code: seat.ask("room.lock", code=code, locked=True),
    "SetPublic": lambda seat, code: seat.ask("room.public", code=code, public=True),
    "SetTerms": lambda seat, code: seat.ask("room.terms", code=code, **TERMS),
    "ProposeTerms": lambda seat, code: seat.ask("room.propose", code=code, **TERMS),
    "HandOver": lambda seat, code: seat.ask("room.host", code=code, player=seat.player),
    "RemoveMember": lambda seat, code: seat.ask("room.remove", code=code, player=seat.player),
    "StartRound": lambda seat, code: seat.ask("room.start", code=code, anyway=True),
    "OpenDaily": lambda seat, _: seat.ask("daily.open", game="robert"),
    "KeepRecoveryCode": lambda seat, _: keep_code(seat),
    "AddPush": lambda seat, _: seat.ask(
        "AddPush",
        endpoint="http://127.0.0.1:9/push",
        key=public_key(ec.generate_private_key(ec.SECP256R1())),
        auth="AAECAwQFBgcICQoLDA0ODw",
        language="en",
    ),
    "SetPush": lambda seat, _: seat.ask("SetPush", topics=["streak"], quiet=None),
    "CreateChallenge": lambda seat, _: seat.ask(
        "CreateChallenge", game="robert", limit=300, open_for=3_600, key="a key of a challenge"
    ),
    "BlockChallenger": lambda seat, _: seat.ask("BlockChallenger", player=BOB, blocked=True),
    "CreateCircle": lambda seat, _: found_circle(seat),
    **{
        name: lambda seat, _, name=name: seat.ask(name)  # type: ignore[misc]
        for name in ("NewRecoveryCode", "LinkDevice", "SignOutEverywhere", "DeleteAccount")
    },
}
"""For each charged command, how to send it; other tests cover new guests, moves and passkeys."""

OTHERS = """
Hello PlayMove Undo Hint CreatePasskey CreateBot DeleteBot Report WatchChallenge PlayChallenge
EmoteRun Rematch CloseChallenge JoinCircle EmoteItem LeaveCircle MuteCircle RemoveFromCircle
HandOverCircle RenameCircle RenewCircleLink SetCircleSeason SetCircleLeague SetCircleWebhook
AddPractice
"""
"""Charged commands that other tests cover."""

FREE = """
Ping ListRooms SendEmote ListDailies ShowDeal WatchLeaderboard UnwatchLeaderboard GetRun GetRuns
WatchRound StopWatching GetWatchKey GetAccount ExportData SignIn AskPasskey UsePasskey ConfirmCode
ConfirmPasskey GetPush
AskOperator ConfirmOperator ListCases LookUp Moderate
LeaveRoom Resign OpenAttempt RemovePush UnwatchChallenge ListChallenges HideChallenge GetChallengers
ListBlocked GetPractice ShowInvitation ListCircles WatchCircle UnwatchCircle GetCircleTable
GetHeadToHead GetCircleFeed DeleteCircle
"""
"""Commands without a charge.

They read, or their writes live for seconds; or they are operators', or end something charged at its
start.
"""


def test_each_command_is_listed_as_charged_or_free() -> None:
    said = [*CHARGED, *OTHERS.split(), *FREE.split()]
    assert sorted(said) == sorted(["PlayMove", *(each.__name__ for each in COMMANDS)])


@ALONE
async def test_a_bot_and_its_end_are_charged(hub: HubNode, node: Node) -> None:
    ada = await seat_at(hub, HERE)
    await keep_code(ada)
    before = await stored(node)
    bot = (await ada.ask("CreateBot", name="Bot"))["player"]["id"]
    made = sum(item.size for item in accounts_charges.BOT)
    assert await stored(node) == before + made
    await ada.ask("DeleteBot", bot=bot)
    ended = sum(item.size for item in accounts_charges.EPOCH)
    assert await stored(node) == before + made + ended


@ALONE
@pytest.mark.parametrize("command", CHARGED)
async def test_a_storing_command_is_charged(hub: HubNode, node: Node, command: str) -> None:
    ada = await seat_at(hub, HERE)
    assert await stored(node) == sum(item.size for item in players_charges.GUEST)
    code = await room_of(ada)
    before = await stored(node)
    await CHARGED[command](ada, code)
    assert await stored(node) > before


@ALONE
async def test_members_and_changes_of_a_circle_are_charged(
    hub: HubNode, node: Node, clock: SetClock
) -> None:
    ada, bob = await seat_at(hub, HERE), await seat_at(hub, ELSEWHERE, name="Bob")
    circle = await found_circle(ada)
    found = {"circle": circle["circle"]}
    # A circle's founder is in no feed, so the others join later.
    clock.time += 1
    before = await stored(node, ELSEWHERE)
    assert (await bob.ask("JoinCircle", link="unknown"))["code"] == "unknown_circle"
    assert await stored(node, ELSEWHERE) == before
    await bob.ask("JoinCircle", link=circle["link"])
    assert await stored(node, ELSEWHERE) == before + circles_charges.MEMBER[0].size
    league = ["week", ["robert"], 600, 0, "none"]
    item = (await ada.ask("GetCircleFeed", **found))["items"][0]["item"]
    season = circles_charges.SEASONS.size
    (rounds,) = circles_charges.rounds("week", PAID_ROUNDS)
    changes: list[tuple[str, dict[str, object], int]] = [
        ("EmoteItem", {"item": item, "emote": 1}, 0),
        ("MuteCircle", {"muted": True}, 0),
        ("RenameCircle", {"name": "Others"}, 0),
        ("RenewCircleLink", {}, 0),
        ("SetCircleSeason", {"weeks": 4}, season),
        ("SetCircleLeague", {"league": league}, rounds.size),
        ("RemoveFromCircle", {"player": bob.player}, 0),
    ]
    for name, fields, ahead in changes:
        before = await stored(node)
        answer = await ada.ask(name, **found, **fields)
        assert answer.get("code") is None, answer
        assert await stored(node) == before + circles_charges.ENTRY.size + ahead, name


@ALONE
async def test_a_report_is_charged_unless_refused(hub: HubNode, node: Node) -> None:
    ada, bob = await seat_at(hub, HERE), await seat_at(hub, ELSEWHERE, name="Bob")
    before = await stored(node)
    refused = await ada.ask("Report", reason="name", about="z" * 16)
    assert refused["code"] == "unknown_player"
    assert await stored(node) == before
    assert (await ada.ask("Report", reason="name", about=bob.player))["type"] == "done"
    (item,) = moderation_charges.REPORT
    assert await stored(node) == before + item.size
    taken = [await node.redis.memory_usage(key) or 0 for key in await node.keys("{suspicious}:*")]
    assert sum(taken) <= item.size


@ALONE
@pytest.mark.parametrize(
    ("level", "begins"),
    [
        ("free", {"first_room", "room", "daily", "round"}),
        ("filling", {"room", "daily", "round"}),
        ("tight", {"daily", "round"}),
        ("short", {"round"}),
        ("scarce", set()),
    ],
)
async def test_a_fuller_store_refuses_more_new_work_but_play_goes_on(
    hub: HubNode, node: Node, level: Level, begins: set[str]
) -> None:
    hub.handlers = handlers_of(node.services, Load(lambda: 0.0, node.services.memory.has_room))
    ada, bob = await seat_at(hub, HERE), await seat_at(hub, ELSEWHERE)
    attempt = await ada.ask("daily.open", game="robert")
    assert await move(ada, attempt, 2) == "moved"
    await ada.ask("resign", attempt=attempt["attempt"], seq=3)
    await node.apply_effects()
    attempt = await ada.ask("daily.open", game="deuces")
    code = await room_of(ada)
    node.services.memory.level = level
    found = {
        "first_room": await bob.ask("room.create", game="robert", seats=2, limit=600, key="b" * 10),
        "room": await ada.ask("room.create", game="robert", seats=2, limit=600, key="c" * 10),
        "daily": await bob.ask("daily.open", game="robert"),
        "round": await ada.ask("room.start", code=code, anyway=True),
    }
    assert {new for new, answer in found.items() if answer["type"] != "refused"} == begins
    assert {each["code"] for each in found.values() if each["type"] == "refused"} <= {"overloaded"}
    # A seat, an open daily and its moves exist at every level.
    assert (await bob.ask("room.join", code=code))["type"] == "room"
    assert (await ada.ask("daily.open", game="deuces"))["type"] == "attempt"
    assert await move(ada, attempt, 2) == "moved"


def test_an_ipv6_client_is_counted_with_the_48_around_it() -> None:
    assert scopes_of("192.0.2.1") == (Scope("192.0.2.1"),)
    wide = Scope("2001:db8:1::/48", wide=True)
    assert scopes_of("2001:db8:1:2::/64") == (Scope("2001:db8:1:2::/64"), wide)


@ALONE
async def test_undos_and_hints_are_refused_together_with_moves(hub: HubNode, node: Node) -> None:
    ada = await seat_at(hub, HERE)
    attempt = (await ada.ask("daily.open", game="robert"))["attempt"]
    for code in ("no_help", "address_full"):
        for command in ("Undo", "Hint"):
            assert (await ada.ask(command, attempt=attempt, seq=2))["code"] == code
        full = [quota.Item(SHARED - await stored(node), quota.HOUR)]
        await node.services.quotas.take(scopes_of(HERE), "any", full)


@ALONE
async def test_a_passkey_is_charged(port: int, redis: Redis) -> None:
    async def counted() -> int:
        (key,) = await redis.keys("quota:*")
        return sum(map(int, (await redis.hgetall(key)).values()))

    device = Authenticator(f"http://localhost:{port}", "localhost")
    async with opened(port) as client:
        await client.hello()
        before = await counted()
        options = (await client.ask("AskPasskey", purpose="create"))["options"]
        await client.ask("CreatePasskey", credential=device.create(options))
        assert await counted() == before + sum(item.size for item in accounts_charges.CODE)


@ALONE
async def test_a_player_who_moves_and_leaves_immediately_is_charged(
    hub: HubNode, node: Node
) -> None:
    ada = await seat_at(hub, HERE)
    attempt = (await ada.ask("daily.open", game="robert"))["attempt"]
    before = await stored(node)
    move = asyncio.create_task(ada.ask("move", attempt=attempt, seq=2, move="s>w"))
    await asyncio.sleep(0)
    ada.leave()
    hub.hub.close()
    assert hub.hub.size == 0
    assert (await move)["type"] == "moved"
    assert await stored(node) == before + quotas.PLAYED


@ALONE
async def test_a_daily_given_up_without_a_move_is_charged(hub: HubNode, node: Node) -> None:
    ada = await seat_at(hub, HERE)
    attempt = (await ada.ask("daily.open", game="robert"))["attempt"]
    before = await stored(node)
    await ada.ask("resign", attempt=attempt, seq=2)
    assert await stored(node) == before + quotas.PLAYED + 2 * quotas.ENTRY_BYTES
