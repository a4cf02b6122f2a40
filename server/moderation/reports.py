"""Reports of players and runs, for operators; they have no automatic consequences.

On each node, `Payer.report` limits a player to a burst of five reports, then six an hour, and an
address to a burst of 20, then twelve an hour. Abuse would take weeks to fill the list, which then
drops the least recently reported targets. A target takes at most 1 kB, all targets 5 MB.
"""

from __future__ import annotations

import msgspec

from server.base.core.ids import PACE_BOT, AttemptId, PlayerId
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.work.clock import Clock
from server.moderation.core.reports import Reported, Reporter, ReportKind
from server.moderation.reports_store import ReportStore
from server.moderation.store import ModerationStore
from server.results.histories_store import HistoryStore
from server.runs.runs import Runs

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Reported)


class Reports:
    """Accepts reports."""

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
        """Report a player, or their run if there is an attempt. This is idempotent.

        Refused as `unknown_player`, also for the reporter and the pace bot; for a run, as by
        `Runs.load`.
        """
        target = Reported(player) if attempt is None else await self._run(attempt, reporter)
        if target.player in {reporter, PACE_BOT}:
            raise Refusal(BaseRefusals.unknown_player)
        if attempt is None and not (await self._moderation.restrictions(player)).known:
            raise Refusal(BaseRefusals.unknown_player)
        (kept,) = await self._histories.kept([reporter])
        by = Reporter(reporter, kind, self._clock.now(), bool(kept))
        # Compare and set: another report may get in between.
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
