"""The notifications service: recipients, devices and timing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import pytest
from structlog.testing import capture_logs

from server.base.core import days
from server.base.core.ids import PlayerId
from server.base.core.refusal import Refusal
from server.base.outbound.core.due import PostDue
from server.notifications.core import keys as notification_keys
from server.notifications.core.keys import ReminderDue
from server.notifications.core.wishes import (
    MAX_A_DAY,
    MAX_DEVICES,
    Device,
    Notice,
    Quiet,
    Topic,
    remind_at,
)
from server.notifications.notifications import SIGNED_FOR_S, Notifications
from server.notifications.zones import zone_or_utc
from server.players.core import keys as players_keys
from server.results.core.history import DayResult
from tests.base.outbound.receiver import Received, Receiver, receiving
from tests.base.outbox.outboxes import all_due
from tests.base.redis.servers import running, until
from tests.builders import ADA, BOB, START, refusal_from
from tests.nodes import PUSH_KEY, Node
from tests.notifications.browser import AUTH, Browser, signed_claims
from tests.processes import PATIENCE

HOUR = 3_600_000
CHALLENGED = Notice("challenged", "c/abc", who="Bob", game="Robert")
TODAY = days.day_at(START)


@dataclass(slots=True)
class Told:
    """Ada's browser at a test push service."""

    node: Node
    service: Receiver
    browser: Browser

    def device(self, name: str = "ada", language: str = "de", at: int = START) -> Device:
        """Return the browser as a device with its own endpoint."""
        return Device(self.service.url(path=f"/push/{name}"), self.browser.key, AUTH, language, at)

    async def subscribe(
        self, *topics: Topic, quiet: Quiet | None = None, name: str = "ada"
    ) -> Device:
        """Subscribe the browser, and set Ada's topics and quiet hours."""
        device = self.device(name)
        await self.node.services.notifications.add_device(ADA, device)
        await self.node.services.notifications.wish(ADA, [*topics], quiet)
        return device

    async def tell(self, name: str = "abc", notice: Notice = CHALLENGED) -> None:
        """Send Ada a notification."""
        told = self.node.services.notifications
        await told.tell(ADA, name, notice, self.node.services.clock.now() + 12 * HOUR)

    async def next(self) -> Received:
        """Return the next request to the push service."""
        async with asyncio.timeout(PATIENCE):
            return await self.service.received.get()

    async def read(self) -> dict[str, Any]:
        """Return the content of the next notification."""
        return self.browser.read((await self.next()).body)


@asynccontextmanager
async def told_on(node: Node, *answers: bytes) -> AsyncIterator[Told]:
    async with running(node.run), receiving(*answers) as service:
        yield Told(node, service, Browser())


async def all_of(node: Node) -> dict[object, int]:
    return dict(await all_due(node.services.outbox_store, START + 100 * HOUR))


async def test_a_notification_is_readable_only_by_the_browser(node: Node) -> None:
    with capture_logs() as logs:
        async with told_on(node) as told:
            await told.subscribe("challenged")
            await told.tell()
            got = await told.next()
            assert told.browser.read(got.body) == {
                "topic": "challenged",
                "link": "c/abc",
                "who": "Bob",
                "game": "Robert",
                "days": 0,
                "language": "de",
                "tag": got.headers["topic"],
            }
            assert got.line == "POST /push/ada HTTP/1.1"
            assert got.headers["content-encoding"] == "aes128gcm"
            assert got.headers["ttl"] == str(12 * 3_600)
            claims = signed_claims(got.headers["authorization"], PUSH_KEY.public)
            port = urlsplit(told.service.url()).port
            assert claims == {
                "aud": f"http://127.0.0.1:{port}",
                "exp": START // 1000 + SIGNED_FOR_S,
                "sub": "mailto:ops@example.org",
            }
            await told.tell()
            await told.tell("other")
            await told.next()
        assert told.service.received.empty()
    assert "/push/" not in str(logs)


async def test_unselected_topics_are_not_sent(node: Node) -> None:
    async with told_on(node) as told:
        await told.tell()
        await told.subscribe("beaten", "streak")
        await told.tell()
        assert not any(isinstance(due, PostDue) for due in await all_of(node))
        device = await told.subscribe("challenged")
        await node.services.notifications.remove_device(ADA, device.id)
        await told.tell()
        await node.services.notifications.tell(BOB, "abc", CHALLENGED, START + HOUR)
        assert await all_of(node) == {}
        assert told.service.received.empty()


async def test_a_delayed_notification_is_dropped_after_a_change_of_preferences(node: Node) -> None:
    quiet = Quiet(0, 1_439, "UTC")

    async def unwanted() -> bool:
        return node.services.metrics.posts["push", "dropped"] == 2

    async with told_on(node) as told:
        node.clock.time = days.ends(TODAY) - 2 * HOUR
        for name in ("one", "two"):
            device = await told.subscribe("challenged", quiet=quiet, name=name)
            await told.tell(name)
            await node.services.notifications.remove_device(ADA, device.id)
        node.clock.time += 2 * HOUR
        await node.sweep()
        await until(unwanted)
        assert told.service.received.empty()


async def test_quiet_hours_delay_notifications_until_their_end(node: Node) -> None:
    minute = START % days.DAY // 60_000
    quiet = Quiet(minute, (minute + 60) % 1_440, "UTC")
    async with told_on(node) as told:
        await told.subscribe("challenged", quiet=quiet)
        await told.tell()
        await node.services.notifications.tell(ADA, "late", CHALLENGED, START + HOUR // 2)
        ((due, at),) = (await all_of(node)).items()
        assert isinstance(due, PostDue)
        assert at == quiet.until(START, UTC) > START
        await node.sweep()
        assert told.service.received.empty()
        node.clock.time = at
        await node.sweep()
        assert (await told.read())["who"] == "Bob"


@pytest.mark.parametrize(
    ("month", "hour"), [(1, 6), (7, 5)], ids=["7 o'clock in winter", "7 o'clock in summer"]
)
async def test_quiet_hours_follow_daylight_saving(node: Node, month: int, hour: int) -> None:
    """The quiet hours were set in the other half of the year."""
    quiet = Quiet(22 * 60, 7 * 60, "Europe/Berlin")
    async with told_on(node) as told:
        await told.subscribe("challenged", quiet=quiet)
        node.clock.time = (
            int(datetime(2027, month, 10, hour, tzinfo=UTC).timestamp() * 1000) - HOUR // 2
        )
        await told.tell()
        ((_, at),) = await all_due(node.services.outbox_store, node.clock.time + HOUR)
        assert at == node.clock.time + HOUR // 2


async def test_an_unknown_time_zone_is_refused(node: Node) -> None:
    told = node.services.notifications
    for zone in ("Europe/Samedeal", "", "../../etc/passwd", "/etc/passwd", "zone.tab", "+1", "\0"):
        with pytest.raises(Refusal, match="unknown_zone"):
            await told.wish(ADA, ["challenged"], Quiet(1_320, 420, zone))
    # A stored zone that this node no longer knows falls back to UTC.
    assert zone_or_utc("Europe/Samedeal") is UTC
    assert await all_of(node) == {}


async def test_a_player_has_at_most_five_devices_the_newest(node: Node) -> None:
    notifications = node.services.notifications
    async with told_on(node) as told:
        await told.subscribe("challenged")
        for number in range(MAX_DEVICES + 1):
            await notifications.add_device(ADA, told.device(f"{number}", at=START + number))
        await notifications.add_device(ADA, told.device("3", "fr", at=START + 10))
        devices = (await notifications.load(ADA)).devices
        paths = [urlsplit(each.endpoint).path.rpartition("/")[2] for each in devices]
        assert paths == ["1", "2", "4", "5", "3"]
        await told.tell()
        found = {(await told.next()).line.split()[1]: None for _ in range(MAX_DEVICES)}
        assert found.keys() == {f"/push/{name}" for name in paths}


@pytest.mark.parametrize("status", [b"404 Not Found", b"410 Gone"])
async def test_a_device_unknown_to_its_push_service_is_removed(node: Node, status: bytes) -> None:
    async def gone() -> bool:
        return (await node.services.notifications.load(ADA)).devices == ()

    async with told_on(node, b"HTTP/1.1 " + status + b"\r\n\r\n") as told:
        await told.subscribe("challenged")
        await told.tell()
        await until(gone)


async def test_signing_out_everywhere_stops_notifications(node: Node) -> None:
    async def gone() -> bool:
        return (await node.services.notifications.load(ADA)).devices == ()

    async with told_on(node) as told:
        await told.subscribe("challenged")
        await node.redis.hset(players_keys.player(ADA), "epoch", "1")
        await told.tell()
        await until(gone)
        assert told.service.received.empty()


async def test_the_number_of_notifications_per_day_is_limited(node: Node) -> None:
    async with told_on(node) as told:
        await told.subscribe("challenged")
        for number in range(MAX_A_DAY + 3):
            await told.tell(f"{number}")
        for _ in range(MAX_A_DAY):
            await told.next()
        node.clock.time += days.DAY
        await told.tell("tomorrow")
        await told.next()
        assert told.service.received.empty()


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://evil.example.org/push",
        "http://fcm.googleapis.com/send",
        "https://fcm.googleapis.com.evil.org/",
        "https://127.0.0.1/",
        "",
    ],
)
async def test_endpoints_must_be_at_known_push_services(node: Node, endpoint: str) -> None:
    outside = Notifications(
        node.services.subscriber_store,
        node.services.player_store,
        node.services.posts,
        node.services.clock,
        push_key=PUSH_KEY,
    )
    with pytest.raises(Refusal, match="bad_push"):
        await outside.add_device(ADA, Device(endpoint, Browser().key, AUTH, "en", START))
    known = Device("https://fcm.googleapis.com/send/a", Browser().key, AUTH, "en", START)
    await outside.add_device(ADA, known)
    assert (await outside.load(ADA)).devices == (known,)


async def test_invalid_keys_are_refused(node: Node) -> None:
    for key, auth in ((b"", AUTH), (bytes(65), AUTH), (Browser().key, b"a")):
        with pytest.raises(Refusal, match="bad_push"):
            await node.services.notifications.add_device(
                ADA, Device("http://127.0.0.1/", key, auth, "en", START)
            )


async def test_a_server_without_a_key_sends_nothing(node: Node) -> None:
    silent = Notifications(
        node.services.subscriber_store,
        node.services.player_store,
        node.services.posts,
        node.services.clock,
        push_key=None,
    )
    assert silent.key is None
    with pytest.raises(Refusal, match="no_push"):
        await silent.add_device(ADA, Device("", b"", b"", "en", START))
    assert await refusal_from(silent.wish(ADA, ["streak"], None)) == "no_push"
    await silent.tell(ADA, "abc", CHALLENGED, START + HOUR)
    assert await node.keys("*push*") == []


async def play(node: Node, player: PlayerId) -> None:
    today = days.day_at(node.services.clock.now())
    result = DayResult(home=40, left=12, time=60_000, moves=90, end="stuck", points=40)
    await node.services.histories.add_day(player, "robert", today, result, ())


async def test_an_ending_streak_is_announced_two_hours_before_midnight(node: Node) -> None:
    async with told_on(node) as told:
        await told.subscribe("streak")
        first = remind_at(ADA, START)
        assert await all_of(node) == {ReminderDue(ADA): first}
        node.clock.time = first
        await node.sweep()
        await play(node, ADA)
        node.clock.time = first + days.DAY - HOUR
        await play(node, ADA)
        node.clock.time = first + days.DAY
        await node.sweep()
        assert told.service.received.empty()
        node.clock.time = first + 2 * days.DAY
        await node.sweep()
        found = await told.read()
        assert (found["topic"], found["days"]) == ("streak", 2)
        await node.sweep()
        due = await all_due(node.services.outbox_store, START + 100 * days.DAY)
        assert (ReminderDue(ADA), first + 3 * days.DAY) in due
        node.clock.time = first + 3 * days.DAY
        await node.sweep()
        await node.services.notifications.wish(ADA, [], None)
        node.clock.time += days.DAY
        await node.sweep()
        assert told.service.received.empty()
        due = await all_due(node.services.outbox_store, START + 100 * days.DAY)
        assert not any(isinstance(each, ReminderDue) for each, _ in due)


async def test_stored_data_is_exported_without_secrets(node: Node) -> None:
    async with told_on(node) as told:
        await told.subscribe("challenged", quiet=Quiet(1_320, 420, "+01:00"))
        text = await node.services.accounts.export(ADA)
    assert json.loads(text)["notifications"] == {
        "devices": [{"service": "127.0.0.1", "language": "de", "added": START}],
        "topics": ["challenged"],
        "quiet": {"begin": 1_320, "end": 420, "zone": "+01:00"},
    }
    assert "/push/" not in text


async def test_a_deleted_player_gets_nothing_and_leaves_no_data(node: Node) -> None:
    async with told_on(node) as told:
        await told.subscribe("challenged", "streak")
        assert await node.redis.exists(notification_keys.push(ADA))
        await node.services.accounts.delete(ADA)
        assert not await node.redis.exists(notification_keys.push(ADA))
        assert await all_of(node) == {}
