"""The import rule: dependencies between wings, and imports allowed in each kind of file.

1. `core/` imports the engine, msgspec, openskill and other `core/`: no I/O, clock, randomness, log.
2. Only `base/redis/` and files that end in `store` import redis. Besides each other, they import
`core/` and `base/work/`.
3. Messages, feeds, presentation, HTTP, `base/net/`, `base/wire/` and `base/web/` form the front:
they import no store. Every other file is a service, and imports no front.
4. Command handlers import the same as the front, and other handlers. A wing's `services` constructs
its stores, services and feeds, and its `wing` names these and all that clients see of it. Only
these two, handlers and the HTTP API import `services`, only `wing` imports handlers, and no module
imports `wing`: `server.wings` loads it by name.
5. `base/` imports no wing; a wing imports `base/` and the wings it depends on.
6. Only `server/*.py`, `cli/` and `base/generate/` import everything. No other module imports them,
except those on which the wings build (`FLOOR`), which import no wing.
7. Only listening addresses are resolved by the system resolver, whose threads are shared:
`base/outbound/` resolves user-supplied names.
8. `client/` is a separate distribution: it imports the engine, websockets and msgpack, nothing of
the server, and is not imported by it.
9. No module uses private names of other packages, which may change in any version.
"""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from engine.catalog import games

ROOT = Path(__file__).parent.parent

BASE = {
    "base.core": "",
    "base.work": "base.core",
    "base.redis": "base.core base.work",
    "base.journals": "base.core base.work base.redis",
    "base.nodes": "base.core base.work base.redis",
    "base.seals": "base.core base.work base.redis base.nodes",
    "base.outbox": "base.core base.work base.redis base.journals",
    "base.outbound": "base.core base.work base.redis base.seals base.outbox",
    "base.net": "base.core base.work",
    "base.quotas": "base.core base.work base.redis base.nodes base.seals",
    "base.wire": "base.core base.work base.quotas base.net",
    "base.web": "base.core base.work base.net",
}
"""Dependencies of each part of the base on others."""

WINGS = {
    "players": "",
    "deals": "",
    "play": "players deals",
    "results": "play players",
    "rooms": "results play players deals",
    "dailies": "results play players deals",
    "accounts": "results players",
    "practice": "accounts players",
    "lobby": "rooms players",
    "watching": "rooms play deals",
    "runs": "rooms results play players deals",
    "challenges": "accounts runs rooms results play players deals",
    "circles": "challenges results play players",
    "notifications": "circles challenges results play players",
    "moderation": "circles challenges runs lobby dailies accounts rooms results play players deals",
}
"""Dependencies of each wing on others, besides the base."""

FLOOR = {
    "server.settings": {"assembly"},
    "server.foundation": {"assembly"},
    "server.request": {"assembly", "handlers"},
    "server.wing": {"wing"},
}
"""The modules beside the wings on which these build: the kinds of files that may import each."""

FRONT_PARTS = {"base.net", "base.wire", "base.web"}
FRONT_NAMES = (
    "messages present views preview hub sign_ins confirmations passkey_challenges operating"
)
LISTED_BY = {"wing": None, "handlers": "server.handlers"}
"""The only module of the whole that imports each of these kinds of files, if any does."""

KINDS = {"services": "assembly", "wing": "wing", "handlers": "handlers", "api": "api"}
FRONT_ENDS = ("_messages", "feed")

PACKAGES = {
    "numba": {"engine.solver"},
    "numpy": {"engine.solver"},
    "pysat": {"engine.solver"},
    "redis": {"base.redis", "store"},
    "hiredis": {"base.redis"},
    "cryptography": {"base.seals", "notifications"},
    "websockets": {"base.net", "base.wire", "samedeal_client"},
    "starlette": {"base.net", "base.web"},
    "dns": {"base.outbound"},
    "cachetools": {"base.web", "server.circles.views", "server.players.hub"},
    "httptools": {"base.net", "base.outbound"},
    "msgpack": {"base.wire", "samedeal_client"},
    "msgspec": {"core", "store", "service", "front", "api", "top", "server.base.work.line_process"},
    "structlog": {"store", "service", "front", "top", "base.work"},
    "openskill": {"results"},
    "uvloop": {"server.cli"},
    "prometheus_client": {"base.work"},
    "webauthn": {"accounts"},
    "click": {"server.cli"},
    "platformdirs": {"server.settings"},
}
"""Kinds of files, parts of the base, wings or modules that may import each third-party package."""

SOLVER = {"engine.solver", "server.deals.solver_main"}
"""Only these import each other: solving a deal would block a node's event loop."""

IMPURE_MODULES = "asyncio logging os random secrets select socket subprocess threading time uuid"
SEEDED = {("engine.known", "random.Random")}
"""Generators whose numbers depend on a seed alone, by module: other programs deal by them."""
IMPURE_CALLS = {"now", "utcnow", "today"}
IMPURE_NAMES = {"open", "print", "input"}

LOOKUPS = {"getaddrinfo", "gethostbyname", "gethostbyname_ex"}
"""Calls of the system resolver."""

MAY_LOOK_UP = "server.base.net.bound_sockets"

GAME_NAMES = {text for game in games().values() for text in (game.id, game.name)}


CLIENT = ROOT / "server" / "client"
"""The client's folder, which contains its package."""


def module_name(path: Path) -> str:
    top = CLIENT if path.is_relative_to(CLIENT) else ROOT
    return ".".join(path.relative_to(top).with_suffix("").parts).removesuffix(".__init__")


MODULES = sorted(
    path
    for top in ("engine", "server")
    for path in (ROOT / top).rglob("*.py")
    if not path.is_relative_to(CLIENT) or path.is_relative_to(CLIENT / "samedeal_client")
)
NAMES = {module_name(path) for path in MODULES}


def place(module: str) -> str:
    """Return a module's wing, part of the base, `engine`, `client`, or `top` for the whole."""
    if (root := module.split(".", maxsplit=1)[0]) in {"engine", "samedeal_client"}:
        return root
    parts = module.split(".")[1:]
    if parts and parts[0] in WINGS:
        return parts[0]
    part = ".".join(parts[:2])
    if part in BASE:
        return part
    assert parts[:1] != ["base"] or part in {"base", "base.generate"}, f"{module} has no place"
    assert len(parts) < 2 or parts[0] in {"base", "cli"}, f"{module} has no place"
    return "top"


def kind(module: str) -> str:
    parts, where = module.split("."), place(module)
    name = parts[-1]
    if where in WINGS and (last := name.rpartition("_")[2]) in KINDS:
        return KINDS[last]
    if where in {"engine", "samedeal_client", "top"}:
        return where
    if "core" in parts[1:]:
        return "core"
    if where in FRONT_PARTS or name in FRONT_NAMES.split() or name.endswith(FRONT_ENDS):
        return "front"
    if where == "base.redis" or name.endswith("store"):
        return "store"
    return "work" if where == "base.work" else "service"


MAY_USE = {
    "core": {"core"},
    "work": {"core", "work"},
    "store": {"core", "work", "store"},
    "service": {"core", "work", "store", "service"},
    "front": {"core", "work", "service", "front"},
    "handlers": {"core", "work", "service", "front", "handlers", "assembly"},
    "assembly": {"core", "work", "store", "service", "front", "assembly"},
    "api": {"core", "work", "service", "front", "api", "assembly"},
    "wing": {"core", "front", "handlers", "api", "assembly"},
}
"""Kinds of files that each kind may import."""


def imports(module: str, tree: ast.AST, *, package: bool) -> Iterator[str]:
    """Yield the dotted names of a module's imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            up = node.level - package
            base = module.split(".")[: -up or None] if node.level else []
            start = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{start}.{alias.name}" for alias in node.names)


def module_of(name: str) -> str:
    """Return the module that an imported name is, or is defined in."""
    return name if name in NAMES else name.rpartition(".")[0]


def within(name: str, prefixes: set[str]) -> bool:
    """Return whether a dotted name equals or lies below one of the prefixes."""
    return any(f"{name}.".startswith(f"{prefix}.") for prefix in prefixes)


def may_import(module: str, name: str) -> bool:
    """Return whether a module may import a name of this repository."""
    own, other = kind(module), module_of(name)
    if within(module, SOLVER) != within(name, SOLVER) and within(name, SOLVER):
        return False
    if name.split(".", maxsplit=1)[0] == "engine":
        return own != "work"
    is_listed_elsewhere = own == "top" and LISTED_BY.get(kind(other), module) != module
    if own == "engine" or is_listed_elsewhere or (module in FLOOR and place(other) in WINGS):
        return False
    if own in {"top", "samedeal_client"} or kind(other) == "samedeal_client":
        return (own == "samedeal_client") == (kind(other) == "samedeal_client")
    if kind(other) == "top":
        return other == "server" or own in FLOOR.get(other, ())
    here, there = place(module), place(other)
    below = BASE[here] if here in BASE else WINGS[here]
    is_below = there == here or there in below.split() or (here in WINGS and there in BASE)
    return is_below and kind(other) in MAY_USE[own]


def violations(module: str, source: str, *, package: bool = False) -> list[str]:
    """Return a module's violations, one sentence each."""
    own, where = kind(module), place(module)
    tree = ast.parse(source)
    found = []
    for name in imports(module, tree, package=package):
        root = name.partition(".")[0]
        if root in {"engine", "server", "samedeal_client"}:
            allowed = may_import(module, name)
        elif root in sys.stdlib_module_names:
            pure = root not in IMPURE_MODULES.split() or (module, name) in SEEDED
            allowed = own not in {"core", "engine"} or pure
        else:
            whose = PACKAGES.get(root, set())
            allowed = own in whose or where in whose or within(module, whose)
        if not allowed:
            found.append(f"{module} imports {name}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in GAME_NAMES:
            found.append(f"{module} names the game {node.value}")
        elif isinstance(node, ast.Attribute) and node.attr in LOOKUPS and module != MAY_LOOK_UP:
            found.append(f"{module} looks up by {node.attr}")
        elif own not in {"core", "engine"}:
            continue
        elif isinstance(node, ast.Attribute) and node.attr in IMPURE_CALLS:
            found.append(f"{module} asks for the time by {node.attr}")
        elif isinstance(node, ast.Name) and node.id in IMPURE_NAMES:
            found.append(f"{module} uses {node.id}")
    return found


def test_modules_follow_the_import_rule() -> None:
    found = []
    for path in MODULES:
        package, source = path.name == "__init__.py", path.read_text(encoding="utf-8")
        found += violations(module_name(path), source, package=package)
    assert found == []


@pytest.mark.parametrize("parts", [BASE, WINGS], ids=["base", "wings"])
def test_dependencies_are_acyclic(parts: dict[str, str]) -> None:
    TopologicalSorter({part: below.split() for part, below in parts.items()}).prepare()


def test_a_folder_has_at_most_twenty_modules() -> None:
    listing = {"__init__.py", "services.py", "wing.py"}
    modules = Counter(path.parent for path in MODULES if path.name not in listing)
    assert [str(folder) for folder, count in modules.items() if count > 20] == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("engine.board", "import redis"),
        ("engine.board", "import msgspec"),
        ("engine.board", "from server.rooms.core import room"),
        ("engine.board", "import random"),
        ("engine.board", "from os import path"),
        ("engine.board", "def f():\n    import time"),
        ("engine.board", "import asyncio.locks"),
        ("engine.board", "from .. import server"),
        ("engine.board", "from datetime import datetime\nx = datetime.now()"),
        ("engine.board", "print(1)"),
        ("engine.board", "x = 'deuces'"),
        ("engine.board", "x = y == 'Rouge et Noir'"),
        ("server.rooms.core.room", "import server.base.journals.store"),
        ("server.rooms.core.room", "from server.rooms import store"),
        ("server.rooms.core.room", "from ..rooms import Rooms"),
        ("server.rooms.core.room", "import structlog"),
        ("server.rooms.core.room", "import logging.handlers"),
        ("server.rooms.core.room", "from datetime import date\nx = date.today"),
        ("server.rooms.core.room", "from engine import solver"),
        ("server.rooms.core.room", "from server.base.work.metrics import Metrics"),
        ("server.rooms.core.room", "from server.lobby.core.open_row import Row"),
        ("server.rooms.store", "from server.rooms.rooms import Rooms"),
        ("server.rooms.store", "import websockets"),
        ("server.rooms.store", "x = f'{y}' 'robert'.join('robert')"),
        ("server.rooms.rooms", "import redis.asyncio"),
        ("server.rooms.rooms", "from server.rooms.messages import RoomState"),
        ("server.rooms.rooms", "from server.players.hub import Hub"),
        ("server.rooms.rooms", "from server.lobby.open_rooms import OpenRooms"),
        ("server.rooms.rooms", "from server.rooms.services import RoomServices"),
        ("server.rooms.rooms", "from server.foundation import Foundation"),
        ("server.rooms.rooms", "from server.settings import Settings"),
        ("server.rooms.rooms", "import msgpack"),
        ("server.rooms.rooms", "def f():\n    from engine.solver import solve"),
        ("server.rooms.rooms", "from starlette.responses import Response"),
        ("server.deals.solver_process", "from server.deals.solver_main import solved"),
        ("server.rooms.feed", "from server.rooms.store import RoomStore"),
        ("server.rooms.feed", "from server.base.redis import bus"),
        ("server.rooms.feed", "from server.app import running_node"),
        ("server.rooms.feed", "from server.wings import Services"),
        ("server.rooms.feed", "import redis"),
        ("server.rooms.feed", "from server.rooms.handlers import admit"),
        ("server.rooms.feed", "from server.request import NodeRequest"),
        ("server.rooms.feed", "from server.rooms.services import RoomServices"),
        ("server.rooms.handlers", "from server.rooms.store import RoomStore"),
        ("server.rooms.handlers", "from server.lobby import handlers"),
        ("server.rooms.handlers", "from server.wings import Services"),
        ("server.rooms.handlers", "from server.rooms.wing import WING"),
        ("server.rooms.services", "from server.rooms import handlers"),
        ("server.rooms.services", "from server.lobby.services import LobbyServices"),
        ("server.rooms.services", "from server.wing import Wing"),
        ("server.rooms.wing", "from server.play.wing import WING"),
        ("server.rooms.wing", "from server.rooms.store import RoomStore"),
        ("server.foundation", "from server.rooms.rooms import Rooms"),
        ("server.request", "from server.rooms.services import RoomServices"),
        ("server.wing", "from server.rooms import messages"),
        ("server.app", "from server.rooms.wing import WING"),
        ("server.runs.deal_handlers", "from server.handlers import HANDLERS"),
        ("server.base.wire.answerer", "from server.request import NodeRequest"),
        ("server.wings", "from server.rooms import handlers"),
        ("server.wings", "from server.rooms.wing import WING"),
        ("server.base.wire.socket", "from server.play.attempts import Attempts"),
        ("server.base.redis.bus", "from server.base.journals.store import JournalStore"),
        ("server.base.work.background", "from server.base.redis.bus import Bus"),
        ("server.base.work.metrics", "import redis"),
        ("server.base.outbound.sender", "x = loop.getaddrinfo(host, port)"),
        ("server.cli.main", "import httptools"),
        ("server.cli.main", "import redis"),
        ("server.app", "import flask"),
        ("server.app", "import samedeal_client"),
        ("server.cli.main", "from samedeal_client import Client"),
        ("samedeal_client.client", "from server.base.wire import codec"),
        ("samedeal_client.client", "import msgspec"),
    ],
)
def test_a_violation_is_reported(module: str, source: str) -> None:
    assert violations(module, source)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("engine.board", "from engine.cards import Pile\nimport json"),
        ("engine.board", "from .cards import Pile"),
        ("engine", "from .cards import Pile"),
        ("engine.board", '"""As in `deuces`."""'),
        ("server.rooms.core.room", "from engine import deal\nfrom server.base.core import ids"),
        ("server.base.core", "from .ids import PlayerId"),
        ("server.rooms.store", "from redis.asyncio import Redis\nimport time"),
        ("server.rooms.rooms", "from server.rooms.store import RoomStore"),
        ("server.rooms.rooms", "from server.play.attempts import Attempts"),
        ("server.rooms.feed", "from server.rooms.rooms import Rooms\nimport structlog"),
        ("server.rooms.handlers", "from server.rooms.feed import RoomFeeds"),
        ("server.lobby.handlers", "from server.rooms import handlers"),
        ("server.runs.deal_handlers", "from server.base.core.refusal import Refusal"),
        ("server.lobby.handlers", "from server.lobby.services import Request"),
        ("server.lobby.services", "from server.rooms.services import RoomServices"),
        ("server.lobby.services", "from server.lobby.store import OpenRoomStore"),
        ("server.rooms.services", "from server.foundation import Foundation, Setup"),
        ("server.rooms.wing", "from server.rooms import handlers, messages"),
        ("server.wings", "from server.rooms.services import RoomServices"),
        ("server.handlers", "from server import request\nfrom server.rooms import handlers"),
        ("server.base.wire.codec", "import asyncio, msgpack, websockets"),
        ("server.app", "from server.players.hub import Hub\nfrom server.rooms import store"),
        ("samedeal_client.wire", "import asyncio, msgpack, websockets\nimport engine"),
    ],
)
def test_allowed_imports_are_not_reported(module: str, source: str) -> None:
    assert violations(module, source, package=module in {"engine", "server.base.core"}) == []


@pytest.mark.parametrize("module", ["server.utils.text", "server.base.utils"])
def test_a_new_folder_must_be_assigned_a_layer(module: str) -> None:
    with pytest.raises(AssertionError, match="no place"):
        place(module)


OURS = {"deploy", "engine", "samedeal_client", "server"}

SHIPPED = [*MODULES, *sorted((ROOT / "deploy").rglob("*.py"))]

PUBLIC_NAMES = {"_asdict", "_replace"}  # of named tuples


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__") and name not in PUBLIC_NAMES


def private_names(tree: ast.AST) -> set[str]:
    """Return the private names that code defines: functions, variables, attributes and slots."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.Name(id=name, ctx=ast.Store())
                | ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store())
                | ast.Constant(value=str(name))
            ):
                found.add(name)
    return {*filter(is_private, found)}


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def shipped_names() -> dict[str, set[str]]:
    """Return the private names that each shipped module defines.

    The parsed modules are not kept, which would take 100 MB.
    """
    return {module_name(path): private_names(parsed(path)) for path in SHIPPED}


def foreign_names(module: str, tree: ast.AST) -> Iterator[str]:
    """Yield the private names of other packages that a module imports or accesses.

    An accessed name belongs to this repository if the module, or one that it imports, defines it.
    ruff reports each access of an object to another one's private names (SLF001).
    """
    known = private_names(tree)
    for name in imports(module, tree, package=False):
        if name.partition(".")[0] in OURS:
            for each in {name, name.rpartition(".")[0]} & shipped_names().keys():
                known |= shipped_names()[each]
        elif any(map(is_private, name.split("."))):
            yield name
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in known:
            yield ast.unparse(node)


def redefined_names(module: str, tree: ast.Module) -> Iterator[str]:
    """Yield the private names of other packages' classes that a module's classes redefine."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.bases and (names := private_names(node)):
            for base in getattr(importlib.import_module(module), node.name).__mro__:
                if base.__module__.partition(".")[0] not in OURS:
                    yield from (f"{node.name}.{name}" for name in names & {*dir(base)})


def test_no_module_uses_private_names_of_other_packages() -> None:
    found = [
        f"{module} uses {name}"
        for path in SHIPPED
        for module, tree in [(module_name(path), parsed(path))]
        for name in (*foreign_names(module, tree), *redefined_names(module, tree))
    ]
    assert found == []


def test_no_shipped_module_is_exempt_from_the_lint_for_private_names() -> None:
    assert [path for path in SHIPPED if "SLF001" in path.read_text(encoding="utf-8")] == []


def test_redefining_a_private_name_of_a_foreign_class_is_reported() -> None:
    tree = ast.parse("class MasterConnection(Connection):\n    def _connect(self): ...")
    assert list(redefined_names("server.base.redis.masters", tree))


@pytest.mark.parametrize(
    "source",
    [
        "from redis._parsers import BaseParser",
        "import uvicorn._types",
        "from redis.asyncio.client import _thing",
        "connection._writer_of_redis = None",
        "class A(B):\n    def f(self):\n        super()._should_upgrade_it()",
        "class A(B):\n    def f(self):\n        return self._reader_of_redis",
    ],
)
def test_a_private_name_of_another_package_is_reported(source: str) -> None:
    assert list(foreign_names("server.base.redis.clock", ast.parse(source)))


@pytest.mark.parametrize(
    "source",
    [
        "class A:\n    def __init__(self):\n        self._x = 1\nx = A()._x",
        "from server.base.redis.bus import Bus\nclass A(Bus):\n    f = lambda self: self._deliver",
        "row._replace(x=1)",
        "from server.base.redis.pipeline import _generations",
    ],
)
def test_private_names_of_this_repository_are_not_reported(source: str) -> None:
    assert not list(foreign_names("server.base.redis.clock", ast.parse(source)))


STARTS_TASKS = {
    "samedeal_client.connection": "awaits its tasks, or handles their failure",
    "samedeal_client.session": "awaits its tasks",
    "server.base.work.background": "registers its tasks, and handles their failure",
    "server.base.work.tasks": "does the same for tasks started by commands",
    "server.base.work.stop": "awaits its tasks",
    "server.verification": "awaits its tasks",
    "server.cli.workers": "awaits its tasks",
    "server.base.redis.bus": "awaits its tasks",
    "server.base.redis.clock": "shares a sample among those who await it",
    "server.base.redis.masters": "awaits its tasks",
    "server.base.redis.pipeline": "shares a connection among those who await it",
    "server.base.redis.servers": "shares a refresh among those who await it",
    "server.base.redis.database": "handles their failure",
    "server.base.redis.embedded": "awaits its tasks, or handles their failure",
    "server.base.journals.store": "handles their failure",
    "server.base.redis.probe": "handles their failure",
}
"""The modules that start tasks, and why no failure there goes unnoticed."""


def starts_tasks(source: str) -> bool:
    names = {"create_task", "ensure_future", "run_coroutine_threadsafe"}
    nodes = ast.walk(ast.parse(source))
    return any(names & {getattr(node, "attr", ""), getattr(node, "id", "")} for node in nodes)


def test_only_the_listed_modules_start_tasks() -> None:
    found = [path for path in MODULES if starts_tasks(path.read_text(encoding="utf-8"))]
    assert set(map(module_name, found)) == STARTS_TASKS.keys()


def test_tests_share_one_deadline() -> None:
    """A shorter deadline fails on a loaded machine: `tests.processes.PATIENCE` ends what hangs."""
    own = re.compile(r"asyncio\.timeout\(\d+\)|\btimeout=\d{2}\b")
    players = {ROOT / "tests/faults", ROOT / "tests/rehearsal"}
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        if not players & {*path.parents}
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if own.search(line)
    ]
    assert found == []
