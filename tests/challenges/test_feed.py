"""Subscriptions to a challenge: the messages sent, and the cost of producing them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from server.base.core.ids import PlayerId
from server.base.core.quota import Item
from server.base.journals.cache import ReplicaCache
from server.base.journals.store import JournalStore
from server.base.quotas import quotas
from server.base.quotas.quotas import Scope
from server.base.redis.bus import Bus
from server.base.wire import codec
from server.base.wire import feed as wire_feed
from server.challenges import present
from server.challenges.core import charges
from server.challenges.core.challenge import MAX_PLAYERS, Challenge, Checkpoint, Entrant
from server.challenges.core.table import TOP
from server.challenges.messages import ChallengeChange
from server.players.profiles import Profiles
from server.results.leaderboards import REACH
from server.runs.runs import SHOWN
from tests.base.redis.servers import until
from tests.builders import ADA, BOB, CYD, START, reached
from tests.challenges.test_challenges import HOUR, TERMS, made, now, played
from tests.circles.test_circles import founded
from tests.clients.seats import HubNode, Seat, hubs_on
from tests.conftest import ALONE
from tests.nodes import Node

pytestmark = ALONE


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Update challenges after 10 ms."""
    monkeypatch.setattr(wire_feed, "TICK", 0.01)


async def watchers(hub: HubNode, link: str, count: int) -> list[Seat]:
    seats = [await hub.seat() for _ in range(count)]
    for seat in seats:
        await seat.ask("WatchChallenge", challenge=link)
    return seats


def has_ended(player: PlayerId) -> Any:
    return lambda event: any(
        row["player"]["id"] == player and row["state"] == "ended" for row in event["players"]
    )


async def test_a_change_is_encoded_once_per_level_of_access(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    challenge = await made(node)
    seats = await watchers(hub, challenge.id, 5)
    encoded: list[object] = []
    encode = codec.encode

    def counted(event: Any, *given: Any) -> bytes:
        if isinstance(event, ChallengeChange):
            encoded.append(event)
        return encode(event, *given)

    monkeypatch.setattr(codec, "encode", counted)
    await played(node, challenge.id, ADA)
    for seat in seats:
        await seat.next("ChallengeChange", has_ended(ADA))
    told = sum(len(seat.received("ChallengeChange")) for seat in seats)
    # The start and the end of her attempt may share an update.
    assert len(encoded) * len(seats) == told <= 2 * len(seats)


async def crowded(node: Node, key: str = "key", ended: int = 1) -> Challenge:
    """Return a challenge with the maximum number of players, some of whom have ended.

    Its journal is replaced by a single checkpoint.
    """
    challenge = await made(node, key=key)
    players = {
        PlayerId(f"p{number:015}"): Entrant(START, START) for number in range(MAX_PLAYERS - 2)
    }
    for number, player in enumerate([*players][:ended]):
        players[player] = Entrant(START, START, reached(9, number), START)
    whole = replace(challenge, players=players, version=2, begin=2, begun=len(players), ended=ended)
    (key_,) = await node.keys("*challenge:" + challenge.id)
    text = msgspec.json.encode(Checkpoint(replace(whole, version=1), START)).decode()
    await node.redis.delete(key_)
    await node.redis.xadd(key_, {"e": text}, id="0-2")
    await node.services.challenges.play(challenge.id, ADA)
    return await now(node, challenge)


async def test_messages_and_prices_of_a_full_challenge_are_bounded(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    challenge = await crowded(node)
    tables = node.services.challenges.tables
    bob = await hub.seat()
    before = tables.ordered
    for _ in range(2):
        shown = await bob.ask("WatchChallenge", challenge=challenge.id)
    assert (shown["size"], shown["begun"], shown["ended"]) == (MAX_PLAYERS - 1, MAX_PLAYERS - 1, 1)
    assert len(shown["players"]) == TOP
    assert len(codec.encode(await event_of(node, challenge, bob.player))) < 2_000
    page = await bob.ask("GetChallengers", challenge=challenge.id, first=MAX_PLAYERS - 2, count=9)
    assert [row["player"]["id"] for row in page["players"]][1:] == [ADA]
    assert tables.ordered - before <= 2, "once with results and once without"
    price = node.services.challenges.cost
    rows = charges.ROW_COST * TOP
    assert await price(challenge.id, CYD, rows=0) == 0
    assert await price(challenge.id, CYD, rows=TOP) == rows
    journals = node.services.challenges.journals
    monkeypatch.setattr(journals, "_replicas", ReplicaCache())
    monkeypatch.setattr(journals, "_followed", {})
    read, order = (each * (MAX_PLAYERS - 1) for each in (charges.READ_COST, charges.ORDER_COST))
    assert await price(challenge.id, CYD, rows=0) == read
    assert await price(challenge.id, CYD, rows=TOP) == pytest.approx(read + rows + order)


async def test_the_runs_of_a_full_challenge_are_the_best_and_ones_neighbours(node: Node) -> None:
    challenge = await crowded(node, ended=MAX_PLAYERS - 2)
    node.clock.time += 2 * HOUR + 1
    own = [*range(500 - REACH, 500 + REACH + 1)]
    for place, shown in ((SHOWN - 1, [*range(SHOWN + REACH)]), (500, [*range(SHOWN), *own])):
        player = PlayerId(f"p{place:015}")
        size, rows = await node.services.runs.on(challenge.made.deal, player)
        assert size == MAX_PLAYERS - 2
        assert [row.profile.id for row in rows] == [f"p{number:015}" for number in shown]


async def event_of(node: Node, challenge: Challenge, player: PlayerId) -> Any:
    """Return a challenge's message to a player."""
    page = await node.services.challenges.page(challenge, player)
    return present.challenge(page, await node.services.profiles.load(present.players_of(page)))


async def test_an_emote_loads_only_the_affected_names(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    challenge = await crowded(node)
    (seat,) = await watchers(hub, challenge.id, 1)
    ended = next(player for player in challenge.players if challenge.has_ended(player))
    await node.services.challenges.play(challenge.id, seat.player)
    await node.play_out(challenge.attempt(seat.player), seat.player)
    await node.apply_effects()
    await seat.next("Challenge", lambda event: event["own"]["state"] == "ended")
    read: list[PlayerId] = []
    load = Profiles.load

    async def noted(self: Profiles, players: Iterable[PlayerId]) -> Any:
        read.extend(known := list(players))
        return await load(self, known)

    monkeypatch.setattr(Profiles, "load", noted)
    await node.services.challenges.emote(challenge.id, seat.player, ended, 1)
    change = await seat.next("ChallengeChange", lambda event: bool(event["players"]))
    assert [row["player"]["id"] for row in change["players"]] == [ended] == read


async def test_a_list_does_not_read_journals(hub: HubNode, monkeypatch: pytest.MonkeyPatch) -> None:
    bob = await hub.seat()
    await played(hub.node, (await made(hub.node, named=(bob.player,))).id, ADA)
    read: list[str] = []
    whole = JournalStore.read

    async def counted(self: JournalStore, key: str) -> Any:
        read.append(key)
        return await whole(self, key)

    monkeypatch.setattr(JournalStore, "read", counted)
    hub.node.services.challenges.journals._replicas = ReplicaCache()
    (row,) = (await bob.ask("ListChallenges"))["challenges"]
    assert (row["state"], row["ended"], row["players"], row["news"]) == ("new", 1, 2, True)
    assert read == []


async def test_subscribers_on_another_node_are_updated_and_a_lost_message_costs_a_read(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hubs_on(node, other) as (_, there):
        challenge = await made(node)
        (seat,) = await watchers(there, challenge.id, 1)
        await played(node, challenge.id, ADA)
        await seat.next("ChallengeChange", has_ended(ADA))
        publish = Bus.publish
        lost = [True]

        def losing(self: Bus, topic: Any, payload: bytes = b"") -> None:
            if not (lost[0] and str(topic).startswith("challenge:")):
                publish(self, topic, payload)

        monkeypatch.setattr(node.bus, "publish", lambda *given: losing(node.bus, *given))
        await played(node, challenge.id, BOB)
        lost[0] = False
        # The next entry leaves a gap on the other node.
        await played(node, challenge.id, CYD)
        await seat.next("ChallengeChange", has_ended(BOB))


async def test_a_slow_reader_receives_the_whole_challenge_after_catching_up(hub: HubNode) -> None:
    challenge = await made(hub.node)
    slow, other = await watchers(hub, challenge.id, 2)
    slow.behind = True
    await played(hub.node, challenge.id, ADA)
    await other.next("ChallengeChange", has_ended(ADA))
    assert slow.news == []
    slow.behind = False
    whole = await slow.next("Challenge", has_ended(ADA))
    assert whole["version"] == (await now(hub.node, challenge)).version
    assert all(row["result"] is None or row["player"]["id"] == ADA for row in whole["players"])


async def test_subscribers_reconnect_after_the_store_lost_entries(hub: HubNode, node: Node) -> None:
    challenge = await made(node)
    (seat,) = await watchers(hub, challenge.id, 1)
    (key,) = await node.keys("*challenge:*")
    kept = await node.redis.dump(key)
    assert kept is not None
    await played(node, challenge.id, ADA)
    await seat.next("ChallengeChange", has_ended(ADA))
    await node.redis.restore(key, 0, kept, replace=True)
    await now(node, challenge)
    await until(lambda: seat.code is not None)


async def test_nothing_is_kept_without_subscribers(hub: HubNode, node: Node) -> None:
    one, another = await made(node), await made(node, key="another")
    first, second = await watchers(hub, one.id, 2)
    live = node.services.challenges.journals
    assert live.size == 1
    await first.ask("WatchChallenge", challenge=another.id)
    assert (live.size, hub.services.challenge_feeds.topic_of(first.session)) == (2, another.id)
    await second.ask("UnwatchChallenge")
    first.leave()
    await until(lambda: live.size == 0)
    await played(node, one.id, ADA)
    assert second.news == []


async def test_a_failed_watch_keeps_the_previous_subscription(hub: HubNode, node: Node) -> None:
    challenge = await made(node)
    (seat,) = await watchers(hub, challenge.id, 1)
    answer = await seat.ask("WatchChallenge", challenge="cha0000000000000")
    assert answer["code"] == "unknown_challenge"
    assert hub.services.challenge_feeds.topic_of(seat.session) == challenge.id
    assert node.services.challenges.journals.size == 1


async def test_a_journal_of_many_entries_is_bounded_by_checkpoints(node: Node) -> None:
    challenge = await made(node)
    await played(node, challenge.id, ADA)
    for number in range(300):
        await node.services.challenges.emote(challenge.id, ADA, ADA, number % 8)
    found = await now(node, challenge)
    assert found.version > 300
    assert found.version - found.begin <= 128
    (key,) = await node.keys("*challenge:*")
    assert await node.redis.xlen(key) <= 129


async def test_storage_is_charged_to_the_players_address(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quotas, "WRITE_AFTER", 0.0)
    bob = await hub.seat()
    here = Scope("here")
    node.services.quotas.where = lambda player: (here,) if player == bob.player else ()
    stored = 0

    async def is_charged(*items: Item) -> None:
        nonlocal stored
        stored += sum(item.size for item in items)

        async def is_so() -> bool:
            (found,) = await node.services.quotas.stored([here])
            return found.used == stored

        await until(is_so)

    challenge = await made(node)
    for _ in range(2):
        await bob.ask("WatchChallenge", challenge=challenge.id)
    await is_charged(charges.kept(charges.LOOKER_BYTES))
    attempt = await bob.ask("PlayChallenge", challenge=challenge.id)
    await bob.ask("PlayChallenge", challenge=challenge.id)
    terms = challenge.made.terms
    await is_charged(*charges.begun(terms.limit, terms.open_for))
    await bob.ask("resign", attempt=attempt["attempt"], seq=2)
    await node.apply_effects()
    for _ in range(2):
        await bob.ask("EmoteRun", challenge=challenge.id, player=bob.player, emote=1)
    await is_charged(charges.kept(charges.ENTRY_BYTES))


async def test_a_viewer_who_loses_access_is_notified_and_unsubscribed(hub: HubNode) -> None:
    stays, goes, plays = [await hub.seat() for _ in range(3)]
    circle = await founded(hub.node, *(each.player for each in (stays, goes, plays)))
    terms = msgspec.structs.replace(TERMS, circle=circle.id)
    challenge = await hub.node.services.challenges.create(ADA, terms, "key")
    await hub.node.services.challenges.play(challenge.id, plays.player)
    for each in (stays, goes, plays):
        await each.ask("WatchChallenge", challenge=challenge.id)
    for each in (goes, plays):
        await hub.node.services.circles.remove(circle.id, ADA, each.player)
    await hub.node.services.challenges.play(challenge.id, ADA)
    assert (await goes.next("ChallengeGone"))["challenge"] == challenge.id
    for each in (stays, plays):
        await each.next("ChallengeChange")
    assert goes.received("ChallengeChange") == []
    assert hub.services.challenge_feeds.topic_of(goes.session) is None
    assert (await goes.ask("WatchChallenge", challenge=challenge.id))["code"] == "unknown_challenge"
