"""Players' names and sessions in the store."""

from __future__ import annotations

from typing import cast

import pytest

from server.base.core import keys
from server.base.redis.connection import Client
from server.base.redis.database import Database
from server.players.core import keys as players_keys
from server.players.core.keys import MAX_SESSIONS
from server.players.core.names import Profile, Recorded, guest_name
from server.players.store import PlayerStore
from server.results.histories_store import HistoryStore
from tests.builders import ADA, BOB, CYD, refusal_from


@pytest.fixture
def players(database: Database) -> PlayerStore:
    return PlayerStore(database)


async def test_a_guest_has_a_name_until_it_is_changed(players: PlayerStore) -> None:
    assert await players.update(ADA) == Recorded(Profile(ADA, guest_name(ADA)), False, unused=False)
    assert await players.update(ADA, "Ada") == Recorded(Profile(ADA, "Ada"), True, unused=False)
    assert await players.update(ADA, "Ada") == Recorded(Profile(ADA, "Ada"), False, unused=False)
    assert await players.update(ADA) == Recorded(Profile(ADA, "Ada"), False, unused=False)
    assert await players.update(BOB, "Bob") == Recorded(Profile(BOB, "Bob"), True, unused=False)


async def test_players_without_a_name_have_the_profile_of_a_guest(players: PlayerStore) -> None:
    await players.update(BOB, "Bob")
    assert await players.profiles([ADA, BOB]) == {
        ADA: Profile(ADA, guest_name(ADA)),
        BOB: Profile(BOB, "Bob"),
    }
    assert await players.profiles([]) == {}


async def test_sessions_are_by_last_use(players: PlayerStore, other_database: Database) -> None:
    assert await players.add_session(ADA, "n1/first", 100) == (["n1/first"], [])
    added = await PlayerStore(other_database).add_session(ADA, "n2/second", 200)
    assert added == (["n1/first", "n2/second"], [])
    await players.add_session(BOB, "n1/third", 300)
    players.use_session(ADA, "n1/first", 400)
    players.use_session(ADA, "n1/ended", 500)
    await players.update(ADA)  # a write after those, on the same connection
    assert await players.sessions([ADA, BOB, CYD]) == [["n2/second", "n1/first"], ["n1/third"], []]
    players.remove_session(ADA, "n2/second")
    await players.update(ADA)
    assert await players.sessions([ADA]) == [["n1/first"]]


async def test_a_session_is_stored_together_with_the_record(
    redis: Client, players: PlayerStore
) -> None:
    found = await players.enter(ADA, "n1/first", 1_000, 0, name="Ada")
    assert found == (Recorded(Profile(ADA, "Ada"), True, unused=False), ["n1/first"], [])
    record = cast("dict[str, str]", await redis.hgetall(players_keys.player(ADA)))
    assert record == {"name": "Ada", "created": "1000"}
    assert 0 <= players_keys.GUEST_LIFE_S - await redis.ttl(players_keys.player(ADA)) < 60
    again = await players.enter(ADA, "n1/second", 2_000, 1)
    assert again == (
        Recorded(Profile(ADA, "Ada"), False, unused=False),
        ["n1/first", "n1/second"],
        [],
    )
    assert await refusal_from(players.enter(ADA, "n1/third", 3_000, 0)) == "bad_token"
    await redis.hset(players_keys.player(ADA), "barred", 5_000)
    assert await refusal_from(players.enter(ADA, "n1/third", 4_000, 1)) == "barred"
    assert await players.sessions([ADA]) == [["n1/first", "n1/second"]]


async def test_the_least_recent_of_too_many_sessions_are_dropped(players: PlayerStore) -> None:
    names = [f"node/{number}" for number in range(MAX_SESSIONS)]
    for at, name in enumerate(names):
        assert (await players.add_session(ADA, name, at))[1] == []
    players.use_session(ADA, names[0], 100)
    kept = [*names[2:], names[0], "node/new"]
    assert await players.add_session(ADA, "node/new", 200) == (kept, [names[1]])
    # Adding a session again does not count towards the limit.
    assert await players.add_session(ADA, "node/new", 300) == (kept, [])


async def test_the_first_session_added_in_a_millisecond_is_dropped(players: PlayerStore) -> None:
    now = 1_800_000_000_000
    names = [f"node/{number}" for number in reversed(range(MAX_SESSIONS))]
    for name in names:
        assert (await players.add_session(ADA, name, now))[1] == []
    # The clock of another node is behind.
    kept = [*names[1:], "node/a"]
    assert await players.add_session(ADA, "node/a", now - 1) == (kept, [names[0]])


async def test_a_guest_without_a_name_leaves_nothing(redis: Client, players: PlayerStore) -> None:
    for _ in range(2):
        assert (await players.update(ADA, None, 0, 1_000))[0].name == guest_name(ADA)
        await players.add_session(ADA, "n1/first", 100)
        await players.add_session(ADA, "n1/second", 200)
        for name in ("n1/second", "n1/first"):
            players.remove_session(ADA, name)
        assert (await players.sessions([ADA]), await redis.exists(*_KEYS)) == ([[]], 0)


_KEYS = (players_keys.player(ADA), keys.sessions(ADA))


async def test_a_record_is_created_with_the_name(redis: Client, players: PlayerStore) -> None:
    await players.update(ADA, None, 0, 1_000)
    await players.update(ADA, "Ada", 0, 2_000)
    await players.update(ADA, "Ada L.", None, 3_000)
    record = cast("dict[str, str]", await redis.hgetall(players_keys.player(ADA)))
    assert record == {"name": "Ada L.", "created": "2000"}


async def test_an_epoch_known_only_to_a_token_is_kept(redis: Client, players: PlayerStore) -> None:
    await players.update(ADA, None, 2)
    assert await refusal_from(players.update(ADA, None, 1)) == "bad_token"
    assert 0 <= players_keys.PLAYER_LIFE_S - await redis.ttl(players_keys.player(ADA)) < 60


async def test_sessions_and_players_expire(redis: Client, players: PlayerStore) -> None:
    record = players_keys.player(ADA)
    await players.update(ADA, "Ada")
    await players.add_session(ADA, "one", 1)
    await players.add_session(ADA, "two", 2)
    assert 0 <= players_keys.GUEST_LIFE_S - await redis.ttl(record) < 60
    assert 0 < await redis.ttl(keys.sessions(ADA)) <= keys.SESSION_LIFE_S


@pytest.mark.parametrize("field", ["barred", "hidden"])
async def test_restrictions_outlive_guests(redis: Client, players: PlayerStore, field: str) -> None:
    record = players_keys.player(ADA)
    await redis.hset(record, field, "0")
    await players.update(ADA, "Ada")
    assert 0 <= players_keys.PLAYER_LIFE_S - await redis.ttl(record) < 60


async def test_a_name_lives_as_long_as_its_results(
    redis: Client, database: Database, players: PlayerStore
) -> None:
    record, histories = players_keys.player(ADA), HistoryStore(database)
    await players.update(ADA, "Ada")
    assert await histories.change(ADA, 0, {"kept": "1"})
    assert 0 <= players_keys.GUEST_LIFE_S - await redis.ttl(record) < 60
    assert await histories.change(ADA, 1, {"t:robert": "[]"})
    for _ in range(2):
        assert 0 <= players_keys.PLAYER_LIFE_S - await redis.ttl(record) < 60
        await players.update(ADA)
    await redis.persist(record)
    assert await histories.change(ADA, 2, {"kept": None})
    assert await redis.ttl(record) == -1
