"""The cost of accounts' and notifications' commands to players, compared with their work."""

from __future__ import annotations

from typing import Any

import pytest

from server.base.core import days
from server.notifications.core.wishes import MAX_DEVICES
from server.players.core import keys
from server.players.core.account import MAX_BOTS, MAX_PASSKEYS
from server.players.core.keys import MAX_SESSIONS
from server.results.core.history import History
from tests.accounts.test_accounts import keep, passkey_of
from tests.builders import START
from tests.clients.seats import HubNode, Seat
from tests.conftest import ALONE
from tests.nodes import Node
from tests.notifications.test_handlers import ENDPOINT, subscription
from tests.practice.test_prices import practise_all
from tests.prices import Prices, same, varied
from tests.results.core.histories import fields_of
from tests.results.test_histories_long import WON

pytestmark = ALONE

DAYS = 300
NAMES = ["One", "Two", "Three"]


async def much(hub: HubNode, node: Node, seat: Seat) -> None:
    """Give a player the maximum of everything, and three years of results."""
    await seat.ask("KeepRecoveryCode", code=(await seat.ask("NewRecoveryCode"))["code"])
    for number in range(MAX_PASSKEYS):
        await keep(node, passkey_of(seat.player, f"passkey {number}"))
    for number in range(MAX_BOTS):
        await seat.ask("CreateBot", name=f"Bot {number}")
    for number in range(MAX_DEVICES):
        await seat.ask("AddPush", **subscription(endpoint=f"{ENDPOINT}/{number}"))
    await practise_all(seat)
    today = days.day_at(START)
    history = History(kept=1, days={("robert", today - 1 - each): WON for each in range(DAYS)})
    fields: Any = {**fields_of(history), "v": "1"}
    await node.redis.hset(keys.history(seat.player), mapping=fields)


@pytest.mark.parametrize("has_much", [False, True])
async def test_prices_of_accounts_match_the_work(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch, has_much: bool
) -> None:
    prices, bob, ada = Prices(node, monkeypatch), await hub.seat(), await hub.seat()
    await prices.count_baseline(bob)
    if has_much:
        await much(hub, node, ada)
    for type_ in ("ping", "GetAccount", "LinkDevice", "NewRecoveryCode", "ExportData", "GetPush"):
        await prices.count(ada, type_, "of all", same())
    await prices.count(ada, "rename", "of all", varied("name", NAMES))
    topics = varied("topics", [["streak"], ["beaten"], []], quiet=None)
    await prices.count(ada, "SetPush", "of all", topics)
    codes = []

    async def link() -> None:
        codes.append((await ada.ask("LinkDevice"))["code"])

    async def offer() -> None:
        codes.append((await ada.ask("NewRecoveryCode"))["code"])

    await link()
    await prices.count(bob, "SignIn", "by a link", lambda _: {"code": codes[-1]}, undo=link)
    await offer()
    await prices.count(ada, "KeepRecoveryCode", "of all", lambda _: {"code": codes[-1]}, undo=offer)
    kept = same(code=codes[-2])
    await prices.count(ada, "ConfirmCode", "of all", kept)
    await prices.count(bob, "SignIn", "by a code", kept)
    token = node.services.identity.token

    async def return_() -> None:
        for _ in range(MAX_SESSIONS - 1 if has_much else 0):
            await hub.seat(await token(ada.player, ada.session.epoch))

    await return_()
    out = same(passkeys=[], recovery=False)
    await prices.count(ada, "SignOutEverywhere", "of all", out, undo=return_)
    await prices.count(ada, "AddPush", "again", lambda _: subscription(endpoint=f"{ENDPOINT}/0"))
    for number in range(3):
        await ada.ask("AddPush", **subscription(endpoint=f"{ENDPOINT}/{number}"))
    devices = [each["id"] for each in (await ada.ask("GetPush"))["devices"]]
    await prices.count(ada, "RemovePush", "of all", varied("device", devices))
    bots = [each["player"]["id"] for each in (await ada.ask("GetAccount"))["bots"]]
    if has_much:
        await prices.count(ada, "DeleteBot", "of all", varied("bot", bots))
    await prices.count(ada, "CreateBot", "of all", varied("name", NAMES))
    bots = [each["player"]["id"] for each in (await ada.ask("GetAccount"))["bots"]]
    await prices.count(ada, "DeleteBot", "of few", varied("bot", bots))
    others = [(await hub.seat()).player for _ in range(3)]
    await prices.count(ada, "Report", "of a name", varied("about", others, reason="name"))
    prices.check("accounts", is_repeated=True)
