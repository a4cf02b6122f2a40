"""Running a node, or several in worker processes, until a signal."""

from __future__ import annotations

import asyncio
import errno
import multiprocessing
import os
import secrets
import signal
import socket
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from ipaddress import ip_address
from multiprocessing.connection import Connection
from typing import Any

import click
import structlog

from server.app import bind, running_node
from server.base.core.refusal import UnavailableError, UnsuitableError
from server.base.net.bound_sockets import NodePorts, port_of
from server.base.redis.embedded import embedded_redis
from server.base.redis.programs import EmbeddedServerError
from server.base.seals.key_file import own_keys
from server.base.work.background import BackgroundError
from server.cli.logs import log_loop_failure
from server.cli.service_manager import notify_ready
from server.cli.terminal import say
from server.cli.tuning import tune_process
from server.cli.workers import READY, StartError, Supervisor, heartbeats
from server.settings import Settings

new_event_loop: Callable[[], asyncio.AbstractEventLoop]
try:
    from uvloop import new_event_loop
except ImportError:
    from asyncio import new_event_loop

_PORT_IN_USE = (
    "Another program uses this port, perhaps this server itself. Stop it, or choose another "
    "port: SAMEDEAL_PORT=8001 make play, or samedeal serve --port 8001."
)

log = structlog.get_logger()


def run(serving: Coroutine[Any, Any, None]) -> None:
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
    """Ignore a failed start of the private store while the server is stopping."""
    try:
        yield
    except EmbeddedServerError:
        # A terminal signals its whole process group, which may include a store that has not entered
        # its own session yet.
        if not stop.is_set():
            raise


async def run_alone(settings: Settings, node: str) -> None:
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


async def supervise(
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

    `configure_logs` takes the node's id and the worker's number, which counts from 0. `supervisor`
    receives `READY` when the node listens, and `ALIVE` every second.
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
        run(run_node())
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
