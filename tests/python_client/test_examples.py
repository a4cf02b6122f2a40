"""The README and the example: each code block runs as printed."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest

from tests.conftest import ALONE
from tests.processes import PATIENCE, ROOT

CLIENT = ROOT / "server" / "client"
BOT = CLIENT / "examples" / "bot.py"
README = (CLIENT / "README.md").read_text(encoding="utf-8")
PROGRAM, *SNIPPETS = re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)

GAME = "rouge-et-noir"
"""In this game, bots that only move to foundations and deal play the fewest moves."""

HOST = "localhost:8000"


async def started(port: int, *code: str) -> Process:
    program = [sys.executable, str(BOT), f"ws://127.0.0.1:{port}/socket", GAME, *code]
    paths = f"{CLIENT}:{ROOT}"
    return await asyncio.create_subprocess_exec(*program, env={"PYTHONPATH": paths}, stdout=PIPE)


@ALONE
async def test_two_bots_race_to_the_end(port: int) -> None:
    async with asyncio.timeout(PATIENCE):
        host = await started(port)
        assert host.stdout is not None
        guest = await started(port, (await host.stdout.readline()).decode().strip())
        printed = [(await bot.communicate())[0].decode() for bot in (host, guest)]
    assert ([host.returncode, guest.returncode], printed[0]) == ([0, 0], printed[1])
    assert re.fullmatch(r"1\. .+: \d+ cards home\n[12]\. .+: \d+ cards home\n", printed[0])


def test_the_bot_matches_the_readme_and_fits_on_a_page() -> None:
    assert BOT.read_text(encoding="utf-8") == PROGRAM
    assert len(PROGRAM.splitlines()) <= 40


@ALONE
@pytest.mark.parametrize("snippet", SNIPPETS)
async def test_each_code_block_of_the_readme_runs(
    port: int, snippet: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert HOST in snippet
    monkeypatch.chdir(tmp_path)
    text = snippet.replace(HOST, f"127.0.0.1:{port}")
    code = compile(text, "README.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    awaited = eval(code, {})  # noqa: S307 - our own document
    if inspect.isawaitable(awaited):
        await awaited


def test_the_license_matches_the_repositorys() -> None:
    assert (CLIENT / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
