"""The command `samedeal`."""

from __future__ import annotations

import asyncio
import errno
import multiprocessing
import os
import secrets
import signal
import socket
import sys
import textwrap
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from ipaddress import ip_address
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, get_args

import click
import structlog

from engine.catalog import ruleset, stored_ruleset
from engine.errors import EngineError
from engine.position import position_of
from engine.schema import STANDARD
from engine.verify import verify
from server.app import alive_nodes, bind, running_node
from server.base.core.quota import KEPT_DAYS, LEAST_DAYS
from server.base.core.refusal import UnavailableError, UnsuitableError
from server.base.net.bound_sockets import NodePorts, port_of
from server.base.redis.embedded import embedded_redis
from server.base.redis.programs import EmbeddedServerError
from server.base.seals.key_file import add_key, own_keys
from server.base.work.background import BackgroundError
from server.cli.admin import admin
from server.cli.certify import certify
from server.cli.logs import configure, log_loop_failure
from server.cli.options import daily_games, listed, option, redis_password_file, redis_url
from server.cli.service_manager import notify_ready
from server.cli.terminal import Commands, quoted, say
from server.cli.tuning import tune_process
from server.cli.upkeep import COMMANDS
from server.cli.workers import READY, StartError, Supervisor, heartbeats
from server.notifications.push_key import make_push_key
from server.play.core.run import MAX_FILE, check, parse_file
from server.settings import LogFormat, Settings

new_event_loop: Callable[[], asyncio.AbstractEventLoop]
try:
    from uvloop import new_event_loop
except ImportError:
    from asyncio import new_event_loop

_DEFAULTS = Settings()

_PORT_IN_USE = (
    "Another program uses this port, perhaps this server itself. Stop it, or choose another "
    "port: SAMEDEAL_PORT=8001 make play, or samedeal serve --port 8001."
)

MAX_SENTENCE = 300
"""Maximum length of the error about a malformed run, in characters; it may quote the file."""

log = structlog.get_logger()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="samedeal", prog_name="samedeal")
def main() -> None:
    """Samedeal: multiplayer solitaire. Everyone gets the same deal."""


main.add_command(admin)
main.add_command(certify)
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
def serve(  # noqa: PLR0917 - one for each option
    host: str,
    port: int,
    redis: str | None,
    secret_key_file: Path | None,
    redis_password_file: Path | None,
    replica_acks: int,
    data: Path,
    redis_memory: int | None,
    page: Path,
    hosts: str,
    origins: str,
    public_url: str | None,
    trusted_proxies: str,
    address_players: int,
    max_connections: int,
    ranked_starts: int,
    daily_games: tuple[str, ...],
    certify: bool | None,
    keep_days: int,
    reserved_names: Path | None,
    offensive_names: Path | None,
    operators: Path | None,
    webhooks: bool,
    push_key_file: Path | None,
    push_contact: str | None,
    workers: int,
    metrics_port: int | None,
    metrics_host: str,
    log_format: LogFormat,
    log_level: str,
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
        host=host,
        port=port,
        redis=redis_url(redis, redis_password_file),
        secret_key_file=secret_key_file,
        data=data,
        redis_memory=None if redis_memory is None else redis_memory * 1_000_000,
        page=page,
        hosts=listed(hosts),
        origins=listed(origins),
        replica_acks=replica_acks,
        metrics_host=metrics_host,
        metrics_port=metrics_port,
        # docker-compose.yml passes an empty value if the variable is not set.
        public_url=public_url or None,
        trusted_proxies=listed(trusted_proxies),
        address_players=address_players,
        max_connections=max_connections,
        ranked_starts=ranked_starts,
        daily_games=daily_games,
        certify=redis is None if certify is None else certify,
        keep_days=keep_days,
        reserved_names=reserved_names,
        offensive_names=offensive_names,
        operators=operators,
        webhooks=webhooks,
        push_key_file=push_key_file,
        push_contact=push_contact or None,
    )
    if workers > 1:
        _run(_supervise(settings, workers, partial(configure, log_format, log_level)))
    else:
        _run(_serve(settings, node))


def _run(serving: Coroutine[Any, Any, None]) -> None:
    """Run a serving coroutine in a new event loop until it ends.

    Raises:
        click.ClickException: the server cannot start or had to stop; the message says why.
    """
    try:
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            runner.get_loop().set_exception_handler(log_loop_failure)
            runner.run(serving)
    except UnavailableError as error:
        raise click.ClickException(f"Redis does not answer. {error}") from error
    except (EmbeddedServerError, UnsuitableError) as error:
        raise click.ClickException(str(error)) from error
    except StartError as error:
        raise click.ClickException("A worker did not start.") from error
    except BackgroundError as error:
        raise click.ClickException(f"{error} The log says why.") from error
    except (OSError, ValueError) as error:
        in_use = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
        advice = f" {_PORT_IN_USE}" if in_use else ""
        raise click.ClickException(f"The server cannot start: {error}.{advice}") from error


@contextmanager
def _ignoring_failed_start(stop: asyncio.Event) -> Iterator[None]:
    """Ignore a failed start of the private store while the server is stopping.

    A terminal signals its whole process group, which may include a store that has not entered its
    own session yet.
    """
    try:
        yield
    except EmbeddedServerError:
        if not stop.is_set():
            raise


async def _serve(settings: Settings, node: str) -> None:
    """Run one node until SIGINT, SIGTERM, or SIGHUP, the signal of a closed terminal."""
    stop = asyncio.Event()
    _on_signals(stop.set, signal.SIGINT, signal.SIGTERM)
    if not _is_hangup_ignored():
        _on_signals(stop.set, signal.SIGHUP)
    with _ignoring_failed_start(stop):
        async with running_node(settings, node=node, on_failure=stop.set) as port:
            tune_process()
            _print_url(settings.host, port)
            notify_ready()
            await stop.wait()


async def _supervise(
    settings: Settings, workers: int, configure_logs: Callable[[str, int], None]
) -> None:
    """Run several nodes in worker processes, on one Redis, until SIGINT or SIGTERM.

    SIGHUP replaces the workers, or stops them if it comes from a closed terminal.
    """
    stop = asyncio.Event()
    _on_signals(stop.set, signal.SIGINT, signal.SIGTERM)
    with _ignoring_failed_start(stop):
        await _run_workers(settings, workers, configure_logs, stop)


async def _run_workers(
    settings: Settings,
    workers: int,
    configure_logs: Callable[[str, int], None],
    stop: asyncio.Event,
) -> None:
    """Run the worker processes until `stop` is set."""
    ends_with_terminal = _has_terminal() and not _is_hangup_ignored()
    async with AsyncExitStack() as stack:
        bound = bind(settings, workers)
        for node_ports in bound:
            stack.callback(node_ports.close)
        if settings.redis is None:
            embedded = embedded_redis(settings.data, settings.redis_memory)
            socket = await stack.enter_async_context(embedded)
            file = settings.secret_key_file or own_keys(settings.data)
            settings = replace(settings, redis=socket, secret_key_file=file)
        supervisor = Supervisor(partial(_run_worker, settings, configure_logs), bound, stop)

        def hang_up() -> None:
            if ends_with_terminal and not _has_terminal():
                stop.set()
            else:
                supervisor.replace()

        def ready() -> None:
            _print_url(settings.host, port_of(bound[0].players))
            notify_ready()

        _on_signals(hang_up, signal.SIGHUP)
        await supervisor.run(ready)


def _run_worker(
    settings: Settings,
    configure_logs: Callable[[str, int], None],
    index: int,
    bound: NodePorts,
    supervisor: Connection,
) -> None:
    """Run a node in a worker process, until SIGTERM or the supervisor's end.

    Args:
        settings: the node's settings; `redis` is set.
        configure_logs: configures logging, given the node's id and the worker's number.
        index: the worker's number, from 0.
        bound: the sockets to listen on.
        supervisor: receives `READY` when the node listens, and `ALIVE` every second.
    """
    node = secrets.token_hex(4)
    configure_logs(node, index)
    # The first worker certifies for all.
    settings = replace(settings, certify=settings.certify and index == 0)

    async def run_node() -> None:
        stop = asyncio.Event()
        _on_signals(stop.set, signal.SIGTERM)
        parent = multiprocessing.parent_process()
        assert parent is not None, "a worker process has a parent"
        asyncio.get_running_loop().add_reader(parent.sentinel, stop.set)
        with heartbeats(supervisor):
            async with running_node(settings, bound, node, stop.set):
                tune_process()
                supervisor.send(READY)
                await stop.wait()

    try:
        _run(run_node())
    except click.ClickException as error:
        log.critical("not_started", error=error.message)
        sys.exit(error.exit_code)


def _on_signals(callback: Callable[[], None], *numbers: signal.Signals) -> None:
    loop = asyncio.get_running_loop()
    for number in numbers:
        loop.add_signal_handler(number, callback)


def _is_hangup_ignored() -> bool:
    """Return whether SIGHUP is ignored, as under nohup."""
    return signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def _has_terminal() -> bool:
    """Return whether this process has an open terminal."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def _print_url(host: str, port: int) -> None:
    if sys.stderr.isatty():
        say(f"Samedeal is running on {' and '.join(urls_of(host, port))}", err=True)


def urls_of(host: str, port: int) -> list[str]:
    """Return the page's URLs: on this machine, and on its network if it listens there."""
    hosts = [host]
    with suppress(ValueError):
        if not host or ip_address(host).is_unspecified:
            hosts = list(dict.fromkeys(["localhost", *_own_address()]))
    return [f"http://{f'[{each}]' if ':' in each else each}:{port}" for each in hosts]


def _own_address() -> Iterator[str]:
    """Yield this machine's address on its network, if any. No packet is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        # An address of TEST-NET-1 (RFC 5737). Connecting a UDP socket only selects a route.
        probe.connect(("192.0.2.1", 9))
        yield probe.getsockname()[0]


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


@main.command("verify")
@click.option("--game", metavar="ID", help="Id of the deal's game, such as robert.")
@click.option(
    "--variant", default=STANDARD, metavar="ID", show_default=True, help="Id of the game's variant."
)
@click.option("--rules", metavar="DIGEST", help="Digest of its rules, if they are superseded.")
@click.argument("words", nargs=-1, metavar="FILE | DEAL SEED COMMITMENT")
def verify_deal(*, game: str | None, variant: str, rules: str | None, words: list[str]) -> None:
    """Verify a run, or a closed deal's commitment.

    The command computes everything itself and contacts no server.

    FILE is a run downloaded from the page. It is replayed: the seed must match the commitment,
    every move must be legal, and the moves must lead to the result. Of the times, which only the
    server knows, the order is verified.

    DEAL is the deal's id, SEED its seed, which is published when the deal is closed, and COMMITMENT
    the hash that was published before any player saw a card. Seed and commitment are 64 lower-case
    hexadecimal digits each. --game is required; the cards are shown as they were dealt.

    The exit code is 0 if everything matches, 1 if something does not, and 2 if an argument is
    invalid.
    """
    match words:
        case [file] if game is None:
            _verify_run(Path(file))
        case [deal, seed, commitment]:
            if game is None:
                raise click.UsageError("Missing option '--game'.")
            _verify_deal(game, variant, rules, deal=deal, seed=seed, commitment=commitment)
        case _:
            missing = ("DEAL", "SEED", "COMMITMENT")[len(words) : len(words) + 1]
            raise click.UsageError(
                f"Missing argument '{missing[0]}'." if missing else "Too many arguments."
            )


def _verify_run(path: Path) -> None:
    """Verify a run's file, print the result, and exit."""
    try:
        with path.open("rb") as opened:
            content = opened.read(MAX_FILE + 1)
    except OSError as error:
        raise click.UsageError(f"{path} cannot be read: {error.strerror}.") from error
    try:
        file = parse_file(content)
        wrong = check(file)
    except EngineError as error:
        raise click.UsageError(quoted(error.message, MAX_SENTENCE)) from error
    except ValueError as error:
        why = quoted(str(error), MAX_SENTENCE)
        raise click.UsageError(f"{path} is not a run file: {why}.") from error
    if wrong is not None:
        say(f"This run is invalid. {wrong}")
        sys.exit(1)
    result, player = file.result, file.player
    say(
        f"This run is valid: {quoted(player.name)} #{quoted(player.tag)} at {file.game}, "
        f"{result.home} cards home and {result.left} left in {result.moves} moves, "
        f"last card home after {result.time / 1000:.3f} s; {result.end}."
    )


def _verify_deal(
    game: str, variant: str, rules: str | None, *, deal: str, seed: str, commitment: str
) -> None:
    """Verify a deal, print its cards, and exit."""
    try:
        known = ruleset(game, variant) if rules is None else stored_ruleset(game, variant, rules)
        found = verify(known, deal, seed, commitment)
    except EngineError as error:
        raise click.UsageError(error.message) from error
    if found.agrees:
        say("The seed matches the commitment.")
    else:
        say(f"The seed does not match: its commitment is {found.commitment}.")
    say("Piles from bottom to top, with ? before a face-down card:")
    for name, cards in position_of(found.board)["piles"].items():
        if cards:
            for line in _pile_lines(name, cards):
                say(line)
    sys.exit(0 if found.agrees else 1)


def _pile_lines(name: str, cards: list[str]) -> list[str]:
    """Format a pile as lines of at most 79 columns, the first with its name."""
    return textwrap.wrap(
        " ".join(cards), width=79, initial_indent=f"{name:<4}", subsequent_indent=" " * 4
    )
