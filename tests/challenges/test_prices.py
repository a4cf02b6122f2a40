"""The prices of commands on challenges and circles, compared with their work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from server.base.core.ids import AttemptId, PlayerId
from server.base.journals.cache import ReplicaCache
from server.challenges.tables import ChallengeTables
from server.circles.circles import MAX_OWNED
from server.circles.core import commands
from server.circles.core import keys as circle_keys
from server.circles.core.circle import MAX_MEMBERS, Checkpoint, Circle, Member
from server.circles.core.ids import CircleId
from server.rooms.core.charges import MAX_SEATS
from tests.builders import ADA, START
from tests.challenges.test_challenges import known, made
from tests.challenges.test_feed import crowded
from tests.circles.test_circles import founded
from tests.clients.seats import HubNode
from tests.conftest import ALONE
from tests.nodes import Node, SetClock, attempt_of
from tests.prices import Prices, same, varied

pytestmark = ALONE

LARGE = 9
TERMS: dict[str, Any] = {
    "game": "lady-betty",
    "variant": "standard",
    "limit": 600,
    "open_for": 7_200,
}
TERMS |= {"help": "none", "target": True}


async def test_prices_on_challenges_match_their_work(
    hub: HubNode, node: Node, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices, bob = Prices(node, monkeypatch), await hub.seat()
    service, store = node.services.challenges, node.services.challenge_store
    people = [PlayerId(f"n{number:015}") for number in range(50)]
    await known(node, *people)
    large = [await crowded(node, key=f"large {number}") for number in range(LARGE)]
    for this, size in (((await made(node)).id, "small"), (large[0].id, "large")):
        begun = await prices.ask(bob, "PlayChallenge", {"challenge": this})
        await prices.ask(bob, "resign", {"attempt": begun["attempt"], "seq": 2})
        await prices.count(bob, "WatchChallenge", size, same(challenge=this))
        await prices.count(bob, "GetChallengers", size, same(challenge=this, first=1))
        emotes = varied("emote", range(3), challenge=this, player=bob.player)
        await prices.count(bob, "EmoteRun", size, emotes)

    def unordered(_: int) -> Mapping[str, Any]:
        service.tables = ChallengeTables()
        return {"challenge": large[0].id}

    def unread(number: int) -> Mapping[str, Any]:
        # Another one each time: the watched one stays in memory.
        service.tables = ChallengeTables()
        service.journals._replicas = ReplicaCache()
        return {"challenge": large[1 + number % 2].id}

    await prices.count(bob, "WatchChallenge", "not ordered", unordered)
    await prices.count(bob, "WatchChallenge", "not in memory", unread)
    others = [each.id for each in large[1:]]
    await prices.count(bob, "PlayChallenge", "large", varied("challenge", others))
    new = [(await made(node, PlayerId(f"y{number:015}"))).id for number in range(3)]
    await prices.count(bob, "PlayChallenge", "small", varied("challenge", new))
    await prices.count(bob, "ListChallenges", "of five", same())
    for challenge in large:
        await store.add(bob.player, challenge.id, START)
    await prices.count(bob, "ListChallenges", "of ten", same())
    for number in range(40):
        await store.add(bob.player, (await made(node, PlayerId(f"x{number:015}"))).id, START)
    await prices.count(bob, "ListChallenges", "of fifty", same())
    keys = [f"the key {number}" for number in range(3)]
    await prices.count(bob, "CreateChallenge", "for all", varied("key", keys, **TERMS))
    for_fifty = varied("key", [f"{key} for" for key in keys], **TERMS, players=people)
    await prices.count(bob, "CreateChallenge", "for fifty", for_fifty)
    for size, players in (("two", people[:1]), ("eight", people[: MAX_SEATS - 1])):
        fields = []
        for number in range(3):
            attempt = await raced(node, clock, bob.player, *players)
            given: dict[str, Any] = {"players": [], "circle": None, "key": f"of {size}, {number}"}
            fields.append({**TERMS, **given, "attempt": attempt})
        await prices.count(bob, "CreateChallenge", f"of {size}", fields.__getitem__)
    prices.check("challenges")


async def raced(node: Node, clock: SetClock, *players: PlayerId) -> AttemptId:
    """Run a ranked race, and return the first player's attempt."""
    for player in players:
        await node.services.histories.keep(player, START)
    room = await node.rematch((await node.room_of(*players)).opened.code, *players)
    clock.time += 60_000
    await node.play(attempt_of(room, players[0]), players[0])
    for player in players:
        await node.attempts.give_up(attempt_of(room, player))
    await node.apply_effects()
    return attempt_of(room, players[0])


async def full(node: Node, circle: Circle) -> None:
    others = range(MAX_MEMBERS - len(circle.members))
    members = (*circle.members, *(Member(PlayerId(f"m{n:015}"), START) for n in others))
    text = msgspec.json.encode(Checkpoint(replace(circle, members=members), circle.at)).decode()
    await node.redis.xadd(circle_keys.circle(circle.id), {"e": text}, id=f"0-{circle.version + 1}")
    await node.services.circles.find(circle.id)


async def test_prices_of_dailies_follow_from_the_work(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices, bob, cyd = Prices(node, monkeypatch), await hub.seat(), await hub.seat()
    circles = node.services.circles

    async def owned(key: str, *, is_full: bool) -> CircleId:
        circle = await circles.join(bob.player, (await founded(node, key=key)).link)
        circle = await circles.decide(circle.id, commands.hand_over, ADA, bob.player)
        if is_full:
            await full(node, circle)
        return circle.id

    await prices.count_baseline(bob)
    await prices.count(bob, "ListCircles", "of none", same())
    for size in ("small", "large"):
        this = await owned(size, is_full=size == "large")
        await prices.count(bob, "WatchCircle", size, same(circle=this))
        names = varied("name", ["One", "Two", "Three"], circle=this)
        await prices.count(bob, "RenameCircle", size, names)
        await prices.count(bob, "SetCircleSeason", size, varied("weeks", [2, 3, 4], circle=this))
        leagues = [["day", ["robert"], 600, drop] for drop in range(3)]
        await prices.count(bob, "SetCircleLeague", size, varied("league", leagues, circle=this))
    for size in ("small", "large"):
        gone = [await owned(f"{size} {n} gone", is_full=size == "large") for n in range(3)]
        await prices.count(bob, "DeleteCircle", size, varied("circle", gone))
    own = varied("key", [f"the first key {number}" for number in range(3)], name="Own")
    await prices.count(await hub.seat(), "CreateCircle", "in none", own)
    for number in range(MAX_OWNED - 3):
        await prices.ask(cyd, "CreateCircle", {"name": "Own", "key": f"the key {number}"})
    own = varied("key", [f"another key {number}" for number in range(3)], name="Own")
    await prices.count(cyd, "CreateCircle", "in seven", own)
    await prices.count(cyd, "ListCircles", "of ten", same())
    for size in ("small", "large"):
        circle = await owned(f"{size} challenged", is_full=size == "large")
        keys = [f"a challenge in a {size} one {number}" for number in range(3)]
        given = varied("key", keys, **TERMS, players=[], circle=circle)
        await prices.count(bob, "CreateChallenge", size, given)
    prices.check("circles")
