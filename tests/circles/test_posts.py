"""Posts of circles to webhooks: daily tables and new challenges."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit

import pytest

from server.base.core.days import DAY, date_text, day_at
from server.base.core.refusal import Refusal
from server.base.outbound.core.post import Outcome
from server.base.web.pages import SCREENS
from server.challenges.core.events import Terms
from server.circles.core import commands, keys
from server.circles.core.seasons import settled
from server.circles.journal import CHECKPOINT_EVERY
from tests.base.outbound.receiver import Receiver, receiving
from tests.base.redis.servers import running, until
from tests.builders import ADA, BOB, LIMIT, START
from tests.circles.test_circles import founded
from tests.circles.test_tables import HALF, add
from tests.clients.seats import HubNode, Seat
from tests.conftest import ALONE
from tests.nodes import Node
from tests.processes import PATIENCE

TODAY = day_at(START)


async def received(receiver: Receiver) -> dict[str, Any]:
    async with asyncio.timeout(PATIENCE):
        found: dict[str, Any] = json.loads((await receiver.received.get()).body)
    assert urlsplit(found["link"]).path.split("/")[1] in SCREENS
    return found


async def test_a_days_table_is_posted_once_after_it_is_settled(node: Node, other: Node) -> None:
    async with running(node.run), running(other.run), receiving() as receiver:
        circle = await founded(node, BOB)
        circle = await node.services.circles.set_webhook(circle.id, ADA, receiver.url(), "json")
        await add(node, BOB, HALF)
        node.clock.time = settled(TODAY) + circle.delay - 1
        await other.sweep()
        assert (await node.services.circles.load(circle.id, ADA)).posted == TODAY - 1
        node.clock.time += 1
        for each in (other, node):
            await each.sweep()
        post = await received(receiver)
        assert (post["title"], len(post["lines"])) == (f"Friends: {date_text(TODAY)}", 1)
        assert post["lines"][0].startswith("1. ")
        assert post["lines"][0].endswith(": 51 points (1 daily)")
        assert post["link"] == f"https://play.example.org/circles/{circle.id}"
        assert receiver.received.empty()
        after = await node.services.circles.load(circle.id, ADA)
        assert after.post_due == settled(TODAY + 1) + circle.delay


async def test_a_day_without_play_is_not_posted(node: Node) -> None:
    async with running(node.run), receiving() as receiver:
        circle = await founded(node, BOB)
        await node.services.circles.set_webhook(circle.id, ADA, receiver.url(), "json")
        node.clock.time = settled(TODAY + 3) + circle.delay
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


class Asked:
    """Ada's session as owner of a circle with a webhook."""

    def __init__(self, seat: Seat, circle: str) -> None:
        self._seat = seat
        self._circle = circle

    async def set(self, url: str) -> dict[str, Any]:
        """Set the webhook's URL, and return the circle."""
        return await self._seat.ask("SetCircleWebhook", circle=self._circle, url=url, form="json")

    async def shown(self, webhook: str | None, code: str) -> None:
        """Wait until the circle shows this webhook format and outcome."""

        async def is_shown() -> bool:
            found = await self._seat.ask("WatchCircle", circle=self._circle)
            answer = found["answer"] or {"code": None}
            return (found["webhook"], answer["code"]) == (webhook, code)

        await until(is_shown)


@pytest.mark.parametrize(
    ("answer", "webhook", "code"),
    [
        (b"HTTP/1.1 204 No Content\r\n\r\n", "json", "204"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "json", "400"),
        (b"HTTP/1.1 401 Unauthorized\r\n\r\n", "json", "401"),
        (b"HTTP/1.1 403 Forbidden\r\n\r\n", "json", "403"),
        (b"HTTP/1.1 404 Not Found\r\n\r\n", None, "404"),
        (b"SSH-2.0-OpenSSH_9.9\r\n", "json", "answer"),
    ],
)
@ALONE
async def test_a_test_post_is_sent_immediately_and_its_outcome_shown(
    hub: HubNode, answer: bytes, webhook: str | None, code: str
) -> None:
    async with running(hub.node.run), receiving(answer) as receiver:
        ada = await hub.seat(name="Ada")
        circle = (await ada.ask("CreateCircle", name="Friends", key="creation"))["circle"]
        asked = Asked(ada, circle)
        found = await asked.set(receiver.url())
        assert (found["webhook"], found["answer"]) == ("json", None)
        post = await received(receiver)
        assert (post["title"], len(post["lines"])) == ("Friends", 1)
        await asked.shown(webhook, code)


async def test_outcomes_of_a_replaced_webhook_are_ignored(node: Node) -> None:
    async with running(node.run), receiving() as receiver:
        circles = node.services.circles
        circle = await founded(node, BOB)
        before = await circles.set_webhook(circle.id, ADA, receiver.url(path="/one"), "json")
        after = await circles.set_webhook(circle.id, ADA, receiver.url(path="/two"), "json")
        assert before.webhook is not None
        assert after.webhook is not None
        await circles.record_webhook_outcome(circle.id, before.webhook.url, Outcome(410, "gone"))
        assert await circles.load(circle.id, ADA) == after
        for _ in range(3):
            await circles.record_webhook_outcome(
                circle.id, after.webhook.url, Outcome("time", None)
            )
        away = await circles.load(circle.id, ADA)
        assert away.answer is not None
        assert (away.answer.code, away.version) == ("time", after.version + 1)
        assert away.used == after.used
        again = await circles.set_webhook(circle.id, ADA, receiver.url(path="/one"), "json")
        assert again.answer is None


async def test_a_test_post_is_sent_at_most_once_a_minute(node: Node) -> None:
    async with running(node.run), receiving() as receiver:
        circle = await founded(node, BOB)
        circle = await node.services.circles.set_webhook(circle.id, ADA, receiver.url(), "json")
        for later in (0, 0, 60_000):
            node.clock.time += later
            await node.services.circle_posts.post_test(circle, node.clock.time)
        for _ in range(2):
            assert (await received(receiver))["title"] == "Friends"
        assert receiver.received.empty()


async def test_the_url_is_sealed_wherever_it_is_stored(node: Node) -> None:
    circle = await founded(node)
    url = "https://hooks.example.com/hook/secret"
    circle = await node.services.circles.set_webhook(circle.id, ADA, url, "slack")
    assert circle.webhook is not None
    assert circle.webhook.form == "slack"
    again = await node.services.circles.set_webhook(circle.id, ADA, url, "slack")
    assert again.version == circle.version, "nothing has changed"
    for number in range(CHECKPOINT_EVERY):
        await node.services.circles.decide(circle.id, commands.mute, ADA, not number % 2)
    texts = await node.services.journal_store.read_from(keys.circle(circle.id), 1)
    assert "secret/" not in "".join(texts)
    assert "hooks.example" not in "".join(texts)
    circle = await node.services.circles.set_webhook(circle.id, ADA, None, "json")
    assert circle.due is None


async def test_a_forbidden_url_is_refused(node: Node) -> None:
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
