"""Identity: signed tokens identify players, and nothing else does."""

from __future__ import annotations

import pytest

from server.base.core import keys
from server.base.core.ids import is_id
from server.base.core.refusal import Refusal
from server.base.seals.core.secret_keys import KEY_BYTES, SecretKeys
from server.base.seals.keyring import Keyring
from server.base.work.background import Background
from server.players.core import keys as players_keys
from server.players.core.names import RENAME_EVERY_MS, RENAMES_AT_ONCE, guest_name
from tests.builders import refusal_from
from tests.nodes import Node


async def test_a_token_identifies_its_guest_on_every_node(node: Node, other: Node) -> None:
    profile, token = await node.identify()
    assert is_id(profile.id)
    assert profile.name == guest_name(profile.id)
    for n in (node, other):
        assert await n.identify(token) == (profile, token)
    again, _ = await node.identify()
    assert again.id != profile.id


async def test_a_name_can_be_set_at_hello_and_changed_later(node: Node, other: Node) -> None:
    profile, token = await node.identify(None, " Ada ")
    assert profile.name == "Ada"
    assert (await other.services.identity.rename(profile.id, "Ada  L.")).name == "Ada L."
    assert (await node.identify(token))[0].name == "Ada L."
    assert (await node.identify(token, "Ada"))[0].name == "Ada"


@pytest.mark.parametrize("name", ["", "<Ada>"])
async def test_an_invalid_name_changes_nothing(node: Node, name: str) -> None:
    profile, token = await node.identify(None, "Ada")
    assert await refusal_from(node.identify(token, name)) == "bad_name"
    assert await refusal_from(node.services.identity.rename(profile.id, name)) == "bad_name"
    assert (await node.identify(token))[0].name == "Ada"
    assert await refusal_from(node.identify(None, name)) == "bad_name"
    assert len(await node.keys("player:*")) == 1


async def test_a_reserved_or_offensive_name_is_refused(node: Node) -> None:
    identity = node.services.identity
    profile, token = await node.identify(None, "Ada")
    for name, code in (("Admin", "name_reserved"), ("Fuck", "name_offensive")):
        assert await refusal_from(identity.rename(profile.id, name)) == code
        # Clients retry their hello without a name after `bad_name`.
        assert await refusal_from(node.identify(None, name)) == "bad_name"
    assert (await node.identify(token)).profile.name == "Ada"


async def test_renames_are_rate_limited(node: Node, other: Node) -> None:
    profile, token = await node.identify(None, "Ada")
    for number in range(RENAMES_AT_ONCE):
        await node.services.identity.rename(profile.id, f"Ada {number}")
        await other.services.identity.rename(profile.id, f"Ada {number}")
        node.clock.time += 1_000
    with pytest.raises(Refusal, match="name_too_soon") as refused:
        await other.services.identity.rename(profile.id, "Eve")
    assert refused.value.wait == RENAME_EVERY_MS - RENAMES_AT_ONCE * 1_000
    assert (await node.identify(token, "Eve")).profile.name == "Ada 2"

    node.clock.time += refused.value.wait - 1
    assert await refusal_from(node.services.identity.rename(profile.id, "Eve")) == "name_too_soon"
    node.clock.time += 1
    assert (await node.identify(token, "Eve")).profile.name == "Eve"
    assert await refusal_from(node.services.identity.rename(profile.id, "Ada")) == "name_too_soon"


async def test_a_new_guests_name_is_not_limited_and_the_count_expires(node: Node) -> None:
    for _ in range(2 * RENAMES_AT_ONCE):
        assert (await node.identify(None, "Ada")).profile.name == "Ada"
    assert await node.keys("renames:*") == []
    profile, _ = await node.identify()
    await node.services.identity.rename(profile.id, "Ada")
    assert 0 < await node.redis.pttl(players_keys.renames(profile.id)) <= RENAME_EVERY_MS


async def test_an_unsigned_token_is_refused(node: Node, other: Node) -> None:
    _, token = await node.identify()
    victim, _ = await node.identify()
    player, _, signature = token.partition(".")
    _, epoch, key, issued, mac = token.split(".")
    forged = [
        f"{player}.{int(epoch) + 1}.{key}.{issued}.{mac}",
        f"{player}.0{epoch}.{key}.{issued}.{mac}", f"{player}.{epoch}.{key}.-1.{mac}",
        f"{player}.+{epoch}.{key}.{issued}.{mac}", f"{player}.\uff10.{key}.{issued}.{mac}",
        f"{player}..{key}.{issued}.{mac}", f"{player}.{'9' * 400}.{key}.{issued}.{mac}",
        f"{player}.{epoch}.{key}.{int(issued) + 1}.{mac}",
        f"{player}.{epoch}.{'f' * 12}.{issued}.{mac}",
        f"{player}.{epoch}.{key[:8]}ffff.{issued}.{mac}",
        f"{player}.{mac}", f"{player}.{epoch}.{mac}", f"{player}.{epoch}.{key}.{mac}",
        "", ".", player, f"{player}.", token[:-1], f"{token}=", f"{token}x", f" {token}",
        f"{victim.id}.{signature}", f"{player}.{'A' * len(signature)}", token.upper(),
        f"{player}.{signature}.{signature}", f"{player}.{signature}é", "é" * 60,
        f"{player[:-1]}.{signature}", signature,
    ]  # fmt: skip
    before = sorted(await node.keys())
    for n in (node, other):
        for text in forged:
            assert await refusal_from(n.identify(text)) == "bad_token"
    assert sorted(await node.keys()) == before


async def test_changing_any_character_of_a_token_invalidates_it(node: Node) -> None:
    _, token = await node.identify()
    for place, letter in enumerate(token):
        changed = token[:place] + ("a" if letter != "a" else "b") + token[place + 1 :]
        assert await refusal_from(node.identify(changed)) == "bad_token"


async def test_another_servers_token_is_refused(node: Node) -> None:
    profile, token = await node.identify()
    elsewhere = SecretKeys([b"another server's file of 32 bytes"[:KEY_BYTES]])
    services = node.services
    keyring = Keyring(services.keyring_store, elsewhere, services.clock, Background())
    await node.redis.delete(keys.KEYRING)
    forged = await keyring.token(profile.id, 0)
    assert await refusal_from(keyring.verify(token)) == "bad_token"
    assert await refusal_from(node.identify(forged)) == "bad_token"
    assert await node.identify(token) == (profile, token)


async def test_a_guests_first_name_is_published_to_other_nodes(node: Node, other: Node) -> None:
    profile, _ = await node.identify()
    await other.services.profiles.load([profile.id])
    await node.services.identity.rename(profile.id, "Ada")
    assert any(b"Ada" in payload for _, payload in node.published)


async def test_nothing_is_stored_for_a_guest_without_a_name(node: Node) -> None:
    _, token = await node.identify()
    await node.identify(token)
    assert sorted(await node.keys()) == [keys.KEYRING]
    assert not node.published
