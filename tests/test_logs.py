"""Logs: their format, their content, and secrets that must not appear."""

from __future__ import annotations

import asyncio
import errno
import gc
import io
import json
import logging
import socket
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, cast

import pytest
import structlog

from engine.board import Board
from server.base.core import keys
from server.base.core.ids import DealId
from server.base.redis.connection import connect
from server.base.redis.database import Database
from server.base.redis.handshake import pack
from server.base.redis.pipeline import Pipeline
from server.base.work.log_context import TaskFields
from server.cli.log_lines import LINES
from server.cli.logs import configure, errors, log_loop_failure
from server.deals.store import DealStore
from server.play.core import attempt
from server.rooms.rooms import Rooms
from server.settings import LogFormat
from tests.base.redis.servers import lose_connection
from tests.clients.client import opened
from tests.clients.play import resign
from tests.clients.raw import connected, handshake
from tests.conftest import database_on, logging_restored, node, secret_keys
from tests.processes import running
from tests.redis_servers import Server, running_server


@contextmanager
def configured(log_format: LogFormat, level: str) -> Iterator[None]:
    """Configure logging in the block, like a node with the id `ab12`."""
    with logging_restored():
        configure(log_format, level, "ab12")
        yield


@pytest.fixture
def log(capsys: pytest.CaptureFixture[str]) -> Iterator[pytest.CaptureFixture[str]]:
    """Log JSON at the level debug, like a node without a terminal."""
    with configured("json", "debug"):
        yield capsys


def lines_of(log: pytest.CaptureFixture[str]) -> tuple[str, list[dict[str, Any]]]:
    """Return the output since the last call, and its lines."""
    output = log.readouterr().err
    return output, [json.loads(line) for line in output.splitlines()]


def test_records_of_libraries_are_logged_in_the_same_form(log: pytest.CaptureFixture[str]) -> None:
    def fail(secret: str) -> None:
        raise ValueError(len(secret))

    library = logging.getLogger("asyncio")
    try:
        fail("hid" + "den")
    except ValueError:
        library.exception("Exception in %s", "a task")
    library.info("Finished")
    output, (line,) = lines_of(log)
    said = {"event": "Exception in a task", "level": "error", "logger": "asyncio", "node": "ab12"}
    assert said.items() <= line.items()
    (failed,) = line["exception"]
    assert (failed["exc_type"], failed["exc_value"]) == ("ValueError", "6")
    assert "hidden" not in output


def test_a_record_with_mismatched_arguments_is_still_logged(
    log: pytest.CaptureFixture[str],
) -> None:
    # Not through a logger: pytest's own handler refuses the first one.
    for levelno, msg, args in ((logging.WARNING, "%d of %s", ("one",)), (35, "100 %", ())):
        record = {"name": "library", "levelno": levelno, "msg": msg, "args": args}
        logging.root.handlers[0].handle(logging.makeLogRecord(record))
    _, (odd, other) = lines_of(log)
    assert (odd["event"], odd["level"]) == ("%d of %s", "warning")
    assert (other["event"], other["level"]) == ("100 %", "warning")


def test_unhandled_exceptions_are_logged_in_the_same_form(log: pytest.CaptureFixture[str]) -> None:
    class Broken:
        def __del__(self) -> None:
            raise ValueError("of an object")

    def broken() -> None:
        raise ValueError("of a thread")

    thread = threading.Thread(target=broken)
    thread.start()
    thread.join()
    del [Broken()][0]
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("of a library", stacklevel=1)
    sys.excepthook(ValueError, ValueError("of all"), None)
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(log_loop_failure)
    loop.call_exception_handler({"message": "of a loop", "socket": object()})
    loop.close()

    _, lines = lines_of(log)
    events = [line["event"] for line in lines]
    assert events[:2] == ["thread_failed", "unraisable"]
    assert lines[0]["exception"][0]["exc_value"] == "of a thread"
    assert lines[1]["exception"][0]["exc_value"] == "of an object"
    assert (lines[2]["logger"], "of a library" in lines[2]["event"]) == ("py.warnings", True)
    assert events[3:] == ["crashed", "loop_failed"]
    assert lines[4]["message"] == "of a loop"


async def test_a_connection_error_never_raised_is_not_a_loop_failure(
    log: pytest.CaptureFixture[str],
) -> None:
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(log_loop_failure)

    async def failing(error: Exception) -> None:
        raise error

    ended: asyncio.Future[None] = loop.create_future()
    ended.set_exception(BrokenPipeError(errno.EPIPE, "Broken pipe"))
    task = asyncio.create_task(failing(ConnectionResetError("of a task")))
    other = asyncio.create_task(failing(ValueError("of another")))
    await asyncio.wait({task, other})
    del ended, task, other
    gc.collect()

    _, lines = lines_of(log)
    said = {line["exception"][0]["exc_value"] for line in lines if line["event"] == "loop_failed"}
    assert said == {"of a task", "of another"}


def test_errors_are_counted_even_if_their_lines_are_dropped(
    log: pytest.CaptureFixture[str],
) -> None:
    before, told = dict(errors), structlog.get_logger()
    for _ in range(LINES["error"] + 5):
        told.error("failed")
    told.error("suppressed", of="failed", count=5)
    told.warning("lost")
    told.critical("crashed")
    logging.getLogger("library").critical("Out of order")
    told.exception("broken", exc_info=ValueError("of all"))
    counted = {level: count - before[level] for level, count in errors.items()}
    assert counted == {"error": LINES["error"] + 6, "critical": 2}
    assert log.readouterr().err.count('"failed"') == LINES["error"] + 1


@pytest.mark.parametrize(
    ("terminal", "variables", "colored"),
    [
        (False, {}, False),
        (True, {}, True),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
    ],
)
def test_colors_are_used_on_terminals_that_support_them(
    monkeypatch: pytest.MonkeyPatch, *, terminal: bool, variables: dict[str, str], colored: bool
) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return terminal

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stderr", Screen())
    with configured("console", "info"):
        structlog.get_logger().info("named", name="\x1b[31mred", about="\u202eleft")
        shown = cast(Screen, sys.stderr).getvalue()
    assert ("\x1b[0m" in shown) == colored
    assert "\x1b[31mred" not in shown
    assert "\\x1b[31mred" in shown
    assert "\\u202eleft" in shown


@pytest.fixture(scope="module")
def redis_alone() -> Iterator[Server]:
    with running_server() as server:
        yield server


async def test_logs_name_session_player_and_attempt_and_contain_no_secret(
    log: pytest.CaptureFixture[str], redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with node(redis_url) as port, opened(port) as client:
        welcome = await client.hello()
        daily = await client.ask("daily.open", game="robert")
        await client.ask("move", attempt=daily["attempt"], seq=2, move="s>w")
        await client.ask("move", attempt=daily["attempt"], seq=3, move="w>s")

        async def broken_decide(*_: object) -> None:
            raise RuntimeError("no secret here")

        monkeypatch.setattr(Rooms, "decide", broken_decide)
        assert (await client.ask("room.join", code="ZZZZZZZZ"))["code"] == "internal"

        def broken(board: Board) -> bool:
            raise RuntimeError(f"no secret here, but {len(board.piles)} piles are at hand")

        monkeypatch.setattr(attempt, "is_stuck", broken)
        answer = await client.ask("move", attempt=daily["attempt"], seq=3, move="s>w")
        assert answer["code"] == "internal"
        monkeypatch.undo()
        await resign(client, {**daily, "seq": 2})
    database = database_on(connect(redis_url))
    deal = await DealStore(database, secret_keys()).find(DealId(daily["deal"]))
    await database.close()

    output, lines = lines_of(log)
    joined, failed = [line for line in lines if line["event"] == "command_failed"]
    commands = [line for line in lines if line["event"] == "command"]
    assert [(line["command"], line["outcome"]) for line in commands] == [
        ("Hello", "answered"),
        ("OpenDaily", "answered"),
        ("JoinRoom", "internal"),
        ("Resign", "answered"),
    ]
    moves = [line["outcome"] for line in lines if line["event"] == "move"]
    assert moves == ["played", "illegal_move", "internal"]
    assert all(line["ms"] >= 0 for line in commands)
    assert {"journal_read", "effect_applied", "disconnected"} <= {line["event"] for line in lines}
    (handshake,) = [line for line in lines if line["event"] == "handshake"]
    assert handshake["session"] == joined["session"] == failed["session"] != ""
    assert (handshake["address"], joined["room"]) == ("127.0.0.1", "ZZZZZZZZ")
    assert (failed["attempt"], failed["player"]) == (daily["attempt"], welcome["player"]["id"])
    assert failed["exception"]
    assert deal is not None
    for secret in (welcome["token"], deal.seed.hex(), repr(deal.seed), "piles=", r"\x7f"):
        assert secret not in output


async def test_shared_work_is_logged_without_the_command_that_caused_it(
    log: pytest.CaptureFixture[str], redis_url: str
) -> None:
    database = database_on(connect(redis_url))
    key = keys.barrier(keys.outbox(0))
    pipeline = await lost(database, key)

    async def command() -> None:
        with TaskFields({"player": "ada", "room": "H7KQ2"}):
            structlog.get_logger().info("own", room="other")
            await database.write(key, "SET", key, "", "EX", keys.BARRIER_LIFE_S)
            asyncio.get_running_loop().call_soon(structlog.get_logger().info, "callback")
        structlog.get_logger().info("after")

    await asyncio.create_task(command())
    # Callbacks of the connection run in the context of its opening.
    pipeline.send(pack("PING"), lambda _: structlog.get_logger().info("reply"))
    pipeline.send(pack("PING"), lambda _: None)
    await database.close()
    lines = {line["event"]: line for line in lines_of(log)[1]}
    assert (lines["own"]["player"], lines["own"]["room"]) == ("ada", "other")
    for event in ("store_lost", "store_back", "callback", "after", "reply"):
        assert lines[event].keys().isdisjoint({"player", "room"}), event


async def lost(database: Database, key: str) -> Pipeline:
    """Return the connection to a key's server, after it has been opened and lost."""
    await database.write(key, "SET", key, "", "EX", keys.BARRIER_LIFE_S)
    return lose_connection(database, key)


def serve_command(redis: str, log_format: str) -> list[str]:
    fixed = ["--host", "127.0.0.1", "--port", "0", "--redis", redis, "--log-format", log_format]
    return [sys.executable, "-m", "server", "serve", *fixed]


async def refused(port: int, origin: str) -> None:
    """Open a socket from a forbidden origin, again while the node is overloaded."""
    status = 503
    while status == 503:
        async with connected(port) as client:
            await client.shake(handshake(Origin=origin))
            status = client.status
    assert status == 403


async def test_a_flood_and_an_outage_are_logged_in_few_json_lines(redis_alone: Server) -> None:
    with running(serve_command(redis_alone.url, "json")) as server:
        port = json.loads(await asyncio.to_thread(server.wait_for, "listening"))["port"]
        floods = 10 * LINES["info"]
        for _ in range(floods):
            await refused(port, "http://" + "x" * 7_000)
        redis_alone.kill()
        await asyncio.to_thread(server.wait_for, "store_lost")
        redis_alone.start()
        await asyncio.to_thread(server.wait_for, "store_back")
        assert server.end() == 0
    lines = [json.loads(line) for line in server.lines]
    assert {line["node"] for line in lines} == {json_of(lines, "listening")["name"][-8:]}
    told = [line["event"] for line in lines if line["level"] != "info"]
    # A busy machine may overload the node.
    told = [event for event in told if not event.startswith("overload_")]
    pools = ["dailies_uncertified", "dailies_uncertified", "pools_short"]
    assert told == [*pools, "store_lost", "store_back"], "nobody has certified deals"
    assert json_of(lines, "store_back")["seconds"] >= 0
    # Two windows at most, unless this machine is very slow.
    counted = sum(line["count"] for line in lines if line["event"] == "suppressed")
    written = [line for line in lines if line["event"] == "origin_refused"]
    assert len(written) + counted == floods
    assert len(written) < floods / 2
    assert sum(map(len, server.lines)) < floods / 2 * 600


def json_of(lines: list[dict[str, Any]], event: str) -> dict[str, Any]:
    return next(line for line in lines if line["event"] == event)


async def test_exhausted_file_descriptors_are_logged_in_few_lines_without_ansi(
    redis_alone: Server,
) -> None:
    """It uses asyncio's own event loop, which then reports 2,048 exceptions a second."""
    python, *serve = serve_command(redis_alone.url, "console")
    serve[:2] = (
        "-c",
        "import sys; sys.modules['uvloop'] = None; from server.cli.main import main; main()",
    )
    limited = ["sh", "-c", 'ulimit -n 48; exec "$0" "$@"', python, *serve]
    with running(limited) as server:
        line = await asyncio.to_thread(server.wait_for, "listening")
        port = int(line.split("port=")[1].split()[0])
        with ExitStack() as clients:
            for _ in range(60):
                clients.enter_context(socket.create_connection(("127.0.0.1", port)))
            await asyncio.to_thread(server.wait_for, "Too many open files")
        assert server.end() == 0
    assert sum(map(len, server.lines)) < 100_000
    assert all(line.rstrip("\n").isprintable() for line in server.lines)
