"""Dead ends: the server ends an attempt when no moves can bring another card home."""

from __future__ import annotations

import secrets
from types import SimpleNamespace

import pytest

from tests.clients.client import Client, Message, opened
from tests.clients.play import race_of
from tests.conftest import ALONE, node
from tests.engine.dead_ends import dead_end_line

pytestmark = [ALONE, pytest.mark.usefixtures("no_hurry", "short_countdown")]


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """Make the next deal one with a known line to a dead end, and return the line."""
    seed, line = dead_end_line("robert")
    drawn = SimpleNamespace(choice=secrets.choice, token_bytes=lambda _: seed)
    monkeypatch.setattr("server.deals.store.secrets", drawn)
    return line


async def play(client: Client, attempt: Message, line: tuple[str, ...]) -> list[Message]:
    """Play a line from the start of an attempt, and return the answers."""
    return [
        await client.ask("move", attempt=attempt["attempt"], seq=seq, move=move)
        for seq, move in enumerate(line, start=2)
    ]


async def test_a_player_is_notified_of_a_dead_end(port: int, line: tuple[str, ...]) -> None:
    async with opened(port) as client:
        (attempt,) = await race_of(client)
        *_, last = await play(client, attempt, line)
        assert (last["type"], last["seq"]) == ("moved", len(line) + 1)
        assert last["result"]["end"] is None
        ended = await client.next("ended")
        assert "re" not in ended
        assert (ended["attempt"], ended["seq"]) == (attempt["attempt"], len(line) + 2)
        assert ended["result"] == last["result"] | {"end": "stuck"}
        late = await client.ask("move", attempt=attempt["attempt"], seq=len(line) + 2, move="s>w")
        assert (late["type"], late["result"]["end"]) == ("attempt", "stuck")
        room = await client.next("room", lambda e: e["round"]["over"])
        assert room["round"]["runners"][0]["result"]["end"] == "stuck"


async def test_another_node_finds_a_dead_end_if_the_first_has_died(
    redis_url: str, line: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("server.play.searches.Searches._enqueue", lambda *_: None)
        async with node(redis_url) as port, opened(port) as client:
            token = (await client.hello())["token"]
            attempt = await client.ask("daily.open", game="robert")
            await play(client, attempt, line)
    async with node(redis_url) as port, opened(port) as client:
        await client.hello(token)
        found = await client.ask("attempt.open", attempt=attempt["attempt"])
        assert (found["seq"], found["result"]["end"]) == (len(line) + 1, None)
        assert (await client.next("ended"))["result"]["end"] == "stuck"
