"""Dead ends: the server ends an attempt when no moves can bring another card home."""

from __future__ import annotations

import secrets
from types import SimpleNamespace

import pytest

from tests.clients.client import Client, Message, opened
from tests.clients.play import race_of
from tests.conftest import ALONE
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
    return [
        await client.ask("move", attempt=attempt["attempt"], seq=seq, move=move)
        for seq, move in enumerate(line, start=2)
    ]


async def test_a_player_is_notified_of_a_dead_end(port: int, line: tuple[str, ...]) -> None:
    async with opened(port) as client:
        (attempt,) = await race_of(client)
        *_, last = await play(client, attempt, line)
        assert (last["type"], last["seq"], last["result"]["end"]) == ("moved", len(line) + 1, None)
        ended = await client.next("ended")
        assert "re" not in ended
        assert (ended["attempt"], ended["seq"]) == (attempt["attempt"], len(line) + 2)
        assert ended["result"] == last["result"] | {"end": "stuck"}
        late = await client.ask("move", attempt=attempt["attempt"], seq=len(line) + 2, move="s>w")
        assert (late["type"], late["result"]["end"]) == ("attempt", "stuck")
        room = await client.next("room", lambda e: e["round"]["over"])
        assert room["round"]["runners"][0]["result"]["end"] == "stuck"
