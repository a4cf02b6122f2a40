"""Handlers of the commands in `server.gateway.messages.runs`."""

from __future__ import annotations

from server.core.ids import AttemptId, DealId
from server.core.refusal import Refusal
from server.gateway import present
from server.gateway.handlers.request import HandlerTable, Request
from server.gateway.messages.runs import GetRun, GetRuns, Run, Runs
from server.gateway.messages.shared import Command


async def get_run(request: Request[GetRun]) -> Run:
    """Return a run, unless the node is overloaded: moves come first."""
    _refuse_overload(request)
    return present.run(await request.services.runs.find(AttemptId(request.command.attempt)))


async def get_runs(request: Request[GetRuns]) -> Runs:
    """Return the runs on a deal, unless the node is overloaded."""
    _refuse_overload(request)
    deal = request.command.deal
    return present.runs(deal, *await request.services.runs.on(DealId(deal), request.player))


def _refuse_overload(request: Request[Command]) -> None:
    if request.load.is_too_high:
        raise Refusal("overloaded", wait=request.load.wait())


HANDLERS: HandlerTable = {GetRun: get_run, GetRuns: get_runs}
