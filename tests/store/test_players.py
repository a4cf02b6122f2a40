"""Players: their names, the signing key, and their newest sessions."""

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


async def test_all_nodes_have_one_secret_that_never_expires(
    redis: Client, players: Players, other: Database
) -> None:
    nodes = (players, Players(other))
    secrets = await asyncio.gather(*(node.secret() for node in nodes for _ in range(5)))
    assert len(set(secrets)) == 1
    assert len(secrets[0]) == 32
    assert await redis.ttl(keys.SIGNING_KEY) == -1


async def test_a_guest_has_a_name_until_it_is_changed(players: Players) -> None:
    assert await players.keep(ADA) == (Profile(ADA, guest_name(ADA)), False)
    assert await players.keep(ADA, "Ada") == (Profile(ADA, "Ada"), True)
    assert await players.keep(ADA, "Ada") == (Profile(ADA, "Ada"), False)
    assert await players.keep(ADA) == (Profile(ADA, "Ada"), False)
    assert await players.keep(BOB, "Bob") == (Profile(BOB, "Bob"), False)


async def test_players_without_a_name_have_the_profile_of_a_guest(players: Players) -> None:
    await players.keep(BOB, "Bob")
    assert await players.profiles([ADA, BOB]) == {
        ADA: Profile(ADA, guest_name(ADA)),
        BOB: Profile(BOB, "Bob"),
    }
    assert await players.profiles([]) == {}


async def test_a_new_session_replaces_the_one_before(players: Players, other: Database) -> None:
    assert await players.take_session(ADA, "first") is None
    assert await Players(other).take_session(ADA, "second") == "first"
    assert await players.take_session(ADA, "second") == "second"
    assert await players.take_session(BOB, "third") is None
    assert await players.newest_sessions([ADA, BOB, CYD]) == ["second", "third", None]
    assert await players.newest_sessions(list[PlayerId]()) == []


async def test_sessions_and_players_expire(redis: Client, players: Players) -> None:
    await players.keep(ADA, "Ada")
    await players.take_session(ADA, "one")
    await players.take_session(ADA, "two")
    assert 0 < await redis.ttl(keys.player(ADA)) <= keys.PLAYER_LIFE
    assert 0 < await redis.ttl(keys.session(ADA)) <= keys.SESSION_LIFE
