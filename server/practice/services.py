"""The services of practice."""

from __future__ import annotations

from typing import TypeAlias

from server.accounts.services import AccountServices
from server.foundation import Setup
from server.practice.practice import Practice
from server.practice.store import PracticeStore
from server.request import C_co, NodeRequest


class PracticeServices(AccountServices):
    """Statistics of practice."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.practice = Practice(PracticeStore(setup.database), self.clock)
        self.keeping.deleted.subscribe(self.practice.forget)
        self.accounts.exported["practice"] = self.practice.export


Request: TypeAlias = NodeRequest[C_co, PracticeServices]
"""A command and the services that execute it."""
