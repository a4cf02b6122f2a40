"""Accounts: an identity is kept by a code or a passkey, used elsewhere, and left."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest

from server.core import daily
from server.core.account import DELETED_NAME, MAX_PASSKEYS, Passkey
from server.core.boards import of_daily
from server.core.codes import read_code
from server.core.daily import DailyId
from server.core.ids import PlayerId
from server.core.refusal import Refusal
from server.service import outbox_entries, tokens
from server.service.accounts import read_typed
from server.service.outbox_entries import Deleted, Kept
from server.store import keys
from tests.core.builders import START
from tests.processes import PATIENCE
from tests.service.nodes import Node, SetClock
from tests.store.outboxes import all_effects
from tests.store.servers import kept, running, until

Closing = tuple[PlayerId, int, str | None]


@pytest.fixture
async def closing(node: Node, other: Node) -> AsyncIterator[dict[Node, list[Closing]]]:
    """Run the bus of both nodes; return which players are signed out on each."""
    found: dict[Node, list[Closing]] = {}
    async with AsyncExitStack() as stack:
        for each in (node, other):
            mine = found[each] = []
            subscribed = asyncio.Event()

            def note(
                player: PlayerId, epoch: int, stays: str | None, mine: list[Closing] = mine
            ) -> None:
                mine.append((player, epoch, stays))

            each.services.sessions.signed_out.subscribe(note)
            each.services.sessions.missed.subscribe(subscribed.set)
            await stack.enter_async_context(running(kept(each.bus)))
            async with asyncio.timeout(PATIENCE):
                await subscribed.wait()
        yield found


async def guest(node: Node, name: str | None = None) -> tuple[PlayerId, str]:
    """Return a new guest and the token."""
    profile, token, _ = await node.services.identity.enter(None, name)
    return profile.id, token


async def sign_in(node: Node, code: str) -> str:
    """Return the token that a typed code gives."""
    return await node.services.accounts.sign_in(read_typed(code))


def passkey_of(player: PlayerId, name: str = "first") -> Passkey:
    return Passkey(name, player, b"public", 0)


async def stored(node: Node) -> dict[str, str]:
    """Return all that is stored, as text by key."""
    redis: Any = node.redis
    found = {}
    for key in await node.keys():
        read = {
            "string": redis.get,
            "hash": redis.hgetall,
            "zset": lambda key: redis.zrange(key, 0, -1),
            "stream": redis.xrange,
        }[await redis.type(key)]
        found[key] = str(await read(key))
    return found


# Recovery codes


async def test_a_recovery_code_signs_in_as_often_as_needed_on_every_node(
    node: Node, other: Node
) -> None:
    player, token = await guest(node)
    code = await node.services.accounts.new_recovery_code(player)
    assert re.fullmatch("(?:[0-9A-HJKMNP-TV-Z]{4}-){4}[0-9A-HJKMNP-TV-Z]{4}", code)
    for each in (node, other, node):
        assert await sign_in(each, code.lower().replace("-", " ")) == token
    account = await node.services.accounts.find(player)
    assert account.kept == START
    assert account.recovery is not None
    # The record, and what finds it, no longer expire.
    assert await node.redis.ttl(keys.player(player)) == -1
    assert await node.redis.ttl(keys.recovery(account.recovery)) == -1
    await other.services.identity.enter(token, None)
    assert await node.redis.ttl(keys.player(player)) == -1


async def test_no_code_is_stored_anywhere(node: Node) -> None:
    player, _ = await guest(node)
    codes = [
        await node.services.accounts.new_recovery_code(player),
        (await node.services.accounts.link_device(player)).code,
    ]
    text = str(await stored(node)).lower()
    for code in codes:
        assert code.lower() not in text
        assert str(read_code(code)) not in text


async def test_a_new_recovery_code_takes_the_place_of_the_earlier_one(
    node: Node, clock: SetClock
) -> None:
    player, token = await guest(node)
    first = await node.services.accounts.new_recovery_code(player)
    clock.time += 1
    second = await node.services.accounts.new_recovery_code(player)
    with pytest.raises(Refusal, match="bad_code"):
        await sign_in(node, first)
    assert await sign_in(node, second) == token
    assert len(await node.keys("recovery:*")) == 1
    # The time is that of the first.
    assert (await node.services.accounts.find(player)).kept == START


async def test_an_earlier_code_that_is_applied_late_changes_nothing(node: Node) -> None:
    player, token = await guest(node)
    code = await node.services.accounts.new_recovery_code(player)
    late = Kept(player, START - 1, code="0" * 64)
    await node.services.effects.submit(late)
    assert await sign_in(node, code) == token
    assert len(await node.keys("recovery:*")) == 1


@pytest.mark.parametrize("text", ["", "K3MQ", "K3MQ-7W2R", "K3MQ-7W2R-5T9X-KZ4B-0H8N"])
async def test_a_code_of_nobody_is_refused(node: Node, text: str) -> None:
    with pytest.raises(Refusal, match="bad_code"):
        await sign_in(node, text)


# Device codes


async def test_a_device_code_signs_in_once(node: Node, other: Node) -> None:
    player, token = await guest(node)
    code, expires = await node.services.accounts.link_device(player)
    assert expires == START + keys.DEVICE_LIFE * 1000
    tries = await asyncio.gather(
        *(sign_in(each, code) for each in (node, other) * 5), return_exceptions=True
    )
    assert [each for each in tries if not isinstance(each, Refusal)] == [token]
    assert await node.keys("device:*") == []
    # A device code keeps nothing: the player is a guest still.
    assert (await node.services.accounts.find(player)).kept is None


async def test_only_the_latest_device_code_counts_and_not_for_long(
    node: Node, clock: SetClock
) -> None:
    player, _ = await guest(node)
    first = await node.services.accounts.link_device(player)
    second = await node.services.accounts.link_device(player)
    with pytest.raises(Refusal, match="bad_code"):
        await sign_in(node, first.code)
    clock.time = second.expires - 1
    assert tokens.read(await sign_in(node, second.code)).player == player
    third = await node.services.accounts.link_device(player)
    clock.time = third.expires
    with pytest.raises(Refusal, match="bad_code"):
        await sign_in(node, third.code)
    # Nothing else was known of this guest.
    assert not await node.redis.exists(keys.player(player))
    await node.services.accounts.link_device(player)
    assert 0 < await node.redis.ttl(keys.player(player)) <= keys.DEVICE_LIFE


# Passkeys


async def test_a_passkey_keeps_the_identity_and_signs_in(node: Node, other: Node) -> None:
    player, token = await guest(node)
    await node.services.accounts.keep_passkey(passkey_of(player))
    found = await other.services.accounts.passkey("first")
    assert found == passkey_of(player)
    assert await other.services.accounts.sign_in_by_passkey(found, 7) == token
    assert (await node.services.accounts.passkey("first")).count == 7
    # A counter that is smaller is older.
    await node.services.accounts.sign_in_by_passkey(found, 3)
    assert (await node.services.accounts.passkey("first")).count == 7
    assert (await node.services.accounts.find(player)).passkeys == {"first": START}
    with pytest.raises(Refusal, match="bad_passkey"):
        await node.services.accounts.passkey("second")


async def test_a_passkey_of_one_player_is_not_anothers(node: Node) -> None:
    player, _ = await guest(node)
    thief, _ = await guest(node)
    await node.services.accounts.keep_passkey(passkey_of(player))
    with pytest.raises(Refusal, match="bad_passkey"):
        await node.services.accounts.keep_passkey(passkey_of(thief))
    assert (await node.services.accounts.passkey("first")).player == player
    assert (await node.services.accounts.find(thief)).kept is None


async def test_a_player_has_so_many_passkeys_and_no_more(node: Node) -> None:
    player, _ = await guest(node)
    for number in range(MAX_PASSKEYS):
        await node.services.accounts.keep_passkey(passkey_of(player, f"number {number}"))
    with pytest.raises(Refusal, match="too_many_passkeys"):
        await node.services.accounts.keep_passkey(passkey_of(player, "one more"))
    assert len(await node.keys("passkey:*")) == MAX_PASSKEYS
    # One that there is already is not one more.
    await node.services.accounts.keep_passkey(passkey_of(player, "number 0"))


# The effect of keeping


async def test_what_was_begun_is_completed_by_the_sweeper_and_doing_so_twice_changes_nothing(
    node: Node,
) -> None:
    player, _ = await guest(node)
    entry = outbox_entries.PasskeyEntry("first", b"\x00\xff", 3)
    for effect in (
        Kept(player, START, code="a" * 64),
        Kept(player, START + 1, passkey=entry),
        Deleted(player, START + 2),
    ):
        assert outbox_entries.decode(outbox_entries.encode(effect)) == effect
        await node.store.outboxes.put_effect(effect.field, outbox_entries.encode(effect))
        await node.sweep()
        assert await all_effects(node.store.outboxes) == []
        before = await stored(node)
        account = await node.services.accounts.find(player)
        assert (account.deleted is None) == isinstance(effect, Kept)
        await node.services.effects.apply(effect)
        assert await stored(node) == before


async def test_a_player_who_keeps_the_identity_moves_to_the_ranked_board(node: Node) -> None:
    player, _ = await guest(node)
    await finish_daily(node, player)
    board = of_daily(DailyId("robert", daily.day_at(START)), "guests")
    assert (await node.store.leaderboards.rows(board, 1, 5))[0] == 1
    await node.services.accounts.new_recovery_code(player)
    assert (await node.store.leaderboards.rows(board, 1, 5))[0] == 0
    ranked = board._replace(group="ranked")
    assert [row.player for row in (await node.store.leaderboards.rows(ranked, 1, 5))[1]] == [player]


async def finish_daily(node: Node, player: PlayerId) -> None:
    """Bring cards home in today's Robert, and resign."""
    found = await node.dailies.open(player, "robert")
    for _ in range(3):
        await node.play(found.attempt, player)
    await node.attempts.resign(found.attempt, player, 5)
    await node.apply_effects()


# Signing out everywhere


async def test_tokens_of_an_epoch_that_is_over_are_void(node: Node, other: Node) -> None:
    player, first = await guest(node)
    second, epoch = await node.services.accounts.sign_out_everywhere(player, "here")
    assert epoch == 1
    assert second.startswith(f"{player}.1.")
    third, _ = await other.services.accounts.sign_out_everywhere(player, "here")
    for each in (node, other):
        for void in (first, second):
            with pytest.raises(Refusal, match="bad_token"):
                await each.services.identity.enter(void, None)
        found = await each.services.identity.enter(third, None)
        assert (found.profile.id, found.token, found.epoch) == (player, third, 2)


async def test_a_token_of_another_epoch_cannot_be_made_from_one(node: Node) -> None:
    player, first = await guest(node)
    second, _ = await node.services.accounts.sign_out_everywhere(player, "here")
    signature = first.split(".", 2)[2]
    later = second.split(".", 2)[2]
    for forged in (
        f"{player}.1.{signature}", f"{player}.2.{later}", f"{player}.01.{later}",
        f"{player}.0.{later}", f"{player}..{later}", f"{player}.+1.{later}",
        f"{player}.1.{later}.", f"{player}.\uff11.{later}", f"{player}.{'9' * 400}.{later}",
        f"{player}.{later}",
    ):  # fmt: skip
        with pytest.raises(Refusal, match="bad_token"):
            await node.services.identity.enter(forged, None)


async def test_an_epoch_that_the_store_has_lost_holds_again(node: Node) -> None:
    """Redis may lose its last second; the later token proves that the epoch had begun."""
    player, first = await guest(node)
    second, _ = await node.services.accounts.sign_out_everywhere(player, "here")
    await node.redis.hdel(keys.player(player), "epoch")
    await node.services.identity.enter(second, None)
    with pytest.raises(Refusal, match="bad_token"):
        await node.services.identity.enter(first, None)


async def test_signing_out_closes_the_sessions_of_all_nodes_but_one(
    node: Node, other: Node, closing: dict[Node, list[Closing]]
) -> None:
    player, _ = await guest(node)
    await node.services.sessions.enter(player, "here")
    await node.services.sessions.enter(player, "beside")
    await other.services.sessions.enter(player, "there")
    await node.services.accounts.sign_out_everywhere(player, "here")

    async def told() -> bool:
        return bool(closing[other])

    await until(told)
    assert closing == {node: [(player, 1, "here")], other: [(player, 1, None)]}
    stays = f"{node.registration.id}/here"
    assert await node.store.players.sessions([player]) == [[stays]]


async def test_a_session_whose_token_is_void_meanwhile_is_not_registered(node: Node) -> None:
    player, _ = await guest(node)
    await node.services.sessions.enter(player, "lost")
    await node.services.accounts.sign_out_everywhere(player, "here")
    with pytest.raises(Refusal, match="bad_token"):
        await node.services.sessions.enter(player, "late")
    await node.services.sessions.enter(player, "new", 1)
    closed: list[Closing] = []
    node.services.sessions.signed_out.subscribe(lambda *told: closed.append(told))
    # That of the first epoch was not told, since the message was lost.
    entered = [(player, "lost", 0), (player, "new", 1)]
    assert await node.services.sessions.check(entered) == []
    assert closed == [(player, 1, None)]


async def test_signing_out_voids_the_device_code_and_leaves_the_recovery_code(node: Node) -> None:
    player, _ = await guest(node)
    recovery = await node.services.accounts.new_recovery_code(player)
    device, _ = await node.services.accounts.link_device(player)
    token, _ = await node.services.accounts.sign_out_everywhere(player, "here")
    with pytest.raises(Refusal, match="bad_code"):
        await sign_in(node, device)
    assert await sign_in(node, recovery) == token


# Seeing, exporting, deleting


async def test_all_that_is_stored_is_exported_but_for_secrets(node: Node) -> None:
    player, token = await guest(node, "Ada")
    await finish_daily(node, player)
    code = await node.services.accounts.new_recovery_code(player)
    await node.services.accounts.keep_passkey(passkey_of(player))
    await node.services.sessions.enter(player, "here")
    text = await node.services.accounts.export(player)
    found = json.loads(text)
    assert (found["player"], found["name"], found["created"]) == (player, "Ada", START)
    assert (found["kept"], found["recovery_code"], found["sessions"]) == (START, True, 1)
    assert found["passkeys"] == [{"id": "first", "added": START}]
    (result,) = found["dailies"]
    assert (result["game"], result["day"], result["end"]) == (
        "robert", daily.day_at(START), "resigned",
    )  # fmt: skip
    account = await node.services.accounts.find(player)
    for secret in (token, code, str(read_code(code)), account.recovery):
        assert str(secret) not in text


async def test_nothing_of_a_deleted_player_is_left_but_results_without_a_name(
    node: Node, other: Node, closing: dict[Node, list[Closing]]
) -> None:
    player, token = await guest(node, "Ada")
    await finish_daily(node, player)
    recovery = await node.services.accounts.new_recovery_code(player)
    await node.services.accounts.keep_passkey(passkey_of(player))
    device, _ = await node.services.accounts.link_device(player)
    await node.services.sessions.enter(player, "here")
    await other.services.sessions.enter(player, "there")
    await node.services.accounts.delete(player)

    async def told() -> bool:
        names = [await each.services.profiles.find([player]) for each in (node, other)]
        return bool(closing[other]) and all(n[player].name == DELETED_NAME for n in names)

    await until(told)
    assert [each[0] for found in closing.values() for each in found] == [player, player]
    for code in (recovery, device):
        with pytest.raises(Refusal, match="bad_code"):
            await sign_in(other, code)
    with pytest.raises(Refusal, match="bad_passkey"):
        await other.services.accounts.passkey("first")
    with pytest.raises(Refusal, match="bad_token"):
        await other.services.identity.enter(token, "Ada")
    with pytest.raises(Refusal, match="bad_token"):
        await other.services.identity.rename(player, "Ada")
    with pytest.raises(Refusal, match="bad_token"):
        await other.services.sessions.enter(player, "again")
    assert (await node.services.accounts.sign_out_everywhere(player, "here"))[1] > 10**6
    left = {key for key, text in (await stored(node)).items() if player in key + text}
    record = keys.player(player)
    rest = {key for key in left if ":attempt:" not in key and not key.startswith("leaderboard:")}
    assert rest == {record}
    assert list(await node.redis.hgetall(record)) == ["deleted"]
    assert 0 < await node.redis.ttl(record) <= keys.PLAYER_LIFE
    assert any(key.startswith("leaderboard:") for key in left)


async def test_an_attempt_that_ends_after_its_player_was_deleted_brings_nothing_back(
    node: Node,
) -> None:
    player, _ = await guest(node)
    found = await node.dailies.open(player, "robert")
    await node.play(found.attempt, player)
    await node.services.accounts.delete(player)
    await node.attempts.resign(found.attempt, player, 3)
    await node.apply_effects()
    assert await node.keys("history:*") == []
    assert await node.keys("leaderboard:*") == []


async def test_what_is_begun_for_a_deleted_player_comes_to_nothing(node: Node) -> None:
    player, _ = await guest(node)
    await node.services.accounts.delete(player)
    await node.services.accounts.new_recovery_code(player)
    with pytest.raises(Refusal, match="bad_passkey"):
        await node.services.accounts.keep_passkey(passkey_of(player))
    code, _ = await node.services.accounts.link_device(player)
    with pytest.raises(Refusal, match="bad_code"):
        await sign_in(node, code)
    assert await node.keys("recovery:*") == []
    assert await node.keys("passkey:*") == []
    assert list(await node.redis.hgetall(keys.player(player))) == ["deleted"]
