"""Runs, as files that anybody can check."""

from __future__ import annotations

from typing import Protocol

from server.base.web.api.route import HOUR, Answer, Asked, Route, run_of
from server.play.core.run import RunFile
from server.runs.runs import Runs

RUN_COST = 5.0
"""The cost of a run: its journal is read, and played again."""


class OfRun(Asked, frozen=True):
    """A request about a run.

    Attributes:
        run: its id.
    """

    run: str


class Called(Protocol):
    """The services that the handlers call."""

    runs: Runs


async def show_run(services: Called, asked: OfRun) -> Answer[RunFile]:
    """A run, as a file that `samedeal verify` checks, once its deal is closed."""
    return Answer(await services.runs.file(run_of(asked.run)), HOUR)


ROUTES = (Route("/runs/{run}", show_run, ("unknown_run", "deal_open"), RUN_COST),)
