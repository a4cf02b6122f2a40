"""Scenarios: single measurements of what something costs a node, each on a node of its own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from statistics import fmean

from deploy.bench import wire
from deploy.bench.client import connect, map_concurrently, masked, open_sessions
from deploy.bench.games import FIRST_ENTRY, GAMES, SEARCHED, frames, open_room, race, searched
from deploy.bench.players import PROBES, Figures, Player, Probe, move_in_turn
from deploy.bench.processes import Server, beside, spread
from engine.catalog import ruleset
from server.protocol import attempts, dailies, rooms, watching

KIB = 1_024

REPEATS = 200
"""How often a cheap operation is repeated, since the clock of processor time is coarse."""

PROGRESS_WAIT = 0.5
"""Seconds to wait for progress, which is coalesced."""

SEARCH_WAIT = 0.15
"""Seconds between two moves that are searched, so that each is, and not only the last of some."""

IDLE_SECONDS = 6.0
"""Seconds without commands: longer than the interval of any periodic task of a node."""

DROP_SECONDS = 10.0
"""Seconds in which others are measured while many sessions drop."""

WATCHED_PACE = 0.13
"""Seconds between two moves that are watched.

No multiple of it is what the counters or the watchers wait for: those of earlier moves would always
be sent together with the next move, and not at any time between two.
"""

WATCHED_MOVES = 100

SEATS = 8
"""Runners of the watched race; all but one give up at once, and watch without a delay."""

WATCHED_SETTLED = 3.0
"""Seconds after the last move until everybody has been sent it, a delay of one second included."""


async def wire_bytes(server: Server) -> Figures:
    """Measure the mean length in bytes of a move, its answer and progress, over all games."""
    moves: list[float] = []
    answers: list[float] = []
    progress: list[int] = []

    def handle(data: bytes, begin: int, end: int) -> None:
        if wire.kind(data, begin) == wire.PROGRESSED:
            progress.append(end - begin)

    header = len(masked(b""))
    for game in GAMES:
        pair = await open_sessions(server.port, 2)
        attempts_ = await race(pair, game)
        pair[1].handle_payload = handle
        player = Player(pair[0])
        await player.play(attempts_[0].frames)
        answers.append(fmean(player.sizes))
        await asyncio.sleep(PROGRESS_WAIT)
        moves.append(fmean(len(frame) - header for frame in attempts_[0].frames))
    found = {"move": fmean(moves), "answer": fmean(answers)}
    return {**found, "progress": fmean(progress)} if progress else found


async def bare_sockets(server: Server, sockets: int) -> Figures:
    """Measure the memory of a bare socket."""
    before = server.memory()
    await map_concurrently(sockets, lambda _: connect(server.port))
    return {"bare": (server.memory() - before) / sockets}


async def memory_of(server: Server, sockets: int) -> Figures:
    """Measure the memory of a session before and during a round, and what a room's start costs."""
    before = server.memory()
    clients = await open_sessions(server.port, sockets)
    idle_memory = server.memory() - before
    pairs = list(zip(clients[::2], clients[1::2], strict=True))
    spent = server.spent()
    await map_concurrently(len(pairs), lambda n: race(pairs[n], GAMES[n % len(GAMES)], 1))
    return {
        "idle": idle_memory / sockets,
        "racing": (server.memory() - before) / sockets,
        "room_ms": (server.spent() - spent) / len(pairs),
    }


async def idle(server: Server) -> Figures:
    """Measure a node without players: commands of Redis a second, and its share of a core."""
    await asyncio.sleep(1)
    before, spent, at = server.commands(), server.spent(), time.perf_counter()
    await asyncio.sleep(IDLE_SECONDS)
    after, seconds = server.commands(), time.perf_counter() - at
    count = sum(after.values()) - sum(before.values()) - 1
    return {"commands": count / seconds, "share": (server.spent() - spent) / seconds / 1e3}


async def silent_rooms(server: Server, count: int) -> Figures:
    """Measure the share of a core for rooms of two in which nothing happens."""

    async def fill(number: int) -> None:
        host, guest = await open_sessions(server.port, 2)
        await guest.ask(rooms.JoinRoom, await open_room(host, GAMES[number % len(GAMES)], 2))

    await map_concurrently(count, fill)
    return {"share": await _idle_share(server)}


async def crowd(server: Server, sessions: int) -> Figures:
    """Measure idle sessions, sessions that leave one by one, and many that drop at once."""
    leaving = await open_sessions(server.port, REPEATS)
    probe = await Probe.open(server.port)
    async with beside("sessions", server.port, sessions - REPEATS - PROBES):
        share = await _idle_share(server)
        spent, at = server.spent(), time.perf_counter()
        for client in leaving:
            client.transport.abort()
            await asyncio.sleep(0.002)
        await asyncio.sleep(0.5)
        idled = share * (time.perf_counter() - at) * 1e3
        leave = (server.spent() - spent - idled) / REPEATS
        await probe.run(0.5)
        probing = asyncio.create_task(probe.run(DROP_SECONDS))
    return {"share": share, "leave_ms": leave, **await probing}


async def flood(server: Server) -> Figures:
    """Measure the latency of other sessions while a connection without a session floods pings."""
    probe = await Probe.open(server.port)
    await probe.run(0.5)
    before = server.memory()
    async with beside("one that floods", server.port, 1):
        found = await probe.run(4)
        grown = server.memory() - before
    after = await probe.run(2)
    return {"worst": max(found["worst"], after["worst"]), "grown_kib": grown / KIB}


async def searcher(server: Server) -> Figures:
    """Measure the moves of a game after all cards have been seen, each of which may be searched.

    Returns:
        `search_ms` of the searcher, and `node_ms` of the node, for such a move.
    """
    pair = await open_sessions(server.port, 2)
    attempt = (await race(pair, SEARCHED, 1))[0]
    moves, first = searched()
    played = [
        masked(each) for each in wire.moves(ruleset(SEARCHED), attempt.number, FIRST_ENTRY, moves)
    ]
    player = Player(pair[0])
    await player.play(played[:first])
    await asyncio.sleep(1)
    spent, search = server.spent(), server.searched()
    for frame in played[first:]:
        await player.play([frame])
        await asyncio.sleep(SEARCH_WAIT)
    count = len(moves) - first
    return {
        "search_ms": (server.searched() - search) / count,
        "node_ms": (server.spent() - spent) / count,
    }


async def digests(server: Server, length: int) -> Figures:
    """Measure a long attempt: its moves, opening it with a wrong digest, and late duplicates."""
    pair = await open_sessions(server.port, 2)
    attempt = (await race(pair, "deuces", length))[0]
    player, times = Player(pair[0]), REPEATS // 4
    await player.play(attempt.frames)
    have = attempts.Have(len(attempt.frames) - 4, 1)
    spent = server.spent()
    for _ in range(times):
        await player.client.ask(attempts.OpenAttempt, attempt.id, have)
    wrong = (server.spent() - spent) / times
    spent = server.spent()
    # Whether it is answered, refused, or a snapshot comes, does not matter.
    await Player(player.client, echoes=True).play([attempt.frames[length // 2]] * times)
    return {"wrong_ms": wrong, "late_ms": (server.spent() - spent) / times}


async def commands_of_rooms(server: Server) -> Figures:
    """Measure creating a room, listing dailies, and getting ready in a room of eight."""
    clients = await open_sessions(server.port, SEATS)
    host = clients[0]

    async def cost(command: Callable[[int], Awaitable[object]]) -> float:
        await asyncio.sleep(1)
        spent = server.spent()
        for number in range(REPEATS):
            await command(number)
        await asyncio.sleep(0.2)
        return (server.spent() - spent) / REPEATS

    create = await cost(lambda number: open_room(host, GAMES[number % len(GAMES)], 2))
    listing = await cost(lambda _: host.ask(dailies.ListDailies))
    code = await open_room(host, GAMES[0], SEATS)
    for client in clients[1:]:
        await client.ask(rooms.JoinRoom, code)
    ready = await cost(lambda n: clients[-1].ask(rooms.SetReady, code, n % 2 == 0))
    return {"create_ms": create, "list_ms": listing, "ready_ms": ready}


async def home_pages(server: Server, pages: int) -> Figures:
    """Count the reads of a journal for one move, after many sessions listed the dailies."""
    pair = await open_sessions(server.port, 2)
    attempt = (await race(pair, "deuces"))[0]
    player = Player(pair[0])
    await player.play(attempt.frames[:1])
    visitors = await open_sessions(server.port, pages)
    await map_concurrently(pages, lambda number: visitors[number].ask(dailies.ListDailies))
    before = server.commands()
    await player.play(attempt.frames[1:2])
    return {"reads": server.commands().get("xrange", 0) - before.get("xrange", 0)}


async def watched_race(server: Server, watchers: int) -> Figures:
    """Measure a race with many watchers, and the same race without any.

    Returns:
        `encodings` of a move, `writes` to a watcher for a move (the most of any watcher),
        `overtaken` moves that anybody saw before the mover had the answer, `cost_ms` of the node
        for a move, and the times to the mover's answers in milliseconds: `p50`, `p99`, and
        `alone_p50`, `alone_p99` without watchers.
    """
    runners = await open_sessions(server.port, SEATS)
    attempts_ = await race(runners, "deuces", 2 * WATCHED_MOVES)
    code = attempts_[0].room
    for runner, attempt in zip(runners[1:], attempts_[1:], strict=True):
        await runner.ask(attempts.Resign, attempt.number, FIRST_ENTRY)
    await asyncio.sleep(1)
    key: watching.WatchKey = await runners[0].ask(watching.GetWatchKey, code)
    player = Player(runners[0], frames("deuces", attempts_[0].number, 2 * WATCHED_MOVES))
    alone = await _play_watched(server, player)
    guests = await open_sessions(server.port, watchers - SEATS + 1)
    everybody = [*runners[1:], *guests]
    await map_concurrently(
        len(everybody), lambda n: everybody[n].ask(watching.WatchRound, code, key.key)
    )
    await asyncio.sleep(WATCHED_SETTLED)
    counts = [0] * len(everybody)
    seen: set[bytes] = set()
    overtaken = 0

    def handler_of(number: int) -> Callable[[bytes, int, int], None]:
        def handle(data: bytes, begin: int, end: int) -> None:
            nonlocal overtaken
            if wire.kind(data, begin) == wire.WATCHED_MOVE:
                counts[number] += 1
                # Who is sent a move is sent the same bytes: the first arrival says all.
                if (payload := data[begin:end]) not in seen:
                    seen.add(payload)
                    overtaken += wire.read(payload)[1].seq >= FIRST_ENTRY + len(player.sizes)

        return handle

    for number, client in enumerate(everybody):
        client.handle_payload = handler_of(number)
    before = server.counted("watched_entries")
    found = await _play_watched(server, player)
    await asyncio.sleep(WATCHED_SETTLED)
    encoded = sum(server.counted("watched_entries").values()) - sum(before.values())
    return {
        "encodings": encoded / WATCHED_MOVES,
        "writes": max(counts) / WATCHED_MOVES,
        "unsent": sum(count < WATCHED_MOVES for count in counts),
        "overtaken": overtaken,
        **found,
        **{f"alone_{name}": value for name, value in alone.items()},
        "p50_ratio": found["p50"] / alone["p50"],
    }


async def _play_watched(server: Server, player: Player) -> dict[str, float]:
    """Play moves at a pace; return the times to the answers, and what a move cost the node."""
    player.times.clear()
    spent = server.spent()
    await move_in_turn([player], WATCHED_PACE, WATCHED_PACE * WATCHED_MOVES, by_sent=True)
    await asyncio.sleep(WATCHED_SETTLED / 2)
    times = spread(player.times)
    cost = (server.spent() - spent) / WATCHED_MOVES
    return {"p50": times["p50"], "p99": times["p99"], "cost_ms": cost}


async def _idle_share(server: Server) -> float:
    """Return the share of a core that a node uses while no command is sent."""
    await asyncio.sleep(2)
    spent, at = server.spent(), time.perf_counter()
    await asyncio.sleep(IDLE_SECONDS * 2)
    return (server.spent() - spent) / (time.perf_counter() - at) / 1e3
