"""HTTP API of closed deals and their runs."""

from __future__ import annotations

from msgspec import Struct

from server.base.core import days
from server.base.core.numbers import Count, Milliseconds
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.web.api.route import FOREVER, HOUR, Answer, Asked, Route, Rows, deal_of
from server.base.web.api.shared import Date, Hex, Seed
from server.deals.core.certificate import Certificate, moves_of
from server.players.api import Player
from server.results.core.boards import Group
from server.runs.core.refusals import RunRefusals
from server.runs.services import RunServices


class ClosedDeal(Struct, frozen=True):
    """A deal that can no longer be played, with its seed.

    Attributes:
        deal: its id.
        date: the day of its daily; null for a deal of a room.
        commitment: to the seed, in hexadecimal.
        seed: in hexadecimal; for a known deal, the order of its cards instead, two digits each.
        rules: the digest of its rules.
        certificate: the proof about it; null without a proof, as for most deals of rooms.
        line: the moves that prove it; null without a certificate.
    """

    deal: str
    game: str
    variant: str
    date: Date | None
    commitment: Hex
    seed: Seed
    rules: str
    certificate: Certificate | None
    line: list[str] | None


class DealRun(Struct, frozen=True):
    """A run's place in the ranking of its deal.

    Attributes:
        run: the id of the run.
        rank: 1 for the best, shared by equal results.
        left: cards that are not on the foundations.
        time: milliseconds from the start to the last card that reached a foundation.
        moves: moves played.
        undos: how many of the moves were undos; a daily allows neither undos nor hints.
        hints: the number of hints given.
        peeked: whether an undo has covered a card that had been seen.
    """

    run: str
    rank: Count
    player: Player
    left: Count
    time: Milliseconds
    moves: Count
    undos: Count
    hints: Count
    peeked: bool


class DealRuns(Struct, frozen=True):
    """Runs on a closed deal, best first.

    Attributes:
        deal: its id.
        size: the number of all runs; 0 for a round whose results are no longer
            kept.
        runs: the requested runs.
    """

    deal: str
    size: Count
    runs: list[DealRun]


class OfDeal(Asked, frozen=True):
    """A request about a deal.

    Attributes:
        deal: its id.
    """

    deal: str


class RunsOfDeal(Rows, frozen=True, kw_only=True):
    """A request for the runs on a deal.

    Attributes:
        deal: its id.
        group: the players of runs at a daily: those with a kept identity, or guests. In a room,
            they race together.
    """

    deal: str
    group: Group = "ranked"


async def show_deal(services: RunServices, asked: OfDeal) -> Answer[ClosedDeal]:
    """Return a closed deal, with its seed."""
    deal, seed = await services.closed_deals.load(deal_of(asked.deal))
    if seed is None:
        raise Refusal(RunRefusals.deal_open)
    value = ClosedDeal(
        deal=deal.id,
        game=deal.game,
        variant=deal.variant,
        date=None if deal.day is None else days.date_text(deal.day),
        commitment=deal.commitment,
        seed=seed.hex(),
        rules=deal.rules,
        certificate=deal.certificate,
        line=moves_of(deal.line),
    )
    return Answer(value, FOREVER)


async def list_runs(services: RunServices, asked: RunsOfDeal) -> Answer[DealRuns]:
    """List the runs on a closed deal, best first: the runs of a round, or of a daily."""
    deal = deal_of(asked.deal)
    size, rows = await services.runs.page(deal, asked.group, asked.first, asked.count)
    runs = [DealRun(row.attempt, row.rank, Player.of(row.profile), *row[3:]) for row in rows]
    return Answer(DealRuns(deal, size, runs), HOUR, is_kept=bool(rows))


ROUTES = (
    Route("/deals/{deal}", show_deal, (BaseRefusals.unknown_deal, RunRefusals.deal_open)),
    Route("/deals/{deal}/runs", list_runs, (BaseRefusals.unknown_deal, RunRefusals.deal_open)),
)
