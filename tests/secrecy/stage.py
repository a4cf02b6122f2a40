"""A simulated server, its clients' connections, and a record of all its output."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import structlog

from server.base.net.addresses import Proxies
from server.base.net.budgets import Budgets
from server.base.net.load import Load
from server.base.web.api.app import Api
from server.base.web.previews import Previews
from server.base.work.log_context import add_task_fields
from server.base.work.metrics import Metrics
from server.rooms.core import commands
from server.routes import ROUTES
from server.watching import watching
from server.watching.core import sight as core_watching
from tests.builders import START
from tests.faults.stored import Stored
from tests.secrecy.decks import WATCH_DELAY_MS
from tests.simulation import node as nodes
from tests.simulation import race
from tests.simulation.network import Connection, Network
from tests.simulation.race import patched
from tests.simulation.world import World

NODES = 2

COUNTDOWN_MS = 500
"""Milliseconds from a round's start to its cards, on these servers."""

STARTED_WITHIN = 10_000
"""Milliseconds allowed for all nodes to start."""

REST = 1.5
"""Seconds after the last input, for delayed messages to arrive."""


@dataclass(frozen=True, slots=True)
class Input:
    """A client's input.

    Attributes:
        client: the client's number.
        tab: the number of its connection; unused for requests.
        kind: opens the connection, sends a frame, cuts it, or requests a path from a node.
        data: the frame.
        path: the path of the request, or of the page to preview.
    """

    client: int
    tab: int
    kind: Literal["open", "send", "cut", "get", "preview"]
    data: bytes = b""
    path: str = ""

    @property
    def node(self) -> int:
        """The number of the receiving node."""
        return (self.client + self.tab) % NODES


@dataclass(frozen=True, slots=True)
class Sent:
    """A message or response to a client.

    Attributes:
        at: time in Unix milliseconds.
        what: the kind, with its connection or request.
        data: all bytes.
    """

    at: float
    what: str
    data: bytes


@dataclass
class Record:
    """All output of a server.

    Attributes:
        sent: by client, its messages in order.
        logged: the nodes' log entries of all levels, with their times.
        metrics: the nodes' counters at the end.
        stored: everything in storage at the end.
    """

    sent: list[list[Sent]] = field(default_factory=list)
    logged: list[tuple[float, str]] = field(default_factory=list)
    metrics: list[bytes] = field(default_factory=list)
    stored: Stored = field(default_factory=Stored)


class Tab:
    """A client's end of a connection."""

    def __init__(self, stage: Stage, client: int, number: int) -> None:
        self._stage = stage
        self._client = client
        self._number = number
        node = Input(client, number, "open").node
        self.connection: Connection | None = stage.network.open(self, node, f"client {client}")

    def receive(self, frame: bytes) -> None:
        """Record a frame."""
        self._stage.record(self._client, f"frame on {self._number}", frame)
        self._stage.received(self._client, self._number, frame)

    def lose(self) -> None:
        """Record the connection's end and its close code."""
        assert self.connection is not None
        code = self.connection.close_code
        self._stage.record(self._client, f"close of {self._number}", str(code).encode())
        self.connection = None


class Stage:
    """The nodes and the clients' connections.

    Attributes:
        received: called with client, tab and frame, for each frame.
    """

    def __init__(self, world: World, clients: int, record: Record) -> None:
        self.world = world
        self.network = Network(world, NODES, dailies=True)
        self.received: Callable[[int, int, bytes], None] = lambda *_: None
        self._record = record
        self._record.sent = [[] for _ in range(clients)]
        self._tabs: dict[tuple[int, int], Tab] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        load = Load(lambda: 0.0)
        clock = world.loop.time
        budgets = [Budgets(clock=clock) for _ in self.network.nodes]
        self._apis = [
            Api(
                ROUTES,
                node.services,
                load,
                node.services.metrics.requests,
                proxies=Proxies(),
                budgets=each,
                clock=clock,
            )
            for node, each in zip(self.network.nodes, budgets, strict=True)
        ]
        self._previews = [
            Previews(node.services.screens, load, each)
            for node, each in zip(self.network.nodes, budgets, strict=True)
        ]

    def record(self, client: int, what: str, data: bytes) -> None:
        """Record a message to a client."""
        self._record.sent[client].append(Sent(self.world.now(), what, data))

    def is_open(self, client: int, tab: int) -> bool:
        """Return whether a connection is open."""
        known = self._tabs.get((client, tab))
        return known is not None and known.connection is not None

    def give(self, given: Input) -> None:
        """Process a client's input; ignore it on a closed connection."""
        place = given.client, given.tab
        connection = self._tabs[place].connection if self.is_open(*place) else None
        match given.kind:
            case "open" if connection is None:
                self._tabs[place] = Tab(self, *place)
            case "send" if connection is not None:
                connection.send_command(given.data)
            case "cut" if connection is not None:
                connection.cut()
            case "get":
                self._start(self._request(given))
            case "preview":
                self._start(self._preview(given))

    def _start(self, work: Any) -> None:
        task = self.world.loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.world.complain("broken", "a request", repr(error))

    async def _request(self, given: Input) -> None:
        status, headers, body = await requested(self._apis[given.node], given.path, given.client)
        answer = b"\n".join([str(status).encode(), *(b": ".join(each) for each in headers), body])
        self.record(given.client, f"answer to {given.path}", answer)

    async def _preview(self, given: Input) -> None:
        preview = await self._previews[given.node].preview(given.path, {}, _address(given.client))
        self.record(given.client, f"preview of {given.path}", repr(preview).encode())


def _address(client: int) -> str:
    return f"10.0.0.{client}"


async def requested(
    api: Api, path: str, client: int
) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    """Return the status, headers and body of the response to a GET request below `/api`."""
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    name, _, query = path.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": name,
        "raw_path": name.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(b"host", b"localhost"), (b"accept-encoding", b"gzip")],
        "client": (_address(client), 1),
        "server": ("localhost", 80),
    }
    await api.app(scope, receive, send)
    start, *parts = sent
    return start["status"], start["headers"], b"".join(part.get("body", b"") for part in parts)


def serve(seed: int, clients: int, drive: Callable[[Stage], Awaitable[None]]) -> Record:
    """Run a server while `drive` gives it inputs, and return its output.

    Args:
        seed: seed of all random numbers except the deals'.
        clients: the number of clients.
        drive: gives the inputs.

    Raises:
        AssertionError: something failed independently of the cards.
    """
    record = Record()

    async def scenario(world: World) -> None:
        world.stop_faults()
        world.set_epoch(START)
        _keep_log(world, record)
        stage = Stage(world, clients, record)
        until = world.now() + STARTED_WITHIN
        while not all(node.up for node in stage.network.nodes):
            await asyncio.sleep(0.1)
            assert world.now() < until, world.complaints
        await drive(stage)
        await asyncio.sleep(REST)
        record.metrics = [
            _counted(each)
            for each in (nodes.METRICS, *(node.services.metrics for node in stage.network.nodes))
        ]
        record.stored = world.memory.stored()

    with (
        patched(nodes, "METRICS", Metrics()),
        patched(commands, "COUNTDOWN_MS", COUNTDOWN_MS),
        patched(core_watching, "WATCH_DELAY_MS", WATCH_DELAY_MS),
        patched(watching, "WATCH_DELAY_MS", WATCH_DELAY_MS),
        _one_thread(),
    ):
        outcome = race.run(seed, Counter(), scenario)
    assert not outcome.complaints, outcome.complaints
    return record


def _counted(metrics: Metrics) -> bytes:
    """Return a node's own metrics, without the process metrics."""
    lines = metrics.exposition("")[0].splitlines()
    return b"\n".join(line for line in lines if line.startswith(b"samedeal"))


@contextmanager
def _one_thread() -> Iterator[None]:
    """Run thread work inline, because simulated time does not see other threads."""

    async def at_once(function: Callable[..., Any], *given: Any, **named: Any) -> Any:
        return function(*given, **named)

    with patched(asyncio, "to_thread", at_once):
        yield


def _keep_log(world: World, record: Record) -> None:
    """Keep all log entries and raise on errors, until the simulation restores logging."""

    def process(_: object, level: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        text = f"{level} {sorted(event.items())}"
        if level in {"error", "exception", "critical"}:
            world.complain("broken", "the log", text)
        record.logged.append((world.now(), text))
        raise structlog.DropEvent

    structlog.configure(
        processors=[
            add_task_fields,
            structlog.processors.format_exc_info,
            process,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG),
    )
