"""Effects of finished attempts at dailies."""

from __future__ import annotations

from engine.catalog import ruleset
from server.play.core.finish import Finish
from server.play.finishes import FinishedRun
from server.results.core.history import DayResult, points
from server.results.curves import Curves
from server.results.histories import Histories


async def add_result(
    histories: Histories, curves: Curves, finish: Finish, run: FinishedRun
) -> None:
    """Add the result of a daily to its player's history. This is idempotent."""
    if finish.day is None:
        return
    result = finish.result
    assert result.end is not None, "only finished attempts have a finish"
    found = DayResult(
        result.home,
        result.left,
        result.time,
        result.moves,
        result.end,
        points(result, ruleset(finish.game).home_at_start),
        ranked=finish.ranked,
        variant=finish.variant,
    )
    read = await run.load()
    # The run is missing only if the store has lost it.
    curve = () if read is None else await curves.of_run(read)
    await histories.add_day(finish.player, finish.game, finish.day, found, curve)
