"""What commands on challenges and circles cost players, beside the work that they make.

Work is counted, since times say little on a busy machine: calls of functions, writes to Redis, and
bytes that are sent. The row `prices` of `deploy.bench` measures times.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec
import pytest

from server.base.core.ids import CircleId, PlayerId
from server.base.journals.cache import ReplicaCache
from server.base.journals.core.entry import Entries
from server.base.journals.store import JournalStore
from server.base.net.budgets import Payer
from server.base.redis.pipeline import Pipeline
from server.challenges.tables import ChallengeTables
from server.circles.circles import MAX_OWNED
from server.circles.core import keys as circle_keys
from server.circles.core.circle import MAX_MEMBERS, Checkpoint, Circle, Member
from tests.builders import ADA, START
from tests.challenges.test_challenges import known, made
from tests.challenges.test_feed import crowded
from tests.circles.test_circles import founded
from tests.clients.seats import HubNode, Seat
from tests.conftest import ALONE
from tests.nodes import Node

pytestmark = ALONE

FLUSH, BYTE = 100.0, 0.05
"""As many calls take about as long as a round trip to Redis, and as encoding or decoding a byte."""

TESTS = str(Path(__file__).parents[1])
LARGE = 9
TERMS: dict[str, Any] = {
    "game": "lady-betty",
    "variant": "standard",
    "limit": 600,
    "open_for": 7_200,
}
TERMS |= {"help": "none", "target": True}


Given = Callable[[int], Mapping[str, Any]]
"""Returns the fields of a command, given how often it was sent before."""


def same(**fields: Any) -> Given:
    """Return what always returns the same fields."""
    return lambda _: fields


def varied(name: str, values: Sequence[Any], /, **fields: Any) -> Given:
    """Return what returns these fields and one of another value each time."""
    return lambda number: {**fields, name: values[number]}


class Prices:
    """Counts the work of commands, and what is charged for them.

    Attributes:
        found: by name, what was charged for each unit of work.
    """

    def __init__(self, node: Node, patch: pytest.MonkeyPatch) -> None:
        self.found: dict[str, float] = {}
        self._node = node
        self._price = self._work = 0.0
        read = JournalStore.read

        async def reading(journals: JournalStore, key: str) -> Entries:
            found = await read(journals, key)
            self._work += BYTE * sum(map(len, found.texts))
            return found

        patch.setattr(JournalStore, "read", reading)
        patch.setattr(Payer, "pay", lambda _, cost, __: self._pay(cost))

    def _pay(self, cost: float) -> bool:
        self._price += cost
        return True

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        """Count a call, unless a test makes it."""
        if event.endswith("call") and not frame.f_code.co_filename.startswith(TESTS):
            self._work += 1
            if event == "call" and frame.f_code is Pipeline._flush.__code__:
                self._work += FLUSH

    async def ask(self, seat: Seat, type_: str, given: Mapping[str, Any]) -> Any:
        """Send a command, and let follow what does."""
        answer = await seat.ask(type_, **given)
        assert answer["type"] != "refused", answer
        await self._node.apply_effects()
        return answer

    async def count(self, seat: Seat, type_: str, of: str, given: Given) -> None:
        """Ask for something three times: at first, scripts are loaded, and then the less counts."""
        await self.ask(seat, type_, given(0))
        counted = []
        for number in (1, 2):
            fields = given(number)
            self._price = self._work = 0.0
            begin = len(seat.frames)
            sys.setprofile(self._note)
            try:
                await self.ask(seat, type_, fields)
            finally:
                sys.setprofile(None)
            work = self._work + BYTE * sum(map(len, seat.frames[begin:]))
            counted.append((work, self._price / work))
        self.found[f"{type_} {of}"] = min(counted)[1]

    def check(self, baseline: str) -> None:
        """Check that each price is right within a factor of two, compared with that of one."""
        right = self.found[baseline]
        wrong = {name: each / right for name, each in self.found.items()
                 if not right / 2 <= each <= 2 * right}  # fmt: skip
        assert not wrong


async def test_prices_on_challenges_follow_from_the_work(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices, bob = Prices(node, monkeypatch), await hub.seat()
    service, store = node.services.challenges, node.store.challenges
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

    def unread(_: int) -> Mapping[str, Any]:
        service._replicas = ReplicaCache()
        return unordered(0)

    await prices.count(bob, "WatchChallenge", "not ordered", unordered)
    await prices.count(bob, "WatchChallenge", "not in memory", unread)
    others = [each.id for each in large[1:]]
    await prices.count(bob, "PlayChallenge", "large", varied("challenge", others))
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
    prices.check("WatchChallenge small")


async def full(node: Node, circle: Circle) -> None:
    """Give a circle as many members as it may have."""
    others = range(MAX_MEMBERS - len(circle.members))
    members = (*circle.members, *(Member(PlayerId(f"m{n:015}"), START) for n in others))
    text = msgspec.json.encode(Checkpoint(replace(circle, members=members), circle.at)).decode()
    await node.redis.xadd(circle_keys.circle(circle.id), {"e": text}, id=f"0-{circle.version + 1}")
    await node.services.circles.find(circle.id)


async def test_prices_on_circles_follow_from_the_work(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices, bob, cyd = Prices(node, monkeypatch), await hub.seat(), await hub.seat()
    circles = node.services.circles

    async def owned(key: str, *, is_full: bool) -> CircleId:
        """Return a circle of Bob."""
        circle = await circles.join(bob.player, (await founded(node, key=key)).link)
        circle = await circles.hand_over(circle.id, ADA, bob.player)
        if is_full:
            await full(node, circle)
        return circle.id

    await prices.count(bob, "WatchChallenge", "small", same(challenge=(await made(node)).id))
    await prices.count(bob, "ListCircles", "of none", same())
    for size in ("small", "large"):
        this = await owned(size, is_full=size == "large")
        await prices.count(bob, "WatchCircle", size, same(circle=this))
        names = varied("name", ["One", "Two", "Three"], circle=this)
        await prices.count(bob, "RenameCircle", size, names)
        await prices.count(bob, "SetCircleSeason", size, varied("weeks", [2, 3, 4], circle=this))
        leagues = [["day", ["robert"], 600, drop] for drop in range(3)]
        await prices.count(bob, "SetCircleLeague", size, varied("league", leagues, circle=this))
    gone = [await owned(f"gone {number}", is_full=True) for number in range(3)]
    await prices.count(bob, "DeleteCircle", "large", varied("circle", gone))
    for number in range(MAX_OWNED - 3):
        await prices.ask(cyd, "CreateCircle", {"name": "Own", "key": f"the key {number}"})
    own = varied("key", [f"another key {number}" for number in range(3)], name="Own")
    await prices.count(cyd, "CreateCircle", "in seven", own)
    await prices.count(cyd, "ListCircles", "of ten", same())
    prices.check("WatchChallenge small")
