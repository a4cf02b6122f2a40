"""Players: their names, the one secret, and which session is the newest."""

from __future__ import annotations

import asyncio

import pytest

from server.core.ids import PlayerId
from server.core.names import Profile, guest_name
from server.store import keys
from server.store.connection import Client
from server.store.database import Database
from server.store.players import Players
from tests.core.builders import ADA, BOB, CYD


@pytest.fixture
def players(database: Database) -> Players:
    return Players(database)


async def test_all_nodes_have_one_secret_forever(
    redis: Client, players: Players, other: Database
) -> None:
    nodes = (players, Players(other))
    secrets = await asyncio.gather(*(node.secret() for node in nodes for _ in range(5)))
    assert len(set(secrets)) == 1
    assert len(secrets[0]) == 32
    assert await redis.ttl(keys.SIGNING_KEY) == -1


async def test_a_guest_has_a_name_until_it_is_changed(players: Players) -> None:
    assert await players.keep(ADA) == Profile(ADA, guest_name(ADA))
    assert await players.keep(ADA, "Ada") == Profile(ADA, "Ada")
    assert await players.keep(ADA) == Profile(ADA, "Ada")


async def test_profiles_of_players_known_and_not(players: Players) -> None:
    await players.keep(BOB, "Bob")
    assert await players.profiles([ADA, BOB]) == {
        ADA: Profile(ADA, guest_name(ADA)),
        BOB: Profile(BOB, "Bob"),
    }
    assert await players.profiles([]) == {}


async def test_the_newest_session_is_the_only_one(players: Players) -> None:
    await players.take_session(ADA, "first")
    assert await players.renew_session(ADA, "first")
    await players.take_session(ADA, "second")
    assert not await players.renew_session(ADA, "first")
    assert await players.renew_session(ADA, "second")


async def test_a_session_that_was_forgotten_comes_back_by_renewal(players: Players) -> None:
    assert await players.renew_session(ADA, "first")
    assert await players.here([ADA]) == {ADA}


async def test_only_the_newest_session_is_dropped(players: Players) -> None:
    await players.take_session(ADA, "second")
    await players.drop_session(ADA, "first")
    assert await players.here([ADA]) == {ADA}
    await players.drop_session(ADA, "second")
    assert await players.here([ADA]) == set()


async def test_who_has_a_session_is_here(players: Players) -> None:
    await players.take_session(ADA, "one")
    await players.take_session(CYD, "two")
    assert await players.here([ADA, BOB, CYD]) == {ADA, CYD}
    assert await players.here(list[PlayerId]()) == set()


async def test_sessions_and_players_are_forgotten_some_day(redis: Client, players: Players) -> None:
    await players.keep(ADA, "Ada")
    await players.take_session(ADA, "one")
    assert 0 < await redis.ttl(keys.player(ADA)) <= keys.PLAYER_LIFE
    assert 0 < await redis.ttl(keys.session(ADA)) <= keys.SESSION_LIFE
    await redis.persist(keys.session(ADA))
    await players.renew_session(ADA, "one")
    assert 0 < await redis.ttl(keys.session(ADA)) <= keys.SESSION_LIFE
