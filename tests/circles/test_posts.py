"""Posts of circles to webhooks: each day's table once, and new challenges."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit

import pytest

from server.base.core.days import DAY, date_text, day_at
from server.base.core.refusal import Refusal
from server.base.web.pages import SCREENS
from server.challenges.core.events import Terms
from server.circles.core import keys
from server.circles.core.seasons import settled
from server.circles.journal import CHECKPOINT_EVERY
from tests.base.outbound.receiver import Receiver, receiving
from tests.base.redis.servers import running, until
from tests.builders import ADA, BOB, LIMIT, START
from tests.circles.test_circles import founded
from tests.circles.test_tables import HALF, add
from tests.nodes import Node, SetClock

TODAY = day_at(START)


async def received(receiver: Receiver) -> dict[str, Any]:
    """Return the next post, whose link is to a screen that there is."""
    async with asyncio.timeout(10):
        found: dict[str, Any] = json.loads((await receiver.received.get()).body)
    assert urlsplit(found["link"]).path.split("/")[1] in SCREENS
    return found


async def test_the_table_of_a_day_is_posted_once_when_all_results_are_there(
    node: Node, other: Node, clock: SetClock
) -> None:
    async with running(node.run), running(other.run), receiving() as receiver:
        circle = await founded(node, BOB)
        circle = await node.services.circles.set_webhook(circle.id, ADA, receiver.url(), "json")
        await add(node, BOB, HALF)
        clock.time = settled(TODAY) - 1
        await other.sweep()
        assert (await node.services.circles.load(circle.id, ADA)).posted == TODAY - 1
        clock.time += 1
        for each in (other, node):
            await each.sweep()
        post = await received(receiver)
        assert post["title"] == f"Friends: {date_text(TODAY)}"
        assert len(post["lines"]) == 1
        assert post["lines"][0].startswith("1. ")
        assert post["lines"][0].endswith(": 51 points (1 daily)")
        assert post["link"] == f"https://play.example.org/circles/{circle.id}"
        assert receiver.received.empty()
        after = await node.services.circles.load(circle.id, ADA)
        assert after.post_due == settled(TODAY + 1)


async def test_a_day_on_which_nobody_played_is_not_posted(node: Node, clock: SetClock) -> None:
    async with running(node.run), receiving() as receiver:
        circle = await founded(node, BOB)
        await node.services.circles.set_webhook(circle.id, ADA, receiver.url(), "json")
        clock.time = settled(TODAY + 3)
        await node.sweep()
        assert (await node.services.circles.load(circle.id, ADA)).posted == TODAY + 3
        assert receiver.received.empty()


async def test_a_challenge_for_the_circle_is_posted(node: Node) -> None:
    async with running(node.run), receiving() as receiver:
        circle = await founded(node, BOB)
        await node.services.circles.set_webhook(circle.id, ADA, receiver.url(), "json")
        terms = Terms("robert", "standard", LIMIT, DAY, circle=circle.id)
        made = await node.services.challenges.create(BOB, terms, "creation")
        await node.apply_effects()
        post = await received(receiver)
        assert post["title"] == "Friends: a challenge to Robert"
        assert post["link"] == f"https://play.example.org/c/{made.id}"


async def test_a_webhook_that_is_gone_is_forgotten(node: Node) -> None:
    async with running(node.run), receiving(b"HTTP/1.1 410 Gone\r\n\r\n") as receiver:
        circle = await founded(node, BOB)
        await node.services.circles.set_webhook(circle.id, ADA, receiver.url(), "json")
        terms = Terms("robert", "standard", LIMIT, DAY, circle=circle.id)
        await node.services.challenges.create(BOB, terms, "creation")
        await node.apply_effects()

        async def forgotten() -> bool:
            return (await node.services.circles.load(circle.id, ADA)).webhook is None

        await until(forgotten)


async def test_the_address_is_sealed_in_all_that_is_stored(node: Node) -> None:
    circle = await founded(node)
    url = "https://hooks.example.com/hook/secret"
    circle = await node.services.circles.set_webhook(circle.id, ADA, url, "slack")
    assert circle.webhook is not None
    assert circle.webhook.form == "slack"
    again = await node.services.circles.set_webhook(circle.id, ADA, url, "slack")
    assert again.version == circle.version, "nothing has changed"
    for number in range(CHECKPOINT_EVERY):
        await node.services.circles.mute(circle.id, ADA, muted=not number % 2)
    texts = await node.store.journals.read_from(keys.circle(circle.id), 1)
    assert "secret/" not in "".join(texts)
    assert "hooks.example" not in "".join(texts)
    circle = await node.services.circles.set_webhook(circle.id, ADA, None, "json")
    assert circle.due is None


async def test_an_address_that_nothing_is_posted_to_is_refused(node: Node) -> None:
    circle = await founded(node, BOB)
    set_webhook = node.services.circles.set_webhook
    with pytest.raises(Refusal, match="bad_webhook"):
        await set_webhook(circle.id, ADA, "ftp://example.com/", "json")
    with pytest.raises(Refusal, match="not_owner"):
        await set_webhook(circle.id, BOB, "https://example.com/", "json")
    node.services.webhooks.is_on = False
    with pytest.raises(Refusal, match="no_webhooks"):
        await set_webhook(circle.id, ADA, "https://example.com/", "json")
    node.services.webhooks.is_on, node.services.circles._links = True, False
    with pytest.raises(Refusal, match="no_webhooks"):
        await set_webhook(circle.id, ADA, "https://example.com/", "json")
