"""Players: their names and their sessions."""

from __future__ import annotations

import pytest

from server.core.ids import PlayerId
from server.core.names import Profile, guest_name
from server.store import keys
from server.store.connection import Client
from server.store.database import Database
from server.store.keys import MAX_SESSIONS
from server.store.players import Players
from tests.core.builders import ADA, BOB, CYD


@pytest.fixture
def players(database: Database) -> Players:
    return Players(database)


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


async def test_a_player_has_several_sessions_by_last_use(players: Players, other: Database) -> None:
    assert await players.add_session(ADA, "n1/first", 100) == (["n1/first"], [])
    added = await Players(other).add_session(ADA, "n2/second", 200)
    assert added == (["n1/first", "n2/second"], [])
    await players.add_session(BOB, "n1/third", 300)
    players.use_session(ADA, "n1/first", 400)
    # One that has ended does not come back by being used.
    players.use_session(ADA, "n1/ended", 500)
    await players.keep(ADA)  # a write after those, on the same connection
    assert await players.sessions([ADA, BOB, CYD]) == [["n2/second", "n1/first"], ["n1/third"], []]
    assert await players.newest_sessions([ADA, BOB, CYD]) == ["n2/second", "n1/third", None]
    assert await players.newest_sessions(list[PlayerId]()) == []
    players.remove_session(ADA, "n2/second")
    await players.keep(ADA)
    assert await players.sessions([ADA]) == [["n1/first"]]


async def test_of_too_many_sessions_those_used_least_recently_are_dropped(players: Players) -> None:
    names = [f"node/{number}" for number in range(MAX_SESSIONS)]
    for at, name in enumerate(names):
        assert (await players.add_session(ADA, name, at))[1] == []
    players.use_session(ADA, names[0], 100)
    kept = [*names[2:], names[0], "node/new"]
    assert await players.add_session(ADA, "node/new", 200) == (kept, [names[1]])
    # A session that is added again is not one more.
    assert await players.add_session(ADA, "node/new", 300) == (kept, [])


async def test_sessions_and_players_expire(redis: Client, players: Players) -> None:
    await players.keep(ADA, "Ada")
    await players.add_session(ADA, "one", 1)
    await players.add_session(ADA, "two", 2)
    assert 0 < await redis.ttl(keys.player(ADA)) <= keys.PLAYER_LIFE
    for key in (keys.session(ADA), keys.sessions(ADA)):
        assert 0 < await redis.ttl(key) <= keys.SESSION_LIFE
