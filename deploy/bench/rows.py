"""Single measurements of what something costs a node, each on a node of its own.

python -m deploy.bench.rows TASK, where TASK is a JSON object with the row's name, the port, the
process ids of the server and its Redis (none for the floor), and the arguments of the row.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import fields
from statistics import fmean
from typing import Any

import uvloop

from deploy.bench import wire
from deploy.bench.away import store_away
from deploy.bench.boards import leaderboard, million, viewers
from deploy.bench.client import Client, connect, map_concurrently
from deploy.bench.flood import Flood
from deploy.bench.games import SEARCHED, recorded, searched
from deploy.bench.holder import hold
from deploy.bench.hostile import hostile
from deploy.bench.meter import Figures, MeasuredNode
from deploy.bench.probe import SESSIONS, Probe
from deploy.bench.processes import LOAD_CORE, commands, memory, pin
from deploy.bench.races import GAMES, open_room, open_session, open_session_pair, race
from deploy.bench.watchers import watching
from engine.catalog import ruleset

REPEATS = 200
"""How often a cheap operation is repeated, since the clock of processor time is coarse."""

PROGRESS_WAIT = 0.5
"""Seconds to wait for progress, which is coalesced."""

SEARCH_WAIT = 0.15
"""Seconds between two moves that are searched, so that each is, and not only the last of some."""

IDLE_SECONDS = 6.0
"""Seconds without commands: longer than the interval of any periodic task of a node."""


async def wire_bytes(node: MeasuredNode) -> Figures:
    """Measure the mean length in bytes of a move, its answer and progress, over all games."""
    moves: list[float] = []
    answers: list[float] = []
    progress: list[int] = []

    def handle(data: bytes, begin: int, end: int) -> None:
        if wire.kind(data, begin) == wire.PROGRESSED:
            progress.append(end - begin)

    for game in GAMES:
        pair = await open_session_pair(node.port)
        attempts = await race(pair, game)
        pair[1].handle_payload = handle
        answers.append(fmean(await _play(pair[0], attempts[0].frames)))
        await asyncio.sleep(PROGRESS_WAIT)
        payloads = wire.moves(ruleset(game), attempts[0].handle, 2, recorded(game))
        moves.append(fmean(map(len, payloads)))
    found = {"move": fmean(moves), "answer": fmean(answers)}
    return {**found, "progress": fmean(progress)} if progress else found


async def memory_of(node: MeasuredNode, sockets: int, floor: bool = False) -> Figures:
    """Measure the memory of a session before and during a round, or of a bare socket."""
    before = memory(node.pid)
    if floor:
        await map_concurrently(sockets, lambda _: connect(node.port))
        return {"bare": (memory(node.pid) - before) / sockets}
    clients = await map_concurrently(sockets, lambda _: open_session(node.port))
    idle_memory = memory(node.pid) - before
    pairs = list(zip(clients[::2], clients[1::2], strict=True))
    spent = node.spent()
    await map_concurrently(len(pairs), lambda n: race(pairs[n], GAMES[n % len(GAMES)], 1))
    return {
        "idle": idle_memory / sockets,
        "racing": (memory(node.pid) - before) / sockets,
        "room_ms": (node.spent() - spent) / len(pairs),
    }


async def idle(node: MeasuredNode) -> Figures:
    """Measure a node without players: commands of Redis a second, and its share of a core."""
    assert node.socket is not None
    await asyncio.sleep(1)
    before, spent, at = commands(node.socket), node.spent(), time.perf_counter()
    await asyncio.sleep(IDLE_SECONDS)
    after, seconds = commands(node.socket), time.perf_counter() - at
    count = sum(after.values()) - sum(before.values()) - 1
    return {"commands": count / seconds, "share": (node.spent() - spent) / seconds / 1e3}


async def silent_rooms(node: MeasuredNode, rooms: int) -> Figures:
    """Measure the share of a core for rooms of two in which nothing happens."""

    async def fill(number: int) -> None:
        host, guest = await open_session_pair(node.port)
        await guest.ask(wire.join_room, await open_room(host, GAMES[number % len(GAMES)], 2))

    await map_concurrently(rooms, fill)
    return {"share": await _idle_share(node)}


async def crowd(node: MeasuredNode, sessions: int) -> Figures:
    """Measure idle sessions, sessions that leave one by one, and many that drop at once."""
    leaving = await map_concurrently(REPEATS, lambda _: open_session(node.port))
    probe = await Probe.open(node.port)
    holder = await hold(node.port, sessions - REPEATS - SESSIONS)
    try:
        share = await _idle_share(node)
        spent, at = node.spent(), time.perf_counter()
        for client in leaving:
            client.transport.abort()
            await asyncio.sleep(0.002)
        await asyncio.sleep(0.5)
        idled = share * (time.perf_counter() - at) * 1e3
        leave = (node.spent() - spent - idled) / REPEATS
        await probe.run(0.5)
    finally:
        holder.kill()
    drop = await probe.run(10)
    await holder.wait()
    return {"share": share, "leave_ms": leave, **drop}


async def flood(node: MeasuredNode) -> Figures:
    """Measure the latency of other sessions while a connection without a session floods pings."""
    probe = await Probe.open(node.port)
    await probe.run(0.5)
    before = memory(node.pid)
    with Flood(node.port) as flooding:
        found = await probe.run(4)
        grown = memory(node.pid) - before
    after = await probe.run(2)
    worst = max(found["worst"], after["worst"])
    return {"worst": worst, "grown": grown, "sent": flooding.sent}


async def searcher(node: MeasuredNode) -> Figures:
    """Measure the moves of a game after all cards have been seen, each of which may be searched.

    Returns:
        `search_ms` of the searcher, and `node_ms` of the node, for such a move.
    """
    pair = await open_session_pair(node.port)
    attempt = (await race(pair, SEARCHED, whole=True))[0]
    moves, first = searched()
    await _play(pair[0], attempt.frames[:first])
    await asyncio.sleep(1)
    spent, search = node.spent(), node.searched()
    for frame in attempt.frames[first:]:
        await _play(pair[0], [frame])
        await asyncio.sleep(SEARCH_WAIT)
    count = len(moves) - first
    return {
        "search_ms": (node.searched() - search) / count,
        "node_ms": (node.spent() - spent) / count,
    }


async def digests(node: MeasuredNode, length: int) -> Figures:
    """Measure a long attempt: its moves, opening it with a wrong digest, and late duplicates."""
    pair = await open_session_pair(node.port)
    attempt = (await race(pair, "deuces", length))[0]
    client = pair[0]
    await _play(client, attempt.frames)
    last, times = len(attempt.frames) + 1, REPEATS // 4
    spent = node.spent()
    for _ in range(times):
        await client.ask(wire.open_attempt, attempt.id, (last - 5, 1))
    wrong = (node.spent() - spent) / times
    spent = node.spent()
    await _play(client, [attempt.frames[length // 2]] * times)
    late = (node.spent() - spent) / times
    return {"wrong_ms": wrong, "late_ms": late}


async def commands_of_rooms(node: MeasuredNode) -> Figures:
    """Measure creating a room, listing dailies, and getting ready in a room of eight."""
    clients = await map_concurrently(8, lambda _: open_session(node.port))
    host = clients[0]

    async def cost(command: Callable[[int], Awaitable[object]]) -> float:
        await asyncio.sleep(1)
        spent = node.spent()
        for number in range(REPEATS):
            await command(number)
        await asyncio.sleep(0.2)
        return (node.spent() - spent) / REPEATS

    create = await cost(lambda number: open_room(host, GAMES[number % len(GAMES)], 2))
    listing = await cost(lambda _: host.ask(wire.list_dailies))
    code = await open_room(host, GAMES[0], 8)
    for client in clients[1:]:
        await client.ask(wire.join_room, code)
    member = clients[-1]
    ready = await cost(lambda n: member.ask(wire.ready, code, is_ready=n % 2 == 0))
    return {"create_ms": create, "list_ms": listing, "ready_ms": ready}


async def home_pages(node: MeasuredNode, pages: int) -> Figures:
    """Count the reads of a journal for one move, after many sessions listed the dailies."""
    assert node.socket is not None
    pair = await open_session_pair(node.port)
    attempt = (await race(pair, "deuces"))[0]
    await _play(pair[0], attempt.frames[:1])
    visitors = await map_concurrently(pages, lambda _: open_session(node.port))
    await map_concurrently(pages, lambda number: visitors[number].ask(wire.list_dailies))
    before = commands(node.socket)
    await _play(pair[0], attempt.frames[1:2])
    after = commands(node.socket)
    return {"reads": after.get("xrange", 0) - before.get("xrange", 0)}


async def _play(client: Client, frames: Sequence[bytes]) -> list[int]:
    """Send moves, each after the answer to the one before; return the answers' lengths in bytes."""
    done = asyncio.get_running_loop().create_future()
    left, sizes = iter(frames), []

    def send() -> None:
        frame = next(left, None)
        if frame is None:
            done.set_result(None)
        else:
            client.write(frame)

    def handle(data: bytes, begin: int, end: int) -> None:
        if wire.kind(data, begin) in {wire.ANSWER, wire.REFUSAL, wire.SNAPSHOT}:
            sizes.append(end - begin)
            send()

    client.handle_payload = handle
    send()
    await done
    client.reset_handler()
    return sizes


async def _idle_share(node: MeasuredNode) -> float:
    """Return the share of a core that a node uses while no command is sent."""
    await asyncio.sleep(2)
    spent, at = node.spent(), time.perf_counter()
    await asyncio.sleep(IDLE_SECONDS * 2)
    return (node.spent() - spent) / (time.perf_counter() - at) / 1e3


ROWS: dict[str, Callable[..., Awaitable[Figures]]] = {
    row.__name__: row
    for row in (
        wire_bytes,
        memory_of,
        idle,
        silent_rooms,
        crowd,
        flood,
        searcher,
        digests,
        commands_of_rooms,
        leaderboard,
        million,
        viewers,
        home_pages,
        store_away,
        watching,
        hostile,
    )
}


async def measure(row: str, served: Sequence[Any], **given: Any) -> Figures:
    """Measure a row by its name, on a served node, with its arguments."""
    return await ROWS[row](MeasuredNode(*served), **given)


if __name__ == "__main__":
    pin(LOAD_CORE)
    task = json.loads(sys.argv[1])
    served = [task.pop(field.name) for field in fields(MeasuredNode)]
    del task["load"]
    json.dump(uvloop.run(measure(task.pop("row"), served, **task)), sys.stdout)
