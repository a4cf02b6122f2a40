"""Options of `samedeal` that can also be set by environment variables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from engine.catalog import games
from server.base.core.refusal import UnsuitableError
from server.base.redis.connection import with_password
from server.base.seals.secret_files import read_secret
from server.settings import Settings

Command = TypeVar("Command", bound=Callable[..., Any])


def option(name: str, **settings: Any) -> Callable[[Command], Command]:
    """Return a click option that can also be set by a variable, such as `SAMEDEAL_REPLICA_ACKS`."""
    first, _, _ = name.partition("/")
    variable = "SAMEDEAL_" + first.lstrip("-").upper().replace("-", "_")
    return click.option(name, envvar=variable, show_envvar=True, show_default=True, **settings)


# Option of every command that may connect to an operator's Redis.
redis_password_file = option(
    "--redis-password-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="File with the password of the user named by --redis, as in redis://user@host:port/0. "
    "Unlike a password in the URL, it appears neither in the environment nor in the list of "
    "processes.",
)


redis_of_nodes = option(
    "--redis",
    metavar="URL",
    help="URL of the nodes' Redis, as for `samedeal serve`. Without this option, the Redis in "
    "the directory given by --data is used, whether or not a server is running on it.",
)
secret_key_file_of_nodes = option(
    "--secret-key-file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File of the secret keys, as for `samedeal serve`.",
)
data_of_nodes = option(
    "--data",
    default=Settings().data,
    type=click.Path(file_okay=False, path_type=Path),
    help="Directory of the private Redis, as for `samedeal serve`. Ignored if --redis is given.",
)


# Option of every command that needs the list of dailies.
daily_games = option(
    "--daily-games",
    default="",
    metavar="LIST",
    callback=lambda _, __, text: _known_games(text),
    help="Comma-separated list of the ids of the games with dailies, such as robert,deuces. A "
    "game added to the list starts the next day. A game removed from it continues on the days "
    "whose deals are already drawn, up to two weeks ahead. Without this option, the games "
    "marked as dailies in their files.",
)


def _known_games(text: str) -> tuple[str, ...]:
    """Return the ids in a comma-separated list of games, or raise a `BadParameter`."""
    found = listed(text)
    for game in found:
        if game not in games():
            known = ", ".join(games())
            raise click.BadParameter(f"There is no game {game!r}; known are {known}.")
    return found


def listed(text: str) -> tuple[str, ...]:
    """Return the items of a comma-separated list."""
    return tuple(item.strip() for item in text.split(",") if item.strip())


def redis_url(url: str | None, password_file: Path | None) -> str | None:
    """Return the URL of Redis, with the password from a file if given; `None` without a URL.

    Raises:
        click.UsageError: the file cannot be read, is empty, or others may read it; there is no URL,
            or
        the URL already has a password.
    """
    if password_file is None:
        return url or None
    if not url:
        raise click.UsageError("--redis-password-file needs --redis.")
    try:
        password = read_secret(password_file).strip()
    except UnsuitableError as error:
        raise click.UsageError(str(error)) from error
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{password_file} cannot be read as text.") from error
    if not password:
        raise click.UsageError(f"{password_file} is empty.")
    try:
        return with_password(url, password)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
