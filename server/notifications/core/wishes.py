"""Notification preferences: topics, devices and quiet hours."""

from __future__ import annotations

from datetime import datetime, time, timedelta, tzinfo
from hashlib import sha256
from typing import Final, Literal

from msgspec import Struct

from server.base.core.days import DAY, day_at, ends

MAX_DEVICES: Final = 5  # of a player; a further one replaces the earliest
MAX_A_DAY: Final = 20  # notifications to a player, because other players cause them
MINUTES: Final = 1_440  # in a day
MAX_ZONE: Final = 40  # characters in the name of a time zone
REMIND_BEFORE_MS: Final = 2 * 3_600_000  # before the end of a UTC day
SPREAD_MS: Final = 600_000  # before that, to avoid a burst of sends

# `challenged`: by another player; `beaten`: overtaken in a challenge; `streak`: about to end.
Topic = Literal["challenged", "beaten", "streak"]

_HOSTS: Final = ("fcm.googleapis.com", "updates.push.services.mozilla.com", "web.push.apple.com")
# The push services of Chromium-based browsers, Firefox, Safari and Edge.
_DOMAINS: Final = (".push.apple.com", ".notify.windows.com")


class Device(Struct, frozen=True):
    """A subscribed browser, as stored."""

    endpoint: str  # the URL at its push service, which is secret
    key: bytes  # its public key (P-256, uncompressed; base64 in JSON)
    auth: bytes  # its shared secret (16 bytes)
    language: str  # the language of its notifications, such as `en`
    added: int  # the time it was added, in Unix milliseconds
    # The epoch of the session that added it. After signing out everywhere, devices of earlier
    # epochs receive nothing.
    epoch: int = 0

    @property
    def id(self) -> str:
        """The device's id, which does not reveal the endpoint."""
        return device_id(self.endpoint)


class Quiet(Struct, array_like=True, frozen=True):
    """The daily quiet hours, without notifications."""

    begin: int  # the start, in minutes after midnight local time
    end: int  # the end, likewise; earlier than `begin` if the hours include midnight
    # The name of the player's time zone, which follows daylight saving, or a fixed offset; see
    # `server.notifications.zones`.
    zone: str

    def until(self, now: int, zone: tzinfo) -> int:
        """Return the end of the quiet hours in effect at a time, or else that time.

        Both are in Unix milliseconds, and `zone` is the one named by `self.zone`.
        """
        local = datetime.fromtimestamp(now // 1000, zone)
        minute = local.hour * 60 + local.minute
        if (minute - self.begin) % MINUTES >= (self.end - self.begin) % MINUTES:
            return now
        day = local.date() + timedelta(days=self.end <= minute)
        end = datetime.combine(day, time(*divmod(self.end, 60)), zone)
        # The local time occurs twice when clocks are set back.
        times = (int(end.replace(fold=fold).timestamp()) * 1000 for fold in (0, 1))
        return next((each for each in times if each > now), now)


class Wishes(Struct, frozen=True):
    """A player's notification preferences, as stored."""

    topics: tuple[Topic, ...] = ()
    quiet: Quiet | None = None


class Notice(Struct, frozen=True):
    """The content of a notification, as stored."""

    topic: Topic  # its topic
    link: str  # the path of the page it opens, such as `c/<challenge>`
    who: str = ""  # the name of the player who caused it, for display; empty without one
    game: str = ""  # the name of the game; empty without one
    days: int = 0  # the length of the streak


def device_id(endpoint: str) -> str:
    """Return the id of the device with an endpoint."""
    return sha256(b"samedeal push\0" + endpoint.encode()).hexdigest()[:16]


def is_push_service(host: str) -> bool:
    """Return whether a host name belongs to a known push service."""
    return host in _HOSTS or host.endswith(_DOMAINS)


def remind_at(player: str, now: int) -> int:
    """Return the time of a player's next streak reminder, in Unix milliseconds."""
    # `hash` differs between processes, and the time must not.
    early = int.from_bytes(sha256(player.encode()).digest()[:4]) % SPREAD_MS
    before = REMIND_BEFORE_MS + early
    today = ends(day_at(now)) - before
    return today if now < today else today + DAY
