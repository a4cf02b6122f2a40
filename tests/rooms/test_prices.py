"""Prices of commands on rooms and rounds, compared with the work that they cause."""

from __future__ import annotations

from typing import Any

import pytest

from server.lobby.core.open_row import MAX_OPEN_ROOMS, OpenRow
from server.lobby.open_rooms import OpenRoom
from server.players.core.names import Profile
from tests.builders import ADA, CODE, round_of
from tests.clients.seats import HubNode, Seat, room_of
from tests.conftest import ALONE
from tests.nodes import Node
from tests.prices import Prices, same, varied

pytestmark = ALONE

SEATS = 8
WATCHERS = 50
PAUSE = 60_000
"""Milliseconds until the rate limit of changes to a room has recovered."""

GAME: dict[str, Any] = {"game": "robert", "variant": "standard"}
SOLO: dict[str, Any] = {"game": "robert", "seats": 1, "limit": 600}


async def watched(hub: HubNode, host: Seat, code: str, count: int) -> list[Seat]:
    key = (await host.ask("GetWatchKey", code=code))["key"]
    seats = [await hub.seat() for _ in range(count)]
    for seat in seats:
        assert (await seat.ask("WatchRound", code=code, key=key))["type"] == "Watched"
    return seats


@pytest.mark.parametrize(("others", "watchers"), [(1, 0), (SEATS - 1, 0), (SEATS - 1, WATCHERS)])
async def test_prices_in_rooms_follow_from_the_work(
    hub: HubNode, monkeypatch: pytest.MonkeyPatch, others: int, watchers: int
) -> None:
    prices, host = Prices(hub.node, monkeypatch), await hub.seat()
    await prices.count_baseline(host)
    *members, guest = [await hub.seat() for _ in range(others)]
    code = await room_of(host, *members, guest)
    this = {"code": code}
    members += await watched(hub, host, code, watchers)
    terms = varied("limit", [700, 800, 900], **this, **GAME)
    hub.node.clock.time += PAUSE
    await prices.count(host, "room.terms", "of all", terms, told=[*members, guest])
    told = [host, *members]
    terms = varied("limit", [60, 70, 80], **this, **GAME)
    hub.node.clock.time += PAUSE
    await prices.count(guest, "room.propose", "of all", terms, told=told)
    ready = varied("ready", [False, True, False], **this)
    hub.node.clock.time += PAUSE
    await prices.count(guest, "room.ready", "of all", ready, told=told)
    public = varied("public", [True, False, True], **this)
    hub.node.clock.time += PAUSE
    await prices.count(host, "room.public", "of all", public, told=[*members, guest])
    await prices.count(host, "SendEmote", "to all", same(**this, emote=1), told=[*members, guest])
    await prices.count(host, "GetWatchKey", "of all", same(**this))

    async def join() -> None:
        await guest.ask("room.join", **this)

    async def leave() -> None:
        await guest.ask("room.leave", **this)

    async def hand_back() -> None:
        await guest.ask("room.host", **this, player=host.player)

    hub.node.clock.time += PAUSE
    await prices.count(guest, "room.leave", "of all", same(**this), told=told, undo=join)
    await leave()
    hub.node.clock.time += PAUSE
    await prices.count(guest, "room.join", "of all", same(**this), told=told, undo=leave)
    # Locking ends the watching.
    locked = varied("locked", [True, False, True], **this)
    hub.node.clock.time += PAUSE
    await prices.count(host, "room.lock", "of all", locked)
    await host.ask("room.lock", **this, locked=False)
    await join()
    given = same(**this, player=guest.player)
    hub.node.clock.time += PAUSE
    await prices.count(host, "room.host", "of all", given, undo=hand_back)
    seats = [guest, await hub.seat(), await hub.seat()]
    waiting = iter(seats[1:])

    async def join_another() -> None:
        if (following := next(waiting, None)) is not None:
            await following.ask("room.join", **this)

    players = varied("player", [each.player for each in seats], **this)
    hub.node.clock.time += PAUSE
    await prices.count(host, "room.remove", "of all", players, undo=join_another)
    prices.check("rooms", is_repeated=True)


@pytest.mark.parametrize("count", [1, SEATS])
async def test_prices_of_rounds_follow_from_the_work(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    prices, bob = Prices(node, monkeypatch), await hub.seat()
    await prices.count_baseline(bob)
    keys = [f"the key {number}" for number in range(9)]
    await prices.count(bob, "room.create", "small", varied("key", keys, **SOLO))
    known = {"game": "freecell", "seats": SEATS, "limit": 600}
    known |= {"variant": "standard", "help": "none", "known": "11982"}
    await prices.count(bob, "room.create", "large", varied("key", keys[3:], **known))
    games = ["robert", "deuces", "klondike"]
    for of in ("alone", "in a pair"):
        await prices.count(await hub.seat(), "room.quick", of, varied("game", games))
    host, *guests = seats = [await hub.seat() for _ in range(count)]
    code = (await host.ask("room.create", **{**SOLO, "seats": count, "key": "another key"}))["code"]
    for guest in guests:
        await guest.ask("room.join", code=code)

    async def end() -> None:
        """End the round, and make all agree to another one."""
        node.clock.time += 10_000
        room = await node.rooms.load(code)
        number = round_of(room).number
        for seat in seats:
            await node.attempts.give_up(round_of(room).attempt(seat.player))
        await node.apply_effects()
        over = {"number": number, "over": True}
        await host.next("room", lambda e: e["round"] and over.items() <= e["round"].items())
        for guest in guests:
            await guest.ask("room.ready", code=code, ready=True)

    await prices.count(host, "room.start", "of all", same(code=code), told=guests, undo=end)
    watch = {"code": code, "key": (await host.ask("GetWatchKey", code=code))["key"]}

    async def stop() -> None:
        await bob.ask("StopWatching")

    async def go_on() -> None:
        await bob.ask("WatchRound", **watch)

    await prices.count(bob, "WatchRound", "over", same(**watch), undo=stop)
    await host.ask("room.start", code=code)
    node.clock.time += 10_000
    await prices.count(bob, "WatchRound", "running", same(**watch), undo=stop)
    await prices.count(bob, "WatchRound", "again", same(**watch))
    await prices.count(bob, "StopWatching", "of all", same(), undo=go_on)
    await watched(hub, host, code, 1)
    await stop()
    await prices.count(bob, "WatchRound", "watched", same(**watch), undo=stop)
    await end()
    row = OpenRow(CODE, "robert", "standard", 600_000, 1, 2, ADA)
    node.services.open_rooms._list_until = float("inf")
    for of, size in (("empty", 0), ("full", MAX_OPEN_ROOMS)):
        node.services.open_rooms._list = [OpenRoom(row, Profile(ADA, "Ada"))] * size
        await prices.count(bob, "room.list", of, same())
    prices.check("rounds", is_repeated=True)
