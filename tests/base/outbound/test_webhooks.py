"""Webhooks: permissions, destinations, and delivered messages."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import Any, Final

import pytest
from structlog.testing import capture_logs

from server.base.core import keys
from server.base.core.refusal import Refusal
from server.base.outbound.core.post import LIFE_MS, Fate, Outcome
from server.base.outbound.core.webhook import Message
from server.base.outbound.webhooks import Webhooks
from tests.base.outbound.receiver import receiving
from tests.base.redis.servers import running, until, until_equal
from tests.builders import START
from tests.nodes import Node
from tests.processes import PATIENCE

OWNER = "c1rc1e0000000000"
TO_JSON: Final[dict[str, Any]] = {"form": "json", "until": START + LIFE_MS}
MESSAGE = Message("Today", ("1. Ada",), "https://play.example.org/")


async def test_a_message_is_posted_and_its_url_stays_secret(node: Node) -> None:
    webhooks = node.services.webhooks
    with capture_logs() as logs:
        async with running(node.run), receiving() as receiver:
            sealed = webhooks.seal(OWNER, receiver.url())
            assert "secret" not in sealed
            assert webhooks.host(OWNER, sealed) == "127.0.0.1"
            for _ in range(2):
                await webhooks.post(f"{OWNER}/day", OWNER, sealed, MESSAGE, **TO_JSON)
            async with asyncio.timeout(PATIENCE):
                found = await receiver.received.get()
            stored = await node.redis.hgetall(keys.post(f"{OWNER}/day"))
        assert receiver.received.empty()
    assert json.loads(found.body)["title"] == "Today"
    assert found.headers["idempotency-key"] == f"{OWNER}/day"
    assert "secret" not in f"{stored}{logs}"


async def test_the_owner_of_a_webhook_sees_each_posts_outcome(node: Node) -> None:
    webhooks, told = node.services.webhooks, list[tuple[str, str, Outcome]]()
    fates: dict[int, Fate | None] = {204: "sent", 403: "dropped", 503: None, 404: "gone"}
    answers = [f"HTTP/1.1 {status} X\r\n\r\n".encode() for status in fates]

    async def tell(owner: str, webhook: str, outcome: Outcome) -> None:
        told.append((owner, webhook, outcome))

    webhooks.heard.subscribe(tell)
    async with running(node.run), receiving(*answers) as receiver:
        sealed = webhooks.seal(OWNER, receiver.url())
        for number in range(4):
            await webhooks.post(str(number), OWNER, sealed, MESSAGE, **TO_JSON)
            await until_equal(partial(len, told), number + 1)
    assert told == [(OWNER, sealed, Outcome(*each)) for each in fates.items()]


async def test_a_webhook_belongs_only_to_its_owner(node: Node) -> None:
    webhooks = node.services.webhooks
    async with running(node.run), receiving() as receiver:
        sealed = webhooks.seal(OWNER, receiver.url())
        assert webhooks.host("another", sealed) == ""
        await webhooks.post("a", "another", sealed, MESSAGE, **TO_JSON)
        await until(lambda: node.services.metrics.posts["webhook", "dropped"] == 1)
        assert receiver.received.empty()


async def test_an_operator_can_disable_webhooks(node: Node) -> None:
    services = node.services
    closed = Webhooks(services.posts, node.services.secret_keys, is_on=False)
    with pytest.raises(Refusal, match="no_webhooks"):
        closed.seal(OWNER, "https://example.org/")
    await closed.post("a", OWNER, "sealed", MESSAGE, **TO_JSON)
    assert await node.redis.exists(keys.post("a")) == 0


@pytest.mark.parametrize("url", ["http://example.org/", "https://127.0.0.1/", "https://intranet/"])
async def test_a_forbidden_url_is_refused(node: Node, url: str) -> None:
    outside = Webhooks(node.services.posts, node.services.secret_keys, is_on=True)
    with pytest.raises(Refusal, match="bad_webhook"):
        outside.seal(OWNER, url)
