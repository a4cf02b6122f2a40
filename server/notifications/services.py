"""The services of notifications."""

from __future__ import annotations

from typing import TypeAlias

from server.circles.services import CircleServices
from server.foundation import Setup
from server.notifications.challenge_notices import ChallengeNotices
from server.notifications.notifications import Notifications
from server.notifications.push_key import PushKey, read_push_key
from server.notifications.reminders import Reminders
from server.notifications.store import SubscriberStore
from server.request import C_co, NodeRequest
from server.settings import Settings


def push_key_of(settings: Settings) -> PushKey | None:
    """Return the key that identifies a node to push services, or `None` without one.

    Raises:
        UnsuitableError: the key cannot be read, or the operator's contact is missing.
    """
    if settings.push_key_file is None:
        return None
    return read_push_key(settings.push_key_file, settings.push_contact or settings.public_url)


class NotificationServices(CircleServices):
    """Notifications about challenges, and reminders."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.subscriber_store = SubscriberStore(setup.database)
        self.notifications = Notifications(
            self.subscriber_store,
            self.player_store,
            self.posts,
            self.clock,
            push_key=push_key_of(setup.settings),
            local=setup.settings.local_posts,
        )
        self.reminders = Reminders(
            self.notifications,
            self.subscriber_store,
            self.outbox,
            histories=self.histories,
            repaired_days=self.repaired_days,
            clock=self.clock,
        )
        self.challenge_notices = ChallengeNotices(
            self.notifications,
            self.challenges,
            self.challenge_lists,
            self.profiles,
            clock=self.clock,
            unmuted_in=self.circles.wanting_notices,
        )
        self.challenge_notices.follow(self.outbox, self.finishes)
        self.keeping.deleted.subscribe(self.notifications.forget)
        self.accounts.exported["notifications"] = self.notifications.export


Request: TypeAlias = NodeRequest[C_co, NotificationServices]
"""A command and the services that execute it."""
