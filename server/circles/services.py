"""The services of circles."""

from __future__ import annotations

from typing import TypeAlias

from server.base.journals.findings import journal_check
from server.base.journals.followed import Journals
from server.challenges.core.effects import ChallengeOpened
from server.challenges.services import ChallengeServices
from server.circles import journal
from server.circles.circle_posts import CirclePosts
from server.circles.circles import Circles
from server.circles.core import circle, keys
from server.circles.core.keys import CircleDue
from server.circles.feed import CircleFeeds
from server.circles.leagues import Leagues
from server.circles.preview import of_invitation
from server.circles.store import CircleStore
from server.circles.tables import Tables
from server.circles.views import Views
from server.foundation import Setup
from server.request import C_co, NodeRequest


class CircleServices(ChallengeServices):
    """Circles, their tables and leagues.

    Attributes:
        circle_feeds: sessions subscribed to circles.
    """

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        page = setup.settings.public_url
        self.circle_store = CircleStore(setup.database)
        self.circles = Circles(
            self.circle_store,
            self.keyring,
            self.identity.clean,
            self.webhooks,
            links=page is not None,
            journals=Journals(journal.KIND, self.sources),
            clock=self.clock,
        )
        self.journal_check.add(self.circles.journals.used)
        self.circle_tables = Tables(self.history_store, self.daily_sets, clock=self.clock)
        self.circle_views = Views(self.circle_tables, self.profiles, self.history_store.changed)
        self.leagues = Leagues(self.circles, self.challenges, self.quotas)
        self.circle_posts = CirclePosts(
            self.circles,
            self.circle_tables,
            self.challenges,
            profiles=self.profiles,
            webhooks=self.webhooks,
            page=page or "",
        )
        self.outbox.on(ChallengeOpened, self.leagues.note_opened)
        self.outbox.on(ChallengeOpened, self.circle_posts.post_challenge)
        self.outbox.on_due(CircleDue, self.circles.pass_deadline)
        self.keeping.deleted.subscribe(self.circles.erase)
        self.accounts.exported["circles"] = self.circles.export
        self.circle_feeds = CircleFeeds(self.circles, self.profiles, self.hub, self.background)
        self.screens["o"] = of_invitation
        self.checks["circle"] = journal_check(keys.circle, journal.decode, circle.fold)


Request: TypeAlias = NodeRequest[C_co, CircleServices]
"""A command and the services that execute it."""
