"""The wheel: its contents, and serving the game without a checkout.

It is built without build isolation and uses this environment's dependencies, so that no network is
needed.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import sys
import sysconfig
import tempfile
import urllib.request
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.client import opened
from tests.deploy.commands import ran
from tests.processes import PATIENCE, ROOT, running

PAGE = ROOT / "client_js" / "web" / "dist"
SOURCES = ["engine", "server", "pyproject.toml", "README.md", "LICENSE"]

PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input"]


def run(*arguments: str | Path, cwd: Path = ROOT) -> None:
    done = ran(*arguments, cwd=cwd)
    assert done.returncode == 0, done.stdout


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    # Not pytest's directory, because the path of the embedded Redis's socket must be short.
    with tempfile.TemporaryDirectory(prefix="samedeal") as name:
        yield Path(name)


@pytest.fixture(scope="module")
def wheel(folder: Path) -> Path:
    """Build the wheel from a copy's source distribution, so that the checkout stays clean."""
    assert (PAGE / "index.html").is_file(), "The page is not built: npm run build in client_js."
    copy = folder / "copy"
    unwanted = shutil.ignore_patterns("__pycache__")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=unwanted)
        else:
            shutil.copy(ROOT / name, copy / name)
    shutil.copytree(PAGE, copy / "client_js" / "web" / "dist")
    offline = ["--no-index", "--no-deps", "--no-build-isolation"]
    build = "from hatchling.build import build_sdist; build_sdist('..')"
    run(sys.executable, "-c", build, cwd=copy)
    (source,) = folder.glob("samedeal-*.tar.gz")
    run(*PIP, "wheel", *offline, "--wheel-dir", folder, source)
    (built,) = folder.glob("samedeal-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, folder: Path) -> Path:
    environment = folder / "venv"
    venv.create(environment, symlinks=True)
    python = environment / "bin" / "python"
    run(*PIP, "--python", python, "install", "--no-index", "--no-deps", wheel)
    own = sysconfig.get_path("purelib", vars={"base": str(environment)})
    # Each line of a .pth file adds a directory to the import path. Python ignores the .pth files of
    # that directory, so an editable install of the checkout there cannot be imported.
    Path(own, "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return environment / "bin"


def test_the_wheel_contains_the_page_the_documents_and_the_types(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    games = {f"{path.relative_to(ROOT)}" for path in (ROOT / "engine" / "games").rglob("*.toml")}
    page = {f"server/page/{path.relative_to(PAGE)}" for path in PAGE.rglob("*") if path.is_file()}
    documents = {
        f"{path.relative_to(ROOT)}"
        for package in ("engine", "server")
        for path in (ROOT / package).glob("*.md")
    }
    assert names >= games | page | {"engine/py.typed", "server/py.typed"}
    # Decision records and the solver's results are not included.
    assert {name for name in names if name.endswith(".md")} == documents
    assert {name.split("/")[0].partition("-")[0] for name in names} == {
        "engine",
        "server",
        "samedeal",
    }


def test_the_wheel_names_its_licence(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (metadata,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    lines = archive.read(metadata).decode().splitlines()
    assert {"License-Expression: MIT", "License-File: LICENSE"} <= {*lines}


async def test_an_installed_wheel_serves_the_game_in_an_empty_folder(
    installed: Path, folder: Path
) -> None:
    empty = folder / "empty"
    empty.mkdir()
    options = ["--port", "0", "--log-format", "json", "--data", str(folder / "data")]
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    with running([str(installed / "samedeal"), "serve", *options], env, empty) as server:
        line = await asyncio.to_thread(server.wait_for, '"listening"')
        port = json.loads(line)["port"]

        def get(path: str) -> bytes:
            url = f"http://localhost:{port}{path}"
            with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
                body: bytes = answer.read()
                return body

        page = (await asyncio.to_thread(get, "/")).decode()
        script = re.search(r'src="(/assets/[^"]+\.js)"', page)
        assert script is not None
        assert await asyncio.to_thread(get, script[1]) == (PAGE / script[1][1:]).read_bytes()
        async with opened(port) as client:
            assert (await client.hello())["type"] == "welcome"
            assert (await client.ask("daily.open", game="robert"))["seq"] == 1
    assert list(empty.iterdir()) == []
