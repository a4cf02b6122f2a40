"""Handlers of the commands in `server.runs.messages`."""

from __future__ import annotations

from server.base.core import costs
from server.base.core.ids import AttemptId, DealId
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.wire.messages import Command
from server.runs import present as runs_present
from server.runs.messages import GetRun, GetRuns, Run, Runs
from server.runs.services import Request


async def get_run(request: Request[GetRun]) -> Run:
    """Return a run; refused under load, since moves have priority."""
    _refuse_overload(request)
    attempt = AttemptId(request.command.attempt)
    length = await request.services.attempts.length(attempt)
    request.pay(costs.ENTRY * length)
    return runs_present.run(await request.services.runs.load(attempt, request.player))


async def get_runs(request: Request[GetRuns]) -> Runs:
    """Return the runs on a deal; refused under load."""
    _refuse_overload(request)
    deal = request.command.deal

    def pay(count: int) -> None:
        request.pay(costs.RANKED * count)

    found = await request.services.runs.on(DealId(deal), request.player, pay)
    return runs_present.runs(deal, *found)


def _refuse_overload(request: Request[Command]) -> None:
    if request.load.is_too_high:
        raise Refusal(BaseRefusals.overloaded, wait=request.load.wait())
