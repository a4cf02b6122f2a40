"""Cases for operators: one list of suspicious runs and races, and of players' reports.

A page takes at most `MAX_BATCHES` times two round trips, however long the list is.
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
MAX_BATCHES: Final = 8  # Cases read together, and the maximum number of reads per page: 512 cases.
ALL_TIMES: Final = 2**53  # later than every case's, in Unix milliseconds

CaseKind = Literal["suspicion", "report"]
State = Literal["open", "closed"]


class Closed(Struct, frozen=True):
    """How a case was closed, as stored; `at` is in Unix milliseconds."""

    at: int
    outcome: Outcome
    operator: str
    reason: str


class Case(Struct, frozen=True):
    """A suspicious run or race, or a reported player or run.

    Attributes:
        case: the case's name.
        kind: a suspicion or a report.
        player: the suspected or reported player, or the run's owner.
        name: the player's, with the tag.
        attempt: the run; `None` if a player was reported.
        game: the run's.
        day: the number of the run's day; `None` if it is not of a daily.
        at: the end of the run, or the last report, in Unix milliseconds.
        weight: the sum of the reasons' weights, or the number of reporters.
        reasons: the reasons for a suspicion; empty for a report.
        reports: the number of reporters by kind; empty for a suspicion.
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
    """A page of cases, newest first.

    Attributes:
        cases: possibly empty, even if there is a next page.
        next: the cursor of the next page, a time and a name; `None` after the last page.
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
        """Return at most `count` cases, newest first.

        Restrict them by state, by kind, to runs of one day's dailies, and to those after a cursor,
        as in `CasePage.next`.
        """
        at, name = before or (ALL_TIMES, "")
        found: list[Case] = []
        for _ in range(MAX_BATCHES):
            batch = await self._store.before(at, name, BATCH)
            for stored in batch:
                # The cursor also advances past cases that are filtered out.
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
        """Return whether a case exists."""
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
    """Return a case without its player's name; `None` if it has been dropped in the meantime."""
    at, name, suspicion, report, closed_text = stored
    closed = None if closed_text is None else _CLOSED.decode(closed_text)
    # Updated after it was closed.
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
