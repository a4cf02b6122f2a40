"""Notifications: who is told what, on which devices, and when."""

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
from server.base.core.due import PostDue, ReminderDue
from server.base.core.ids import PlayerId
from server.base.core.refusal import Refusal
from server.notifications.core import keys as notification_keys
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
from tests.builders import ADA, BOB, START
from tests.nodes import PUSH_KEY, Node, SetClock
from tests.notifications.browser import AUTH, Browser, signed_claims

HOUR = 3_600_000
CHALLENGED = Notice("challenged", "c/abc", who="Bob", game="Robert")
TODAY = days.day_at(START)


@dataclass(slots=True)
class Told:
    """A browser of Ada's, at a push service that a test runs."""

    node: Node
    service: Receiver
    browser: Browser

    def device(self, name: str = "ada", language: str = "de", at: int = START) -> Device:
        """Return it as a device, at an endpoint of this name."""
        url = self.service.url(path=f"/push/{name}")
        return Device(url, self.browser.key, AUTH, language, at)

    async def subscribe(
        self, *topics: Topic, quiet: Quiet | None = None, name: str = "ada"
    ) -> Device:
        """Have Ada told about these topics there."""
        device = self.device(name)
        await self.node.services.notifications.add_device(ADA, device)
        await self.node.services.notifications.wish(ADA, [*topics], quiet)
        return device

    async def tell(self, name: str = "abc", notice: Notice = CHALLENGED) -> None:
        """Tell Ada something."""
        told = self.node.services.notifications
        await told.tell(ADA, name, notice, self.node.store.clock.now() + 12 * HOUR)

    async def next(self) -> Received:
        """Return the next request that the push service gets."""
        async with asyncio.timeout(10):
            return await self.service.received.get()

    async def read(self) -> dict[str, Any]:
        """Return what Ada is told next."""
        return self.browser.read((await self.next()).body)


@asynccontextmanager
async def told_on(node: Node, *answers: bytes) -> AsyncIterator[Told]:
    """Run a node and a push service."""
    async with running(node.run), receiving(*answers) as service:
        yield Told(node, service, Browser())


async def all_of(node: Node) -> dict[object, int]:
    return dict(await all_due(node.store.outboxes, START + 100 * HOUR))


async def test_a_player_is_told_what_only_the_browser_can_read(node: Node) -> None:
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


async def test_nobody_is_told_what_was_not_asked_for(node: Node) -> None:
    async with told_on(node) as told:
        await told.tell()
        await told.subscribe("beaten", "streak")
        await told.tell()
        assert not any(isinstance(due, PostDue) for due in await all_of(node))
        device = await told.subscribe("challenged")
        await node.services.notifications.drop_device(ADA, device.id)
        await told.tell()
        await node.services.notifications.tell(BOB, "abc", CHALLENGED, START + HOUR)
        assert await all_of(node) == {}
        assert told.service.received.empty()


async def test_what_is_not_wanted_any_more_is_not_sent(node: Node, clock: SetClock) -> None:
    """It was to be told at the end of the quiet hours."""
    quiet = Quiet(0, 1_439, "UTC")

    async def unwanted() -> bool:
        return node.services.metrics.posts["push", "dropped"] == 2

    async with told_on(node) as told:
        clock.time = days.ends(TODAY) - 2 * HOUR
        for name in ("one", "two"):
            device = await told.subscribe("challenged", quiet=quiet, name=name)
            await told.tell(name)
            await node.services.notifications.drop_device(ADA, device.id)
        clock.time += 2 * HOUR
        await node.sweep()
        await until(unwanted)
        assert told.service.received.empty()


async def test_in_quiet_hours_nothing_is_told_until_they_end(node: Node, clock: SetClock) -> None:
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
        clock.time = at
        await node.sweep()
        assert (await told.read())["who"] == "Bob"


@pytest.mark.parametrize(
    ("month", "hour"), [(1, 6), (7, 5)], ids=["7 o'clock in winter", "7 o'clock in summer"]
)
async def test_quiet_hours_follow_the_clocks_of_their_zone(
    node: Node, clock: SetClock, month: int, hour: int
) -> None:
    """They were set half a year before, or long ago."""
    quiet = Quiet(22 * 60, 7 * 60, "Europe/Berlin")
    async with told_on(node) as told:
        await told.subscribe("challenged", quiet=quiet)
        end = datetime(2027, month, 10, hour, tzinfo=UTC)
        clock.time = int(end.timestamp() * 1000) - HOUR // 2
        await told.tell()
        ((_, at),) = await all_due(node.store.outboxes, clock.time + HOUR)
        assert at == clock.time + HOUR // 2


async def test_a_zone_that_is_none_is_refused(node: Node) -> None:
    told = node.services.notifications
    for zone in ("Europe/Samedeal", "", "../../etc/passwd", "/etc/passwd", "zone.tab", "+1", "\0"):
        with pytest.raises(Refusal, match="unknown_zone"):
            await told.wish(ADA, ["challenged"], Quiet(1_320, 420, zone))
    # With zones that this node does not know any more, the hours are those of UTC.
    assert zone_or_utc("Europe/Samedeal") is UTC
    assert await all_of(node) == {}


async def test_a_player_is_told_on_five_devices_the_newest_ones(node: Node) -> None:
    notifications = node.services.notifications
    async with told_on(node) as told:
        await told.subscribe("challenged")
        for number in range(MAX_DEVICES + 1):
            await notifications.add_device(ADA, told.device(f"{number}", at=START + number))
        # Once more, in another language.
        await notifications.add_device(ADA, told.device("3", "fr", at=START + 10))
        devices = (await notifications.load(ADA)).devices
        paths = [urlsplit(each.endpoint).path.rpartition("/")[2] for each in devices]
        assert paths == ["1", "2", "4", "5", "3"]
        await told.tell()
        found = {(await told.next()).line.split()[1]: None for _ in range(MAX_DEVICES)}
        assert found.keys() == {f"/push/{name}" for name in paths}


@pytest.mark.parametrize("status", [b"404 Not Found", b"410 Gone"])
async def test_a_device_that_is_gone_is_told_nothing_any_more(node: Node, status: bytes) -> None:
    async def gone() -> bool:
        return (await node.services.notifications.load(ADA)).devices == ()

    async with told_on(node, b"HTTP/1.1 " + status + b"\r\n\r\n") as told:
        await told.subscribe("challenged")
        await told.tell()
        await until(gone)


async def test_who_signs_out_everywhere_is_told_nothing_there(node: Node) -> None:
    async def gone() -> bool:
        return (await node.services.notifications.load(ADA)).devices == ()

    async with told_on(node) as told:
        await told.subscribe("challenged")
        await node.redis.hset(players_keys.player(ADA), "epoch", "1")
        await told.tell()
        await until(gone)
        assert told.service.received.empty()


async def test_a_player_gets_no_more_than_so_many_in_a_day(node: Node, clock: SetClock) -> None:
    async with told_on(node) as told:
        await told.subscribe("challenged")
        for number in range(MAX_A_DAY + 3):
            await told.tell(f"{number}")
        for _ in range(MAX_A_DAY):
            await told.next()
        clock.time += days.DAY
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
async def test_only_push_services_are_told_anything(node: Node, endpoint: str) -> None:
    outside = Notifications(
        node.store.subscribers,
        node.store.players,
        node.services.posts,
        node.store.clock,
        push_key=PUSH_KEY,
    )
    with pytest.raises(Refusal, match="bad_push"):
        await outside.add_device(ADA, Device(endpoint, Browser().key, AUTH, "en", START))
    known = Device("https://fcm.googleapis.com/send/a", Browser().key, AUTH, "en", START)
    await outside.add_device(ADA, known)
    assert (await outside.load(ADA)).devices == (known,)


async def test_keys_that_are_none_are_refused(node: Node) -> None:
    for key, auth in ((b"", AUTH), (bytes(65), AUTH), (Browser().key, b"a")):
        with pytest.raises(Refusal, match="bad_push"):
            await node.services.notifications.add_device(
                ADA, Device("http://127.0.0.1/", key, auth, "en", START)
            )


async def test_a_server_without_a_key_tells_nobody_anything(node: Node) -> None:
    silent = Notifications(
        node.store.subscribers,
        node.store.players,
        node.services.posts,
        node.store.clock,
        push_key=None,
    )
    assert silent.key is None
    with pytest.raises(Refusal, match="no_push"):
        await silent.add_device(ADA, Device("", b"", b"", "en", START))
    with pytest.raises(Refusal, match="no_push"):
        await silent.wish(ADA, ["streak"], None)
    await silent.tell(ADA, "abc", CHALLENGED, START + HOUR)
    assert await node.keys("*push*") == []


async def play(node: Node, player: PlayerId) -> None:
    """Enter a result of the player's daily that counts."""
    today = days.day_at(node.store.clock.now())
    result = DayResult(home=40, left=12, time=60_000, moves=90, end="stuck", points=40)
    await node.services.histories.add_day(player, "robert", today, result, ())


async def test_a_streak_that_ends_is_told_two_hours_before_the_day_does(
    node: Node, clock: SetClock
) -> None:
    async with told_on(node) as told:
        await told.subscribe("streak")
        first = remind_at(ADA, START)
        assert await all_of(node) == {ReminderDue(ADA): first}
        # There is no streak yet.
        clock.time = first
        await node.sweep()
        await play(node, ADA)
        # It goes on already.
        clock.time = first + days.DAY - HOUR
        await play(node, ADA)
        clock.time = first + days.DAY
        await node.sweep()
        assert told.service.received.empty()
        clock.time = first + 2 * days.DAY
        await node.sweep()
        found = await told.read()
        assert (found["topic"], found["days"]) == ("streak", 2)
        await node.sweep()
        due = await all_due(node.store.outboxes, START + 100 * days.DAY)
        assert (ReminderDue(ADA), first + 3 * days.DAY) in due
        # It is over.
        clock.time = first + 3 * days.DAY
        await node.sweep()
        await node.services.notifications.wish(ADA, [], None)
        clock.time += days.DAY
        await node.sweep()
        assert told.service.received.empty()
        due = await all_due(node.store.outboxes, START + 100 * days.DAY)
        assert not any(isinstance(each, ReminderDue) for each, _ in due)


async def test_what_is_stored_is_exported_but_for_what_is_secret(node: Node) -> None:
    async with told_on(node) as told:
        await told.subscribe("challenged", quiet=Quiet(1_320, 420, "+01:00"))
        text = await node.services.accounts.export(ADA)
    assert json.loads(text)["notifications"] == {
        "devices": [{"service": "127.0.0.1", "language": "de", "added": START}],
        "topics": ["challenged"],
        "quiet": {"begin": 1_320, "end": 420, "zone": "+01:00"},
    }
    assert "/push/" not in text


async def test_a_deleted_player_is_told_nothing_and_nothing_is_left(node: Node) -> None:
    async with told_on(node) as told:
        await told.subscribe("challenged", "streak")
        assert await node.redis.exists(notification_keys.push(ADA))
        await node.services.accounts.delete(ADA)
        assert not await node.redis.exists(notification_keys.push(ADA))
        assert await all_of(node) == {}
