"""The notifications service: sends pushes to players' devices through their push services.

Other wings call `Notifications.tell`, which applies the player's preferences and quiet hours. Each
device gets its own post, encrypted when it is sent.
"""

from __future__ import annotations

import os
from hashlib import sha256
from typing import Final
from urllib.parse import urlsplit

import msgspec
from cryptography.hazmat.primitives.asymmetric import ec
from msgspec import Struct

from server.base.core.days import day_at
from server.base.core.ids import PlayerId
from server.base.core.refusal import Refusal
from server.base.outbound.core.destination import Destination, parse_url
from server.base.outbound.core.post import Outcome, Outgoing, Post
from server.base.outbound.posts import Channel, Posts
from server.base.work.clock import Clock
from server.notifications.core.encryption import (
    AUTH_BYTES,
    SALT_BYTES,
    authorization,
    encrypt,
    is_key,
)
from server.notifications.core.refusals import NotificationRefusals
from server.notifications.core.wishes import (
    MAX_A_DAY,
    Device,
    Notice,
    Quiet,
    Topic,
    Wishes,
    is_push_service,
    remind_at,
)
from server.notifications.push_key import PushKey
from server.notifications.store import Subscriber, SubscriberStore
from server.notifications.zones import zone_of, zone_or_utc
from server.players.store import PlayerStore

CHANNEL: Final = "push"

SIGNED_FOR_S: Final = 3_600  # the validity of an authorization header


class _Content(Struct, frozen=True):
    """A notice for a device, as the content of a stored post."""

    device: str
    notice: Notice


class _Payload(Struct, frozen=True):
    """The JSON payload for the page's service worker."""

    topic: Topic
    link: str
    who: str
    game: str
    days: int
    language: str  # the language of the notification
    tag: str  # the notification replaces an earlier one with the same tag


_DECODER = msgspec.json.Decoder(_Content)


class Notifications:
    """Sends players the notifications they asked for."""

    def __init__(
        self,
        store: SubscriberStore,
        players: PlayerStore,
        posts: Posts,
        clock: Clock,
        *,
        push_key: PushKey | None,
        local: bool = False,
    ) -> None:
        # The public key for browsers' subscriptions, or `None` if the server does not send
        # notifications.
        self.key = None if push_key is None else push_key.public
        self._push_key = push_key
        self._store = store
        self._players = players
        self._posts = posts
        self._clock = clock
        self._local = local
        posts.on(CHANNEL, Channel(self._request, self._hear))

    async def load(self, player: PlayerId) -> Subscriber:
        """Return a player's devices and preferences."""
        return await self._store.load(player)

    async def export(self, player: PlayerId) -> dict[str, object]:
        """Return a player's stored data without the devices' secrets."""
        devices, wishes = await self._store.load(player)
        return {
            "devices": [
                {
                    "service": urlsplit(each.endpoint).hostname,
                    "language": each.language,
                    "added": each.added,
                }
                for each in devices
            ],
            "topics": wishes.topics,
            "quiet": None if wishes.quiet is None else msgspec.structs.asdict(wishes.quiet),
        }

    async def add_device(self, player: PlayerId, device: Device) -> None:
        """Subscribe a device.

        Refused as `no_push`; or as `bad_push` if the endpoint is not at a known push service or a
        key is invalid.
        """
        if self._push_key is None:
            raise Refusal(NotificationRefusals.no_push)
        is_valid = is_key(device.key) and len(device.auth) == AUTH_BYTES
        if self._destination(device.endpoint) is None or not is_valid:
            raise Refusal(NotificationRefusals.bad_push)
        known = await self._store.load(player)
        await self._store.add(player, device, known.devices)

    async def remove_device(self, player: PlayerId, device: str) -> None:
        """Unsubscribe a device by its id."""
        await self._store.drop(player, device)

    async def wish(self, player: PlayerId, topics: list[Topic], quiet: Quiet | None) -> None:
        """Set a player's topics and quiet hours. Refused as `no_push` or `unknown_zone`."""
        if self._push_key is None:
            raise Refusal(NotificationRefusals.no_push)
        if quiet is not None and zone_of(quiet.zone) is None:
            raise Refusal(NotificationRefusals.unknown_zone)
        # Equal times mean no quiet hours, not a whole day of them.
        if quiet is not None and quiet.begin == quiet.end:
            quiet = None
        wishes = Wishes(tuple(sorted(set(topics))), quiet)
        at = remind_at(player, self._clock.now()) if "streak" in wishes.topics else None
        await self._store.wish(player, wishes, at)

    async def forget(self, player: PlayerId) -> None:
        """Delete a player's data."""
        await self._store.forget(player)

    async def tell(self, player: PlayerId, name: str, notice: Notice, until: int) -> None:
        """Send a player a notification once, if their preferences include its topic.

        In quiet hours it is delayed to their end, if it is still useful then. `name` is an
        idempotency key within the player and topic, such as a challenge's id, and `until` the end
        of its usefulness in Unix milliseconds, at most a day ahead.

        Raises:
            UnavailableError: it may or may not have been sent; the call can be repeated.
        """
        if self._push_key is None:
            return
        found = await self._store.load(player)
        if notice.topic not in found.wishes.topics or not found.devices:
            return
        now = self._clock.now()
        quiet = found.wishes.quiet
        at = now if quiet is None else quiet.until(now, zone_or_utc(quiet.zone))
        # Count last, so that only notifications actually sent use up the limit.
        if at >= until or await self._store.count(player, day_at(now)) > MAX_A_DAY:
            return
        for device in found.devices:
            post_id = f"{player}/{notice.topic}/{name}/{device.id}"
            content = msgspec.json.encode(_Content(device.id, notice)).decode()
            await self._posts.post(Post(post_id, CHANNEL, player, content, until), at)

    async def _request(self, post: Post) -> Outgoing | None:
        """Return the request for a post, or `None` if the post is no longer wanted."""
        content, player = _DECODER.decode(post.content), PlayerId(post.owner)
        notice = content.notice
        found = await self._store.load(player)
        device = next((each for each in found.devices if each.id == content.device), None)
        if device is None or notice.topic not in found.wishes.topics or self._push_key is None:
            return None
        destination = self._destination(device.endpoint)
        if destination is None:
            return None
        if device.epoch < await self._players.epoch(player):
            # The device's session was signed out.
            await self._store.drop(player, device.id)
            return None
        tag = sha256(f"{notice.topic} {notice.link}".encode()).hexdigest()[:32]
        payload = _Payload(**msgspec.structs.asdict(notice), language=device.language, tag=tag)
        # RFC 8291 requires a fresh key and salt for each message.
        own, salt = ec.generate_private_key(ec.SECP256R1()), os.urandom(SALT_BYTES)
        text = msgspec.json.encode(payload)
        now = self._clock.now()
        scheme = "https" if destination.tls else "http"
        headers = {
            "Authorization": authorization(
                self._push_key.private,
                f"{scheme}://{destination.authority}",
                self._push_key.contact,
                now // 1000 + SIGNED_FOR_S,
            ),
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(max(0, post.until - now) // 1000),
            "Urgency": "normal",
            # The push service replaces an undelivered message with the same topic.
            "Topic": tag,
        }
        return Outgoing(device.endpoint, headers, encrypt(text, device.key, device.auth, own, salt))

    async def _hear(self, post: Post, outcome: Outcome) -> None:
        """Remove a device that its push service no longer knows."""
        if outcome.fate == "gone":
            content = _DECODER.decode(post.content)
            await self._store.drop(PlayerId(post.owner), content.device)

    def _destination(self, endpoint: str) -> Destination | None:
        """Parse an endpoint; return `None` if it is not at a known push service."""
        found = parse_url(endpoint, local=self._local)
        is_known = found is not None and (self._local or is_push_service(found.host))
        return found if is_known else None
