"""Conversion of runs of closed deals to messages."""

from __future__ import annotations

from collections.abc import Iterable

from server.base.core.ids import attempt_id
from server.base.journals.reader import rules_of
from server.play import present as play_present
from server.players import present as players_present
from server.runs.messages import Run, RunRow, Runs
from server.runs.runs import FoundRun
from server.runs.runs import RunRow as FoundRow


def run(found: FoundRun) -> Run:
    """Return a run of a closed deal as a message: about six bytes per move, at most 25 KB.

    Raises:
        UnreadableError: this release does not know its rules.
    """
    start, deal = found.run.start, found.deal
    ruleset = rules_of(start.game, start.variant, start.rules)
    moves: list[int] = []
    before = 0
    for text, time in found.run.moves:
        moves += (time - before, *play_present.move_numbers(ruleset, text))
        before = time
    return Run(
        attempt=attempt_id(start.deal, start.player),
        player=players_present.player(found.profile),
        deal=deal.id,
        commitment=deal.commitment,
        seed=deal.seed.hex(),
        game=start.game,
        variant=start.variant,
        rules=start.rules,
        started=start.at,
        deadline=start.deadline,
        moves=moves,
        ended=found.run.ended,
        end=found.run.end,
        help=start.help,
        hints=found.run.hints,
    )


def runs(deal: str, size: int, rows: Iterable[FoundRow]) -> Runs:
    """Return runs on a closed deal as a message; `size` counts all of them."""
    return Runs(
        deal=deal,
        size=size,
        runs=[
            RunRow(row.attempt, row.rank, players_present.player(row.profile), *row[3:])
            for row in rows
        ],
    )
