"""The Python client as users install it: built, installed in a new environment, and typed."""

from __future__ import annotations

import asyncio
import shutil
import sys
import sysconfig
import venv
import zipfile
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from tests.conftest import ALONE
from tests.deploy.test_wheel import PIP, run
from tests.processes import PATIENCE, ROOT

CLIENT = ROOT / "server" / "client"
GAME = "rouge-et-noir"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("client")


@pytest.fixture(scope="module")
def wheel(folder: Path) -> Path:
    """Build the wheel from a copy's source distribution, so that the checkout stays clean."""
    copy, unwanted = folder / "copy", shutil.ignore_patterns("__pycache__")
    shutil.copytree(CLIENT, copy / "server" / "client", ignore=unwanted)
    shutil.copytree(ROOT / "engine", copy / "engine", ignore=unwanted)
    build = f"from hatchling.build import build_sdist; build_sdist({str(folder)!r})"
    run(sys.executable, "-c", build, cwd=copy / "server" / "client")
    (source,) = folder.glob("samedeal_client-*.tar.gz")
    offline = ["--no-index", "--no-deps", "--no-build-isolation"]
    run(*PIP, "wheel", *offline, "--wheel-dir", folder, source)
    (built,) = folder.glob("samedeal_client-*.whl")
    return built


@pytest.fixture(scope="module")
def python(wheel: Path, folder: Path) -> Path:
    """Install the wheel with this environment's dependencies, and return the interpreter."""
    environment = folder / "venv"
    venv.create(environment, symlinks=True)
    python = environment / "bin" / "python"
    run(*PIP, "--python", python, "install", "--no-index", "--no-deps", wheel)
    here = Path(sysconfig.get_path("purelib"))
    there = Path(sysconfig.get_path("purelib", vars={"base": str(environment)}))
    for package in ("msgpack", "websockets"):
        (there / package).symlink_to(here / package)
    return python


def test_the_wheel_has_only_the_client_the_rules_and_their_types(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    modules = {path.name for path in (CLIENT / "samedeal_client").glob("*.py")}
    games = {path.name for path in (ROOT / "engine" / "games").glob("*.toml")}
    package, rules = "samedeal_client", "samedeal_client/engine"
    assert {f"{package}/{name}" for name in (*modules, "py.typed")} <= {*names}
    assert {f"{rules}/games/{name}" for name in games} | {f"{rules}/py.typed"} <= {*names}
    assert {name.split("/")[0].partition("-")[0] for name in names} == {package}
    assert not [name for name in names if "solver" in name]


def test_the_rules_equal_the_engines(python: Path) -> None:
    program = (
        "import sys\n"
        "from samedeal_client.engine.catalog import exported\n"
        "from samedeal_client import Move\n"
        "import samedeal_client.engine as engine\n"
        "assert Move is engine.Move and 'engine' not in sys.modules\n"
        f"sys.path.append({str(ROOT)!r})\n"
        "import engine.catalog\n"
        "assert exported() == engine.catalog.exported()\n"
    )
    run(python, "-c", program)


@ALONE
async def test_installed_bots_race(python: Path, port: int, tmp_path: Path) -> None:
    bot = shutil.copy(CLIENT / "examples" / "bot.py", tmp_path)
    program = [str(python), str(bot), f"ws://127.0.0.1:{port}/socket", GAME]
    async with asyncio.timeout(PATIENCE):
        host = await asyncio.create_subprocess_exec(*program, env={}, stdout=PIPE)
        assert host.stdout is not None
        code = (await host.stdout.readline()).decode().strip()
        guest = await asyncio.create_subprocess_exec(*program, code, env={}, stdout=PIPE)
        printed = [(await each.communicate())[0].decode() for each in (host, guest)]
    assert "cards home" in printed[0]
    assert printed[0] == printed[1]


def test_its_types_are_strict_when_installed(python: Path, tmp_path: Path) -> None:
    bot = shutil.copy(CLIENT / "examples" / "bot.py", tmp_path)
    options = ["--strict", "--cache-dir", str(tmp_path / "cache"), "--config-file", ""]
    run(sys.executable, "-m", "mypy", *options, "--python-executable", python, bot, cwd=tmp_path)
