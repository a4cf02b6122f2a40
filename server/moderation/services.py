"""The services of moderation."""

from __future__ import annotations

from typing import TypeAlias, get_args

from server.circles.services import CircleServices
from server.dailies.services import DailyServices
from server.foundation import Setup
from server.lobby.services import LobbyServices
from server.moderation import operator_messages
from server.moderation.cases import Cases
from server.moderation.cases_store import CaseStore
from server.moderation.core.acts import AnyAct
from server.moderation.moderation import Moderation
from server.moderation.operating import Operating
from server.moderation.operator_list import OperatorList
from server.moderation.operators import Operators
from server.moderation.reports import Reports
from server.moderation.reports_store import ReportStore
from server.moderation.store import ModerationStore
from server.moderation.suspicions import Suspicions
from server.moderation.suspicions_store import SuspicionStore
from server.request import C_co, NodeRequest


class ModerationServices(CircleServices, LobbyServices, DailyServices):
    """Suspicions, reports, and operators' views and acts.

    Attributes:
        operator_list: the operators on the page, or `None` if there are none.
        operating: sessions that may moderate.
    """

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        database, operators = setup.database, setup.settings.operators
        self.operator_list = None if operators is None else OperatorList(operators)
        if operators is None:
            self.disabled.add(operator_messages)
        self.operating = Operating()
        self.moderation_store = ModerationStore(database)
        self.suspicion_store = SuspicionStore(database)
        self.report_store = ReportStore(database)
        self.cases = Cases(CaseStore(database), self.profiles)
        self.suspicions = Suspicions(
            self.suspicion_store,
            self.attempts,
            starts=self.start_store,
            deals=self.deal_store,
            histories=self.history_store,
            daily_sets=self.daily_sets,
        )
        self.finishes.applied.subscribe(self.suspicions.examine_finished)
        self.race_recorder.applied.subscribe(self.suspicions.note_race)
        self.keeping.keeping.subscribe(self.suspicions.examine_kept)
        self.reports = Reports(
            self.report_store,
            self.runs,
            moderation=self.moderation_store,
            histories=self.history_store,
            clock=self.clock,
        )
        self.moderation = Moderation(
            self.moderation_store,
            repaired_days=self.repaired_day_store,
            attempts=self.attempts,
            rooms=self.rooms,
            histories=self.histories,
            curves=self.curves,
            race_recorder=self.race_recorder,
            keeping=self.keeping,
            profiles=self.profiles,
            sessions=self.sessions,
            cases=self.cases,
            closed_deals=self.closed_deals,
            circles=self.circles,
        )
        for kind in get_args(AnyAct):
            self.outbox.on(kind, self.moderation.apply)
        self.operators = Operators(
            self.moderation_store,
            self.outbox,
            deals=self.deal_store,
            outboxes=self.outbox_store,
            clock=self.clock,
            rooms=self.rooms,
            live=self.live,
            open_rooms=self.open_rooms,
            sessions=self.sessions,
            profiles=self.profiles,
            histories=self.histories,
            race_recorder=self.race_recorder,
            suspicions=self.suspicions,
            cases=self.cases,
            repaired_days=self.repaired_days,
            closed_deals=self.closed_deals,
            circles=self.circles,
        )
        self.lasting["audit"] = False


Request: TypeAlias = NodeRequest[C_co, ModerationServices]
"""A command and the services that execute it."""
