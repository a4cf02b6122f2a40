"""Dailies and leaderboards over real sockets."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.catalog import daily_games
from server.base.core import days
from server.base.journals import store as journals_store
from server.base.redis.clock import RedisClock
from server.base.redis.database import Database
from server.deals.pool_store import PoolStore
from tests.clients.client import Client, Message, opened
from tests.clients.play import give_up_daily, resign
from tests.conftest import ALONE, node, secret_keys
from tests.deals.certified import pooled

pytestmark = [ALONE, pytest.mark.usefixtures("short_countdown")]


async def test_everyone_has_the_same_deal_of_the_day(redis_url: str) -> None:
    found = []
    for _ in range(2):
        async with node(redis_url) as port, opened(port) as client:
            await client.hello()
            found.append(await client.ask("daily.list"))
    first, again = found
    assert [game["deal"] for game in first["games"]] == [game["deal"] for game in again["games"]]
    assert [game["game"] for game in first["games"]] == list(daily_games())
    assert first["ends"] - first["now"] <= days.DAY
    assert first["date"] == days.date_text(first["day"])
    assert sorted(game for crown in first["crowns"] for game in crown["games"]) == sorted(
        daily_games()
    )


async def test_a_daily_can_be_resumed_but_not_played_twice(port: int) -> None:
    async with opened(port) as client:
        token = (await client.hello())["token"]
        attempt = await client.ask("daily.open", game="robert")
        await client.ask("move", attempt=attempt["attempt"], seq=2, move="s>w")
    async with opened(port) as client:
        await client.hello(token)
        resumed = await client.ask("daily.open", game="robert")
        assert resumed["attempt"] == attempt["attempt"]
        assert (resumed["started"], resumed["result"]["moves"]) == (attempt["started"], 1)
        await resign(client, resumed)
        assert (await client.ask("daily.open", game="robert"))["code"] == "already_played"
        mine = {g["game"]: g["mine"] for g in (await client.ask("daily.list"))["games"]}
        assert (mine["robert"]["end"], mine["deuces"]) == ("resigned", None)


async def test_only_games_on_the_operators_list_are_dailies(redis_url: str) -> None:
    listed = ("roosevelt", "deuces")
    async with node(redis_url, daily_games=listed) as port, opened(port) as client:
        await client.hello()
        found = await client.ask("daily.list")
        assert [each["game"] for each in found["games"]] == ["deuces", "roosevelt"]
        assert (await client.ask("daily.open", game="deuces"))["type"] == "attempt"
        assert (await client.ask("daily.open", game="robert"))["code"] == "no_daily"
        room = await client.ask("room.create", game="robert", seats=1, limit=600, key="0123456789")
        assert room["type"] == "room"


async def test_a_certificate_is_shown_without_its_line(redis_url: str, database: Database) -> None:
    made = pooled("robert")
    await PoolStore(database, secret_keys()).put(made)
    async with node(redis_url) as port, opened(port) as client:
        await client.hello()
        listed = await client.ask("daily.list")
        said = {each["game"]: each["certificate"] for each in listed["games"]}
        level = days.level_of(listed["day"])
        assert said.pop("robert") == {"winnable": False, "par": made.par, "level": level}
        assert set(said.values()) == {None}
        attempt = await client.ask("daily.open", game="robert")
        assert attempt["deal"] == made.id
        assert attempt["certificate"] == {"winnable": False, "par": made.par, "level": level}
        shown = await client.ask("deal.show", deal=made.id)
        assert not {"line", "certificate"} & shown.keys()
        assert made.line not in str((listed, attempt, shown))


async def test_a_run_is_ranked_if_its_player_was_kept_before_it_began(port: int) -> None:
    """Without a group, the leaderboard of the player's group is returned."""
    async with opened(port) as client:
        me = (await client.hello())["player"]["id"]
        await give_up_daily(client)
        await shown(client, lambda b: b["size"] == 1, game="robert", scope="day")
        await client.ask("KeepRecoveryCode", code=(await client.ask("NewRecoveryCode"))["code"])
        board = await shown(client, lambda b: b["size"] == 1, game="robert", scope="day")
        assert board["group"] == "guests"
        assert [row["player"]["id"] for row in board["around"]] == [me]
        await give_up_daily(client, "deuces")
        board = await shown(client, lambda b: b["size"] == 1, game="deuces", scope="day")
        assert board["group"] == "ranked"
        board = await shown(client, lambda b: b["size"] == 0, game="lady-betty", scope="day")
        assert board["group"] == "ranked"


async def shown(client: Client, test: Callable[[Message], bool], **which: str) -> Message:
    board = await client.ask("leaderboard.watch", day=None, group=None, **which)
    return board if test(board) else await client.next("leaderboard", test)


async def test_an_ended_dailys_seed_is_shown(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(port) as client:
        await client.hello()
        attempt = await client.ask("daily.open", game="robert")
        await client.ask("move", attempt=attempt["attempt"], seq=2, move="s>w")
        monkeypatch.setattr(journals_store, "CLOCK_TOLERANCE_MS", 10**15)
        now = RedisClock.now
        late = days.ends(attempt["day"]) - attempt["now"] + days.GRACE_MS // 2
        monkeypatch.setattr(RedisClock, "now", lambda clock: now(clock) + late)
        assert (await client.ask("daily.open", game="robert"))["attempt"] == attempt["attempt"]
        assert (await client.ask("deal.show", deal=attempt["deal"]))["seed"] is None
        open_ = await client.ask("leaderboard.watch", game="robert", day=attempt["day"])
        assert open_["deal"] is None
        monkeypatch.setattr(RedisClock, "now", lambda clock: now(clock) + late + days.GRACE_MS)
        assert (await client.next("ended"))["result"]["end"] == "time"
        assert (await client.ask("deal.show", deal=attempt["deal"]))["seed"] is not None
        board = await client.ask("leaderboard.watch", game="robert", day=attempt["day"])
        assert board["deal"] == attempt["deal"]
        if board["size"] == 0:
            board = await client.next("leaderboard")
        assert board["size"] == 1
        assert (await client.ask("daily.open", game="robert"))["day"] == attempt["day"] + 1


async def test_an_unknown_deal_is_refused(port: int) -> None:
    async with opened(port) as client:
        await client.hello()
        assert (await client.ask("deal.show", deal="nothing"))["code"] == "unknown_deal"
