"""Accounts: identities are kept by codes and passkeys, used on other devices, and deleted."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest

from engine.catalog import games
from server.accounts.accounts import _digest, parse_typed
from server.accounts.core import keys as accounts_keys
from server.accounts.core.effects import Deleted, Kept, PasskeyEntry
from server.base.core import days
from server.base.core.codes import parse_code
from server.base.core.days import DailyId
from server.base.core.ids import AttemptId, PlayerId
from server.base.core.refusal import Refusal
from server.base.outbox import effects as outbox_entries
from server.base.seals import tokens
from server.players.core import keys as players_keys
from server.players.core.account import DELETED_NAME, MAX_PASSKEYS, Passkey
from server.results.core.boards import Group, of_daily
from tests.base.outbox.outboxes import all_effects
from tests.base.redis.servers import running, until, until_equal, work_of
from tests.builders import START, refusal_from
from tests.nodes import Node
from tests.processes import PATIENCE

Closing = tuple[PlayerId, int, str | None]


@pytest.fixture
async def closing(node: Node, other: Node) -> AsyncIterator[dict[Node, list[Closing]]]:
    """Run the bus of both nodes; return the sign-outs received on each."""
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
            await stack.enter_async_context(running(work_of(each.bus)))
            async with asyncio.timeout(PATIENCE):
                await subscribed.wait()
        yield found


async def guest(node: Node, name: str | None = None) -> tuple[PlayerId, str]:
    profile, token = await node.identify(None, name)
    return profile.id, token


async def sign_in(node: Node, code: str) -> str:
    return await node.services.accounts.sign_in(parse_typed(code))


async def recovery_code(
    node: Node, player: PlayerId, *, epoch: int = 0, confirmed: bool = True
) -> str:
    """Return a recovery code that the player has kept."""
    code = await node.services.accounts.new_recovery_code(player, epoch, confirmed=confirmed)
    await node.services.accounts.keep_recovery_code(player, parse_typed(code))
    return code


async def keep(node: Node, passkey: Passkey, *, epoch: int = 0, confirmed: bool = True) -> None:
    """Keep an identity by a passkey, in a session that has shown a credential before."""
    await node.services.accounts.keep_passkey(passkey, epoch, confirmed=confirmed)


async def sign_out(
    node: Node, player: PlayerId, *passkeys: str, epoch: int = 0, recovery: bool = False
) -> str:
    """Sign out everywhere except in the session `here`; return the new token."""
    out = node.services.accounts.sign_out_everywhere
    return (await out(player, "here", epoch, passkeys, recovery=recovery))[0]


async def sign_in_by(node: Node, name: str, count: int = 0) -> str:
    """Sign in by a passkey verified with a counter; return the token."""
    accounts = node.services.accounts
    passkey, account = await accounts.passkey(name)
    await accounts.use_passkey(passkey, count)
    return await accounts.token(account)


def passkey_of(player: PlayerId, name: str = "first") -> Passkey:
    return Passkey(name, player, b"public", 0)


async def stored(node: Node) -> dict[str, str]:
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


async def test_a_recovery_code_signs_in_repeatedly_on_every_node(node: Node, other: Node) -> None:
    player, token = await guest(node)
    code = await recovery_code(node, player)
    assert re.fullmatch("(?:[0-9A-HJKMNP-TV-Z]{4}-){4}[0-9A-HJKMNP-TV-Z]{4}", code)
    for each in (node, other, node):
        assert await sign_in(each, code.lower().replace("-", " ")) == token
    account = await node.services.accounts.load(player)
    assert account.kept == START
    assert account.recovery is not None
    # Without a result, each session extends the expiry of record, lookup key and history.
    names = [
        players_keys.player(player),
        accounts_keys.recovery(account.recovery),
        players_keys.history(player),
    ]
    for _ in range(2):
        assert [await node.redis.ttl(name) for name in names] == [
            pytest.approx(players_keys.UNUSED_ACCOUNT_LIFE_S, abs=60)
        ] * len(names)
        for name in names:
            await node.redis.expire(name, 1_000)
        await other.identify(token)


@pytest.mark.parametrize("first", ["code", "result"])
async def test_kept_identity_with_results_is_permanent(node: Node, other: Node, first: str) -> None:
    player, _ = await guest(node, "Ada")
    passkey = Passkey("credential", player, b"key", 0)

    async def keep_both() -> None:
        await recovery_code(node, player)
        await keep(node, passkey)

    async def play() -> None:
        attempt = (await other.dailies.open(player, "robert")).attempt
        await other.play(attempt, player)
        await other.attempts.resign(attempt, player, 3)
        await other.apply_effects()

    for step in (keep_both, play) if first == "code" else (play, keep_both):
        await step()
    found = await node.services.accounts.load(player)
    assert found.recovery is not None
    names = [
        players_keys.player(player),
        accounts_keys.recovery(found.recovery),
        accounts_keys.passkey(passkey.id),
    ]
    assert [await node.redis.ttl(name) for name in names] == [-1, -1, -1]
    await node.services.player_store.update(player)
    assert await node.redis.ttl(names[0]) == -1
    assert await node.redis.ttl(players_keys.history(player)) > players_keys.PLAYER_LIFE_S - 60


async def test_an_epoch_is_stored_while_its_tokens_are_valid(node: Node) -> None:
    """Otherwise earlier tokens would become valid again."""
    player, _ = await guest(node, "Ada")
    await recovery_code(node, player)
    token, epoch = await node.services.accounts.sign_out_everywhere(player, "session", 0)
    left = [await node.redis.ttl(players_keys.player(player))]
    await node.identify(token)
    left.append(await node.redis.ttl(players_keys.player(player)))
    await recovery_code(node, player, epoch=epoch)
    left.append(await node.redis.ttl(players_keys.player(player)))
    assert min(left) > players_keys.PLAYER_LIFE_S - 60


async def test_codes_are_not_stored_in_plain_text(node: Node) -> None:
    player, _ = await guest(node)
    codes = [
        await recovery_code(node, player),
        (await node.services.accounts.link_device(player, 0)).code,
    ]
    text = str(await stored(node)).lower()
    for code in codes:
        assert code.lower() not in text
        assert str(parse_code(code)) not in text


async def test_a_new_recovery_code_replaces_the_earlier_one(node: Node) -> None:
    player, token = await guest(node)
    first = await recovery_code(node, player)
    node.clock.time += 1
    second = await recovery_code(node, player)
    assert await refusal_from(sign_in(node, first)) == "bad_code"
    assert (await sign_in(node, second), len(await node.keys("recovery:*"))) == (token, 1)
    # The time of the first credential is kept.
    assert (await node.services.accounts.load(player)).kept == START


async def test_a_late_effect_does_not_keep_a_superseded_code(node: Node) -> None:
    player, token = await guest(node)
    first = await recovery_code(node, player)
    digest = (await node.services.accounts.load(player)).recovery
    second = await recovery_code(node, player)
    await node.services.outbox.submit(Kept(player, START, code=digest))
    assert await refusal_from(sign_in(node, first)) == "bad_code"
    assert (await sign_in(node, second), len(await node.keys("recovery:*"))) == (token, 1)


async def test_a_new_code_is_valid_once_kept_and_its_offer_expires(node: Node) -> None:
    player, token = await guest(node)
    accounts = node.services.accounts
    offered = [await accounts.new_recovery_code(player, 0, confirmed=False) for _ in range(3)]
    # An offer is not a credential, and expires if the player never confirms it.
    assert (await accounts.load(player)).kept is None
    assert 0 < await node.redis.ttl(players_keys.player(player)) <= accounts_keys.CODE_OFFER_LIFE_S
    for code in offered:
        assert await refusal_from(sign_in(node, code)) == "bad_code"
    for code in offered[:2]:
        with pytest.raises(Refusal, match="bad_code"):
            await accounts.keep_recovery_code(player, parse_typed(code))
    other, _ = await guest(node)
    with pytest.raises(Refusal, match="bad_code"):
        await accounts.keep_recovery_code(other, parse_typed(offered[2]))
    # A client that misses the answer sends the command again.
    for _ in range(2):
        await accounts.keep_recovery_code(player, parse_typed(offered[2]))
    assert await sign_in(node, offered[2]) == token
    late = await accounts.new_recovery_code(player, 0, confirmed=True)
    node.clock.time += accounts_keys.CODE_OFFER_LIFE_S * 1000
    assert await refusal_from(accounts.keep_recovery_code(player, parse_typed(late))) == "bad_code"
    assert tokens.parse(await sign_in(node, offered[2])).player == player
    assert len(await node.keys("recovery:*")) == 1
    assert await all_effects(node.services.outbox_store) == []


@pytest.mark.parametrize("text", ["", "K3MQ", "K3MQ7-W2R5T", "K3MQ-7W2R-5T9X-KZ4B-0H8N"])
async def test_an_unknown_code_is_refused(node: Node, text: str) -> None:
    assert await refusal_from(sign_in(node, text)) == "bad_code"


async def test_a_device_code_signs_in_once(node: Node, other: Node) -> None:
    player, token = await guest(node)
    code, expires = await node.services.accounts.link_device(player, 0)
    assert expires == START + accounts_keys.DEVICE_LIFE_S * 1000
    tries = await asyncio.gather(
        *(sign_in(each, code) for each in (node, other) * 5), return_exceptions=True
    )
    assert [each for each in tries if not isinstance(each, Refusal)] == [token]
    assert await node.keys("device:*") == []
    assert (await node.services.accounts.load(player)).kept is None


async def test_only_the_latest_device_code_is_valid_and_it_expires(node: Node) -> None:
    player, _ = await guest(node)
    first = await node.services.accounts.link_device(player, 0)
    second = await node.services.accounts.link_device(player, 0)
    assert await refusal_from(sign_in(node, first.code)) == "bad_code"
    node.clock.time = second.expires - 1
    assert tokens.parse(await sign_in(node, second.code)).player == player
    third = await node.services.accounts.link_device(player, 0)
    node.clock.time = third.expires
    assert await refusal_from(sign_in(node, third.code)) == "bad_code"
    assert not await node.redis.exists(players_keys.player(player))
    await node.services.accounts.link_device(player, 0)
    assert 0 < await node.redis.ttl(players_keys.player(player)) <= accounts_keys.DEVICE_LIFE_S


async def test_a_passkey_keeps_the_identity_and_signs_in(node: Node, other: Node) -> None:
    player, token = await guest(node)
    await keep(node, passkey_of(player))
    found, account = await other.services.accounts.passkey("first")
    assert (found, account.passkeys) == (passkey_of(player), {"first": START})
    assert await sign_in_by(other, "first", 7) == token
    found, _ = await node.services.accounts.passkey("first")
    assert (found.count, found.used) == (7, START)
    # A counter that has not grown indicates a copy.
    for count in (3, 7, 0):
        assert await refusal_from(node.services.accounts.use_passkey(found, count)) == "bad_passkey"
    assert await refusal_from(node.services.accounts.passkey("second")) == "bad_passkey"


async def test_a_passkey_belongs_to_a_single_player(node: Node) -> None:
    player, _ = await guest(node)
    thief, _ = await guest(node)
    await keep(node, passkey_of(player))
    assert await refusal_from(keep(node, passkey_of(thief))) == "bad_passkey"
    assert (await node.services.accounts.passkey("first"))[0].player == player
    assert (await node.services.accounts.load(thief)).kept is None


async def test_the_number_of_passkeys_is_limited(node: Node) -> None:
    player, _ = await guest(node)
    for number in range(MAX_PASSKEYS):
        await keep(node, passkey_of(player, f"number {number}"))
    assert await refusal_from(keep(node, passkey_of(player, "one more"))) == "too_many_passkeys"
    assert len(await node.keys("passkey:*")) == MAX_PASSKEYS
    await keep(node, passkey_of(player, "number 0"))


async def test_one_of_simultaneous_uses_with_one_counter_succeeds(node: Node, other: Node) -> None:
    player, _ = await guest(node)
    await keep(node, passkey_of(player))
    found, _ = await node.services.accounts.passkey("first")
    uses = [each.services.accounts.use_passkey(found, 5) for each in (node, other) * 4]
    told = await asyncio.gather(*uses, return_exceptions=True)
    assert [type(each) for each in told].count(type(None)) == 1
    assert [str(each) for each in told if each is not None] == ["bad_passkey"] * 7
    # An authenticator without a counter always reports 0, as the standard allows.
    await keep(node, passkey_of(player, "second"))
    found, _ = await node.services.accounts.passkey("second")
    uses = [each.services.accounts.use_passkey(found, 0) for each in (node, other) * 2]
    assert await asyncio.gather(*uses) == [None] * 4


async def test_an_unconfirmed_session_cannot_add_a_credential(node: Node, other: Node) -> None:
    player, token = await guest(node)
    # An offer made while the player was a guest is too late as well.
    offered = await other.services.accounts.new_recovery_code(player, 0, confirmed=False)
    code = await recovery_code(node, player, confirmed=False)
    with pytest.raises(Refusal, match="bad_code"):
        await other.services.accounts.keep_recovery_code(player, parse_typed(offered))
    with pytest.raises(Refusal, match="confirm_first"):
        await other.services.accounts.new_recovery_code(player, 0, confirmed=False)
    with pytest.raises(Refusal, match="confirm_first"):
        await keep(other, passkey_of(player, "thief's"), confirmed=False)
    assert (await node.keys("passkey:*"), await sign_in(node, code)) == ([], token)
    await keep(node, passkey_of(player))
    with pytest.raises(Refusal, match="confirm_first"):
        await keep(other, passkey_of(player, "thief's"), confirmed=False)
    await keep(other, passkey_of(player), confirmed=False)


async def test_changes_started_before_signing_out_everywhere_fail(node: Node, other: Node) -> None:
    player, _ = await guest(node)
    await recovery_code(node, player)
    accounts = other.services.accounts
    offered = await accounts.new_recovery_code(player, 0, confirmed=True)
    await sign_out(node, player)
    with pytest.raises(Refusal, match="bad_code"):
        await accounts.keep_recovery_code(player, parse_typed(offered))
    assert await refusal_from(accounts.new_recovery_code(player, 0, confirmed=True)) == "bad_token"
    assert await refusal_from(keep(other, passkey_of(player))) == "bad_passkey"
    assert await refusal_from(sign_out(other, player)) == "bad_token"
    code, _ = await accounts.link_device(player, 0)
    assert await refusal_from(sign_in(other, code)) == "bad_code"


async def test_all_credentials_but_the_last_can_be_removed(node: Node, other: Node) -> None:
    player, _ = await guest(node)
    code = await recovery_code(node, player)
    for name in ("first", "second", "third"):
        await keep(node, passkey_of(player, name))
    node.clock.time += 1
    await sign_in(other, code)
    account = await node.services.accounts.load(player)
    assert (account.recovery_at, account.recovery_used) == (START, START + 1)
    await sign_out(node, player, "second")
    assert await refusal_from(other.services.accounts.passkey("second")) == "bad_passkey"
    await sign_out(node, player, "third", epoch=1, recovery=True)
    assert await refusal_from(sign_in(other, code)) == "bad_code"
    account = await node.services.accounts.load(player)
    assert (set(account.passkeys), account.recovery, account.recovery_at) == ({"first"}, None, None)
    assert await refusal_from(sign_out(node, player, "first", epoch=2)) == "last_credential"
    assert tokens.parse(await sign_in_by(other, "first")).epoch == 2
    assert await node.keys("recovery:*") == []
    assert await node.keys("passkey:*") == [accounts_keys.passkey("first")]


async def test_passkeys_of_other_players_are_not_removed(node: Node) -> None:
    player, _ = await guest(node)
    thief, _ = await guest(node)
    await keep(node, passkey_of(player, "ada's"))
    await keep(node, passkey_of(thief, "thief's"))
    await sign_out(node, thief, "ada's", "", "passkey:ada's", "epoch")
    assert (await node.services.accounts.passkey("ada's"))[0].player == player


async def test_a_retry_completes_an_interrupted_removal(node: Node) -> None:
    player, _ = await guest(node)
    await recovery_code(node, player)
    await keep(node, passkey_of(player))
    assert "passkey:first" in await node.redis.hgetall(players_keys.player(player))
    await node.redis.hdel(players_keys.player(player), "passkey:first")
    assert await refusal_from(node.services.accounts.passkey("first")) == "bad_passkey"
    await sign_out(node, player, "first")
    assert await node.keys("passkey:*") == []


async def test_signing_out_everywhere_locks_out_a_thief(node: Node, other: Node) -> None:
    """Includes everything the thief has started with a token or a concurrent sign-in."""
    player, _ = await guest(node)
    code = await recovery_code(node, player)
    for number in range(MAX_PASSKEYS):
        await keep(node, passkey_of(player, f"thief's {number}"))
    accounts = other.services.accounts
    passkey, account = await accounts.passkey("thief's 0")
    await accounts.use_passkey(passkey, 0)
    await sign_out(node, player, *[f"thief's {number}" for number in range(MAX_PASSKEYS)])
    # The thief's sign-in was verified before, and answered afterwards.
    with pytest.raises(Refusal, match="bad_token"):
        await other.identify(await accounts.token(account))
    assert await refusal_from(accounts.use_passkey(passkey, 0)) == "bad_passkey"
    await keep(node, passkey_of(player, "ada's"), epoch=1)
    assert tokens.parse(await sign_in(node, code)).epoch == 1


async def test_the_sweeper_completes_an_effect_idempotently(node: Node) -> None:
    player, _ = await guest(node)
    entry = PasskeyEntry("first", b"\x00\xff", 3, "aaguid", 0, confirmed=True)
    code = parse_typed(await node.services.accounts.new_recovery_code(player, 0, confirmed=False))
    for effect in (
        Kept(player, START, code=_digest(code)),
        Kept(player, START + 1, passkey=entry),
        Deleted(player, START + 2),
    ):
        assert node.services.outbox.decode(outbox_entries.encode(effect)) == effect
        await node.services.outbox_store.put_effect(effect.field, outbox_entries.encode(effect))
        await node.sweep()
        assert await all_effects(node.services.outbox_store) == []
        before = await stored(node)
        account = await node.services.accounts.load(player)
        assert (account.deleted is None) == isinstance(effect, Kept)
        await node.services.outbox.apply(effect)
        assert await stored(node) == before


async def test_keeping_again_does_not_restore_a_removed_credential(node: Node) -> None:
    player, _ = await guest(node)
    await keep(node, passkey_of(player, "other"))
    code = await node.services.accounts.new_recovery_code(player, 0, confirmed=True)
    entry = PasskeyEntry("first", b"public", 0, "", 0, confirmed=True)
    effects = [
        Kept(player, START, code=_digest(parse_typed(code))),
        Kept(player, START, passkey=entry),
    ]
    for effect in effects:
        await node.services.outbox.submit(effect)
    await sign_out(node, player, "first", recovery=True)
    before = await stored(node)
    for effect in effects:
        await node.services.outbox.apply(effect)
    assert await stored(node) == before


async def test_runs_started_with_a_kept_identity_are_ranked(node: Node) -> None:
    """A run started or finished before remains among the guests'."""
    player, _ = await guest(node)
    await finish_daily(node, player, "robert")
    running = (await node.dailies.open(player, "deuces")).attempt
    await recovery_code(node, player)
    await give_up(node, player, running)
    await finish_daily(node, player, "lady-betty")
    assert await on_boards(node, player, "guests") == {"robert", "deuces"}
    assert await on_boards(node, player, "ranked") == {"lady-betty"}


async def on_boards(node: Node, player: PlayerId, group: Group) -> set[str]:
    """Return the games whose leaderboards of today list a player."""
    found = set()
    for game in games():
        board = of_daily(DailyId(game, days.day_at(START)), group)
        rows = (await node.services.leaderboard_store.rows(board, 1, 5)).rows
        found |= {game for row in rows if row.player == player}
    return found


async def finish_daily(node: Node, player: PlayerId, game: str = "robert") -> None:
    """Play three moves of today's deal of a game, and resign."""
    await give_up(node, player, (await node.dailies.open(player, game)).attempt)


async def give_up(node: Node, player: PlayerId, attempt: AttemptId) -> None:
    for _ in range(3):
        await node.play(attempt, player)
    await node.attempts.resign(attempt, player, 5)
    await node.apply_effects()


async def test_tokens_of_earlier_epochs_are_void(node: Node, other: Node) -> None:
    player, first = await guest(node)
    second, epoch = await node.services.accounts.sign_out_everywhere(player, "here", 0)
    assert epoch == 1
    assert second.startswith(f"{player}.1.")
    third, _ = await other.services.accounts.sign_out_everywhere(player, "here", 1)
    for each in (node, other):
        for void in (first, second):
            assert await refusal_from(each.identify(void)) == "bad_token"
        found = await each.identify(third)
        assert (found.profile.id, found.token) == (player, third)


async def test_an_epoch_lost_by_the_store_is_restored_by_its_token(node: Node) -> None:
    """Redis may lose its last second of writes; a later token proves that the epoch existed."""
    player, first = await guest(node)
    second, _ = await node.services.accounts.sign_out_everywhere(player, "here", 0)
    await node.redis.hdel(players_keys.player(player), "epoch")
    await node.identify(second)
    assert await refusal_from(node.identify(first)) == "bad_token"


async def test_signing_out_closes_all_sessions_but_one_on_all_nodes(
    node: Node, other: Node, closing: dict[Node, list[Closing]]
) -> None:
    player, _ = await guest(node)
    await node.services.sessions.register(player, "here")
    await node.services.sessions.register(player, "beside")
    await other.services.sessions.register(player, "there")
    await node.services.accounts.sign_out_everywhere(player, "here", 0)
    await until(lambda: bool(closing[other]))
    assert closing == {node: [(player, 1, "here")], other: [(player, 1, None)]}
    stays = f"{node.registration.id}/here"
    assert await node.services.player_store.sessions([player]) == [[stays]]


async def test_a_session_with_a_token_voided_meanwhile_is_not_registered(node: Node) -> None:
    player, _ = await guest(node)
    await node.services.sessions.register(player, "lost")
    await node.services.accounts.sign_out_everywhere(player, "here", 0)
    assert await refusal_from(node.services.sessions.register(player, "late")) == "bad_token"
    await node.services.sessions.register(player, "new", 1)
    closed: list[Closing] = []
    node.services.sessions.signed_out.subscribe(lambda *told: closed.append(told))
    # The first epoch's session missed the lost message.
    entered = [(player, "lost", 0), (player, "new", 1)]
    assert await node.services.sessions.check(entered, lambda _: True) == []
    assert closed == [(player, 1, None)]


async def test_signing_out_voids_the_device_code_but_not_the_recovery_code(node: Node) -> None:
    player, _ = await guest(node)
    recovery = await recovery_code(node, player)
    device, _ = await node.services.accounts.link_device(player, 0)
    token, _ = await node.services.accounts.sign_out_everywhere(player, "here", 0)
    assert await refusal_from(sign_in(node, device)) == "bad_code"
    assert await sign_in(node, recovery) == token


async def test_an_export_has_all_stored_data_except_secrets(node: Node) -> None:
    player, token = await guest(node, "Ada")
    await finish_daily(node, player)
    code = await recovery_code(node, player)
    await keep(node, passkey_of(player))
    await node.services.sessions.register(player, "here")
    text = await node.services.accounts.export(player)
    found = json.loads(text)
    assert (found["player"], found["name"], found["created"]) == (player, "Ada", START)
    assert (found["kept"], found["recovery_code"], found["sessions"]) == (START, True, 1)
    assert found["passkeys"] == [{"id": "first", "added": START, "used": None, "aaguid": ""}]
    (result,) = found["dailies"]
    assert (result["game"], result["day"], result["end"]) == (
        "robert", days.day_at(START), "resigned",
    )  # fmt: skip
    account = await node.services.accounts.load(player)
    for secret in (token, code, str(parse_code(code)), account.recovery):
        assert str(secret) not in text


async def test_only_anonymous_results_of_a_deleted_player_remain(
    node: Node, other: Node, closing: dict[Node, list[Closing]]
) -> None:
    player, token = await guest(node, "Ada")
    await finish_daily(node, player)
    recovery = await recovery_code(node, player)
    await keep(node, passkey_of(player))
    device, _ = await node.services.accounts.link_device(player, 0)
    await node.services.sessions.register(player, "here")
    await other.services.sessions.register(player, "there")
    await node.services.accounts.delete(player)

    async def told() -> bool:
        names = [await each.services.profiles.load([player]) for each in (node, other)]
        return bool(closing[other]) and all(n[player].name == DELETED_NAME for n in names)

    await until(told)
    assert [each[0] for found in closing.values() for each in found] == [player, player]
    for code in (recovery, device):
        assert await refusal_from(sign_in(other, code)) == "bad_code"
    assert await refusal_from(other.services.accounts.passkey("first")) == "bad_passkey"
    assert await refusal_from(other.identify(token, "Ada")) == "bad_token"
    assert await refusal_from(other.services.identity.rename(player, "Ada")) == "bad_token"
    assert await refusal_from(other.services.sessions.register(player, "again")) == "bad_token"
    assert await refusal_from(sign_out(node, player)) == "bad_token"
    node.services.sessions.unregister(player, "here")
    other.services.sessions.unregister(player, "there")
    record = players_keys.player(player)

    async def left() -> set[str]:
        return {key for key, text in (await stored(node)).items() if player in key + text}

    async def rest() -> set[str]:
        public = ":attempt:", "leaderboard:"
        return {key for key in await left() if not any(each in key for each in public)}

    # The sessions' ends are written without waiting.
    await until_equal(rest, {record})
    assert list(await node.redis.hgetall(record)) == ["deleted"]
    assert 0 < await node.redis.ttl(record) <= players_keys.PLAYER_LIFE_S
    assert any(key.startswith("leaderboard:") for key in await left())


async def test_an_attempt_ending_after_the_deletion_restores_nothing(node: Node) -> None:
    player, _ = await guest(node)
    found = await node.dailies.open(player, "robert")
    await node.play(found.attempt, player)
    await node.services.accounts.delete(player)
    await node.attempts.resign(found.attempt, player, 3)
    await node.apply_effects()
    assert (await node.keys("history:*"), await node.keys("leaderboard:*")) == ([], [])


async def test_changes_for_a_deleted_player_have_no_effect(node: Node) -> None:
    player, _ = await guest(node)
    await node.services.accounts.delete(player)
    assert await refusal_from(recovery_code(node, player)) == "bad_token"
    assert await refusal_from(keep(node, passkey_of(player))) == "bad_passkey"
    code, _ = await node.services.accounts.link_device(player, 0)
    assert await refusal_from(sign_in(node, code)) == "bad_code"
    assert (await node.keys("recovery:*"), await node.keys("passkey:*")) == ([], [])
    assert list(await node.redis.hgetall(players_keys.player(player))) == ["deleted"]
