"""Reports of players and runs, for operators to look at; nothing follows by itself.

What one costs: a read of what is reported (of a run, as much as to look at it), one of whether the
reporter is a guest, and one write of about 100 bytes, which nobody else is told of. A target takes
1 kB at most, and all together 5 MB. What a hostile client could make of it: `Payer.report` lets a
player report five at once and six an hour, and an address 20 and twelve, on each node. So the list
can be filled with nonsense in weeks, which drops what was reported longest ago; suspicious runs are
a list of their own, and guests weigh no more than one player together.
"""

from __future__ import annotations

import msgspec

from server.base.core.ids import PACE_BOT, AttemptId, PlayerId
from server.base.core.refusal import Refusal
from server.base.work.clock import Clock
from server.moderation.core.reports import Reported, Reporter, ReportKind
from server.moderation.reports_store import ReportStore
from server.moderation.store import ModerationStore
from server.results.histories_store import HistoryStore
from server.runs.runs import Runs

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Reported)


class Reports:
    """Takes reports."""

    def __init__(
        self,
        store: ReportStore,
        runs: Runs,
        *,
        moderation: ModerationStore,
        histories: HistoryStore,
        clock: Clock,
    ) -> None:
        self._store = store
        self._runs = runs
        self._moderation = moderation
        self._histories = histories
        self._clock = clock

    async def add(
        self,
        reporter: PlayerId,
        kind: ReportKind,
        player: PlayerId,
        attempt: AttemptId | None = None,
    ) -> None:
        """Report a player, or a run that everybody may look at. This is idempotent.

        Args:
            reporter: who reports.
            kind: as what.
            player: who is reported; ignored with an attempt.
            attempt: the run that is reported.

        Raises:
            Refusal: as `unknown_player` if there is none, or it is the reporter or the pace bot; of
                a run as `Runs.load` refuses it.
            UnreadableError: a newer release stored the run.
        """
        target = Reported(player) if attempt is None else await self._run(attempt, reporter)
        if target.player in {reporter, PACE_BOT}:
            raise Refusal("unknown_player")
        if attempt is None and not (await self._moderation.restrictions(player)).known:
            raise Refusal("unknown_player")
        (kept,) = await self._histories.kept([reporter])
        by = Reporter(reporter, kind, self._clock.now(), bool(kept))
        while True:
            text = await self._store.load(target.name)
            new = (_DECODER.decode(text) if text else target).adding(by)
            if new is None:
                return
            encoded = _ENCODER.encode(new).decode()
            if await self._store.replace(target.name, by.at, text, encoded):
                return

    async def _run(self, attempt: AttemptId, reporter: PlayerId) -> Reported:
        start = (await self._runs.load(attempt, reporter)).run.start
        return Reported(start.player, attempt, start.game, start.day)
