"""Bots of players: created, admitted, labelled, kept off leaderboards, and deleted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from server.accounts.core import charges
from server.base.core.ids import BOT_START, PlayerId, has_owner, is_bot
from server.base.core.refusal import Refusal
from server.base.wire.contracts import Reason
from server.moderation.operators import By
from server.players.core import keys
from server.players.core.account import MAX_BOTS
from tests.builders import refusal_from
from tests.clients.seats import HubNode, Seat
from tests.clients.site import Site
from tests.conftest import ALONE

pytestmark = [ALONE, pytest.mark.usefixtures("any_time")]

BY = By("mod", "testing")
ROOM = {"game": "robert", "seats": 4, "limit": 600, "key": "0123456789"}


async def kept(hub: HubNode, name: str = "Ada") -> Seat:
    seat = await hub.seat(name=name)
    code = (await seat.ask("NewRecoveryCode"))["code"]
    assert (await seat.ask("KeepRecoveryCode", code=code))["type"] == "done"
    return seat


async def bot_of(hub: HubNode, owner: Seat, name: str = "Ada's bot") -> Seat:
    return await hub.seat((await owner.ask("CreateBot", name=name))["token"])


async def refused(seat: Seat, type_: str, **fields: Any) -> str:
    answer = await seat.ask(type_, **fields)
    assert answer["type"] == "refused", answer
    return str(answer["code"])


async def test_a_bot_is_labelled_and_listed_by_its_owner(hub: HubNode) -> None:
    ada = await kept(hub)
    made = await ada.ask("CreateBot", name="Ada's bot")
    assert (made["player"]["name"], made["player"]["bot"]) == ("Ada's bot", True)
    bot = await hub.seat()
    again = await hub.seat(made["token"])
    assert bot.player != again.player
    assert has_owner(again.player)
    assert not is_bot(ada.player)
    (listed,) = (await ada.ask("GetAccount"))["bots"]
    assert listed["player"] == made["player"]
    exported = json.loads((await ada.ask("ExportData"))["json"])
    assert [each["id"] for each in exported["bots"]] == [again.player]
    assert made["token"] not in json.dumps(exported)


async def test_creating_a_bot_needs_a_shown_credential_and_bots_are_limited(hub: HubNode) -> None:
    assert await refused(await hub.seat(), "CreateBot", name="Bot") == "not_kept"
    ada = await kept(hub)
    other = await hub.seat(ada.token)
    assert await refused(other, "CreateBot", name="Bot") == "confirm_first"
    assert await refused(other, "DeleteBot", bot=other.player) == "confirm_first"
    assert await refused(ada, "CreateBot", name="\x00") == "bad_name"
    for number in range(MAX_BOTS):
        assert (await ada.ask("CreateBot", name=f"Bot {number}"))["type"] == "BotCreated"
    assert await refused(ada, "CreateBot", name="Bot") == "too_many_bots"
    names = [each["player"]["name"] for each in (await ada.ask("GetAccount"))["bots"]]
    assert names == [f"Bot {number}" for number in range(MAX_BOTS)]
    assert len(await hub.node.keys(f"player:{{{BOT_START}*")) == MAX_BOTS
    bot = (await ada.ask("GetAccount"))["bots"][0]["player"]["id"]
    await hub.node.services.accounts.delete_bot(ada.player, bot)
    await hub.node.services.accounts.create_bot(ada.player, "Bot", 0)


async def test_a_bot_plays_in_private_rooms_only_and_keeps_no_identity(hub: HubNode) -> None:
    ada = await kept(hub)
    bot = await bot_of(hub, ada)
    room = (await ada.ask("room.create", **ROOM))["code"]
    state = await bot.ask("room.join", code=room)
    assert [seat["player"].get("bot", False) for seat in state["members"]] == [False, True]
    # A room with a bot in it cannot be made public either.
    assert await refused(ada, "room.public", code=room, public=True) == "not_for_bots"
    await bot.ask("room.leave", code=room)
    assert (await ada.ask("room.public", code=room, public=True))["public"]
    assert await refused(bot, "room.join", code=room) == "not_for_bots"
    for type_, fields in (
        ("daily.open", {"game": "robert"}),
        ("room.quick", {"game": "robert"}),
        ("NewRecoveryCode", {}),
        ("LinkDevice", {}),
        ("AskPasskey", {"purpose": "create"}),
        ("SignOutEverywhere", {}),
        ("DeleteAccount", {}),
        ("CreateBot", {"name": "Bot"}),
    ):
        assert await refused(bot, type_, **fields) == "not_for_bots", type_
    own = (await bot.ask("room.create", **ROOM | {"key": "9876543210"}))["code"]
    assert await refused(bot, "room.public", code=own, public=True) == "not_for_bots"


async def test_deleting_a_bot_frees_its_slot(hub: HubNode) -> None:
    ada, bob = await kept(hub), await kept(hub, "Bob")
    bot = await bot_of(hub, ada)
    assert await refused(bob, "DeleteBot", bot=bot.player) == "unknown_bot"
    assert (await ada.ask("DeleteBot", bot=bot.player))["type"] == "done"
    assert bot.code == Reason.SIGNED_OUT.value[0]
    assert (await ada.ask("GetAccount"))["bots"] == []
    assert await refusal_from(hub.node.identify(bot.token)) == "bad_token"


async def test_bots_are_deleted_with_their_owner(hub: HubNode) -> None:
    ada = await kept(hub)
    bots = [await bot_of(hub, ada, f"Bot {number}") for number in range(2)]
    assert (await ada.ask("DeleteAccount"))["type"] == "done"
    for bot in bots:
        assert bot.code == Reason.SIGNED_OUT.value[0]
        with pytest.raises(Refusal, match="bad_token"):
            await hub.node.identify(bot.token)
        assert (await hub.node.redis.hgetall(keys.player(bot.player))).keys() == {"deleted"}


async def test_bots_are_barred_with_their_owner(hub: HubNode) -> None:
    ada = await kept(hub)
    bot = await bot_of(hub, ada)
    services = hub.node.services
    await services.operators.bar(BY, ada.player, None)
    assert bot.code == ada.code == Reason.BARRED.value[0]
    assert await refusal_from(hub.node.identify(bot.token)) == "barred"
    # The full check also finds a session that started at that moment, as after a lost message.
    assert await hub.node.services.player_store.barred([bot.player], services.clock.now()) == [True]
    await services.operators.unbar(BY, ada.player)
    assert (await hub.seat(bot.token)).player == bot.player


async def test_operators_see_a_bots_label_and_owner(hub: HubNode) -> None:
    ada = await kept(hub)
    shown = await hub.node.services.operators.player((await bot_of(hub, ada)).player)
    assert shown.bot_of == ada.player
    assert shown.name.endswith("(bot)")
    assert (await hub.node.services.operators.player(ada.player)).bot_of is None


async def test_a_bot_cannot_play_without_its_owners_record(hub: HubNode) -> None:
    ada = await kept(hub)
    bot = await bot_of(hub, ada)
    await hub.node.redis.delete(keys.player(ada.player))
    assert await refusal_from(hub.node.identify(bot.token)) == "bad_token"


async def test_a_bots_record_lives_as_long_as_its_token(hub: HubNode) -> None:
    bot = await bot_of(hub, await kept(hub))
    life = await hub.node.redis.ttl(keys.player(bot.player))
    assert keys.PLAYER_LIFE_S - 60 <= life <= keys.PLAYER_LIFE_S
    (charge,) = charges.BOT
    taken = await hub.node.redis.memory_usage(keys.player(bot.player))
    assert taken is not None
    assert taken <= charge.size


async def test_a_bots_page_names_its_owner(hub: HubNode, site: Site) -> None:
    ada = await kept(hub)
    bot = await bot_of(hub, ada)
    page = (await site.get(f"/players/{bot.player}")).json
    assert (page["player"]["bot"], page["bot_of"]["name"]) == (True, "Ada")
    assert (await site.get(f"/players/{ada.player}")).json["bot_of"] is None
    assert is_bot(PlayerId(page["player"]["id"]))
