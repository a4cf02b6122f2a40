"""Cases for operators: suspicious runs and races, and what players have reported, in one list.

A page costs up to `MAX_BATCHES` times two round trips, however long the list is. A case that was
closed is open again when something is added to it later.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec
from msgspec import Struct

from server.base.core.ids import PlayerId
from server.moderation.cases_store import CaseStore, StoredCase
from server.moderation.core.acts import CloseCase, Outcome
from server.moderation.core.reports import Reported
from server.moderation.core.suspicion import Reason, Suspicion
from server.players.profiles import Profiles

BATCH: Final = 64
MAX_BATCHES: Final = 8
"""The cases that are read together, and how often at most for one page: 512 are looked at."""

ALL_TIMES: Final = 2**53
"""A time after that of every case, in Unix milliseconds."""

CaseKind = Literal["suspicion", "report"]
State = Literal["open", "closed"]


class Closed(Struct, frozen=True):
    """How a case was closed, as stored; `at` in Unix milliseconds."""

    at: int
    outcome: Outcome
    operator: str
    reason: str


class Case(Struct, frozen=True):
    """A suspicious run or race, or a player or run that was reported.

    Attributes:
        case: its name.
        kind: which of both.
        player: who, or whose run it is.
        name: the player's, with the tag.
        attempt: the run; `None` if a player was reported.
        game: of the run.
        day: the number of the day, if the run is of a daily.
        at: when the run ended, or when it was last reported; Unix milliseconds.
        weight: the sum of the reasons' weights, or how many have reported it.
        reasons: why it is suspicious; empty for a report.
        reports: how many have reported it, by kind; empty for a suspicion.
        closed: how it was closed; `None` if it is open.
    """

    case: str
    kind: CaseKind
    player: PlayerId
    name: str
    attempt: str | None
    game: str | None
    day: int | None
    at: int
    weight: int
    reasons: tuple[Reason, ...]
    reports: dict[str, int]
    closed: Closed | None


class CasePage(Struct, frozen=True):
    """Some cases, newest first.

    Attributes:
        cases: these.
        next: where the next page begins, a time and a name; `None` if there is none. A page may
            have no cases, and all the same a next one.
    """

    cases: list[Case]
    next: tuple[int, str] | None


_SUSPICIONS = msgspec.json.Decoder(Suspicion)
_REPORTS = msgspec.json.Decoder(Reported)
_CLOSED = msgspec.json.Decoder(Closed)
_ENCODER = msgspec.json.Encoder()


class Cases:
    """The list of cases."""

    def __init__(self, store: CaseStore, profiles: Profiles) -> None:
        self._store = store
        self._profiles = profiles

    async def page(
        self,
        count: int,
        *,
        state: State | None = None,
        kind: CaseKind | None = None,
        day: int | None = None,
        before: tuple[int, str] | None = None,
    ) -> CasePage:
        """Return cases, newest first.

        Args:
            count: how many at most.
            state: only those that are open, or closed.
            kind: only these.
            day: only runs at dailies of this day.
            before: only those after this place in the list, as `CasePage.next`.
        """
        at, name = before or (ALL_TIMES, "")
        found: list[Case] = []
        for _ in range(MAX_BATCHES):
            batch = await self._store.before(at, name, BATCH)
            for stored in batch:
                at, name = stored.at, stored.name
                case = _case(stored)
                if (
                    case is not None
                    and state in {None, "open" if case.closed is None else "closed"}
                    and kind in {None, case.kind}
                    and day in {None, case.day}
                ):
                    found.append(case)
                if len(found) >= count:
                    return CasePage(await self._named(found), (at, name))
            if len(batch) < BATCH:
                return CasePage(await self._named(found), None)
        return CasePage(await self._named(found), (at, name))

    async def has(self, name: str) -> bool:
        """Return whether there is such a case."""
        return await self._store.has(name)

    async def close(self, act: CloseCase) -> None:
        """Close a case. This is idempotent."""
        closed = Closed(act.at, act.outcome, act.operator, act.reason)
        await self._store.close(act.case, _ENCODER.encode(closed).decode())

    async def _named(self, cases: list[Case]) -> list[Case]:
        profiles = await self._profiles.load({case.player for case in cases})
        return [
            msgspec.structs.replace(
                case, name=f"{profiles[case.player].isolated} #{profiles[case.player].tag}"
            )
            for case in cases
        ]


def _case(stored: StoredCase) -> Case | None:
    """Return a case without its player's name; `None` if it has been dropped meanwhile."""
    at, name, suspicion, report, closed_text = stored
    closed = None if closed_text is None else _CLOSED.decode(closed_text)
    if closed is not None and closed.at < at:
        closed = None
    if suspicion is not None:
        run = _SUSPICIONS.decode(suspicion)
        where = run.attempt, run.game, run.day, at, run.weight
        return Case(name, "suspicion", run.player, "", *where, run.reasons, {}, closed)
    if report is not None:
        told = _REPORTS.decode(report)
        kinds = {str(kind): count for kind, count in told.kinds().items()}
        where_reported = told.attempt, told.game, told.day, at, told.weight
        return Case(name, "report", told.player, "", *where_reported, (), kinds, closed)
    return None
