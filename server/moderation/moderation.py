"""Apply operators' acts and record each once in the audit journal.

An act is an outbox effect (`server/base/outbox/outbox.py`), which any node may apply any number of
times. The latest act on a subject prevails: applying an act carries out the latest recorded one,
and repeats if a later one was recorded in the meantime.
"""

from __future__ import annotations

from server.accounts.core.effects import Deleted
from server.accounts.keeping import Keeping
from server.base.core.refusal import Refusal
from server.base.journals.reader import Reader
from server.base.outbox import effects
from server.circles.circles import Circles
from server.moderation.cases import Cases
from server.moderation.core.acts import (
    AnyAct,
    BarPlayer,
    CloseCase,
    CloseRoom,
    DeleteCircle,
    DeletePlayer,
    HideName,
    RenameCircle,
    RepairDay,
    VoidResult,
)
from server.moderation.store import ModerationStore
from server.play.attempts import Attempts
from server.players.profiles import Profiles
from server.players.sessions import Sessions
from server.results.curves import Curves
from server.results.histories import Histories
from server.results.repaired_days_store import RepairedDayStore
from server.rooms.race_recorder import RaceRecorder
from server.rooms.rooms import Rooms
from server.runs.closed_deals import ClosedDeals

_READER: Reader[AnyAct] = Reader(AnyAct)


class Moderation:
    """Carries out operators' acts."""

    def __init__(
        self,
        store: ModerationStore,
        *,
        repaired_days: RepairedDayStore,
        attempts: Attempts,
        rooms: Rooms,
        histories: Histories,
        curves: Curves,
        race_recorder: RaceRecorder,
        keeping: Keeping,
        profiles: Profiles,
        sessions: Sessions,
        cases: Cases,
        closed_deals: ClosedDeals,
        circles: Circles,
    ) -> None:
        self._store = store
        self._repaired_days = repaired_days
        self._attempts = attempts
        self._rooms = rooms
        self._histories = histories
        self._curves = curves
        self._race_recorder = race_recorder
        self._keeping = keeping
        self._profiles = profiles
        self._sessions = sessions
        self._cases = cases
        self._closed_deals = closed_deals
        self._circles = circles

    async def apply(self, act: AnyAct) -> None:
        """Record an act, and carry out the latest one on its subject. This is idempotent."""
        recorded = act.id, act.subject, act.at, effects.encode(act)
        done, latest = "", await self._store.record(*recorded)
        while done != latest:
            done = latest
            await self._carry_out(decode(done))
            # Recorded again, not only read: the store may have lost the record, while the act's
            # effects remain.
            latest = await self._store.record(*recorded)

    async def _carry_out(self, act: AnyAct) -> None:  # noqa: PLR0912 - one for each act
        match act:
            case VoidResult(day=None):
                await self._race_recorder.void(act.attempt, act.reason if act.void else None)
                await self._closed_deals.void(act.attempt, is_void=act.void)
            case VoidResult(day=int(day)):
                run = await self._attempts.run(act.attempt)
                curve = () if run is None else await self._curves.of_run(run)
                await self._histories.void_day(act.player, act.game, day, curve, void=act.void)
            case BarPlayer():
                # Includes existing bots; a bot created at this moment is refused at its hello.
                for player in (act.player, *await self._keeping.bots(act.player)):
                    await self._store.bar(player, act.until)
                    if act.until is not None:
                        await self._sessions.close_all(player)
            case HideName():
                await self._store.hide_name(act.player, hidden=act.hidden)
                self._profiles.publish_changed(act.player)
            case CloseRoom():
                try:
                    await self._rooms.close(act.room)
                except Refusal:
                    # The room has expired in the meantime.
                    return
            case DeletePlayer():
                await self._keeping.delete(Deleted(act.player, act.at))
            case DeleteCircle():
                await self._circles.delete_by_operator(act.circle)
            case RenameCircle():
                await self._circles.rename_by_operator(act.circle, act.name)
            case CloseCase():
                await self._cases.close(act)
            case RepairDay():
                await self._repaired_days.add(act.game, act.day)


decode = _READER.decode  # decodes an act from JSON
