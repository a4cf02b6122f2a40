"""The command `samedeal`."""

from __future__ import annotations

import asyncio
import secrets
from functools import partial
from pathlib import Path
from typing import Any, get_args

import click

from server.app import alive_nodes
from server.base.core.quota import KEPT_DAYS, LEAST_DAYS
from server.base.core.refusal import UnavailableError, UnsuitableError
from server.base.seals.key_file import add_key
from server.cli.admin import admin
from server.cli.certify import certify
from server.cli.logs import configure
from server.cli.options import daily_games, listed, option, redis_password_file, redis_url
from server.cli.serving import run, run_alone, supervise
from server.cli.terminal import Commands, say
from server.cli.upkeep import COMMANDS
from server.cli.verify import verify
from server.notifications.push_key import make_push_key
from server.settings import LogFormat, Settings

_DEFAULTS = Settings()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="samedeal", prog_name="samedeal")
def main() -> None:
    """Samedeal: multiplayer solitaire. Everyone gets the same deal."""


main.add_command(admin)
main.add_command(certify)
main.add_command(verify)
for command in COMMANDS:
    admin.add_command(command)


@main.command()
@option(
    "--host",
    default=_DEFAULTS.host,
    help="Host name or IP address to listen on: 0.0.0.0 for all IPv4 addresses of this machine, "
    ":: for its IPv6 addresses as well.",
)
@option(
    "--port",
    default=_DEFAULTS.port,
    type=click.IntRange(0, 65535),
    help="TCP port to listen on; 0 for any free port.",
)
@option(
    "--redis",
    metavar="URL",
    help="URL of the Redis to use: redis://host:port, rediss://host:port (TLS), "
    "unix:///path/to/socket, or redis+cluster://host:port,host:port with one or more servers of "
    "a Redis Cluster. With redis://host:port,host:port, the addresses of a master and its "
    "replicas, the server uses the current master and follows failovers. Without this option, "
    "the server runs a private Redis, which stores its data in the directory given by --data.",
)
@redis_password_file
@option(
    "--secret-key-file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File of the secret keys, created by `samedeal keygen`. They seal the seeds of deals "
    "and sign tokens, so that a copy of Redis alone reveals neither. Required with --redis; a "
    "private Redis keeps its own keys in the directory given by --data.",
)
@option(
    "--replica-acks",
    default=_DEFAULTS.replica_acks,
    type=click.IntRange(0, 10),
    help="Number of Redis replicas that must have received a write before the server "
    "acknowledges it to the player.",
)
@option(
    "--data",
    default=_DEFAULTS.data,
    # Readability is checked when it is opened, with a more helpful error about its owner.
    type=click.Path(file_okay=False, readable=False, path_type=Path),
    help="Directory for the archive of closed days and, without --redis, for the data of the "
    "private Redis.",
)
@option(
    "--redis-memory",
    metavar="MB",
    type=click.IntRange(16),
    help="Memory limit of the private Redis in megabytes. When it is full, moves are refused "
    "until memory is free again, and nothing is lost. Without this option, half the memory of "
    "this machine or container.",
)
@option(
    "--page",
    default=_DEFAULTS.page,
    type=click.Path(file_okay=False, path_type=Path),
    help="Directory with the built web page.",
)
@option(
    "--hosts",
    default="",
    metavar="LIST",
    help="Comma-separated list of further names of this server, such as play.example.org, "
    "without ports. Requests for any other host are refused, except for the host of --public-url "
    "or, without that option, for IP addresses, localhost, and the name of this machine.",
)
@option(
    "--origins",
    default="",
    metavar="LIST",
    help="Comma-separated list of origins, such as https://example.org, whose pages may connect "
    "to this server by WebSocket. Pages served by this server always may.",
)
@option(
    "--public-url",
    metavar="URL",
    help="URL of the page, such as https://play.example.org or, below a path, "
    "https://example.org/games/samedeal. Link previews contain it, and passkeys are bound to its "
    "host. Without this option, the Host header of each request is used. If players use a domain "
    "name, either this option or --hosts is required.",
)
@option(
    "--trusted-proxies",
    default="",
    metavar="LIST",
    help="Comma-separated list of addresses and networks, such as 10.0.0.0/8, of the proxies in "
    "front of this server. Their X-Forwarded-For header gives the client address for rate limits "
    "and quotas, and their X-Forwarded-Proto header is trusted. Other connections count under "
    "their own address.",
)
@option(
    "--address-players",
    default=_DEFAULTS.address_players,
    type=click.IntRange(1, 10**9),
    help="How many players may share an address, such as that of a school or of a mobile "
    "carrier. The limits of an address scale with it: 2 sockets, a new guest in 10 minutes, and "
    "2 moves a second per player.",
)
@option(
    "--max-connections",
    default=_DEFAULTS.max_connections,
    type=click.IntRange(16, 10**9),
    help="Maximum number of players' connections, for the server or for each worker. The limit "
    "of open files (ulimit -n) may lower it.",
)
@option(
    "--ranked-starts",
    default=0,
    type=click.IntRange(0, 1_000),
    help="How many players at one address (or IPv6 network), guests included, may start each "
    "daily; others are refused, so that a second player cannot scout the deal for the first. "
    "Homes and schools share an address; 0 means unlimited. Behind a proxy, --trusted-proxies is "
    "required.",
)
@daily_games
@option(
    "--certify/--no-certify",
    default=None,
    help="Whether this server certifies the deals of dailies itself, one at a time in a process "
    "at idle priority, until six weeks are in stock. Without this option, it does so only with a "
    "private Redis. Of several servers, only one should certify; or run `samedeal certify` now "
    "and then.",
)
@option(
    "--keep-days",
    default=_DEFAULTS.keep_days,
    type=click.IntRange(LEAST_DAYS, KEPT_DAYS),
    help="Maximum number of days for which Redis keeps the moves of games after their deadline. "
    "Moves of dailies are first archived to files. While Redis uses more than 60 % of its "
    "memory, moves of archived days are dropped earlier, oldest first.",
)
@option(
    "--reserved-names",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="UTF-8 file of words that are forbidden in player names, in addition to the bundled "
    "list of words such as admin: one per line. Look-alike spellings match as well; a star "
    "stands for any letters of a word.",
)
@option(
    "--offensive-names",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File of offensive words in the same format, in addition to the short bundled list.",
)
@option(
    "--operators",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="File of the players who may moderate on the page, at /admin, after showing a passkey: "
    "one per line, as an id, optionally followed by a name for the audit journal. It is read "
    "again when it changes. Without this option, there is no such page.",
)
@option(
    "--webhooks/--no-webhooks",
    default=False,
    help="Whether owners of circles may have this server post the day's table and new challenges "
    "to Discord, Slack, or another https URL of their choice. It posts to public addresses only.",
)
@option(
    "--push-key-file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File of the key that identifies this server to the push services of browsers, created "
    "by `samedeal push-keygen`. It enables notifications while no page is open: of a new "
    "challenge, of being passed, and of a streak about to end. All nodes need the same file.",
)
@option(
    "--push-contact",
    metavar="URL",
    help="Contact of the operator for push services: mailto:you@example.org or an https URL, "
    "with a public domain. Without this option, the public URL.",
)
@option(
    "--workers",
    default=1,
    type=click.IntRange(1, 256),
    help="Number of worker processes that share the port; use one per CPU core. With two or "
    "more, a worker that dies is restarted, and SIGHUP replaces the workers one by one without "
    "downtime.",
)
@option(
    "--metrics-port",
    type=click.IntRange(0, 65535),
    help="TCP port on which to serve metrics for Prometheus, at /metrics. With several workers, "
    "the first one uses this port and each further one the next port. Without this option, no "
    "metrics are served.",
)
@option(
    "--metrics-host",
    default=_DEFAULTS.metrics_host,
    help="Host name or IP address on which to serve metrics.",
)
@option(
    "--log-format",
    default="auto",
    type=click.Choice(get_args(LogFormat)),
    help="Format of the log, which is written to standard error: console for people, json for "
    "programs, auto for console on a terminal and json otherwise.",
)
@option(
    "--log-level",
    default="auto",
    type=click.Choice(["auto", "debug", "info", "warning", "error"]),
    help="Lowest level of log entries to write: auto for warning on a terminal and info otherwise.",
)
def serve(
    *,
    redis: str | None,
    redis_password_file: Path | None,
    redis_memory: int | None,
    hosts: str,
    origins: str,
    public_url: str | None,
    trusted_proxies: str,
    certify: bool | None,
    push_contact: str | None,
    workers: int,
    log_format: LogFormat,
    log_level: str,
    **unchanged: Any,
) -> None:
    """Run the server.

    It serves the web page and the page's WebSocket endpoint on one port. Each option can also be
    set by the environment variable shown with it.

    SIGINT or SIGTERM stops the server: it answers the commands in flight, and asks all clients to
    reconnect. Closing its terminal does the same.
    """
    node = "supervisor" if workers > 1 else secrets.token_hex(4)
    configure(log_format, log_level, node)
    settings = Settings(
        redis=redis_url(redis, redis_password_file),
        redis_memory=None if redis_memory is None else redis_memory * 1_000_000,
        hosts=listed(hosts),
        origins=listed(origins),
        # docker-compose.yml passes an empty value if the variable is not set.
        public_url=public_url or None,
        trusted_proxies=listed(trusted_proxies),
        certify=redis is None if certify is None else certify,
        push_contact=push_contact or None,
        # These options have the names and values of settings.
        **unchanged,
    )
    if workers > 1:
        run(supervise(settings, workers, partial(configure, log_format, log_level)))
    else:
        run(run_alone(settings, node))


@main.command("nodes")
@option(
    "--redis",
    metavar="URL",
    required=True,
    help="URL of the nodes' Redis, as for `samedeal serve`.",
)
@redis_password_file
def list_nodes(redis: str, redis_password_file: Path | None) -> None:
    """List the live nodes.

    Each line has the form HOST:PORT/FORMAT#ID. ID is random and changes each time a node starts.
    FORMAT is the newest format of the store that the node reads. A node that stops leaves the list
    immediately, one that is killed or loses Redis after 15 seconds.
    """
    configure("auto", "warning", "nodes")
    url = redis_url(redis, redis_password_file)
    assert url is not None, "--redis is required"
    try:
        for name in asyncio.run(alive_nodes(url)):
            say(name)
    except UnavailableError as error:
        raise click.ClickException(f"Redis does not answer. {error}") from error
    except ValueError as error:
        raise click.ClickException(str(error)) from error


@main.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def keygen(file: Path) -> None:
    """Add a secret key to FILE as its newest one; create FILE if needed.

    Give all nodes the same file, and keep a copy of it apart from the backups of Redis: sealed data
    is lost without its key. After adding a key, restart the nodes with the new file, then run
    `samedeal admin rotate-key`.
    """
    try:
        made = add_key(file)
    except (OSError, UnsuitableError) as error:
        raise click.ClickException(str(error)) from error
    say(f"Added the key {made.newest} to {file}.")


@main.command("push-keygen")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def push_keygen(file: Path) -> None:
    """Create FILE with a key that identifies this server to the push services of browsers.

    Give all nodes the same file, with --push-key-file, and keep a copy: browsers subscribe to this
    key, and with another key players get no notifications until they subscribe again.
    """
    try:
        public = make_push_key(file)
    except FileExistsError as error:
        raise click.ClickException(f"{file} already exists.") from error
    except OSError as error:
        raise click.ClickException(str(error)) from error
    say(f"Made {file}, whose public key is {public}.")
