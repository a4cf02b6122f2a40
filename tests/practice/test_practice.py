"""Statistics of practice that follow a kept identity, over sessions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from server.base.core.quota import Item, Need
from server.practice.core import charges
from server.practice.core.figures import MAX_DEALS, MAX_MOVES, MAX_PLAYED, MAX_TIME_MS
from server.practice.core.keys import MAX_DEVICES
from tests.clients.seats import HubNode, Seat
from tests.conftest import ALONE
from tests.nodes import Node, SetClock

pytestmark = ALONE

PHONE, LAPTOP = "phone" * 3 + "1", "laptop" * 2 + "0123"
WON, LOST = [True, 52, 60_000, 120], [False, 9, 30_000, 40]
ONE_WIN = [1, 1, 1, 1, 52, 60_000, 120, [WON]]
ONE_LOSS = [1, 0, 0, 0, 9, None, None, [LOST]]


async def kept_seat(hub: HubNode) -> Seat:
    seat = await hub.seat(name="Ada")
    await seat.ask("KeepRecoveryCode", code=(await seat.ask("NewRecoveryCode"))["code"])
    return seat


async def add(
    seat: Seat,
    figures: list[Any],
    device: str = PHONE,
    number: int = 1,
    *,
    rules: str = "klondike standard",
) -> Any:
    """Report a batch; return the variant's figures, or the code of the refusal."""
    game, variant = rules.split()
    fields = {"device": device, "batch": number, "game": game, "variant": variant}
    answer = await seat.ask("AddPractice", **fields, figures=figures)
    if answer["type"] == "refused":
        return answer["code"]
    (found,) = answer["practised"]
    assert (found["game"], found["variant"]) == (game, variant)
    return found["figures"]


async def all_of(seat: Seat) -> dict[str, int]:
    """Return the number of deals by game and variant."""
    found = (await seat.ask("GetPractice"))["practised"]
    return {f"{each['game']} {each['variant']}": each["figures"]["played"] for each in found}


async def test_devices_add_up_and_no_batch_counts_twice(hub: HubNode) -> None:
    ada = await kept_seat(hub)
    assert await all_of(ada) == {}
    first = await add(ada, ONE_WIN)
    assert (first["played"], first["won"], first["time"]) == (1, 1, 60_000)
    # Its answer was lost, so the phone sends it again.
    assert await add(ada, ONE_WIN) == first
    both = await add(ada, ONE_LOSS, LAPTOP)
    assert (both["played"], both["won"], both["streak"], both["longest"]) == (2, 1, 0, 1)
    assert [each["won"] for each in both["deals"]] == [True, False]
    assert (await add(ada, ONE_WIN, number=2))["played"] == 3
    assert (await add(ada, ONE_WIN))["played"] == 3
    await add(ada, [*ONE_WIN[:4], 104, *ONE_WIN[5:]], number=3, rules="spider one-suit")
    assert await all_of(ada) == {"klondike standard": 3, "spider one-suit": 1}


async def test_concurrent_batches_are_all_added(hub: HubNode, node: Node) -> None:
    ada = await kept_seat(hub)
    others = [
        await hub.seat(await node.services.identity.token(ada.player, ada.session.epoch))
        for _ in range(3)
    ]
    await asyncio.gather(
        *(add(seat, ONE_WIN, f"device{nth}".ljust(16, "0")) for nth, seat in enumerate(others))
    )
    assert await all_of(ada) == {"klondike standard": 3}


async def test_guests_store_nothing(hub: HubNode, node: Node) -> None:
    bob = await hub.seat(name="Bob")
    assert await add(bob, ONE_WIN) == "not_kept"
    assert await all_of(bob) == {}
    assert await node.keys("practice:*") == []


@pytest.mark.parametrize(
    ("rules", "figures", "code"),
    [
        ("klondike standard", [1, 2, *ONE_WIN[2:]], "bad_figures"),
        ("klondike standard", [*ONE_WIN[:4], 53, *ONE_WIN[5:]], "bad_figures"),
        ("klondike draw-four", ONE_WIN, "unknown_variant"),
        ("chess standard", ONE_WIN, "unknown_game"),
        ("klondike draw=2", ONE_WIN, "own_rules"),
        ("klondike standard", [MAX_PLAYED + 1, *ONE_WIN[1:]], "bad_message"),
        ("klondike standard", [*ONE_WIN[:7], [WON] * (MAX_DEALS + 1)], "bad_message"),
    ],
)
async def test_wrong_batches_are_refused(
    hub: HubNode, node: Node, rules: str, figures: list[Any], code: str
) -> None:
    ada = await kept_seat(hub)
    assert await add(ada, figures, rules=rules) == code
    assert await node.keys("practice:*") == []


async def test_the_number_of_deals_is_limited(hub: HubNode) -> None:
    ada = await kept_seat(hub)
    assert (await add(ada, [MAX_PLAYED, *ONE_WIN[1:]]))["played"] == MAX_PLAYED
    assert await add(ada, ONE_WIN, number=2) == "figures_full"
    assert await all_of(ada) == {"klondike standard": MAX_PLAYED}


async def test_the_devices_are_limited_and_the_oldest_is_forgotten(
    hub: HubNode, node: Node, clock: SetClock, no_hurry: None
) -> None:
    ada = await kept_seat(hub)
    for nth in range(MAX_DEVICES + 1):
        clock.time += 1
        await add(ada, ONE_WIN, f"device{nth:>010}")
    stored = await node.redis.hget(f"practice:{{{ada.player}}}", "devices")
    devices = [f"device{nth:>010}" for nth in range(1, MAX_DEVICES + 1)]
    assert sorted(json.loads(stored or "{}")) == devices
    assert await all_of(ada) == {"klondike standard": MAX_DEVICES + 1}


async def test_practice_is_exported_and_deleted_with_the_player(hub: HubNode, node: Node) -> None:
    ada = await kept_seat(hub)
    await add(ada, ONE_WIN)
    exported = json.loads((await ada.ask("ExportData"))["json"])["practice"]
    (figures,) = exported["figures"]
    assert (figures["game"], figures["played"], figures["deals"]) == ("klondike", 1, [WON])
    assert [(each["name"], each["number"]) for each in exported["devices"]] == [(PHONE, 1)]
    await ada.ask("DeleteAccount")
    assert await node.keys("practice:*") == []


async def test_practice_reaches_no_leaderboard_and_no_page(hub: HubNode, node: Node) -> None:
    ada = await kept_seat(hub)
    await add(ada, ONE_WIN)
    assert await node.keys("leaderboard:*") == []
    history = await node.services.histories.load(ada.player)
    assert (history.days, history.rounds) == ({}, {})


async def test_a_variant_and_a_device_are_charged_once_and_enough(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, charged = await kept_seat(hub), list[Item]()

    @asynccontextmanager
    async def paying(_: object, __: Need, items: Iterable[Item]) -> AsyncIterator[None]:
        charged.extend(items)
        yield

    monkeypatch.setattr(node.services.quotas, "paying", paying)
    # The longest figures.
    slow = [True, 104, MAX_TIME_MS, MAX_MOVES]
    longest = [*[MAX_PLAYED // 2] * 4, 104, MAX_TIME_MS, MAX_MOVES, [slow] * MAX_DEALS]
    await add(ada, longest, rules="forty-thieves sequences")
    assert charged == [charges.FIGURES, charges.DEVICE]
    await add(ada, longest, number=2, rules="forty-thieves sequences")
    assert len(charged) == 2
    taken = await node.redis.memory_usage(f"practice:{{{ada.player}}}")
    assert 1_000 < (taken or 0) < charges.FIGURES.size + charges.DEVICE.size
