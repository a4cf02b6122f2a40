"""Deals with valid certificates, made without a solver."""

from __future__ import annotations

from itertools import islice

from engine.catalog import daily_ruleset, daily_variant
from engine.deal import deal_seed
from engine.notation import parse_move
from engine.play import apply
from server.deals.pool_store import PooledDeal
from server.deals.store import new_deal
from tests.builders import line_home

MOVES = 12
"""The number of moves of a line."""


def pooled(game: str = "robert", effort: int = 0) -> PooledDeal:
    """Return a new deal with a short line, claimed to bring the most cards home."""
    deal = new_deal(game, daily_variant(game))
    board = deal_seed(daily_ruleset(game), deal.seed)
    line = list(islice(line_home(board), MOVES))
    for text in line:
        board = apply(board, parse_move(board.ruleset, text))
    assert deal.rules is not None
    return PooledDeal(
        id=deal.id,
        game=game,
        seed=deal.seed,
        rules=deal.rules,
        winnable=False,
        par=board.home,
        line=" ".join(line),
        effort=effort,
    )
