"""Scenarios: measurements of single costs, each on a separate node."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable

from deploy.bench import wire
from deploy.bench.attacks import get
from deploy.bench.client import connect, map_concurrently, masked, open_session, open_sessions
from deploy.bench.crowds import CROWDED, ENDED, crowd_challenges
from deploy.bench.games import FIRST_ENTRY, GAMES, MAX_MOVES, frames, open_room, race
from deploy.bench.players import BYSTANDERS, Player, bystand, open_bystanders
from deploy.bench.processes import Figures, Server, beside, spread
from server.base.wire.messages import Command
from server.challenges import messages as challenges
from server.challenges.core import charges
from server.challenges.core.challenge import MAX_PLAYERS
from server.challenges.core.table import TOP
from server.challenges.handlers import LISTED_COST
from server.dailies import messages as dailies
from server.play import messages as attempts
from server.results import messages as leaderboards
from server.rooms import messages as rooms

REPEATS = 200  # repetitions of a cheap operation
PROGRESS_WAIT = 0.5  # seconds to wait for progress, which is coalesced

# Seconds without commands, more than the interval of any periodic task of a node.
IDLE_SECONDS = 6.0

DROP_SECONDS = 10.0  # the duration of the measurement while many sessions drop, in seconds
SEATS = 8  # the number of players in the room where one gets ready
PATHS = {"page": "/", "health": "/health", "api": "/api/dailies", "unknown": "/no/such/path"}


async def cost_us(
    server: Server, act: Callable[[int], Awaitable[object]], times: int = REPEATS
) -> float:
    """Return a server's processor time for an act in microseconds; acts get a running number."""
    await asyncio.sleep(1)
    spent = server.spent()
    for number in range(times):
        await act(number)
    await asyncio.sleep(0.2)
    return 1e6 * (server.spent() - spent) / times


async def open_http(server: Server) -> Callable[[str], Awaitable[None]]:
    """Open a connection, and return a function that requests a path on it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)

    async def request(path: str) -> None:
        writer.write(get(path, "Accept-Encoding: br, gzip"))
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
        assert length is not None, head
        await reader.readexactly(int(length[1]))

    return request


async def wire_bytes(server: Server) -> Figures:
    """Measure the mean length in bytes of a move, its answer and progress, over all games."""
    moves: list[bytes] = []
    progress: list[int] = []
    answers = 0

    def handle(data: bytes, begin: int, end: int) -> None:
        if wire.kind(data, begin) == wire.PROGRESSED:
            progress.append(end - begin)

    for game in GAMES:
        pair = await open_sessions(server.port, 2)
        attempt, _ = await race(pair, game)
        pair[1].handle_payload = handle
        player, played = Player(pair[0]), frames(game, attempt.number, MAX_MOVES)
        await player.play(played)
        await asyncio.sleep(PROGRESS_WAIT)
        answers += player.size
        moves += played
    count = len(moves)
    return {
        "move": sum(map(len, moves)) / count - len(masked(b"")),
        "answer": answers / count,
        "progress": sum(progress) / len(progress),
    }


async def new_players(server: Server) -> Figures:
    """Measure a new player: connection, handshake and, except on floors, Hello."""
    opens = open_session if server.redis else connect
    return {"us": await cost_us(server, lambda _: opens(server.port))}


async def http(server: Server) -> Figures:
    """Measure HTTP requests on one connection, in microseconds each."""
    request = await open_http(server)
    found = {}
    for name, path in PATHS.items():
        found[f"{name}_us"] = await cost_us(server, lambda _, path=path: request(path))  # type: ignore[misc]
    return found


async def prices(server: Server) -> Figures:
    """Measure commands on challenges of two and of nearly 1,000 players, relative to prices.

    Returns:
        `NAME_us` of each, in microseconds; `least` and `most`, the extremes of price per
        microsecond, relative to viewing the small challenge.
    """
    (player,) = await open_sessions(server.port, 1)
    players = MAX_PLAYERS - 3
    await crowd_challenges(player, server.socket, players)
    small = await player.ask(challenges.CreateChallenge, "robert", 600, 86_400, "s" * 8)
    for name in (small.challenge, CROWDED[0]):
        begun: attempts.Attempt = await player.ask(challenges.PlayChallenge, name)
        await player.ask(attempts.Resign, begun.number, FIRST_ENTRY)
    top = charges.ROW_COST * TOP
    asked: dict[str, tuple[float, type[Command], Callable[[int], tuple[object, ...]]]] = {
        "small": (charges.ROW_COST, challenges.WatchChallenge, lambda _: (small.challenge,)),
        "large": (top, challenges.WatchChallenge, lambda _: (CROWDED[0],)),
        "page": (top, challenges.GetChallengers, lambda n: (CROWDED[0], 1 + n, TOP)),
        "emote_small": (
            *(0.0, challenges.EmoteRun),
            lambda n: (small.challenge, player.player, n % 8),
        ),
        "emote_large": (0.0, challenges.EmoteRun, lambda n: (CROWDED[0], ENDED, n % 8)),
        "list": (LISTED_COST * (len(CROWDED) + 1), challenges.ListChallenges, lambda _: ()),
    }
    found, prices_ = {}, []
    for name, (more, kind, given) in asked.items():
        found[f"{name}_us"] = await cost_us(
            server,
            lambda n, kind=kind, given=given: player.ask(kind, *given(n)),  # type: ignore[misc]
        )
        prices_.append((kind.cost + more) / found[f"{name}_us"])
    return {**found, "least": min(prices_) / prices_[0], "most": max(prices_) / prices_[0]}


async def memory_of(server: Server, sockets: int) -> Figures:
    """Measure a session's memory before and during a round, and the cost of starting a room."""
    before = server.memory()
    if not server.redis:
        await map_concurrently(sockets, lambda _: connect(server.port))
        bare = (server.memory() - before) / sockets
        # A floor has no rounds.
        return {"idle": bare, "racing": bare}
    clients = await open_sessions(server.port, sockets)
    idle_memory = server.memory() - before
    pairs = list(zip(clients[::2], clients[1::2], strict=True))
    spent = server.spent()
    await map_concurrently(len(pairs), lambda n: race(pairs[n], GAMES[n % len(GAMES)]))
    return {
        "idle": idle_memory / sockets,
        "racing": (server.memory() - before) / sockets,
        "room_ms": 1e3 * (server.spent() - spent) / len(pairs),
    }


async def idle(server: Server) -> Figures:
    """Measure a node without players: its share of a core, and Redis commands per second."""
    await asyncio.sleep(2)
    before, at = server.commands(), time.perf_counter()
    share = await _idle_share(server)
    count = server.commands() - before - 1
    return {"share": share, "commands": count / (time.perf_counter() - at)}


async def silent_rooms(server: Server, count: int) -> Figures:
    """Measure the share of a core for silent rooms of two."""

    async def fill(number: int) -> None:
        host, guest = await open_sessions(server.port, 2)
        await guest.ask(rooms.JoinRoom, await open_room(host, GAMES[number % len(GAMES)], 2))

    await map_concurrently(count, fill)
    return {"share": await _idle_share(server)}


async def crowd(server: Server, sessions: int) -> Figures:
    """Measure idle sessions, and the effect on others when all of them drop simultaneously."""
    players = await open_bystanders(server)
    async with beside("sessions", server.port, sessions - BYSTANDERS):
        share = await _idle_share(server)
        playing = asyncio.create_task(bystand(players, DROP_SECONDS))
        await asyncio.sleep(DROP_SECONDS / 10)
    return {"share": share, **spread(await playing)}


async def digests(server: Server, length: int) -> Figures:
    """Measure a long attempt: opening it with a wrong digest, and late duplicate moves."""
    pair = await open_sessions(server.port, 2)
    attempt, _ = await race(pair, "deuces")
    played = frames("deuces", attempt.number, length)
    await Player(pair[0]).play(played)
    have = attempts.Have(length - 4, 1)
    client, id_ = pair[0], attempt.attempt
    wrong = await cost_us(server, lambda _: client.ask(attempts.OpenAttempt, id_, have))
    # Any answer counts, be it a refusal or a snapshot.
    player, duplicate = Player(pair[0], echoes=True), [played[length // 2]]
    late = await cost_us(server, lambda _: player.play(duplicate))
    return {"wrong_ms": wrong / 1e3, "late_ms": late / 1e3}


async def commands(server: Server) -> Figures:
    """Measure commands in microseconds, with `SEATS` players in the room of getting ready."""
    clients = await open_sessions(server.port, SEATS)
    host = clients[0]
    code = await open_room(host, GAMES[0], SEATS)
    for client in clients[1:]:
        await client.ask(rooms.JoinRoom, code)
    acts: dict[str, Callable[[int], Awaitable[object]]] = {
        "list": lambda _: host.ask(dailies.ListDailies),
        "watch": lambda _: host.ask(leaderboards.WatchLeaderboard, GAMES[0]),
        "ready": lambda n: clients[-1].ask(rooms.SetReady, code, n % 2 == 0),
        "create": lambda n: open_room(host, GAMES[n % len(GAMES)], 2),
    }
    return {f"{name}_us": await cost_us(server, act) for name, act in acts.items()}


async def _idle_share(server: Server) -> float:
    await asyncio.sleep(2)
    spent, at = server.spent(), time.perf_counter()
    await asyncio.sleep(IDLE_SECONDS * 2)
    return (server.spent() - spent) / (time.perf_counter() - at)
