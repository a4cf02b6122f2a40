"""The command `samedeal`."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
import sys
import textwrap
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from engine.catalog import ruleset, stored_ruleset
from engine.errors import EngineError
from engine.position import position_of
from engine.schema import STANDARD
from engine.verify import verify
from server.app import alive_nodes, bind, running_node
from server.core.refusal import UnavailableError, UnsuitableError
from server.logs import configure
from server.ports import NodePorts, port_of
from server.settings import LogFormat, Settings
from server.store.embedded import EmbeddedServerError, embedded_redis
from server.workers import StartError, Supervisor

new_event_loop: Callable[[], asyncio.AbstractEventLoop]
try:
    from uvloop import new_event_loop
except ImportError:
    from asyncio import new_event_loop

_DEFAULTS = Settings()

Command = TypeVar("Command", bound=Callable[..., Any])


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="samedeal")
def main() -> None:
    """Samedeal: multiplayer solitaire. Everyone gets the same deal."""


def _option(name: str, **settings: Any) -> Callable[[Command], Command]:
    """Declare an option with its environment variable, `SAMEDEAL_` and its name."""
    variable = "SAMEDEAL_" + name.lstrip("-").upper().replace("-", "_")
    return click.option(name, envvar=variable, show_envvar=True, show_default=True, **settings)


@main.command()
@_option("--host", default=_DEFAULTS.host, help="Address to listen on; 0.0.0.0 for all.")
@_option("--port", default=_DEFAULTS.port, type=click.IntRange(0, 65535), help="Port.")
@_option(
    "--redis",
    metavar="URL",
    help="Redis to use, as redis://host:port/0, rediss:// or unix://, or a cluster by some of its "
    "servers, as redis+cluster://host:port,host:port. Without it, a private Redis is run on the "
    "data directory.",
)
@_option(
    "--replica-acks",
    default=_DEFAULTS.replica_acks,
    type=click.IntRange(0, 10),
    help="How many replicas must have a move before it is acknowledged.",
)
@_option(
    "--data",
    default=_DEFAULTS.data,
    type=click.Path(file_okay=False, path_type=Path),
    help="Directory in which the private Redis keeps its data.",
)
@_option(
    "--page",
    default=_DEFAULTS.page,
    type=click.Path(file_okay=False, path_type=Path),
    help="Directory of the built page.",
)
@_option(
    "--origins",
    default="",
    metavar="LIST",
    help="Origins, separated by commas, whose pages may open sockets beside this server's own.",
)
@_option(
    "--public-url",
    metavar="URL",
    help="Where players reach the page, as https://play.example.org, for the previews of its "
    "links. Without it, they name the host that each request names.",
)
@_option(
    "--workers",
    default=1,
    type=click.IntRange(1, 256),
    help="Processes that share the port, each a node: one for each core. One that dies is "
    "restarted, and SIGHUP replaces them one after the other.",
)
@_option(
    "--metrics-port",
    type=click.IntRange(0, 65535),
    help="Port to serve Prometheus's numbers on, at /metrics; of several workers, that of the "
    "first, and the next ones for the others. Without it they are not served.",
)
@_option(
    "--metrics-host",
    default=_DEFAULTS.metrics_host,
    help="Address to serve Prometheus's numbers on.",
)
@_option(
    "--log-format",
    default="auto",
    type=click.Choice(get_args(LogFormat)),
    help="How to log; auto is console on a terminal and JSON elsewhere.",
)
@_option(
    "--log-level",
    default="info",
    type=click.Choice(["debug", "info", "warning", "error"]),
    help="What to log.",
)
def serve(  # noqa: PLR0917 - one for each option
    host: str,
    port: int,
    redis: str | None,
    replica_acks: int,
    data: Path,
    page: Path,
    origins: str,
    public_url: str | None,
    workers: int,
    metrics_port: int | None,
    metrics_host: str,
    log_format: LogFormat,
    log_level: str,
) -> None:
    """Serve the game: the page, and the sockets that it plays on, on one port."""
    configure(log_format, log_level)
    allowed = tuple(origin.strip() for origin in origins.split(",") if origin.strip())
    settings = Settings(
        host=host,
        port=port,
        redis=redis,
        data=data,
        page=page,
        origins=allowed,
        replica_acks=replica_acks,
        metrics_host=metrics_host,
        metrics_port=metrics_port,
        # Compose hands on an empty one where none is set.
        public_url=public_url or None,
    )
    if workers > 1:
        _run(_supervise(settings, workers, partial(configure, log_format, log_level)))
    else:
        _run(_serve(settings))


def _run(serving: Coroutine[Any, Any, None]) -> None:
    """Serve until the end, and say what is in the way of it."""
    try:
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            runner.run(serving)
    except UnavailableError as error:
        raise click.ClickException(f"Redis does not answer. {error}") from error
    except (EmbeddedServerError, UnsuitableError) as error:
        raise click.ClickException(str(error)) from error
    except StartError as error:
        raise click.ClickException("A worker did not start.") from error
    except (OSError, ValueError) as error:
        raise click.ClickException(f"The server cannot start: {error}") from error


async def _serve(settings: Settings) -> None:
    """Run a node until the process is told to end."""
    stop = asyncio.Event()
    _on_signals(stop.set, signal.SIGINT, signal.SIGTERM)
    async with running_node(settings) as port:
        _say_served(settings.host, port)
        await stop.wait()


async def _supervise(
    settings: Settings, workers: int, configure_logs: Callable[[int], None]
) -> None:
    """Run several nodes until the process is told to end, on one Redis."""
    async with AsyncExitStack() as stack:
        bound = bind(settings, workers)
        for own in bound:
            stack.callback(own.close)
        if settings.redis is None:
            url = await stack.enter_async_context(embedded_redis(settings.data))
            settings = replace(settings, redis=url)
        supervisor = Supervisor(partial(_work, settings, configure_logs), bound)
        _on_signals(supervisor.stop, signal.SIGINT, signal.SIGTERM)
        _on_signals(supervisor.replace, signal.SIGHUP)
        await supervisor.run(lambda: _say_served(settings.host, port_of(bound[0].players)))


def _work(
    settings: Settings,
    configure_logs: Callable[[int], None],
    index: int,
    bound: NodePorts,
    ready: Connection,
) -> None:
    """Run a node in a process of its own, until it or its supervisor ends."""
    # A terminal sends these to all its processes; for this one they are the supervisor's.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    configure_logs(index)

    async def work() -> None:
        stop = asyncio.Event()
        _on_signals(stop.set, signal.SIGTERM)
        supervisor = multiprocessing.parent_process()
        assert supervisor is not None, "a worker has one"
        asyncio.get_running_loop().add_reader(supervisor.sentinel, stop.set)
        async with running_node(settings, bound):
            ready.send(None)
            await stop.wait()

    try:
        _run(work())
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)


def _on_signals(act: Callable[[], None], *numbers: signal.Signals) -> None:
    loop = asyncio.get_running_loop()
    for number in numbers:
        loop.add_signal_handler(number, act)


def _say_served(host: str, port: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"Samedeal is served on http://{host}:{port}", err=True)


@main.command("nodes")
@_option("--redis", metavar="URL", required=True, help="The Redis that the nodes use.")
def list_nodes(redis: str) -> None:
    """Show which nodes are alive: machine, port, and a mark that changes with each start.

    A node that ends is gone from the list at once, and one that was killed after 15 seconds.
    """
    try:
        for name in asyncio.run(alive_nodes(redis)):
            click.echo(name)
    except UnavailableError as error:
        raise click.ClickException(f"Redis does not answer. {error}") from error
    except ValueError as error:
        raise click.ClickException(str(error)) from error


@main.command("verify")
@click.option("--game", required=True, metavar="ID", help="The deal's game, as in --game robert.")
@click.option("--variant", default=STANDARD, metavar="ID", show_default=True, help="Its variant.")
@click.option("--rules", metavar="DIGEST", help="Its rules, if they are not those of today.")
@click.argument("deal")
@click.argument("seed")
@click.argument("commitment")
def verify_deal(
    *, game: str, variant: str, rules: str | None, deal: str, seed: str, commitment: str
) -> None:
    """Say whether a finished deal is the one that was promised, and show its cards.

    DEAL is the deal's id, SEED what was published after its close, and COMMITMENT what was
    published before anyone saw a card. Nothing is asked of any server.

    Ends with 0 if they agree, with 1 if they do not, and with 2 if something is misspelt.
    """
    try:
        known = ruleset(game, variant) if rules is None else stored_ruleset(game, variant, rules)
        found = verify(known, deal, seed, commitment)
    except EngineError as error:
        raise click.UsageError(error.message) from error
    if found.agrees:
        click.echo("They agree: the seed makes this commitment.")
    else:
        click.echo(f"They do not agree: the seed makes the commitment {found.commitment}.")
    click.echo("It deals these piles, from bottom to top, with ? before a card face down:")
    for name, cards in position_of(found.board)["piles"].items():
        if cards:
            click.echo(_pile_lines(name, cards))
    sys.exit(0 if found.agrees else 1)


def _pile_lines(name: str, cards: list[str]) -> str:
    """Return a pile in lines as wide as a terminal, its name before the first."""
    return textwrap.fill(
        " ".join(cards), width=79, initial_indent=f"{name:<4}", subsequent_indent=" " * 4
    )
