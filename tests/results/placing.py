"""Placing players on leaderboards without a history."""

from __future__ import annotations

from collections.abc import Sequence

from server.base.core.ids import PlayerId
from server.results.core.boards import BoardId
from server.results.leaderboards_store import LeaderboardStore, Placement, Previous


async def place_player(
    boards: LeaderboardStore,
    board: BoardId,
    player: PlayerId,
    score: int | None,
    curve: Sequence[str] = (),
) -> Previous:
    """Set or remove a player's score on a leaderboard, and return the previous scores."""
    (previous,), _ = await boards.place(player, [Placement(board, score, curve)])
    return previous
