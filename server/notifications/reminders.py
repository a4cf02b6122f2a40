"""Reminders of ending streaks, due two hours before the end of a UTC day."""

from __future__ import annotations

from functools import reduce
from operator import or_

from server.base.core.days import day_at, ends
from server.base.core.ids import PlayerId
from server.base.outbox.outbox import Outbox
from server.base.work.clock import Clock
from server.notifications.core.keys import ReminderDue
from server.notifications.core.wishes import Notice, remind_at
from server.notifications.notifications import Notifications
from server.notifications.store import SubscriberStore
from server.results.core.played_days import streak
from server.results.histories import Histories
from server.results.repaired_days import RepairedDays


class Reminders:
    """Reminds players that a streak is about to end."""

    def __init__(
        self,
        notifications: Notifications,
        store: SubscriberStore,
        outbox: Outbox,
        *,
        histories: Histories,
        repaired_days: RepairedDays,
        clock: Clock,
    ) -> None:
        self._notifications = notifications
        self._store = store
        self._histories = histories
        self._repaired_days = repaired_days
        self._clock = clock
        outbox.on_due(ReminderDue, self._pass_due)

    async def _pass_due(self, due: ReminderDue) -> bool:
        """Remind a player who has not played today, and schedule the next day's reminder.

        Do nothing if the player has turned reminders off.
        """
        player, now = PlayerId(due.name), self._clock.now()
        found = await self._store.load(player)
        # Else the player has turned reminders off.
        if "streak" in found.wishes.topics and found.devices:
            today = day_at(now)
            days = await self._streak(due, today)
            if days:
                notice = Notice("streak", "", days=days)
                await self._notifications.tell(player, str(today), notice, ends(today))
            await self._store.remind(player, remind_at(player, now))
        return True

    async def _streak(self, due: ReminderDue, today: int) -> int:
        """Return the length of a streak that ends unless the player plays today, or 0."""
        page = await self._histories.page(PlayerId(due.name), 0)
        played = reduce(or_, (each.days_played for each in page.played.values()), 0)
        # The streak has already been continued today.
        if played >> today & 1:
            return 0
        return streak(played, today, await self._repaired_days.load()).now
