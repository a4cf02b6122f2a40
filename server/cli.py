"""The command `samedeal`."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from server.app import running_node
from server.core.refusal import UnavailableError
from server.logs import configure
from server.settings import LogFormat, Settings
from server.store.embedded import EmbeddedServerError

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
    help="Redis to use, as redis://host:port/0, rediss:// or unix://. Without it, a private "
    "Redis is run on the data directory.",
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
    data: Path,
    page: Path,
    origins: str,
    log_format: LogFormat,
    log_level: str,
) -> None:
    """Serve the game: the page, and the sockets that it plays on, on one port."""
    configure(log_format, log_level)
    allowed = tuple(origin.strip() for origin in origins.split(",") if origin.strip())
    settings = Settings(host, port, redis, data, page, allowed)
    try:
        asyncio.run(_serve(settings))
    except UnavailableError as error:
        raise click.ClickException(f"Redis does not answer. {error}") from error
    except EmbeddedServerError as error:
        raise click.ClickException(str(error)) from error
    except (OSError, ValueError) as error:
        raise click.ClickException(f"The server cannot start: {error}") from error


async def _serve(settings: Settings) -> None:
    """Run a node until the process is told to end."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for signal_ in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(signal_, stop.set)
    async with running_node(settings) as port:
        if sys.stderr.isatty():
            click.echo(f"Samedeal is served on http://{settings.host}:{port}", err=True)
        await stop.wait()
