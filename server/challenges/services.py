"""The services of challenges."""

from __future__ import annotations

from typing import TypeAlias

from server.accounts.services import AccountServices
from server.base.journals.findings import journal_check
from server.base.journals.followed import Journals
from server.challenges import journal
from server.challenges.challenges import Challenges
from server.challenges.core import challenge, keys, occasions
from server.challenges.core.effects import ChallengeOpened, ChallengeSettled
from server.challenges.core.keys import ChallengeDue
from server.challenges.feed import ChallengeFeeds
from server.challenges.lists import ChallengeLists
from server.challenges.lists_feed import ChallengeListsFeed
from server.challenges.preview import ChallengePreviews
from server.challenges.recorder import ChallengeRecorder
from server.challenges.store import ChallengeStore
from server.foundation import Setup
from server.request import C_co, NodeRequest
from server.runs.services import RunServices


class ChallengeServices(RunServices, AccountServices):
    """Challenges, and each player's list of them.

    Attributes:
        challenge_feeds: sessions subscribed to challenges.
    """

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        outbox = self.outbox
        self.challenge_store = ChallengeStore(setup.database)
        self.challenges = Challenges(
            self.challenge_store,
            self.attempts,
            self.rooms,
            self.quotas,
            self.keyring,
            journals=Journals(journal.KIND, self.sources),
            deals=self.deal_store,
            pools=self.pool_store,
            players=self.player_store,
            clock=self.clock,
        )
        self.journal_check.add(self.challenges.journals.used)
        self.closed_deals.register(occasions.KIND, self.challenges)
        self.challenge_lists = ChallengeLists(
            self.challenge_store,
            self.challenges,
            self.profiles,
            self.sessions,
            self.node_bus,
            players=self.player_store,
            clock=self.clock,
        )
        self.challenge_recorder = ChallengeRecorder(
            self.challenges, self.histories, self.challenge_store, deals=self.deal_store
        )
        self.finishes.applied.subscribe(lambda finish, _: self.challenges.apply_finish(finish))
        self.challenges.journals.appended.subscribe(
            lambda _, __, append: outbox.enqueue_appended(append)
        )
        outbox.on(ChallengeOpened, self.challenge_recorder.withhold)
        outbox.on(ChallengeOpened, self.challenge_lists.tell)
        outbox.on(ChallengeSettled, self.challenge_recorder.apply)
        outbox.on(ChallengeSettled, self.challenge_recorder.withhold)
        outbox.on_due(ChallengeDue, self.challenges.pass_deadline)
        self.keeping.deleted.subscribe(self.challenge_lists.forget)
        self.accounts.exported["challenge_list"] = self.challenge_lists.export
        self.challenge_feeds = ChallengeFeeds(
            self.challenges, self.profiles, self.hub, self.background
        )
        ChallengeListsFeed(self.challenge_lists, self.hub, self.background)
        self.screens["c"] = ChallengePreviews(self.challenges, self.profiles).screen
        self.checks["challenge"] = journal_check(keys.challenge, journal.decode, challenge.fold)


Request: TypeAlias = NodeRequest[C_co, ChallengeServices]
"""A command and the services that execute it."""
