"""Posts to circles' webhooks: daily tables and new challenges."""

from __future__ import annotations

from typing import Final

from engine.catalog import games
from server.base.core.days import date_text
from server.base.outbound.core.webhook import MAX_LINES, Message
from server.base.outbound.webhooks import Webhooks
from server.challenges.challenges import Challenges
from server.challenges.core.effects import ChallengeOpened
from server.circles.circles import Circles
from server.circles.core import commands
from server.circles.core.circle import Circle
from server.circles.core.tables import Row
from server.circles.leagues import circle_of
from server.circles.tables import Tables
from server.players.core.names import Profile, isolated
from server.players.profiles import Profiles

LIFE_MS: Final = 72_000_000
"""Retry window of a post in milliseconds: about until the next day's table."""

TEST_LIFE_MS: Final = 600_000
"""Retry window of a test post in milliseconds, while its owner may be waiting for it."""


class CirclePosts:
    """Posts a circle's tables and challenges to its webhook.

    Args:
        circles: the circles.
        tables: their tables.
        challenges: the source of challenges made for circles.
        profiles: members' profiles.
        webhooks: the delivery of posts.
        page: the URL of the web page, for links in posts.
    """

    def __init__(
        self,
        circles: Circles,
        tables: Tables,
        challenges: Challenges,
        *,
        profiles: Profiles,
        webhooks: Webhooks,
        page: str,
    ) -> None:
        self._circles = circles
        self._tables = tables
        self._challenges = challenges
        self._profiles = profiles
        self._webhooks = webhooks
        self._page = page.rstrip("/")
        circles.passing.subscribe(self.post_day)
        webhooks.heard.subscribe(circles.record_webhook_outcome)

    async def post_test(self, circle: Circle, now: int) -> None:
        """Post a test message to a new webhook, at most once a minute.

        The outcome is recorded in the circle.
        """
        line = "Daily tables and new challenges will be posted here."
        message = Message(isolated(circle.name), (line,), f"{self._page}/circles/{circle.id}")
        name = f"test/{circle.version}/{now // 60_000}"
        await self._post(circle, name, message, now, life=TEST_LIFE_MS)

    async def post_day(self, circle: Circle, now: int) -> None:
        """Post the latest day's table if it is due. This is idempotent.

        A day without any play is not posted.
        """
        day = commands.day_to_post(circle, now)
        if day is None:
            return
        table = await self._tables.table(circle, "day", day)
        rows = [row for row in table.rows if row.score.played]
        if rows:
            profiles = await self._profiles.load(row.player for row in rows[:MAX_LINES])
            lines = tuple(_line(row, profiles[row.player]) for row in rows[:MAX_LINES])
            title = f"{isolated(circle.name)}: {date_text(day)}"
            link = f"{self._page}/circles/{circle.id}"
            await self._post(circle, f"table/{day}", Message(title, lines, link), now)
        await self._circles.note(circle.id, lambda c, at: commands.post(c, day, at))

    async def post_challenge(self, opened: ChallengeOpened) -> None:
        """Post a new challenge to its circle's webhook. This is idempotent."""
        found = await self._challenges.find(opened.challenge)
        name = None if found is None else circle_of(found)
        circle = None if name is None else await self._circles.find(name)
        if found is None or circle is None or circle.webhook is None:
            return
        creator = found.made.creator
        profile = (await self._profiles.load([creator]))[creator]
        game = games()[found.made.terms.game].name
        title = f"{isolated(circle.name)}: a challenge to {game}"
        line = f"{profile.isolated} challenges everyone."
        message = Message(title, (line,), f"{self._page}/c/{found.id}")
        await self._post(circle, f"challenge/{found.id}", message, found.made.at)

    async def _post(
        self, circle: Circle, name: str, message: Message, at: int, *, life: int = LIFE_MS
    ) -> None:
        if circle.webhook is not None:
            await self._webhooks.post(
                f"{circle.id}/{name}",
                circle.id,
                circle.webhook.url,
                message,
                form=circle.webhook.form,
                until=at + life,
            )


def _line(row: Row, profile: Profile) -> str:
    score = row.score
    dailies = "1 daily" if score.played == 1 else f"{score.played} dailies"
    return f"{row.rank}. {profile.isolated}: {score.points} points ({dailies})"
