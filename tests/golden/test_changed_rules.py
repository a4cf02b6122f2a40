"""A game's rules change between two releases: open attempts keep the old rules."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.catalog import ruleset
from server.rooms.core import commands
from tests.clients.client import Client, Message, opened
from tests.conftest import ALONE, node
from tests.golden.nodes import change, copied, node_of
from tests.processes import Running

pytestmark = pytest.mark.usefixtures("any_time")

GAME = "robert"
CURRENT = ruleset(GAME)


@pytest.fixture
async def port(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[int]:
    monkeypatch.setattr(commands, "COUNTDOWN_MS", 50)
    async with node(redis_url) as port:
        yield port


@pytest.fixture
async def changed(
    request: pytest.FixtureRequest, port: int, redis_url: str, tmp_path: Path
) -> AsyncIterator[tuple[Running, int]]:
    """Run a node of a release with one redeal less in the game; return its process and port.

    It starts after the node of this release, which has drawn the dailies. The parameter says
    whether it still has the previous rules as unlisted ones.
    """
    folder, keeps = copied(tmp_path), request.param
    games = folder / "engine" / "games"
    file = games / f"{GAME}.toml"
    if keeps:
        (games / "unlisted" / GAME).mkdir(parents=True)
        shutil.copy(file, games / "unlisted" / GAME / "1.0.0.toml")
    change(file, "\nredeals = 2", "\nredeals = 1")
    # In a thread, so that the node of this release is not blocked.
    with ThreadPoolExecutor(1) as threads:
        run = asyncio.get_running_loop().run_in_executor
        running = node_of(folder, redis_url)
        yield await run(threads, running.__enter__)
        await run(threads, running.__exit__, None, None, None)


async def turn_over(client: Client, attempt: str, seq: int) -> Message:
    moves = ["s>w"] * (CURRENT.total - CURRENT.home_at_start) + ["w>s"]
    sent = [
        client.send("move", attempt=attempt, seq=number, move=move)
        for number, move in enumerate(moves, seq + 1)
    ]
    answers: list[Message] = await asyncio.gather(*sent)
    return answers[-1]


async def started(client: Client) -> Message:
    room = await client.ask("room.create", game=GAME, seats=1, limit=600, key="0123456789")
    await client.ask("room.start", code=room["code"])
    return await client.next("attempt")


@ALONE
@pytest.mark.parametrize("changed", [True], indirect=True)
async def test_an_open_attempt_keeps_its_rules(port: int, changed: tuple[Running, int]) -> None:
    async with opened(port) as client:
        token = (await client.hello())["token"]
        begun = await client.ask("daily.open", game=GAME)
        assert begun["rules"] == CURRENT.digest
        once = await turn_over(client, begun["attempt"], begun["seq"])
        assert once["redeals"] == 1
    async with opened(changed[1]) as client, opened(changed[1]) as other:
        await client.hello(token)
        found = await client.ask("attempt.open", attempt=begun["attempt"])
        assert (found["rules"], found["seq"]) == (CURRENT.digest, once["seq"])
        twice = await turn_over(client, begun["attempt"], found["seq"])
        assert twice["redeals"] == 2, "the changed rules allow one redeal only"
        # Another player plays the same deal by the same rules.
        await other.hello()
        assert (await other.ask("daily.open", game=GAME))["rules"] == CURRENT.digest
        assert (await started(other))["rules"] != CURRENT.digest


@ALONE
@pytest.mark.parametrize("changed", [False], indirect=True)
async def test_unknown_rules_are_refused_by_both_releases(
    port: int, changed: tuple[Running, int]
) -> None:
    running, other_port = changed
    async with opened(port) as client, opened(other_port) as other:
        tokens = [(await each.hello())["token"] for each in (client, other)]
        mine, theirs = await client.ask("daily.open", game=GAME), await started(other)
        assert mine["rules"] != theirs["rules"]
    for at, token, attempt in ((other_port, tokens[0], mine), (port, tokens[1], theirs)):
        async with opened(at) as client:
            await client.hello(token)
            refused = await client.ask("attempt.open", attempt=attempt["attempt"])
            assert refused["code"] == "unknown_rules"
            again = await client.ask("daily.open", game="deuces")
            assert again["type"] == "attempt", "the session goes on"
    assert "unknown_rules" in running.wait_for(CURRENT.digest)
