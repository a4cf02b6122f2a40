"""Only hosts are notified of players at the same address."""

from __future__ import annotations

import pytest

from server.base.core.ids import PlayerId, RoomCode
from server.rooms import same_address_feed
from server.rooms.core import keys
from tests.base.redis.servers import until
from tests.clients.seats import KEY, HubNode, Seat
from tests.conftest import ALONE

pytestmark = ALONE

HERE, THERE = "192.0.2.1", "192.0.2.2"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(same_address_feed, "SETTLED", 0.05)


async def seated(hub: HubNode, address: str, code: str | None = None) -> tuple[Seat, RoomCode]:
    """Join or open a room as a player at an address, and return the player's seat and the code."""
    seat = Seat(hub, address)
    await seat.hello()
    if code is None:
        wanted = {"game": "robert", "seats": 4, "limit": 600, "key": KEY}
        room = await seat.ask("room.create", **wanted)
    else:
        room = await seat.ask("room.join", code=code)
    assert room["type"] == "room", room
    return seat, RoomCode(room["code"])


async def told(seat: Seat, *groups: list[PlayerId]) -> None:
    await seat.next("Neighbours", lambda event: event["groups"] == list(groups))


async def test_only_the_host_is_notified_of_players_at_one_address(hubs: list[HubNode]) -> None:
    host, code = await seated(hubs[0], HERE)
    far, _ = await seated(hubs[1], THERE, code)
    near, _ = await seated(hubs[1], HERE, code)
    await told(host, [host.player, near.player])
    assert [event["code"] for event in host.received("Neighbours")] == [code]
    # The next host is notified; the former host is not notified any more.
    await host.ask("room.host", code=code, player=far.player)
    await told(far, [host.player, near.player])
    assert (near.received("Neighbours"), len(host.received("Neighbours"))) == ([], 1)


async def test_a_host_is_notified_of_a_leaving_rival_at_one_address(hubs: list[HubNode]) -> None:
    host, code = await seated(hubs[0], HERE)
    stays, _ = await seated(hubs[0], THERE, code)
    leaves, _ = await seated(hubs[1], THERE, code)
    # A round starts without players who are not known to be here.
    await host.next("room", lambda room: [each["here"] for each in room["members"]] == [True] * 3)
    await host.ask("room.start", code=code, anyway=True)
    await leaves.ask("room.leave", code=code)
    await host.next("room", lambda room: len(room["members"]) == 2)
    later, _ = await seated(hubs[1], THERE, code)
    await told(host, [stays.player, later.player, leaves.player])


async def test_addresses_are_kept_for_hours_as_keyed_hashes(hubs: list[HubNode]) -> None:
    seat, code = await seated(hubs[0], HERE)
    redis = hubs[0].node.redis

    async def written() -> bool:
        return bool(await redis.exists(keys.addresses(code)))

    await until(written)
    stored = await redis.hgetall(keys.addresses(code))
    assert stored == {seat.player: await hubs[0].node.services.address_hashes.hash(HERE)}
    assert HERE not in str(stored)
    assert 0 < await redis.ttl(keys.addresses(code)) <= keys.ADDRESSES_LIFE_S


async def test_players_without_a_known_address_are_in_no_group(hubs: list[HubNode]) -> None:
    _, code = await seated(hubs[0], "")
    await seated(hubs[0], "", code)
    assert await hubs[0].node.redis.exists(keys.addresses(code)) == 0
