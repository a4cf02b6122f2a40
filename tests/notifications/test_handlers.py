"""Notifications over a session: subscribing a device and setting preferences."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from typing import Any

from server.notifications.core.wishes import device_id
from tests.clients.seats import HubNode
from tests.conftest import ALONE
from tests.nodes import PUSH_KEY
from tests.notifications.browser import AUTH, Browser

pytestmark = ALONE

ENDPOINT = "http://127.0.0.1:9/push"


def encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def subscription(**changed: str) -> dict[str, Any]:
    return {
        "endpoint": ENDPOINT,
        "key": encoded(Browser().key),
        "auth": encoded(AUTH),
        "language": "en",
        **changed,
    }


async def test_a_device_can_subscribe_to_topics(hub: HubNode) -> None:
    ada = await hub.seat(name="Ada")
    empty = await ada.ask("GetPush")
    assert (empty["key"], empty["devices"], empty["topics"]) == (PUSH_KEY.public, [], [])
    found = await ada.ask("AddPush", **subscription())
    (device,) = found["devices"]
    assert (device["id"], device["service"]) == (device_id(ENDPOINT), "127.0.0.1")
    quiet = {"begin": 1_320, "end": 420, "zone": "Europe/Berlin"}
    found = await ada.ask("SetPush", topics=["streak", "beaten", "streak"], quiet=[*quiet.values()])
    assert (found["topics"], found["quiet"]) == (["beaten", "streak"], quiet)
    assert await ada.ask("GetPush") == {**found, "re": found["re"] + 1}
    found = await ada.ask("RemovePush", device=device["id"])
    assert (found["devices"], found["topics"]) == ([], ["beaten", "streak"])


async def test_an_invalid_subscription_is_refused(hub: HubNode) -> None:
    ada = await hub.seat(name="Ada")
    for changed in ({"key": "AA"}, {"key": "?"}, {"auth": ""}, {"endpoint": "ftp://a.org/"}):
        answer = await ada.ask("AddPush", **subscription(**changed))
        assert (answer["type"], answer["code"]) == ("refused", "bad_push")
    assert (await ada.ask("GetPush"))["devices"] == []
