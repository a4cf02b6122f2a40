"""Emotes: broadcast to a room, only by members, rate-limited and never stored."""

from __future__ import annotations

import pytest

from server.base.core.ids import RoomCode
from server.base.net import limits
from server.base.net.limits import EMOTES as OF_PLAYER
from server.base.net.limits import ROOM_EMOTES, Rate
from server.rooms.core import keys
from server.rooms.messages import EMOTES
from tests.clients.seats import HubNode, Seat, room_of
from tests.conftest import ALONE

pytestmark = ALONE


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EMOTES", "ROOM_EMOTES"):
        monkeypatch.setattr(limits, name, Rate(1e-9, getattr(limits, name).at_once))


async def all_are_here(*seats: Seat) -> None:
    """Wait until all players have been sent that all are present, the last one as its answer."""
    for seat in seats[:-1]:
        await seat.next("room", lambda e: sum(m["here"] for m in e["members"]) == len(seats))


async def test_an_emote_is_sent_to_all_on_every_node_and_encoded_once(hubs: list[HubNode]) -> None:
    here, there = hubs
    seats = [await hub.seat() for hub in (here, here, here, there, there)]
    code = await room_of(*seats)
    await all_are_here(*seats)
    for number in range(2):
        assert (await seats[1].ask("SendEmote", code=code, emote=number))["type"] == "done"
        for seat in seats:
            emoted = await seat.next("Emoted", lambda e, number=number: e["emote"] == number)  # type: ignore[misc]
            assert (emoted["code"], emoted["player"]) == (code, seats[1].player)
    assert [len(seat.received("Emoted")) for seat in seats] == [2] * 5
    frames = [next(f for f in seat.frames if f.startswith(b"\x95\x0f\x00")) for seat in seats]
    assert len({id(frame) for frame in frames[:3]}) == len({id(f) for f in frames[3:]}) == 1
    assert len(frames[0]) < 32


async def test_an_emote_is_not_stored(hubs: list[HubNode]) -> None:
    one = await hubs[0].seat()
    code = await room_of(one)
    before = await hubs[0].node.services.journal_store.read(keys.room(RoomCode(code)))
    known = sorted(await hubs[0].node.redis.keys())
    await one.ask("SendEmote", code=code, emote=0)
    assert await hubs[0].node.services.journal_store.read(keys.room(RoomCode(code))) == before
    assert sorted(await hubs[0].node.redis.keys()) == known
    again = await hubs[0].seat()
    await again.ask("room.join", code=code)
    assert again.received("Emoted") == []


async def test_only_members_send_emotes(hubs: list[HubNode]) -> None:
    host, guest, stranger = [await hubs[0].seat() for _ in range(3)]
    code = await room_of(host, guest)
    assert (await stranger.ask("SendEmote", code=code, emote=0))["code"] == "unknown_room"
    # The same if no session of the node is subscribed to the room.
    far = await hubs[1].seat()
    assert (await far.ask("SendEmote", code=code, emote=0))["code"] == "unknown_room"
    assert (await far.ask("SendEmote", code="ZZZZZZZZ", emote=0))["code"] == "unknown_room"
    # Neither can a removed member.
    await host.ask("room.remove", code=code, player=guest.player)
    await guest.next("removed")
    assert (await guest.ask("SendEmote", code=code, emote=0))["code"] == "unknown_room"
    assert host.received("Emoted") == []


@pytest.mark.parametrize("emote", [-1, len(EMOTES), "hello", None])
async def test_an_emote_beyond_the_list_is_bad_message(hubs: list[HubNode], emote: object) -> None:
    one = await hubs[0].seat()
    code = await room_of(one)
    assert (await one.ask("SendEmote", code=code, emote=emote))["code"] == "bad_message"


async def test_a_member_subscribed_elsewhere_can_send_an_emote(hubs: list[HubNode]) -> None:
    host, guest = await hubs[0].seat(), await hubs[1].seat()
    code = await room_of(host, guest)
    await all_are_here(host, guest)
    await room_of(guest, key="elsewhere")
    assert (await guest.ask("SendEmote", code=code, emote=4))["type"] == "done"
    assert (await host.next("Emoted"))["player"] == guest.player
    assert guest.received("Emoted") == []


@pytest.mark.usefixtures("stopped")
async def test_a_players_sessions_share_one_rate_limit(hubs: list[HubNode]) -> None:
    one, other = await hubs[0].seat(), await hubs[0].seat()
    code = await room_of(one, other)
    for _ in range(int(OF_PLAYER.at_once)):
        assert (await one.ask("SendEmote", code=code, emote=0))["type"] == "done"
    for each in (one, await hubs[0].seat(one.token)):
        assert (await each.ask("SendEmote", code=code, emote=0))["code"] == "too_fast"
    # This does not use up the budget of others, or of other commands.
    assert (await other.ask("SendEmote", code=code, emote=0))["type"] == "done"
    assert (await one.ask("ping"))["type"] == "pong"
    assert len(other.received("Emoted")) == OF_PLAYER.at_once + 1


@pytest.mark.usefixtures("stopped")
async def test_a_room_has_a_rate_limit_for_all_members_together(hubs: list[HubNode]) -> None:
    seats = [await hubs[0].seat() for _ in range(8)]
    code = await room_of(*seats)
    await all_are_here(*seats)
    answers = [
        await seat.ask("SendEmote", code=code, emote=1)
        for _ in range(int(OF_PLAYER.at_once))
        for seat in seats
    ]
    refused = [answer["code"] for answer in answers if answer["type"] == "refused"]
    assert refused == ["too_fast"] * (len(answers) - int(ROOM_EMOTES.at_once))
    assert {len(seat.received("Emoted")) for seat in seats} == {ROOM_EMOTES.at_once}


@pytest.mark.usefixtures("stopped")
async def test_emotes_of_other_nodes_are_limited(hubs: list[HubNode]) -> None:
    host, guest = await hubs[0].seat(), await hubs[1].seat()
    code = await room_of(host, guest)
    await all_are_here(host, guest)
    for number in range(int(ROOM_EMOTES.at_once) + 5):
        # As if the other node had a higher limit.
        hubs[1].node.services.live.publish_emote(RoomCode(code), guest.player, number % len(EMOTES))
    await guest.ask("room.ready", code=code, ready=False)
    await host.next("room", lambda e: any(not m["ready"] for m in e["members"]))
    assert len(host.received("Emoted")) == ROOM_EMOTES.at_once


async def test_a_slow_reader_misses_emotes(hubs: list[HubNode]) -> None:
    one, slow = await hubs[0].seat(), await hubs[0].seat()
    code = await room_of(one, slow)
    await all_are_here(one, slow)
    slow.behind = True
    await one.ask("SendEmote", code=code, emote=0)
    slow.behind = False
    await one.ask("SendEmote", code=code, emote=1)
    assert [event["emote"] for event in slow.received("Emoted")] == [1]
