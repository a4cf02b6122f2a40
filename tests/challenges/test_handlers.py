"""Challenges over real sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.clients.client import Client, Message, opened
from tests.clients.play import KEY, race_of, resign
from tests.conftest import ALONE, node

pytestmark = [ALONE, pytest.mark.usefixtures("short_countdown")]

TERMS: dict[str, Any] = {
    "game": "robert",
    "limit": 900,
    "open_for": 3_600,
    "variant": "standard",
    "help": "none",
    "target": True,
    "players": [],
}


@pytest.fixture
async def other_port(redis_url: str, port: int) -> AsyncIterator[int]:
    async with node(redis_url) as other:
        yield other


async def made(client: Client, key: str = KEY, **given: Any) -> Message:
    return await client.ask("CreateChallenge", **(TERMS | {"key": key} | given))


async def hello(*clients: Client) -> list[str]:
    return [(await each.hello())["player"]["id"] for each in clients]


async def watched(client: Client, challenge: str) -> Message:
    return await client.ask("WatchChallenge", challenge=challenge)


async def ended(client: Client, challenge: str) -> Message:
    attempt = await client.ask("PlayChallenge", challenge=challenge)
    await client.ask("move", attempt=attempt["attempt"], seq=2, move="s>w")
    await client.ask("resign", attempt=attempt["attempt"], seq=3)
    return attempt


def states(event: Message) -> dict[str, str]:
    return {row["player"]["id"]: row["state"] for row in event["players"]}


def has_no_results(event: Message) -> bool:
    return all(rank is None for _, rank in event.get("ranks", [])) and all(
        row["result"] is row["rank"] is row["attempt"] is None and not row["emotes"]
        for row in event["players"]
    )


async def test_challenges_are_watched_and_played_on_two_nodes(port: int, other_port: int) -> None:
    async with opened(port) as ada, opened(other_port) as bob, opened(other_port) as cyd:
        first, second, _ = await hello(ada, bob, cyd)
        challenge = await made(ada, target=False)
        assert (challenge["audience"], challenge["may_play"], challenge["seed"]) == (
            "link",
            True,
            None,
        )
        link = challenge["challenge"]
        for client in (ada, bob, cyd):
            assert (await watched(client, link))["players"] == []
        assert (await ada.ask("PlayChallenge", challenge=link))["occasion"] == f"c:{link}"
        begun = await bob.next("ChallengeChange")
        assert (states(begun), has_no_results(begun)) == ({first: "playing"}, True)
        await ended(ada, link)
        # The start and end of the player's own attempt send the whole challenge.
        own = await ada.next("Challenge", lambda event: event["mine"] is not None)
        while own["players"][0]["state"] != "ended":
            own = await ada.next("Challenge")
        assert (own["mine"]["moves"], own["players"][0]["rank"], own["may_play"]) == (1, 1, False)
        change = await bob.next("ChallengeChange")
        assert (states(change), has_no_results(change)) == ({first: "ended"}, True)
        await ended(bob, link)
        shown = await bob.next("Challenge", lambda event: len(event["players"]) == 2)
        while not all(row["result"] for row in shown["players"]):
            shown = await bob.next("Challenge")
        assert {row["attempt"] for row in shown["players"]} == {
            f"{challenge['deal']}.{each}" for each in (first, second)
        }
        change = await cyd.next("ChallengeChange", lambda event: states(event) == {second: "ended"})
        assert has_no_results(change)
        change = await ada.next("ChallengeChange", lambda event: states(event) == {second: "ended"})
        assert change["players"][0]["result"]["moves"] == 1
        assert {player for player, _ in change["ranks"]} == {first, second}
        run = f"{challenge['deal']}.{second}"
        assert (await cyd.ask("GetRun", attempt=run))["code"] == "deal_open"
        assert (await ada.ask("GetRun", attempt=run))["end"] == "resigned"
        assert (await ada.ask("EmoteRun", challenge=link, player=second, emote=2))["type"] == "done"
        change = await bob.next("ChallengeChange")
        assert change["players"][0]["emotes"] == [(first, 2)]
        assert (await cyd.ask("EmoteRun", challenge=link, player=second, emote=2))["code"] == (
            "not_played"
        )


async def test_a_challenged_player_receives_their_list(port: int, other_port: int) -> None:
    async with opened(port) as ada, opened(other_port) as bob:
        _, named = await hello(ada, bob)
        challenge = await made(ada, players=[named])
        assert states(challenge) == dict.fromkeys([challenge["creator"]["id"], named], "named")
        (row,) = (await bob.next("Challenges"))["challenges"]
        assert (row["challenge"], row["state"], row["news"]) == (
            challenge["challenge"],
            "new",
            True,
        )
        (row,) = (await bob.ask("ListChallenges", seen=True))["challenges"]
        assert row["news"]
        (row,) = (await bob.ask("ListChallenges"))["challenges"]
        assert not row["news"]
        await bob.ask("HideChallenge", challenge=challenge["challenge"])
        assert (await bob.ask("ListChallenges"))["challenges"] == []


async def test_the_close_reveals_the_seed_and_a_rematch_follows(port: int) -> None:
    async with opened(port) as ada, opened(port) as bob, opened(port) as cyd:
        _, named, _ = await hello(ada, bob, cyd)
        challenge = await made(ada, players=[named])
        link = challenge["challenge"]
        await watched(cyd, link)
        assert (await cyd.ask("PlayChallenge", challenge=link))["code"] == "not_challenged"
        await ended(ada, link)
        await ended(bob, link)
        over = await cyd.next("Challenge", lambda event: event["over"])
        assert over["seed"] is not None
        assert all(row["result"] is not None for row in over["players"])
        assert (await cyd.ask("deal.show", deal=challenge["deal"]))["seed"] == over["seed"]
        following = await bob.ask("Rematch", challenge=link)
        assert following["deal"] != challenge["deal"]
        change = await cyd.next("ChallengeChange", lambda event: event["rematch"] is not None)
        assert change["rematch"] == following["challenge"]
        assert (await ada.ask("Rematch", challenge=link))["challenge"] == following["challenge"]


async def test_subscribers_are_notified_of_an_early_close(port: int) -> None:
    async with opened(port) as ada, opened(port) as bob, opened(port) as cyd:
        await hello(ada, bob, cyd)
        link = (await made(ada))["challenge"]
        attempt = await bob.ask("PlayChallenge", challenge=link)
        assert (await watched(cyd, link))["may_play"]
        assert (await cyd.ask("CloseChallenge", challenge=link))["code"] == "not_creator"
        assert (await ada.ask("CloseChallenge", challenge=link))["type"] == "done"
        shown = await cyd.next("Challenge")
        assert (shown["closing"], shown["over"], shown["may_play"], shown["seed"]) == (
            *(True, False, False, None),
        )
        await bob.ask("resign", attempt=attempt["attempt"], seq=2)
        over = await cyd.next("Challenge", lambda event: event["over"])
        assert over["seed"] is not None
        assert over["closes"] < shown["closes"]


async def test_a_challenge_on_a_races_deal_is_open_to_who_has_not_seen_it(port: int) -> None:
    async with opened(port) as ada, opened(port) as bob, opened(port) as cyd, opened(port) as dan:
        mine, yours = await race_of(ada, bob, seats=3)
        await hello(cyd, dan)
        code = mine["room"]
        await cyd.ask("room.join", code=code)
        await resign(ada, mine)
        await resign(bob, yours)

        def is_over(event: Message) -> bool:
            return bool(event["round"]["over"])

        # Cyd has not raced and cannot see the seed.
        for client, is_secret in ((ada, False), (bob, False), (cyd, True)):
            assert ((await client.next("room", is_over))["round"]["seed"] is None) == is_secret
        challenge = await made(ada, attempt=mine["attempt"])
        assert challenge["race"]
        assert {row["state"] for row in challenge["players"]} == {"ended"}
        assert (await cyd.ask("deal.show", deal=mine["deal"]))["seed"] is None
        assert (await bob.ask("deal.show", deal=mine["deal"]))["seed"] is not None
        link = challenge["challenge"]
        assert not has_no_results(await watched(bob, link))
        # A seat in the room does not reveal the boards to Cyd either.
        shown = await cyd.ask("WatchRound", code=code)
        assert (shown["sight"], shown["boards"]) == ("hidden", [])
        assert len((await ada.ask("WatchRound", code=code))["boards"]) == 2
        assert (await cyd.ask("PlayChallenge", challenge=link))["deal"] == mine["deal"]


async def test_possible_players_of_a_races_deal_see_no_results(port: int, other_port: int) -> None:
    def reached(room: Message) -> Any:
        runners = [(each["result"], each["rank"]) for each in room["round"]["runners"]]
        sums = [(each["wins"], each["points"]) for each in room["members"]]
        return room["round"]["sealed"], runners, sums, room["scores"]

    nothing = {"home": 0, "left": 0, "time": 0, "moves": 0, "end": None}

    async with opened(port) as ada, opened(port) as bob, opened(other_port) as cyd:
        mine, yours = await race_of(ada, bob, seats=3)
        await hello(cyd)
        code = mine["room"]
        await ada.ask("move", attempt=mine["attempt"], seq=2, move="s>w")
        await ada.ask("resign", attempt=mine["attempt"], seq=3)
        await resign(bob, yours)
        await ada.next("room", lambda event: bool(event["round"]["over"]))
        challenge = await made(ada, attempt=mine["attempt"])
        late = await cyd.ask("room.join", code=code)
        sealed, runners, sums, scores = reached(late)
        assert (sealed, sums, scores, len(runners)) == (True, [(0, 0)] * 3, [], 2)
        for result, rank in runners:
            assert (result.items() >= nothing.items(), rank) == (True, None)
        await ada.ask("room.ready", code=code, ready=True)

        def is_later(event: Message) -> bool:
            return bool(event["version"] > late["version"])

        assert reached(await cyd.next("room", is_later)) == reached(late)
        whole = await bob.next("room", is_later)
        assert not reached(whole)[0]
        assert [score["number"] for score in whole["scores"]] == [1]
        await ended(cyd, challenge["challenge"])
        assert reached(await cyd.ask("room.join", code=code))[0]
        async with opened(port) as again:
            await again.hello(token=cyd.token)
            assert reached(await again.ask("room.join", code=code)) == reached(whole)


async def test_a_race_with_spectators_cannot_become_a_challenge(port: int) -> None:
    async with opened(port) as ada, opened(port) as bob, opened(port) as cyd:
        mine, yours = await race_of(ada, bob, seats=3)
        await hello(cyd)
        await cyd.ask("room.join", code=mine["room"])
        await cyd.ask("WatchRound", code=mine["room"])
        await resign(ada, mine)
        await resign(bob, yours)
        await ada.next("room", lambda event: bool(event["round"]["over"]))
        assert (await made(ada, attempt=mine["attempt"]))["code"] == "deal_shown"
