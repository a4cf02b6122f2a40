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
from server.cli.garbage import spare_collections
from server.cli.logs import configure, log_loop_failure
from server.cli.options import daily_games, listed, option, redis_password_file, redis_url
from server.cli.service_manager import tell_ready
from server.cli.terminal import Commands, quoted, say
from server.cli.upkeep import COMMANDS
from server.cli.workers import READY, StartError, Supervisor, showing_life
from server.notifications.push_key import make_push_key
from server.play.core.run import MAX_FILE, check, parse_file
from server.settings import LogFormat, Settings

new_event_loop: Callable[[], asyncio.AbstractEventLoop]
try:
    from uvloop import new_event_loop
except ImportError:
    from asyncio import new_event_loop

_DEFAULTS = Settings()

_IN_USE = (
    "Another program listens there, perhaps this server itself. Stop that one, or choose another "
    "port: SAMEDEAL_PORT=8001 make play, or samedeal serve --port 8001."
)

MAX_SENTENCE = 300
"""Most characters of what is said of a file that is no run, which may quote it."""

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
    help="Host name or IP address to listen on; 0.0.0.0 for all IPv4 addresses of this machine, :: "
    "for those of IPv6 as well.",
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
    "unix:///path/to/socket, or, for a Redis Cluster, redis+cluster://host:port,host:port with "
    "one or more of its servers. With redis://host:port,host:port, a master and its replicas, the "
    "server uses the one that is the master, also when that changes. Without this option, the "
    "server runs a private Redis, which stores its data in the directory given by --data.",
)
@redis_password_file
@option(
    "--secret-key-file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File of the secret keys, which `samedeal keygen` makes. They seal the seeds of deals and "
    "sign tokens, so that a copy of Redis alone tells neither. It is needed with --redis; a "
    "private Redis has its own in the directory given by --data.",
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
    # Whoever opens it says more about one that is somebody else's.
    type=click.Path(file_okay=False, readable=False, path_type=Path),
    help="Directory for the archive of closed days, and for the data of the private Redis, which "
    "there is unless --redis is given.",
)
@option(
    "--redis-memory",
    metavar="MB",
    type=click.IntRange(16),
    help="Most memory that the private Redis takes, in megabytes. When it is full, moves are "
    "refused until there is room again, and nothing is lost. Without this option, half of what "
    "this machine has, or the container.",
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
    help="Comma-separated list of further names of this server, such as play.example.org, without "
    "ports. Requests for other hosts are refused, except for that of --public-url; without that "
    "option, except for IP addresses, localhost, and the name of this machine.",
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
    help="URL at which players open the page, such as https://play.example.org, or "
    "https://example.org/games/samedeal below a path. Link previews use it for their URLs, and "
    "passkeys hold for its host. Without this option, they use the Host header of each request. "
    "Needed, or --hosts, if players use a domain.",
)
@option(
    "--trusted-proxies",
    default="",
    metavar="LIST",
    help="Comma-separated list of addresses and networks, such as 10.0.0.0/8, of the proxies in "
    "front of this server. It believes their X-Forwarded-For header, and limits what clients "
    "may do by the address there; else by that of the connection. It also believes their "
    "X-Forwarded-Proto header.",
)
@option(
    "--address-players",
    default=_DEFAULTS.address_players,
    type=click.IntRange(1, 10**9),
    help="How many players may share an address, as those of a school or of a mobile carrier do. "
    "The limits of an address follow from it: for each of them 2 sockets, a new guest in 10 "
    "minutes, and 2 moves a second.",
)
@option(
    "--max-connections",
    default=_DEFAULTS.max_connections,
    type=click.IntRange(16, 10**9),
    help="Connections of players that the server, or each worker, has at a time. There are fewer "
    "if the limit of open files (ulimit -n) does not allow so many.",
)
@option(
    "--ranked-starts",
    default=0,
    type=click.IntRange(0, 1_000),
    help="How many players at one address (or IPv6 network) may begin each daily, guests included: "
    "others are refused, so that nobody looks at a deal with a second player before the first "
    "begins it. Homes and schools share an address; 0 allows any number. Behind a proxy, it needs "
    "--trusted-proxies.",
)
@daily_games
@option(
    "--certify/--no-certify",
    default=None,
    help="Whether this server certifies the deals of dailies itself, one at a time in a process at "
    "idle priority, until there are some for six weeks. Without this option, it does if it runs a "
    "private Redis. Of several servers let one do it, or run `samedeal certify` now and then.",
)
@option(
    "--keep-days",
    default=_DEFAULTS.keep_days,
    type=click.IntRange(LEAST_DAYS, KEPT_DAYS),
    help="For how many days the moves of games are kept in Redis, after their deadline, at most. "
    "Those of dailies are archived as files first. While more than 60 % of Redis's memory is "
    "taken, archived days lose theirs sooner, the oldest first.",
)
@option(
    "--reserved-names",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File of words that no player's name may have, in addition to those that come with the "
    "server, such as admin: one a line, in UTF-8. They are found however they are written; a star "
    "stands for any letters of a word.",
)
@option(
    "--offensive-names",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Such a file of words that hurt people, in addition to the short list that comes with the "
    "server.",
)
@option(
    "--operators",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="File of the players who may moderate by the page, at /admin, once they have shown a "
    "passkey: an id a line, after it perhaps a name for the audit journal. It is read anew when it "
    "has changed. Without this option, there is no such page.",
)
@option(
    "--webhooks/--no-webhooks",
    default=False,
    help="Whether owners of circles may have this server post to Discord, Slack, or any other URL "
    "of https that they give: the day's table and new challenges. It posts to public addresses "
    "only.",
)
@option(
    "--push-key-file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File of the key by which the push services of browsers know this server; `samedeal "
    "push-keygen` makes one. Players may then be told, while no page is open, that somebody "
    "challenges them, has passed them, or that a streak ends. All nodes need the same.",
)
@option(
    "--push-contact",
    metavar="URL",
    help="Where push services can reach who runs this server, as mailto:you@example.org, or a URL "
    "of https, either with a public domain. Without this option, the public URL.",
)
@option(
    "--workers",
    default=1,
    type=click.IntRange(1, 256),
    help="Number of worker processes that share the port; use one per CPU core. With two or more, "
    "a worker that dies is restarted, and SIGHUP replaces all workers, one after another and "
    "without downtime.",
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

    It serves the web page and the WebSocket endpoint that the page plays on, both on one port. Each
    option can also be set by the environment variable shown with it.

    SIGINT or SIGTERM stops the server: it answers the commands in flight, and asks all clients to
    reconnect. So does closing its terminal.
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
    """Run a coroutine that serves, in a new event loop, until it ends.

    Raises:
        click.ClickException: the server cannot start, or had to end; the message says why.
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
        advice = f" {_IN_USE}" if in_use else ""
        raise click.ClickException(f"The server cannot start: {error}.{advice}") from error


@contextmanager
def _ending_in_order(stop: asyncio.Event) -> Iterator[None]:
    """Do not fail if the private store has not started when the server is to stop.

    A terminal sends a signal to all that it has started: the same one may have ended a store that
    had no session of its own yet.
    """
    try:
        yield
    except EmbeddedServerError:
        if not stop.is_set():
            raise


async def _serve(settings: Settings, node: str) -> None:
    """Run one node until SIGINT, SIGTERM, or SIGHUP, which is sent when its terminal is closed."""
    stop = asyncio.Event()
    _on_signals(stop.set, signal.SIGINT, signal.SIGTERM)
    if not _is_hangup_ignored():
        _on_signals(stop.set, signal.SIGHUP)
    with _ending_in_order(stop):
        async with running_node(settings, node=node, on_failure=stop.set) as port:
            spare_collections()
            _print_url(settings.host, port)
            tell_ready()
            await stop.wait()


async def _supervise(
    settings: Settings, workers: int, configure_logs: Callable[[str, int], None]
) -> None:
    """Run several nodes in worker processes, on one Redis, until SIGINT or SIGTERM.

    SIGHUP replaces the workers, or ends them as well if it comes from a terminal that was closed.
    """
    stop = asyncio.Event()
    _on_signals(stop.set, signal.SIGINT, signal.SIGTERM)
    with _ending_in_order(stop):
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
            tell_ready()

        _on_signals(hang_up, signal.SIGHUP)
        await supervisor.run(ready)


def _run_worker(
    settings: Settings,
    configure_logs: Callable[[str, int], None],
    index: int,
    bound: NodePorts,
    supervisor: Connection,
) -> None:
    """Run a node in a worker process, until SIGTERM or the end of the supervisor.

    Args:
        settings: the node's settings; `redis` is set.
        configure_logs: configures logging, given the node's id and the worker's number.
        index: the worker's number, from 0.
        bound: the sockets to listen on.
        supervisor: receives `READY` when the node listens, and `ALIVE` every second.
    """
    node = secrets.token_hex(4)
    configure_logs(node, index)
    # One does it for all.
    settings = replace(settings, certify=settings.certify and index == 0)

    async def run_node() -> None:
        stop = asyncio.Event()
        _on_signals(stop.set, signal.SIGTERM)
        parent = multiprocessing.parent_process()
        assert parent is not None, "a worker process has a parent"
        asyncio.get_running_loop().add_reader(parent.sentinel, stop.set)
        with showing_life(supervisor):
            async with running_node(settings, bound, node, stop.set):
                spare_collections()
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
    """Return whether SIGHUP is ignored, as nohup does for who wants to close the terminal."""
    return signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def _has_terminal() -> bool:
    """Return whether this process has a terminal that is open."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def _print_url(host: str, port: int) -> None:
    if sys.stderr.isatty():
        say(f"Samedeal is running on {' and '.join(addresses_of(host, port))}", err=True)


def addresses_of(host: str, port: int) -> list[str]:
    """Return where a browser opens the page: on this machine, and in its network if that is other.

    Args:
        host: what is listened on.
        port: the port.
    """
    hosts = [host]
    with suppress(ValueError):
        if not host or ip_address(host).is_unspecified:
            hosts = list(dict.fromkeys(["localhost", *_own_address()]))
    return [f"http://{f'[{each}]' if ':' in each else each}:{port}" for each in hosts]


def _own_address() -> Iterator[str]:
    """Yield the address by which this machine reaches others, if there is one; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(("192.0.2.1", 9))
        yield probe.getsockname()[0]


@main.command("nodes")
@option(
    "--redis",
    metavar="URL",
    required=True,
    help="URL of the Redis that the nodes use, as for `samedeal serve`.",
)
@redis_password_file
def list_nodes(redis: str, redis_password_file: Path | None) -> None:
    """List the nodes that are alive.

    Each line has the form HOST:PORT/FORMAT#ID. ID is random and changes each time a node starts.
    FORMAT is the newest format of the store that the node reads. A node that stops leaves the list
    at once; one that is killed or loses Redis leaves it after 15 seconds.
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
    """Add a new secret key to FILE, as the newest one; make FILE if there is none.

    Give all nodes the same file, and keep a copy of it apart from the backups of Redis: what is
    sealed by a key is lost without it. After adding a key, restart the nodes with the new file, and
    then run `samedeal admin rotate-key`.
    """
    try:
        made = add_key(file)
    except (OSError, UnsuitableError) as error:
        raise click.ClickException(str(error)) from error
    say(f"Added the key {made.newest} to {file}.")


@main.command("push-keygen")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def push_keygen(file: Path) -> None:
    """Make FILE with a key by which the push services of browsers know this server.

    Give all nodes the same file, by --push-key-file, and keep a copy: browsers have subscribed to
    this key, and with another one their players are told nothing until they subscribe anew.
    """
    try:
        public = make_push_key(file)
    except FileExistsError as error:
        raise click.ClickException(f"{file} exists already.") from error
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
    """Verify a run, or that a closed deal matches its commitment.

    The command computes everything itself and contacts no server.

    FILE is a run, as the page offers it for download. It is played again: do seed and commitment
    match, is every move legal, and do the moves lead to the result? The times are the server's
    word: of these, only the order can be verified.

    DEAL is the deal's id, SEED its seed, which is published when the deal is closed, and COMMITMENT
    the hash that was published before anyone saw a card. Seed and commitment are 64 lower-case
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
    """Verify a run's file, say what was found, and exit."""
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
        raise click.UsageError(f"{path} is not the file of a run: {why}.") from error
    if wrong is not None:
        say(f"This run is not right. {wrong}")
        sys.exit(1)
    result, player = file.result, file.player
    say(
        f"This run is right: {quoted(player.name)} #{quoted(player.tag)} at {file.game}, "
        f"{result.home} cards home and {result.left} left in {result.moves} moves, "
        f"{result.time / 1000:.3f} s until the last one came home; {result.end}."
    )


def _verify_deal(
    game: str, variant: str, rules: str | None, *, deal: str, seed: str, commitment: str
) -> None:
    """Verify a deal, show its cards, and exit."""
    try:
        known = ruleset(game, variant) if rules is None else stored_ruleset(game, variant, rules)
        found = verify(known, deal, seed, commitment)
    except EngineError as error:
        raise click.UsageError(error.message) from error
    if found.agrees:
        say("They agree: the seed makes this commitment.")
    else:
        say(f"They do not agree: the seed makes the commitment {found.commitment}.")
    say("It deals these piles, from bottom to top, with ? before a card face down:")
    for name, cards in position_of(found.board)["piles"].items():
        if cards:
            for line in _pile_lines(name, cards):
                say(line)
    sys.exit(0 if found.agrees else 1)


def _pile_lines(name: str, cards: list[str]) -> list[str]:
    """Return a pile as lines of 79 columns, with its name before the first one."""
    return textwrap.wrap(
        " ".join(cards), width=79, initial_indent=f"{name:<4}", subsequent_indent=" " * 4
    )
