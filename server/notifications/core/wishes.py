"""Wishes: what a player wants to be told, on which devices, and when not."""

from __future__ import annotations

from datetime import datetime, time, timedelta, tzinfo
from hashlib import sha256
from typing import Final, Literal

from msgspec import Struct

from server.base.core.days import DAY, day_at, ends

MAX_DEVICES: Final = 5
"""Devices of a player; a further one takes the place of the one that was added first."""

MAX_A_DAY: Final = 20
"""Notifications that a player gets in a day, since others decide whom they challenge."""

MINUTES: Final = 1_440
"""Minutes of a day."""

MAX_ZONE: Final = 40
"""Most characters of the name of a time zone."""

REMIND_BEFORE_MS: Final = 2 * 3_600_000
"""Milliseconds before the end of a UTC day at which a streak is about to end."""

SPREAD_MS: Final = 600_000
"""Milliseconds before that over which reminders are spread, as many players have the same time."""

Topic = Literal["challenged", "beaten", "streak"]
"""Topics: somebody challenges the player; somebody has passed the player; a streak ends soon."""

_HOSTS: Final = ("fcm.googleapis.com", "updates.push.services.mozilla.com", "web.push.apple.com")
_DOMAINS: Final = (".push.apple.com", ".notify.windows.com")
"""The push services of Chrome and its relatives, of Firefox, Safari and Edge."""


class Device(Struct, frozen=True):
    """A browser that is told something, as stored.

    Attributes:
        endpoint: the URL at its push service, which is secret.
        key: its public key (P-256, uncompressed, in base64 in JSON).
        auth: the secret that it shares with who may tell it something (16 bytes).
        language: in which it shows what it is told, as `en`.
        added: since when, in Unix milliseconds.
        epoch: that of the session that added it. Who signs out everywhere is told nothing there.
    """

    endpoint: str
    key: bytes
    auth: bytes
    language: str
    added: int
    epoch: int = 0

    @property
    def id(self) -> str:
        """Its id, which does not tell the endpoint."""
        return device_id(self.endpoint)


class Quiet(Struct, array_like=True, frozen=True):
    """The hours of each day in which nothing is told.

    Attributes:
        begin: from when, in minutes after midnight where the player is.
        end: until when; earlier than `begin` if midnight is between them.
        zone: the name of the time zone where the player is. Its distance from UTC changes, with
            daylight saving.
    """

    begin: int
    end: int
    zone: str

    def until(self, now: int, zone: tzinfo) -> int:
        """Return when they end, if they are at a time; or that time. Both in Unix milliseconds.

        Args:
            now: the time.
            zone: that of the name.
        """
        local = datetime.fromtimestamp(now // 1000, zone)
        minute = local.hour * 60 + local.minute
        if (minute - self.begin) % MINUTES >= (self.end - self.begin) % MINUTES:
            return now
        day = local.date() + timedelta(days=self.end <= minute)
        end = datetime.combine(day, time(*divmod(self.end, 60)), zone)
        # If the clocks are set back, there is such a time twice.
        times = (int(end.replace(fold=fold).timestamp()) * 1000 for fold in (0, 1))
        return next((each for each in times if each > now), now)


class Wishes(Struct, frozen=True):
    """Wishes of a player: what to be told, and when not; as stored."""

    topics: tuple[Topic, ...] = ()
    quiet: Quiet | None = None


class Notice(Struct, frozen=True):
    """A notice: something that a player is told, as stored.

    Attributes:
        topic: what it is about.
        link: the path of the page that it opens, as `c/<challenge>`.
        who: the name of the player who has brought it about, if one has, for a line of text.
        game: the name of the game, if it is about one.
        days: the length of the streak.
    """

    topic: Topic
    link: str
    who: str = ""
    game: str = ""
    days: int = 0


def device_id(endpoint: str) -> str:
    """Return the id of the device at an endpoint."""
    return sha256(b"samedeal push\0" + endpoint.encode()).hexdigest()[:16]


def is_push_service(host: str) -> bool:
    """Return whether a server, by its name, is one of the known push services."""
    return host in _HOSTS or host.endswith(_DOMAINS)


def remind_at(player: str, now: int) -> int:
    """Return when a player is to be reminded next of a streak that ends, in Unix milliseconds."""
    early = int.from_bytes(sha256(player.encode()).digest()[:4]) % SPREAD_MS
    before = REMIND_BEFORE_MS + early
    today = ends(day_at(now)) - before
    return today if now < today else today + DAY
