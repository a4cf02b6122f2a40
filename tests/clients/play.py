"""Setup over real sockets: rooms with players, and running rounds."""

from __future__ import annotations

from typing import Any

from tests.clients.client import Client, Message
from tests.clients.session import Session

KEY = "0123456789"


async def room_of(*clients: Session, game: str = "robert", **settings: Any) -> str:
    """Say hello from new clients, open a room of the first for all, and return its code."""
    host, *guests = clients
    for client in clients:
        if not client.token:
            await client.hello()
    wanted = {"game": game, "seats": max(2, len(clients)), "limit": 600, "key": KEY} | settings
    room = await host.ask("room.create", **wanted)
    for guest in guests:
        await guest.ask("room.join", code=room["code"])
    return str(room["code"])


async def race_of(*clients: Client, game: str = "robert", **settings: Any) -> list[Message]:
    """Start a round among the clients, and return each one's attempt."""
    host, code = clients[0], await room_of(*clients, game=game, **settings)
    while (await host.ask("room.start", code=code))["code"] == "players_away":
        # The node does not know of all members yet.
        await host.next("room")
    return [await client.next("attempt") for client in clients]


async def resign(client: Client, attempt: Message) -> Message:
    return await client.ask("resign", attempt=attempt["attempt"], seq=attempt["seq"] + 1)


async def give_up_daily(client: Client, game: str = "robert") -> Message:
    attempt = await client.ask("daily.open", game=game)
    await client.ask("move", attempt=attempt["attempt"], seq=2, move="s>w")
    await client.ask("resign", attempt=attempt["attempt"], seq=3)
    return attempt
