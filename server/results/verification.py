"""Verification of histories: they determine totals and leaderboards."""

from __future__ import annotations

from typing import get_args

from engine.catalog import games
from server.base.core import days
from server.base.core.ids import PlayerId
from server.base.journals.findings import Findings
from server.base.work.clock import Clock
from server.results.core.boards import BoardId, Group, boards_of_day, open_boards
from server.results.core.history import History
from server.results.histories_store import HistoryStore
from server.results.leaderboards_store import LeaderboardStore

BOARD_DAYS = 300
"""Days that daily leaderboards are certain to be kept."""


class HistoryCheck:
    """Compares histories with their totals and with leaderboards."""

    def __init__(
        self, histories: HistoryStore, leaderboards: LeaderboardStore, clock: Clock
    ) -> None:
        self._histories = histories
        self._leaderboards = leaderboards
        self._clock = clock

    async def check(self, name: str, found: Findings) -> None:
        """Verify a player's history."""
        player = PlayerId(name)
        if player in found.pending:
            # Effects of its results are still in an outbox.
            return
        # A node may write between the reads; then compare once more.
        for _ in range(2):
            whole = await self._histories.read(player)
            history = whole.history
            wrong = await self._differing_boards(player, history)
            if await self._histories.version(player) == history.version:
                break
        for board in wrong:
            found.note("Leaderboards that differ from the histories of their players", board)
        if whole.stored.totals and whole.stored != whole.computed:
            found.note("Histories with totals that differ from their results", player)

    async def _differing_boards(self, player: PlayerId, found: History) -> list[str]:
        """Return the leaderboards whose row of a player differs from the history."""
        now = self._clock.now()
        groups: tuple[Group, ...] = get_args(Group)
        wrong = []
        for (game, day), result in found.days.items():
            if not days.day_at(now) - BOARD_DAYS < day < days.day_at(now) - 1:
                continue
            boards = [boards_of_day(game, day, group, None)[0] for group in groups]
            rows = [await self._score(board, player) for board in boards]
            if set(rows) - {None} != ({None} if result.void else {result.packed}) - {None}:
                wrong.append(f"{boards[0].name} of {player}")
        for each in open_boards(games(), now, "ranked"):
            board = each._replace(group=found.group_on(each))
            score = found.score(board)
            if score is not None and await self._score(board, player) != score:
                wrong.append(f"{board.name} of {player}")
        return wrong

    async def _score(self, board: BoardId, player: PlayerId) -> int | None:
        (rows,) = await self._leaderboards.around(board, [player], 0)
        return rows[0].score if rows else None
