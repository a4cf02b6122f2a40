"""HTTP API of runs, as files that anyone can check."""

from __future__ import annotations

from server.base.core.refusal import BaseRefusals
from server.base.web.api.route import HOUR, Answer, Asked, Route, run_of
from server.play.core.run import RunFile
from server.runs.core.refusals import RunRefusals
from server.runs.services import RunServices

RUN_COST = 5.0  # reading and replaying its journal


class OfRun(Asked, frozen=True):
    """A request about a run.

    Attributes:
        run: its id.
    """

    run: str


async def show_run(services: RunServices, asked: OfRun) -> Answer[RunFile]:
    """Return a run of a closed deal, as a file that `samedeal verify` checks."""
    return Answer(await services.runs.file(run_of(asked.run)), HOUR)


ROUTES = (
    Route("/runs/{run}", show_run, (BaseRefusals.unknown_run, RunRefusals.deal_open), RUN_COST),
)
