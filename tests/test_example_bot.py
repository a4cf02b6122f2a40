"""The example of a client in Python: two bots race."""

from __future__ import annotations

import asyncio
import re
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

from server import example_bot
from tests.conftest import ALONE
from tests.processes import PATIENCE, ROOT

GAME = "rouge-et-noir"
"""Bots that only move to foundations and deal play the fewest moves in this game."""


async def started(port: int, *code: str) -> Process:
    """Start a bot."""
    url = f"ws://127.0.0.1:{port}/socket"
    program = [sys.executable, "-m", example_bot.__name__, url, GAME, *code]
    return await asyncio.create_subprocess_exec(*program, cwd=ROOT, stdout=PIPE)


@ALONE
async def test_two_bots_race_to_the_end(port: int) -> None:
    async with asyncio.timeout(PATIENCE):
        host = await started(port)
        assert host.stdout is not None
        code = (await host.stdout.readline()).decode().strip()
        guest = await started(port, code)
        printed = [(await bot.communicate())[0].decode() for bot in (host, guest)]
    assert [host.returncode, guest.returncode] == [0, 0]
    assert printed[0] == printed[1]
    assert re.fullmatch(r"1\. .+: \d+ cards home\n[12]\. .+: \d+ cards home\n", printed[0]), (
        printed[0]
    )


def test_a_bot_fits_on_a_page() -> None:
    assert len(Path(example_bot.__file__).read_text(encoding="utf-8").splitlines()) <= 60
