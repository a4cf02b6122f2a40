"""The node's cache of profiles: read once, and kept current by bus messages."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import pytest

from server.base.core.bus_message import encode
from server.base.core.ids import PlayerId
from server.players import profiles as module
from server.players.core.bus import NAMES, Renamed
from server.players.core.names import Profile, guest_name
from tests.base.redis.servers import reads, running, until, work_of
from tests.builders import ADA, BOB, CYD
from tests.conftest import ALONE
from tests.nodes import Node


@ALONE
async def test_a_profile_is_read_once(node: Node) -> None:
    await node.services.player_store.update(BOB, "Bob")
    profiles = node.services.profiles
    assert profiles.known([ADA, BOB]) is None
    expected = {ADA: Profile(ADA, guest_name(ADA)), BOB: Profile(BOB, "Bob")}
    assert await profiles.load([ADA, BOB, ADA]) == expected
    before = await reads(node.redis)
    assert await profiles.load([BOB, ADA]) == profiles.known([ADA, BOB]) == expected
    # Counting the reads counts as one itself.
    assert await reads(node.redis) - before <= 1


async def test_a_new_name_reaches_every_node(node: Node, other: Node) -> None:
    # The start of the subscription clears the cache.
    profiles = other.services.profiles
    profiles.cache(Profile(BOB, "Bob"))
    async with running(work_of(other.bus)):
        _, token = await node.identify(None, "Ada")
        player = (await node.identify(token))[0].id
        await until(lambda: profiles.known([BOB]) is None)
        await profiles.load([player])
        await node.identify(token, "Ada L")

        async def known() -> bool:
            return await profiles.load([player]) == {player: Profile(player, "Ada L")}

        await until(known)
    assert len([topic for topic, _ in node.published if topic == NAMES]) == 1


async def test_profiles_are_read_again_when_messages_may_have_been_lost(node: Node) -> None:
    profiles = node.services.profiles
    await profiles.load([ADA])
    await node.services.player_store.update(ADA, "Ada")
    node.services.profiles._receive(None)
    assert await profiles.load([ADA]) == {ADA: Profile(ADA, "Ada")}


async def test_names_are_reread_after_losses(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    profiles, players = node.services.profiles, node.services.player_store
    await players.update(ADA, "Old")
    read, may_arrive, profiles_of = asyncio.Event(), asyncio.Event(), players.profiles

    async def late(wanted: Iterable[PlayerId]) -> dict[PlayerId, Profile]:
        found = await profiles_of(wanted)
        read.set()
        await may_arrive.wait()
        return found

    monkeypatch.setattr(players, "profiles", late)
    reading = asyncio.create_task(profiles.load([ADA]))
    await read.wait()
    # Another node stores and publishes a new name while this one is cut off from the bus.
    await players.update(ADA, "New")
    profiles._receive(None)
    may_arrive.set()
    assert await reading == profiles.known([ADA]) == {ADA: Profile(ADA, "New")}


async def test_the_cache_is_bounded(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_CACHED", 2)
    profiles = node.services.profiles
    for player in (ADA, BOB, CYD):
        profiles.cache(Profile(player, "name"))
    assert profiles.known([ADA]) is None
    assert profiles.known([BOB, CYD]) is not None
    assert len(await profiles.load([ADA, BOB, CYD])) == 3


async def test_a_late_message_with_an_older_name_is_ignored(node: Node) -> None:
    profiles = node.services.profiles

    def receive(name: str) -> str:
        profiles._receive(encode(Renamed(ADA, name)))
        known = profiles.known([ADA])
        assert known is not None
        return known[ADA].name

    profiles.rename(Profile(ADA, "Bo"))
    profiles.rename(Profile(ADA, "Bob"))
    # All nodes receive these in the same order: the other node published before "Bob".
    assert [receive(name) for name in ("Bo", "Elsewhere", "Bob")] == ["Bob"] * 3
    assert receive("Later") == "Later"


async def test_the_first_message_after_a_loss_is_accepted(node: Node) -> None:
    profiles = node.services.profiles
    profiles.rename(Profile(ADA, "Bo"))
    profiles._receive(None)
    profiles._receive(encode(Renamed(ADA, "Elsewhere")))
    assert profiles.known([ADA]) == {ADA: Profile(ADA, "Elsewhere")}
