"""The services of accounts."""

from __future__ import annotations

from typing import TypeAlias

from server.accounts.accounts import Accounts
from server.accounts.confirmations import Confirmations
from server.accounts.core.effects import Deleted, Kept
from server.accounts.keeping import Keeping
from server.accounts.passkey_challenges import PasskeyChallenges
from server.accounts.store import AccountStore
from server.foundation import Setup
from server.request import C_co, NodeRequest
from server.results.services import ResultServices


class AccountServices(ResultServices):
    """Credentials, export and deletion.

    Attributes:
        confirmations: sessions that have shown a credential of their player.
        passkey_challenges: pending passkey challenges.
    """

    account_store: AccountStore

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.account_store = AccountStore(setup.database)
        self.keeping = Keeping(self.account_store, self.histories, self.profiles, self.sessions)
        self.outbox.on(Kept, self.keeping.keep)
        self.outbox.on(Deleted, self.keeping.delete)
        self.accounts = Accounts(
            self.account_store,
            self.identity,
            self.sessions,
            self.outbox,
            self.histories,
            clock=self.clock,
        )
        self.confirmations = Confirmations()
        self.passkey_challenges = PasskeyChallenges()
        self.lasting |= {"recovery": True, "passkey": True}


Request: TypeAlias = NodeRequest[C_co, AccountServices]
"""A command and the services that execute it."""
