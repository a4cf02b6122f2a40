"""The keyring: tokens expire and are renewed, and keys are rotated."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs

from server.base.core import keys
from server.base.core.ids import RoomCode
from server.base.core.refusal import Refusal, UnavailableError, UnreadableError, UnsuitableError
from server.base.redis.connection import Client
from server.base.seals import tokens
from server.base.seals.core.secret_keys import KEY_BYTES, SecretKeys
from server.base.seals.keyring import Keyring
from server.base.seals.tokens import LIFE_MS, RENEW_AFTER_MS
from server.base.work.background import Background
from server.deals.core import keys as deals_keys
from server.deals.store import DealStore
from tests.base.redis.servers import running, until, until_equal
from tests.builders import ADA
from tests.nodes import Node, SetClock

DAY = 86_400_000
LATER = SecretKeys([b"\1" * KEY_BYTES, bytes(KEY_BYTES)])
"""The test's secret key, and a newer one."""


async def refuses(ring: Keyring, *tokens: str) -> None:
    """Assert that tokens are not valid."""
    for token in tokens:
        with pytest.raises(Refusal, match="bad_token"):
            await ring.verify(token)


def ring_on(node: Node, secret_keys: SecretKeys | None = None) -> Keyring:
    """Return the keyring of an additional node on the same store."""
    services = node.services
    return Keyring(
        services.keyring_store, secret_keys or services.secret_keys, services.clock, Background()
    )


async def identified(node: Node, token: str | None = None) -> str:
    """Return the token that a player gets for another one, or a new guest."""
    return (await node.identify(token)).token


async def test_a_token_is_valid_for_its_lifetime_and_renewed_in_time(
    node: Node, other: Node, clock: SetClock
) -> None:
    token = await identified(node)
    clock.time += RENEW_AFTER_MS
    assert await identified(other, token) == token
    clock.time += 2000
    renewed = await identified(other, token)
    assert renewed != token
    clock.time += LIFE_MS - RENEW_AFTER_MS - 3000
    assert await identified(node, token) not in {token, renewed}
    clock.time += 1000
    with pytest.raises(Refusal, match="bad_token"):
        await identified(node, token)
    assert await identified(node, renewed) != renewed


async def test_no_key_is_stored_and_a_new_store_has_a_keyring_immediately(node: Node) -> None:
    token = await identified(node)
    said = tokens.parse(token)
    stored = str(await node.redis.get(keys.KEYRING))
    assert said.key in stored
    key = node.services.secret_keys.signing_key(said.key)
    assert key is not None
    assert key.hex() not in stored


async def test_a_rotated_key_is_used_by_all_nodes_without_ending_logins(
    node: Node, other: Node, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    other.by_hand["keyring"].every = 0.01
    token = await identified(other)
    before = tokens.parse(token).key
    async with running(other.run_all):
        after = (await node.services.keyring.rotate(LIFE_MS)).signing

        async def signing() -> str:
            return tokens.parse(await identified(other, token)).key

        await until_equal(signing, after)
    assert before != after
    # A node that has not read the keyring since then learns the new key immediately.
    behind = ring_on(node)
    await behind.refresh()
    last = await node.services.keyring.rotate(LIFE_MS)
    assert set(last.retired) == {before, after}
    assert (await behind.verify(await node.services.keyring.token(ADA, 3)))[:2] == (ADA, 3)
    clock.time += LIFE_MS
    fresh = await node.services.keyring.token(ADA, 0)
    await node.services.keyring.verify(fresh)


async def test_a_retired_key_expires_as_announced(node: Node, clock: SetClock) -> None:
    ring = node.services.keyring
    first = await ring.token(ADA, 0)
    await ring.rotate(7 * DAY)
    second = await ring.token(ADA, 0)
    await ring.rotate(DAY)
    clock.time += DAY - 1
    for token in (first, second):
        assert (await ring.verify(token)).renew
    clock.time += 1
    await refuses(ring, first, second)
    third = await ring.token(ADA, 0)
    await ring.rotate(0)
    await refuses(ring, third)
    assert not (await ring.verify(await ring.token(ADA, 0))).renew


async def test_a_forged_key_id_causes_no_read_of_the_store(node: Node) -> None:
    ring = node.services.keyring
    player, epoch, key, issued, mac = (await ring.token(ADA, 0)).split(".")
    await node.database.close()
    for forged in ("f" * 12, key[:8] + "ffff"):
        await refuses(ring, f"{player}.{epoch}.{forged}.{issued}.{mac}")


async def test_tokens_stay_valid_after_restoring_an_older_copy(node: Node) -> None:
    ring = node.services.keyring
    await ring.refresh()
    copy = str(await node.redis.get(keys.KEYRING))
    await ring.rotate(LIFE_MS)
    token = await ring.token(ADA, 0)
    await node.redis.set(keys.KEYRING, copy)
    found = await ring_on(node).verify(token)
    assert (found.player, found.renew) == (ADA, True)


async def test_a_secret_key_is_rotated_with_the_signing_key(node: Node) -> None:
    deal = await node.services.deal_store.draw("robert", "standard", RoomCode("AAAAA"))
    token = await node.services.keyring.token(ADA, 0)
    later = ring_on(node, LATER)
    await later.refresh()
    # Until the rotation, a node with the new file seals with the old key, which all nodes have.
    assert LATER.sealing == node.services.secret_keys.newest
    await later.rotate(LIFE_MS)
    assert LATER.sealing == LATER.newest
    assert (await later.verify(token)).renew
    deals = DealStore(node.database, LATER)
    assert await deals.seal(deal.id)
    assert not await deals.seal(deal.id)
    only = SecretKeys([b"\1" * KEY_BYTES])
    assert await DealStore(node.database, only).find(deal.id) == deal
    await refuses(ring_on(node, only), token)


async def test_a_node_without_the_secret_key_does_not_start_and_names_it(node: Node) -> None:
    await node.services.keyring.refresh()
    name = node.services.secret_keys.newest
    with pytest.raises(UnsuitableError, match=f"lacks the key {name}"):
        await ring_on(node, SecretKeys([b"\1" * KEY_BYTES])).refresh()


async def test_a_node_lacking_a_new_secret_key_goes_on_and_refuses_no_token_permanently(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    node.by_hand["keyring"].every = 0.01
    ring = node.services.keyring
    token = await ring.token(ADA, 0)
    later = ring_on(node, LATER)
    await later.rotate(LIFE_MS)
    with capture_logs() as logs:
        async with running(node.run_all):
            await until(lambda: any(line["event"] == "keyring_not_opened" for line in logs))
    assert LATER.newest in str(logs)
    assert (await ring.verify(token)).player == ADA
    with pytest.raises(UnavailableError):
        await ring.verify(await later.token(ADA, 0))


async def test_an_unopenable_deal_is_refused_and_never_confused_with_another(node: Node) -> None:
    store, secret_keys = node.services.deal_store, node.services.secret_keys
    drawn = [await store.draw("robert", "standard", RoomCode("AAAAA")) for _ in "ab"]
    one, other = (deals_keys.deal(deal.id) for deal in drawn)
    elsewhere = SecretKeys([b"\1" * KEY_BYTES])
    with capture_logs() as logs, pytest.raises(UnreadableError, match="seed_not_opened"):
        await DealStore(node.database, elsewhere).find(drawn[0].id)
    assert secret_keys.newest in str(logs)
    (told,) = logs
    assert told["event"] == "seed_not_opened"
    assert "This deal and its runs are refused" in told["set_aside"]
    assert "Give the node the file of secret keys" in told["advice"]
    # Another deal's seed, sealed for that deal and then for this one.
    await node.redis.hset(one, "sealed", str(await node.redis.hget(other, "sealed")))
    sealed = secret_keys.seal(f"seed {drawn[1].id}", drawn[0].seed)
    await node.redis.hset(other, "sealed", sealed)
    for deal in drawn:
        with pytest.raises(UnreadableError, match="seed_not_opened"):
            await DealStore(node.database, secret_keys).find(deal.id)


async def test_a_store_without_its_keyring_counts_as_replaced(node: Node, redis: Client) -> None:
    keyring = node.services.keyring
    await keyring.refresh()
    kept = await redis.get(keys.KEYRING)
    assert kept is not None
    replaced: list[bool] = []
    with capture_logs() as logs:
        await redis.delete(keys.KEYRING)
        for _ in range(2):
            await keyring.refresh()
            replaced.append(keyring.replaced)
        assert await redis.get(keys.KEYRING) is None
        # A newly started node takes the store for a new one.
        await ring_on(node).refresh()
        await keyring.refresh()
        replaced.append(keyring.replaced)
        await redis.set(keys.KEYRING, kept)
        await keyring.refresh()
        replaced.append(keyring.replaced)
    assert replaced == [True, True, True, False]
    told = [line["event"] for line in logs if line["event"].startswith("store_")]
    assert told == ["store_replaced", "store_restored"]
