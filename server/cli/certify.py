"""The command `samedeal certify`, which fills the pools of certified deals."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Sequence
from math import inf
from pathlib import Path

import click

from engine.catalog import daily_games as listed_dailies
from engine.catalog import games
from server.base.work.stop import Stop
from server.cli.admin import Console
from server.cli.logs import configure
from server.cli.options import (
    daily_games,
    data_of_nodes,
    redis_of_nodes,
    redis_password_file,
    redis_url,
    secret_key_file_of_nodes,
)
from server.cli.terminal import say, say_progress
from server.deals.certification import FULL, Certification, Progress
from server.deals.solver_process import SolverError, SolverProcess
from server.settings import Settings
from server.wings import Services

PROGRESS_EVERY = 60.0  # seconds between progress lines if standard error is not a terminal


@click.command()
@click.option(
    "--game",
    "wanted",
    metavar="ID",
    multiple=True,
    help="Fill the pool of this game; repeatable. Without this option, the pools of all dailies.",
)
@daily_games
@click.option(
    "--count",
    default=FULL,
    show_default=True,
    type=click.IntRange(1, 10_000),
    help="Target size of each pool, in deals. A day takes one deal of each game.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    help="Number of solver processes; by default, one per CPU core.",
)
@redis_of_nodes
@redis_password_file
@secret_key_file_of_nodes
@data_of_nodes
def certify(
    *,
    wanted: Sequence[str],
    daily_games: Sequence[str],
    count: int,
    workers: int | None,
    redis: str | None,
    redis_password_file: Path | None,
    secret_key_file: Path | None,
    data: Path,
) -> None:
    """Fill the pools of dailies with deals that are proved winnable.

    Deals are drawn as usual, and solved with all cards known. A deal that the solver wins within
    its budget goes into the pool of its game, with the winning line. In games whose deals are not
    won, the line brings the most cards home instead. Seed and line are sealed. Nodes take each
    day's deals from the pools, two weeks ahead.

    The command can be interrupted (SIGINT, SIGTERM) and run again; a full pool is left as it is. It
    runs alongside nodes, in separate processes at idle priority. The extra `samedeal[solver]` makes
    the beam search some 170 times as fast.
    """
    unknown = [game for game in wanted if game not in games()]
    if unknown:
        raise click.BadParameter(f"There is no game {unknown[0]!r}.", param_hint="'--game'")
    configure("auto", "warning", "certify")
    url = redis_url(redis, redis_password_file)
    if url is None:
        # Deals can be certified before the first start of a server here.
        try:
            data.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise click.ClickException(str(error)) from error
    settings = Settings(redis=url, secret_key_file=secret_key_file, data=data)
    console = Console(settings, "", as_json=False)
    processes = workers or _cores()

    async def fill(services: Services) -> None:
        await _fill(services, wanted or daily_games or listed_dailies(), count, processes)

    try:
        console.ask_services(fill)
    except SolverError as error:
        raise click.ClickException(str(error)) from error


async def _fill(services: Services, wanted: Sequence[str], count: int, processes: int) -> None:
    """Fill the pools of some games one by one, until SIGINT or SIGTERM."""
    stop = Stop()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    certification = Certification(services.pool_store)
    solvers = [SolverProcess() for _ in range(processes)]
    try:
        for game in wanted:
            shown = _ProgressLine()
            done = await certification.fill(game, count, solvers, stop, shown.show)
            shown.end(done)
            if stop.is_set:
                say("Stopped. What was found is in the pools.", err=True)
                return
    finally:
        await asyncio.gather(*(solver.close() for solver in solvers))


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _ProgressLine:
    """Shows a game's progress: continuously on a terminal, otherwise once a minute."""

    def __init__(self) -> None:
        self._shown_at = -inf
        self._is_terminal = sys.stderr.isatty()

    def show(self, progress: Progress) -> None:
        """Show the progress."""
        if self._is_terminal:
            say_progress(_line(progress))
        elif time.monotonic() - self._shown_at >= PROGRESS_EVERY:
            self._shown_at = time.monotonic()
            say(_line(progress), err=True)

    def end(self, progress: Progress) -> None:
        """Show the final progress."""
        if self._is_terminal:
            self.show(progress)
            say(err=True)
        else:
            say(_line(progress), err=True)


def _line(progress: Progress) -> str:
    if not progress.fits:
        return f"{progress.game}: the solver has no method for its rules"
    return (
        f"{progress.game}: {progress.pooled} of {progress.wanted} in the pool; "
        f"{progress.kept} kept of {progress.drawn} drawn in {progress.seconds:.0f} s"
    )
