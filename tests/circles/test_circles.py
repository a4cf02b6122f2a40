"""The circles service on several nodes: founding, joining, leaving and scheduled work."""

from __future__ import annotations

import json
from typing import Any

import pytest

from server.base.core.days import DAY
from server.base.core.ids import PlayerId
from server.base.core.refusal import Refusal
from server.base.journals.cache import ReplicaCache
from server.base.journals.store import JournalStore
from server.base.work.random_text import random_id
from server.circles import circles as service
from server.circles.core import commands, keys
from server.circles.core.circle import Circle
from server.circles.core.events import League
from server.circles.core.ids import CircleId
from server.circles.core.keys import CircleDue
from server.circles.journal import CHECKPOINT_EVERY
from server.circles.store import CircleStore
from tests.builders import ADA, BOB, CYD, START, refusal_from, refusal_of
from tests.nodes import Node

NOBODYS = CircleId("0000000000000000")


async def founded(node: Node, *others: PlayerId, key: str = "creation") -> Circle:
    circle = await node.services.circles.found(ADA, "Friends", key)
    for player in others:
        circle = await node.services.circles.join(player, circle.link)
    return circle


async def names(node: Node, player: PlayerId) -> list[CircleId]:
    return [each.id for each in (await node.services.circles.of(player)).circles]


async def test_a_retry_finds_the_same_circle(node: Node, other: Node) -> None:
    circle = await founded(node)
    assert await other.services.circles.found(ADA, "Friends", "creation") == circle
    another = await founded(other, key="another")
    assert set(await names(other, ADA)) == {circle.id, another.id}
    assert circle.id != another.id


async def test_a_forbidden_name_is_refused(node: Node) -> None:
    circles = node.services.circles
    assert await refusal_from(circles.found(ADA, "\u202e", "creation")) == "bad_name"
    circle = await founded(node)
    assert await refusal_from(circles.rename(circle.id, ADA, " ")) == "bad_name"
    assert (await circles.rename(circle.id, ADA, "  The  club ")).name == "The club"


async def test_members_on_two_nodes_see_the_same_circle(node: Node, other: Node) -> None:
    circle = await founded(node, BOB)
    found = await other.services.circles.load(circle.id, BOB)
    assert found.players == [ADA, BOB]
    await other.services.circles.leave(circle.id, ADA)
    found = await node.services.circles.load(circle.id, BOB)
    assert (found.owner, found.players) == (BOB, [BOB])
    assert (await names(node, ADA), await names(node, BOB)) == ([], [circle.id])


@pytest.mark.parametrize("late", ["is added", "has left"])
async def test_rejoining_while_leaving_keeps_the_circle_listed(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch, late: str
) -> None:
    circle = await founded(node, BOB)
    leave = CircleStore.leave

    async def join() -> None:
        await other.services.circles.join(BOB, circle.link)

    async def leave_meanwhile(self: CircleStore, *given: Any) -> None:
        # The other device rejoins before or after the index records the leave.
        if late == "has left":
            await join()
        await leave(self, *given)
        if late == "is added":
            await join()

    with monkeypatch.context() as patch:
        patch.setattr(CircleStore, "leave", leave_meanwhile)
        await node.services.circles.leave(circle.id, BOB)
    assert (await node.services.circles.load(circle.id, BOB)).players == [ADA, BOB]
    assert await names(other, BOB) == [circle.id]


async def test_outsiders_cannot_tell_a_circle_from_an_unknown_one(node: Node) -> None:
    circle = await founded(node, BOB)
    circles = node.services.circles
    league = League("day", ("robert",), 60_000)
    for name in (circle.id, NOBODYS, CircleId("no id"), CircleId("")):
        for command in (
            circles.load(name, CYD),
            circles.use(name, CYD),
            circles.leave(name, CYD),
            circles.decide(name, commands.mute, CYD, True),
            circles.decide(name, commands.emote, CYD, "season:1", 1),
            circles.remove(name, CYD, BOB),
            circles.decide(name, commands.hand_over, CYD, CYD),
            circles.rename(name, CYD, "\u202e"),
            circles.decide(name, commands.renew_link, CYD, random_id()),
            circles.decide(name, commands.set_season, CYD, 4),
            circles.set_league(name, CYD, league),
            circles.set_webhook(name, CYD, "https://example.com/", "json"),
            circles.delete(name, CYD),
            circles.invitation(CYD, name + "0" * 16),
            circles.join(CYD, name + "0" * 16),
        ):
            assert await refusal_from(command) == "unknown_circle"
        assert CYD not in await circles.members(name)
    assert BOB in await circles.members(circle.id)


async def test_a_removed_member_loses_access(node: Node, other: Node) -> None:
    circle = await founded(node, BOB)
    await other.services.circles.remove(circle.id, ADA, BOB)
    assert await names(node, BOB) == []
    assert await refusal_from(node.services.circles.join(BOB, circle.link)) == "unknown_circle"


async def test_circles_per_player_are_limited(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MAX_OWNED", 1)
    monkeypatch.setattr(service, "MAX_CIRCLES", 2)
    first = await founded(node)
    assert await refusal_from(founded(node, key="another")) == "too_many_circles"
    assert await founded(node) == first, "a retry does not count"
    others = [await node.services.circles.found(p, "Others", "creation") for p in (BOB, CYD)]
    await node.services.circles.join(ADA, others[0].link)
    assert await refusal_from(node.services.circles.join(ADA, others[1].link)) == "too_many_circles"
    assert (await node.services.circles.join(ADA, others[0].link)).member(ADA)


async def test_a_deleted_circle_is_gone_for_all_members(node: Node, other: Node) -> None:
    circle = await founded(node, BOB)
    await node.services.circles.decide(circle.id, commands.set_season, ADA, 4)
    assert await refusal_from(other.services.circles.delete(circle.id, BOB)) == "not_owner"
    await other.services.circles.delete(circle.id, ADA)
    assert await names(node, ADA) == await names(node, BOB) == []
    assert await refusal_from(node.services.circles.load(circle.id, ADA)) == "unknown_circle"
    assert await refusal_from(node.services.circles.join(BOB, circle.link)) == "unknown_circle"
    expires = await node.redis.execute_command("PEXPIRETIME", keys.circle(circle.id))
    assert expires == node.clock.time + keys.DELETED_LIFE_MS
    assert await node.keys("circles-of:*") == []
    assert await node.redis.zcard(f"{{p{_partition(circle)}}}:due") == 0
    assert await refusal_from(founded(node)) == "key_used"
    again = await founded(node, key="another")
    assert again.id != circle.id, "a deleted circle does not come back"


async def test_an_operator_can_rename_and_delete_any_circle(node: Node, other: Node) -> None:
    circle = await founded(node, BOB)
    operated = other.services.circles
    for _ in range(2):
        await operated.rename_by_operator(circle.id, operated.clean("  The  club "))
    renamed = await node.services.circles.load(circle.id, BOB)
    assert (renamed.name, renamed.owner, renamed.version) == ("The club", ADA, circle.version + 1)
    for _ in range(2):
        await operated.delete_by_operator(circle.id)
        assert await node.services.circles.find(circle.id) is None
    assert await node.keys("circles-of:*") == []
    gone = await node.services.circles.journals.load(circle.id)
    assert gone is not None
    assert gone.version == renamed.version + 1


async def test_operators_commands_on_a_missing_circle_do_nothing(node: Node) -> None:
    circles = node.services.circles
    circle = await founded(node)
    await circles.delete(circle.id, ADA)
    for name in (circle.id, NOBODYS, CircleId("no id")):
        await circles.rename_by_operator(name, "The club")
        await circles.delete_by_operator(name)
        assert await circles.find(name) is None
    assert refusal_of(lambda: circles.clean("\u202e")) == "bad_name"


def _partition(circle: Circle) -> int:
    key = keys.circle(circle.id)
    return int(key[2 : key.index("}")])


async def test_a_deleted_player_leaves_no_trace(node: Node, other: Node) -> None:
    circle = await founded(node, BOB)
    left = await founded(node, BOB, key="another")
    await node.services.circles.decide(left.id, commands.set_season, ADA, 1)
    await node.services.circles.leave(left.id, BOB)
    await node.services.circles.decide(circle.id, commands.emote, BOB, "season:1", 1)
    await other.services.accounts.delete(BOB)
    found = await node.services.circles.load(circle.id, ADA)
    assert (found.players, found.emotes) == ([ADA], {})
    assert (await node.services.circles.load(left.id, ADA)).former == ()
    assert await node.keys(f"circles-of:*{BOB}*") == []


async def test_deleting_an_owner_transfers_and_the_last_member_ends_the_circle(node: Node) -> None:
    circle = await founded(node, BOB)
    await node.services.accounts.delete(ADA)
    assert (await node.services.circles.load(circle.id, BOB)).owner == BOB
    await node.services.accounts.delete(BOB)
    assert await node.services.circles.find(circle.id) is None


async def test_a_players_export_includes_their_circles(node: Node) -> None:
    circle = await founded(node, BOB)
    await node.services.circles.decide(circle.id, commands.mute, BOB, True)
    await node.services.circles.decide(circle.id, commands.emote, BOB, "season:1", 1)
    (found,) = json.loads(await node.services.accounts.export(BOB))["circles"]
    assert found == {
        "id": circle.id,
        "name": "Friends",
        "founded": START,
        "owner": False,
        "joined": START,
        "muted": True,
        "challenges": [],
        "emotes": {"season:1": 1},
    }


async def test_a_season_ends_by_itself_on_any_node(node: Node, other: Node) -> None:
    circle = await founded(node)
    circle = await node.services.circles.decide(circle.id, commands.set_season, ADA, 1)
    assert circle.season is not None
    node.clock.time = circle.season.settled + circle.delay - 1
    await other.sweep()
    texts = await node.services.journal_store.read_from(keys.circle(circle.id), 1)
    assert json.loads(texts[-1])["type"] == "season"
    node.clock.time += 1
    await other.sweep()
    texts = await node.services.journal_store.read_from(keys.circle(circle.id), 1)
    assert json.loads(texts[-1])["type"] == "closed"
    found = await node.services.circles.load(circle.id, ADA)
    assert [each.number for each in found.closed] == [1]
    assert await node.services.circles.pass_deadline(CircleDue(circle.id))


async def test_the_first_read_closes_an_overdue_season(node: Node) -> None:
    circle = await founded(node)
    circle = await node.services.circles.decide(circle.id, commands.set_season, ADA, 1)
    assert circle.season is not None
    node.clock.time = circle.season.settled + 15 * DAY
    found = await node.services.circles.load(circle.id, ADA)
    assert [each.number for each in found.closed] == [3, 2, 1]


async def test_a_due_item_of_a_missing_circle_is_dropped(node: Node) -> None:
    assert await node.services.circles.pass_deadline(CircleDue(NOBODYS))


async def test_viewing_a_circle_extends_its_lifetime(node: Node) -> None:
    circle = await founded(node, BOB)
    key = keys.circle(circle.id)
    await node.redis.expire(key, 1_000)
    await node.redis.delete(keys.circles_of(BOB))
    await node.services.circles.use(circle.id, BOB)
    assert await node.redis.ttl(key) > keys.CIRCLE_LIFE_S - 60
    assert await names(node, BOB) == [circle.id]


async def test_a_long_journal_is_truncated_at_a_checkpoint(node: Node, other: Node) -> None:
    circle = await founded(node, BOB)
    for number in range(CHECKPOINT_EVERY):
        await node.services.circles.decide(circle.id, commands.mute, BOB, not number % 2)
    assert await node.redis.xlen(keys.circle(circle.id)) < CHECKPOINT_EVERY
    assert (await other.services.circles.load(circle.id, BOB)).players == [ADA, BOB]
    await other.services.circles.decide(circle.id, commands.mute, BOB, True)
    assert (await node.services.circles.load(circle.id, ADA)).members[1].muted


async def test_an_idle_circle_has_nothing_due(node: Node) -> None:
    circle = await founded(node, BOB)
    assert await node.redis.zcard(f"{{p{_partition(circle)}}}:due") == 0


@pytest.mark.parametrize("damage", ["garbage", "a gap", "no rules"])
async def test_an_unreadable_circle_does_not_hide_the_others(node: Node, damage: str) -> None:
    whole = await founded(node, BOB)
    damaged = await founded(node, BOB, key="another")
    key = keys.circle(damaged.id)
    if damage == "garbage":
        await node.redis.xadd(key, {"e": "{"}, id=f"0-{damaged.version + 1}")
    elif damage == "a gap":
        await node.redis.xdel(key, "0-1")
    else:
        text = json.dumps({"type": "season closed", "at": START})
        await node.redis.xadd(key, {"e": text}, id=f"0-{damaged.version + 1}")
    circles = node.services.circles
    circles.journals._replicas = ReplicaCache()
    mine = await circles.of(BOB)
    assert ([each.id for each in mine.circles], mine.unreadable) == ([whole.id], (damaged.id,))
    assert (await circles.found(BOB, "More", "creation")).owner == BOB
    exported = json.loads(await node.services.accounts.export(BOB))["circles"]
    assert {"id": damaged.id, "unreadable": True} in exported
    await node.services.accounts.delete(BOB)
    await node.apply_effects()
    assert (await circles.load(whole.id, ADA)).players == [ADA]
    assert not await node.keys(f"*circles-of*{BOB}*")


async def test_keys_are_used_once_and_unread(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    await node.services.circles.delete((await founded(node)).id, ADA)
    assert await refusal_from(founded(node)) == "key_used"
    for number in range(8):
        await node.services.circles.delete((await founded(node, key=f"{number}")).id, ADA)
    read: list[str] = []
    journal = JournalStore.read

    async def counted(self: JournalStore, key: str) -> Any:
        read.append(key)
        return await journal(self, key)

    monkeypatch.setattr(JournalStore, "read", counted)
    after = await founded(node, key="one more")
    assert set(read) <= {keys.circle(after.id)}


@pytest.mark.parametrize("name", ["evil.example", "see evil.example", "everyone", "Every one"])
async def test_a_name_with_a_link_or_mass_mention_is_refused(node: Node, name: str) -> None:
    with pytest.raises(Refusal, match=r"bad_name|name_reserved"):
        await node.services.circles.found(ADA, name, "creation")
    assert (await node.services.circles.found(ADA, "St. John's v. 2", "creation")).name
