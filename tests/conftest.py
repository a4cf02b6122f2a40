"""Fixtures shared by several kinds of tests: a real Redis, and nodes on it."""

from __future__ import annotations

import faulthandler
import gc
import logging
import os
import resource
import signal
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import structlog
from hypothesis import HealthCheck, settings
from redis.asyncio import RedisCluster
from structlog.testing import capture_logs
from structlog.typing import EventDict

from server.app import running_node
from server.base.redis import connection, pipeline
from server.base.redis.connection import Client, connect
from server.base.redis.database import Database
from server.base.seals.core.secret_keys import SecretKeys
from server.base.seals.key_file import read_keys
from server.settings import Settings
from tests import machine, sizes, unhurried
from tests.dates import move_clock
from tests.processes import PATIENCE
from tests.redis_servers import running_cluster, running_server
from tests.redis_users import as_node

pytest_plugins = ["tests.fixtures"]

DEEP = (
    "base/redis/test_append_only.py",
    "base/redis/test_masters.py",
    "base/redis/test_written_by.py",
    "deploy",
    "engine/test_added_game.py",
    "faults",
    "fuzz",
    "golden",
    "secrecy",
    "simulation/test_generations.py",
    "simulation/test_store.py",
    "soak",
    "test_certify.py",
    "test_losses.py",
    "test_private_store.py",
    "test_service_manager.py",
    "test_signals.py",
    "test_store_away.py",
    "test_supervisor.py",
    "test_workers.py",
)
"""Test files and folders that run in `make deep` only.

So do tests on a cluster, and tests with the marker `deep`.
"""

JOURNEYS = ("browser/test_play.py", "browser/test_table.py")
"""Files of browser tests that run in `make test`: a race, a daily, and card movement."""

# No schema here has a format; jsonschema would take seconds to load its checks of addresses.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]

CLUSTER = pytest.mark.cluster
"""Marks tests that run on a cluster."""

ALONE = pytest.mark.alone
"""Marks tests that run on a single Redis only, not on a cluster as well.

They test layers above the services, whose tests run on both.
"""

SECRET_KEY_FILE = Path(__file__).with_name("secret-key")
"""Secret keys of nodes on an external Redis. They are not secret."""

# Nodes refuse key files that others may read, and Git does not store such modes.
SECRET_KEY_FILE.chmod(0o600)

os.environ["SAMEDEAL_SECRET_KEY_FILE"] = str(SECRET_KEY_FILE)

MEMORY = Path("/dev/shm")  # noqa: S108 - files in it have names of their own
"""Linux's file system in memory."""

ROOM = 4 << 30
"""Minimum free bytes there."""


def _keep_in_memory() -> None:
    """Keep the files of tests in memory, if there is room and `TMPDIR` is not set.

    Dozens of stores sync their files all the time. On a disk this takes seconds, and replicas
    acknowledge nothing meanwhile.
    """
    if "TMPDIR" in os.environ or not os.access(MEMORY, os.W_OK):
        return
    found = os.statvfs(MEMORY)
    if not found.f_flag & os.ST_NOEXEC and found.f_bavail * found.f_frsize > ROOM:
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)


_keep_in_memory()


SOLVER = machine.ROOT / "tests" / "engine" / "solver"

MOST_MEMORY = 600
"""Maximum memory of a pytest worker in megabytes, so that several fit a laptop with 8 GB."""


def _is_deep(config: pytest.Config) -> bool:
    return bool(config.option.markexpr == "deep")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return the number of workers for `-n auto`, more than cores, since many tests mostly wait.

    Browsers keep several cores busy, and most deep tests have one.
    """
    return (os.cpu_count() or 1) + (1 if _is_deep(config) else 2)


HANGS_AFTER = 600.0
"""Seconds before a test counts as hung; the slowest takes three minutes on a busy machine."""

REARMED_EVERY = 30.0
"""Seconds between restarts of the timer; pytest would restart it for each test, at 2 ms each."""


_guarded_until = 0.0
_stderr = -1


def _guard() -> None:
    """Print the stacks of all threads and exit if the starting test hangs."""
    global _guarded_until  # noqa: PLW0603 - the timer is global to the process, too
    if _guarded_until < time.monotonic():
        _guarded_until = time.monotonic() + REARMED_EVERY
        faulthandler.dump_traceback_later(HANGS_AFTER, exit=True, file=_stderr)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    _guard()


def pytest_unconfigure() -> None:
    faulthandler.cancel_dump_traceback_later()


def pytest_configure(config: pytest.Config) -> None:
    global _stderr  # noqa: PLW0603 - later, what goes there is captured
    _stderr = os.dup(2)
    # All imports and collected tests stay; see `pytest_collection_finish`.
    gc.disable()
    _configure_logging()
    sizes.begin(deep=_is_deep(config))
    # Jobs in the background of a script ignore SIGINT, and so would servers that tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _configure_hypothesis()
    for tool in machine.TOOLS:
        config.addinivalue_line("markers", f"{tool.marker}: needs {tool.name}")


def _configure_hypothesis() -> None:
    """Disable deadlines, since machines are busy, and use the same examples in every CI run."""
    settings.register_profile(
        "samedeal",
        deadline=None,
        max_examples=sizes.cases(15, 100),
        suppress_health_check=[HealthCheck.too_slow],
        derandomize="CI" in os.environ,
    )
    settings.load_profile("samedeal")


@cache
def _deep_paths() -> frozenset[Path]:
    folder = Path(__file__).parent
    kept = {folder / name for name in JOURNEYS}
    journeys = set((folder / "browser").glob("test_*.py")) - kept
    return frozenset({folder / name for name in DEEP} | journeys)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip the import of folders that `make test` leaves out, in each of its processes."""
    left_out = config.option.markexpr.endswith("not deep") and collection_path in _deep_paths()
    return left_out or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark deep tests, and skip those whose tools are missing, before tests are selected."""
    for item in items:
        _mark_tools(item)
        if (
            item.get_closest_marker("cluster")
            or (sizes.is_deep() and _is_sampled(item))
            or not _deep_paths().isdisjoint(_with_folders(item.path))
        ):
            item.add_marker("deep")
    # Each takes about 150 MB for a moment, while the workers are still small.
    items.sort(key=lambda item: SOLVER not in item.path.parents)


def _is_sampled(item: pytest.Item) -> bool:
    return bool(
        item.get_closest_marker("sampled")
        or getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
    )


def _mark_tools(item: pytest.Item) -> None:
    """Mark a test with the browser started by its fixtures; skip it if one of its tools is missing.

    In CI the test fails instead.
    """
    for name in ("browser", "whole_browser"):
        if name in getattr(item, "fixturenames", ()):
            item.add_marker(name)
    needed = [tool for tool in machine.TOOLS if item.get_closest_marker(tool.marker)]
    if needed and os.environ.get("CI") != "true":
        lacking = machine.machine().lacking
        names = [tool.name for tool in needed if tool.marker in lacking]
        if names:
            item.add_marker(pytest.mark.skip(reason=f"needs {' and '.join(names)}"))


def pytest_collection_finish() -> None:
    """Exclude modules and tests from garbage collection, since they stay until the end."""
    gc.freeze()
    gc.enable()


@cache
def _with_folders(path: Path) -> frozenset[Path]:
    return frozenset((path, *path.parents))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests that need a Redis on a single one and on a cluster, or only on the marked one."""
    if "redis_server" in metafunc.fixturenames:
        kinds = ["alone", pytest.param("cluster", marks=CLUSTER)]
        asked = map(metafunc.definition.get_closest_marker, (ALONE.name, CLUSTER.name))
        kept = [kind for kind, marker in zip(kinds, asked, strict=True) if marker] or kinds
        metafunc.parametrize("redis_server", kept, indirect=True, scope="session")


def _configure_logging() -> None:
    """Log like a node by default; `debug` would slow down tests with thousands of lines."""
    structlog.reset_defaults()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.INFO))


@contextmanager
def logging_restored() -> Iterator[None]:
    """Restore the logging configuration after the block."""
    before, handlers, level = structlog.get_config(), logging.root.handlers[:], logging.root.level
    hooks = sys.excepthook, sys.unraisablehook, threading.excepthook
    try:
        yield
    finally:
        structlog.configure(**before)
        logging.captureWarnings(False)
        logging.root.handlers[:] = handlers
        logging.root.setLevel(level)
        sys.excepthook, sys.unraisablehook, threading.excepthook = hooks


@pytest.fixture(autouse=True)
def default_logging() -> Iterator[None]:
    """Restore the logging configuration changed by commands in this process or wider fixtures."""
    _configure_logging()
    with logging_restored():
        yield


@pytest.fixture(scope="session", autouse=True)
def take_time() -> None:
    """Give nodes in this process the time that a busy machine needs."""
    unhurried.take_time()


@pytest.fixture(autouse=True)
def patient_with_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nodes in this process wait patiently for Redis and its replicas on a busy machine."""
    _wait_for_redis(monkeypatch, PATIENCE, PATIENCE)


@pytest.fixture
def quick_redis(patient_with_redis: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nodes in this process notice quickly that Redis is unavailable.

    A batch is answered in time although no replica acknowledges it.
    """
    _wait_for_redis(monkeypatch, 2.0, 1.0)


def _wait_for_redis(monkeypatch: pytest.MonkeyPatch, answered: float, acknowledged: float) -> None:
    for module in (connection, pipeline):
        monkeypatch.setattr(module, "TIMEOUT", answered)
    monkeypatch.setattr(pipeline, "ACKNOWLEDGED_WITHIN", acknowledged)


@pytest.fixture(autouse=True)
def date(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the clock of nodes in this process to `AT`."""
    move_clock(monkeypatch)


@contextmanager
def debug_captured() -> Iterator[list[EventDict]]:
    """Yield the lines logged in the block, at any level."""
    with logging_restored():
        structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG))
        with capture_logs() as lines:
            yield lines


_peaks: list[int] = []
"""The peak memory of each worker that has exited, in megabytes."""

_rises: list[tuple[int, str]] = []
"""By how many megabytes tests have raised a worker's peak memory, with their names."""

MENTIONED_RISE = 40
"""Megabytes by which a test raises a worker's peak memory to be named in the summary."""


def _peak() -> int:
    """Return this process's peak memory in megabytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit >> 20


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Keep by how much a test raises the process's peak memory."""
    before = _peak()
    outcome = yield
    if (rise := _peak() - before) >= MENTIONED_RISE:
        _rises.append((rise, item.nodeid))
    return outcome


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Keep the peak memory of a worker that has exited."""
    output = getattr(node, "workeroutput", {})
    if peak := output.get("peak"):
        _peaks.append(peak)
        _rises.extend(map(tuple, output["rises"]))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Report this worker's peak memory to the main process, where a high one fails `make deep`."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["peak"], output["rises"] = _peak(), _rises
    elif sizes.is_deep() and max(_peaks, default=0) > MOST_MEMORY:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _how_to_repeat(name: str) -> str:
    suite = " -m deep" if sizes.is_deep() else ""
    return f"To repeat it: .venv/bin/python -m pytest{suite} '{name}'"


def pytest_report_teststatus(report: pytest.TestReport, config: pytest.Config) -> None:
    """Print how to repeat a failed test immediately: an interrupted run prints no summary."""
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if report.failed and isinstance(terminal, pytest.TerminalReporter):
        terminal.write_line(f"\n{_how_to_repeat(report.nodeid)}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the commands to repeat each failed test, and the workers' peak memory."""
    stats = terminalreporter.stats
    failed = {report.nodeid for report in [*stats.get("failed", []), *stats.get("error", [])]}
    for name in sorted(failed):
        terminalreporter.write_line(_how_to_repeat(name))
    if _peaks:
        most = ", ".join(map(str, sorted(_peaks, reverse=True)))
        terminalreporter.write_line(f"Most memory of each worker: {most} MB (limit: {MOST_MEMORY})")
        for rise, name in sorted(_rises, reverse=True):
            terminalreporter.write_line(f"raised by {rise} MB: {name}")


@pytest.fixture
def data() -> Iterator[Path]:
    """Return an empty directory whose path is short enough for a Unix socket."""
    with tempfile.TemporaryDirectory(prefix="samedeal") as folder:
        yield Path(folder)


UNHURRIED = 30_000
"""Milliseconds before a master of the shared cluster counts as lost, long for busy machines."""


@pytest.fixture(scope="session")
def redis_server(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run a real redis-server or cluster for the whole session, and return its operator address.

    The operator has all rights; `as_node` converts the address to the nodes' user.
    """
    if request.param == "alone":
        yield from server_alone()
        return
    with running_cluster() as cluster:
        for server in cluster.servers:
            server.ask("CONFIG", "SET", "cluster-node-timeout", UNHURRIED)
        yield cluster.admin_url
        for server in cluster.servers:
            assert server.refused() == []


def server_alone() -> Iterator[str]:
    """Run a real redis-server, and yield its operator address."""
    with running_server() as server:
        yield server.admin_url
        assert server.refused() == []


@pytest.fixture
async def redis_url(redis_server: str) -> str:
    """Return the address of the Redis, emptied."""
    redis = connect(redis_server)
    if isinstance(redis, RedisCluster):
        await redis.initialize()
        await redis.flushall(target_nodes=redis.get_primaries())
    else:
        await redis.flushall()
    await redis.aclose()
    return redis_server


@asynccontextmanager
async def client_of(redis_url: str | Path) -> AsyncIterator[Client]:
    """Connect a client; to a cluster, this can take a second on a busy machine."""
    client = connect(redis_url)
    await client.ping()
    try:
        yield client
    finally:
        await client.aclose()


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[Client]:
    """Return a client of an empty Redis."""
    async with client_of(redis_url) as client:
        yield client


def secret_keys() -> SecretKeys:
    """Return the secret keys of nodes in tests."""
    return read_keys(SECRET_KEY_FILE)


def database_on(redis: Client) -> Database:
    """Return a database on a client; in a cluster, each write needs one replica's ack."""
    return Database(redis, int(isinstance(redis, RedisCluster)))


@pytest.fixture
async def database(redis: Client) -> AsyncIterator[Database]:
    """Return an empty database."""
    database = database_on(redis)
    yield database
    await database.close()


@asynccontextmanager
async def node(redis_url: str, **settings: object) -> AsyncIterator[int]:
    """Run a node on this Redis with a node's rights, and yield its port."""
    acks = int("+cluster" in redis_url)
    own: dict[str, Any] = {"replica_acks": acks, "secret_key_file": SECRET_KEY_FILE, **settings}
    given = Settings(host="127.0.0.1", port=0, redis=as_node(redis_url), **own)
    async with running_node(given) as port:
        yield port


@pytest.fixture
async def port(redis_url: str, short_countdown: None) -> AsyncIterator[int]:
    """Run a node on an empty Redis, and return its port."""
    async with node(redis_url) as port:
        yield port


@pytest.fixture
async def ports(redis_url: str) -> AsyncIterator[tuple[int, int]]:
    async with node(redis_url) as here, node(redis_url) as there:
        yield here, there
