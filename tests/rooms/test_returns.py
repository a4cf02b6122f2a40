"""Players who return to a room that a node still has in memory."""

from __future__ import annotations

from typing import Any

import pytest

from server.base.core.ids import DealId, PlayerId, RoomCode
from server.base.core.refusal import UnavailableError
from server.rooms.store import Entered
from tests.base.redis.servers import calls, until
from tests.clients.seats import HubNode, Seat, room_of
from tests.conftest import ALONE
from tests.nodes import BEGUN, Node
from tests.wire import Message

pytestmark = ALONE


async def gone(hub: HubNode, code: str, *seats: Seat) -> None:
    """End the only sessions in a room, which the node then follows no longer."""
    for seat in seats:
        seat.leave()
    await until(lambda: hub.services.live.known(RoomCode(code)) is None)


def seated(room: Message) -> list[PlayerId]:
    return [member["player"]["id"] for member in room["members"]]


async def test_a_return_to_a_followed_race_reads_only_the_cards(hub: HubNode, node: Node) -> None:
    host, guest = await hub.seat(), await hub.seat()
    code = await room_of(host, guest)
    await host.ask("room.start", code=code)
    node.clock.time = BEGUN
    await guest.ask("room.join", code=code)
    await guest.next("attempt")
    guest.leave()
    await host.next("room", lambda each: not each["members"][1]["here"])
    host.news.clear()
    back = await hub.seat(token=guest.token)
    before = await calls(node.redis, "xrange")
    room = await back.ask("room.join", code=code)
    assert await calls(node.redis, "xrange") - before == 1
    assert [member["here"] for member in room["members"]] == [True, True]
    assert len(back.received("attempt")) == 1
    assert back.received("room") == []
    await host.next("room", lambda each: each["members"][1]["here"])
    assert await node.services.room_store.present(RoomCode(code)) == dict.fromkeys(
        (host.player, guest.player), node.registration.id
    )


@pytest.mark.parametrize("is_followed", [False, True])
async def test_a_seat_left_on_another_node_is_taken_again(
    hubs: list[HubNode], monkeypatch: pytest.MonkeyPatch, *, is_followed: bool
) -> None:
    here, there = hubs
    host, guest = await here.seat(), await here.seat()
    code = await room_of(host, guest)
    if is_followed:
        guest.leave()
        # Entries published by the other node are late.
        monkeypatch.setattr(here.services.live, "fold", lambda *_: None)
    else:
        await gone(here, code, host, guest)
    away = await there.seat(token=guest.token)
    await away.ask("room.join", code=code)
    assert (await away.ask("room.leave", code=code))["type"] == "done"
    known = here.node.rooms.joined(RoomCode(code), guest.player)
    assert known is not None, "this node has not learned of it"
    back = await here.seat(token=guest.token)
    room = await back.ask("room.join", code=code)
    assert seated(room) == [host.player, guest.player]
    assert room["version"] == known.version + 2


async def test_a_player_removed_on_another_node_does_not_return(hubs: list[HubNode]) -> None:
    here, there = hubs
    host, guest = await here.seat(), await here.seat()
    code = await room_of(host, guest)
    await gone(here, code, host, guest)
    away = await there.seat(token=host.token)
    await away.ask("room.join", code=code)
    await away.ask("room.remove", code=code, player=guest.player)
    assert here.node.rooms.joined(RoomCode(code), guest.player) is not None, "it has not learned it"
    back = await here.seat(token=guest.token)
    assert (await back.ask("room.join", code=code))["code"] == "removed"
    assert not here.services.room_feeds.has(back.session)
    await until(lambda: here.services.live.known(RoomCode(code)) is None)


async def test_results_withheld_since_the_known_state_are_hidden(
    hubs: list[HubNode], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = hubs
    host, guest = await here.seat(), await here.seat()
    code = await room_of(host, guest)
    await guest.ask("room.ready", code=code, ready=False)
    await gone(here, code, host, guest)
    away = await there.seat(token=host.token)
    await away.ask("room.join", code=code)
    started = await away.ask("room.start", code=code, anyway=True)
    deal = started["round"]["deal"]
    here.node.clock.time = BEGUN
    await there.node.rooms.leave(RoomCode(code), host.player)
    await there.node.apply_effects()

    async def withheld(deals: dict[DealId, int], _: object) -> frozenset[DealId]:
        return frozenset(deals)

    monkeypatch.setattr(here.services.room_feeds, "_withheld", withheld)
    back = await here.seat(token=guest.token)
    room = await back.ask("room.join", code=code)
    assert (room["round"]["deal"], room["round"]["over"]) == (deal, True)
    assert room["round"]["sealed"] is True


async def test_a_return_without_the_store_is_refused_and_can_be_repeated(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, guest = await hub.seat(), await hub.seat()
    code = await room_of(host, guest)
    guest.leave()
    back = await hub.seat(token=guest.token)

    async def fails(*_: object) -> None:
        raise UnavailableError

    with monkeypatch.context() as away:
        away.setattr(node.services.room_store, "enter", fails)
        assert (await back.ask("room.join", code=code))["code"] == "unavailable"
        assert not hub.services.room_feeds.has(back.session)
    room = await back.ask("room.join", code=code)
    assert seated(room) == [host.player, guest.player]


async def test_a_session_that_leaves_while_it_returns_is_not_present(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, guest = await hub.seat(), await hub.seat()
    code = RoomCode(await room_of(host, guest))
    guest.leave()
    await host.next("room", lambda each: not each["members"][1]["here"])
    back = await hub.seat(token=guest.token)
    store, writes = node.services.room_store, hub.services.live._presence._writes
    enter = store.enter

    async def late(*given: Any) -> Entered:
        # The write of the presence comes after that of the absence.
        with monkeypatch.context() as once:
            once.setattr(store, "enter", enter)
            back.leave()
            await until(lambda: not hub.services.room_feeds.has(back.session) and not len(writes))
        return await enter(*given)

    monkeypatch.setattr(store, "enter", late)
    await back.ask("room.join", code=code)
    await until(lambda: not len(writes))
    assert (await store.present(code)).keys() == {host.player}
