"""Single figures: what one thing costs a node, each on a node of its own.

python -m deploy.bench.rows TASK, where TASK is a JSON object with the row's name, the port, the
process ids of the server and its Redis (none for the floor), and what the row takes.
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
from deploy.bench.boards import leaderboard
from deploy.bench.client import Client, connect, gathered
from deploy.bench.flood import Flood
from deploy.bench.games import recorded
from deploy.bench.holder import hold
from deploy.bench.meter import Found, Measured
from deploy.bench.probe import SESSIONS, Probe
from deploy.bench.processes import LOAD_CORE, commands, memory, pin
from deploy.bench.races import GAMES, greeted, greeted_pair, open_room, race
from engine.catalog import ruleset

TIMES = 200
"""How often what takes little is done, so that the clock ticks often enough."""

TOLD_WITHIN = 0.5
"""Seconds in which a rival hears of a move."""

QUIET = 6.0
"""Seconds for which nothing is done: longer than anything waits that is done again and again."""


async def wire_bytes(node: Measured) -> Found:
    """Measure the mean length of a move, its answer and progress, over the games."""
    moves: list[float] = []
    answers: list[float] = []
    progress: list[int] = []

    def hear(data: bytes, begin: int, end: int) -> None:
        if wire.kind(data, begin) == wire.PROGRESSED:
            progress.append(end - begin)

    for game in GAMES:
        pair = await greeted_pair(node.port)
        attempts = await race(pair, game)
        pair[1].take = hear
        answers.append(fmean(await _play(pair[0], attempts[0].frames)))
        await asyncio.sleep(TOLD_WITHIN)
        payloads = wire.moves(ruleset(game), attempts[0].handle, 2, recorded(game))
        moves.append(fmean(map(len, payloads)))
    found = {"move": fmean(moves), "answer": fmean(answers)}
    return {**found, "progress": fmean(progress)} if progress else found


async def memory_of(node: Measured, sockets: int, floor: bool = False) -> Found:
    """Measure the memory of a greeted session and of a racing one, or of a bare socket."""
    before = memory(node.pid)
    if floor:
        await gathered(sockets, lambda _: connect(node.port))
        return {"bare": (memory(node.pid) - before) / sockets}
    clients = await gathered(sockets, lambda _: greeted(node.port))
    greeted_ones = memory(node.pid) - before
    pairs = list(zip(clients[::2], clients[1::2], strict=True))
    spent = node.spent()
    await gathered(len(pairs), lambda n: race(pairs[n], GAMES[n % len(GAMES)], 1))
    return {
        "greeted": greeted_ones / sockets,
        "racing": (memory(node.pid) - before) / sockets,
        "room_ms": (node.spent() - spent) / len(pairs),
    }


async def idle(node: Measured) -> Found:
    """Measure a node without players."""
    assert node.socket is not None
    await asyncio.sleep(1)
    before, spent, at = commands(node.socket), node.spent(), time.perf_counter()
    await asyncio.sleep(QUIET)
    after, seconds = commands(node.socket), time.perf_counter() - at
    count = sum(after.values()) - sum(before.values()) - 1
    return {"commands": count / seconds, "share": (node.spent() - spent) / seconds / 1e3}


async def silent_rooms(node: Measured, rooms: int) -> Found:
    """Measure rooms of two in which nothing happens."""

    async def fill(number: int) -> None:
        host, guest = await greeted_pair(node.port)
        await guest.ask(wire.join_room, await open_room(host, GAMES[number % len(GAMES)], 2))

    await gathered(rooms, fill)
    return {"share": await _quiet_share(node)}


async def crowd(node: Measured, sessions: int) -> Found:
    """Measure idle sessions, sessions that leave, and all others gone at once."""
    leaving = await gathered(TIMES, lambda _: greeted(node.port))
    probe = await Probe.beside(node.port)
    holder = await hold(node.port, sessions - TIMES - SESSIONS)
    try:
        share = await _quiet_share(node)
        spent, at = node.spent(), time.perf_counter()
        for client in leaving:
            client.transport.abort()
            await asyncio.sleep(0.002)
        await asyncio.sleep(0.5)
        idled = share * (time.perf_counter() - at) * 1e3
        leave = (node.spent() - spent - idled) / TIMES
        await probe.run(0.5)
    finally:
        holder.kill()
    drop = await probe.run(10)
    await holder.wait()
    return {"share": share, "leave_ms": leave, **drop}


async def flood(node: Measured) -> Found:
    """Measure what others get while one connection floods pings before its hello."""
    probe = await Probe.beside(node.port)
    await probe.run(0.5)
    before = memory(node.pid)
    with Flood(node.port) as flooding:
        found = await probe.run(4)
        grown = memory(node.pid) - before
    after = await probe.run(2)
    worst = max(found["worst"], after["worst"])
    return {"worst": worst, "grown": grown, "sent": flooding.sent}


async def digests(node: Measured, length: int) -> Found:
    """Measure attempts that are asked for with a wrong digest, and late duplicates."""
    pair = await greeted_pair(node.port)
    attempt = (await race(pair, "deuces", length))[0]
    client = pair[0]
    growth: list[tuple[int, float]] = []
    part = max(1, length // 8)
    for begin in range(0, len(attempt.frames), part):
        spent = node.spent()
        played = attempt.frames[begin : begin + part]
        await _play(client, played)
        growth.append((begin + len(played), 1e3 * (node.spent() - spent) / len(played)))
    client.quiet()
    last, times = len(attempt.frames) + 1, TIMES // 4
    spent = node.spent()
    for _ in range(times):
        await client.ask(wire.open_attempt, attempt.id, (last - 5, 1))
    wrong = (node.spent() - spent) / times
    spent = node.spent()
    await _play(client, [attempt.frames[length // 2]] * times)
    late = (node.spent() - spent) / times
    return {"wrong_ms": wrong, "late_ms": late, "growth": growth}


async def commands_of_rooms(node: Measured) -> Found:
    """Measure `room.create`, `daily.list`, and "ready" in a room of eight."""
    clients = await gathered(8, lambda _: greeted(node.port))
    host = clients[0]

    async def cost(command: Callable[[int], Awaitable[object]]) -> float:
        await asyncio.sleep(1)
        spent = node.spent()
        for number in range(TIMES):
            await command(number)
        await asyncio.sleep(0.2)
        return (node.spent() - spent) / TIMES

    create = await cost(lambda number: open_room(host, GAMES[number % len(GAMES)], 2))
    listing = await cost(lambda _: host.ask(wire.list_dailies))
    code = await open_room(host, GAMES[0], 8)
    for client in clients[1:]:
        await client.ask(wire.join_room, code)
    member = clients[-1]
    ready = await cost(lambda n: member.ask(wire.ready, code, is_ready=n % 2 == 0))
    return {"create_ms": create, "list_ms": listing, "ready_ms": ready}


async def home_pages(node: Measured, pages: int) -> Found:
    """Count the journals that are read again because others look at the day's games."""
    assert node.socket is not None
    pair = await greeted_pair(node.port)
    attempt = (await race(pair, "deuces"))[0]
    await _play(pair[0], attempt.frames[:1])
    lookers = await gathered(pages, lambda _: greeted(node.port))
    await gathered(pages, lambda number: lookers[number].ask(wire.list_dailies))
    before = commands(node.socket)
    await _play(pair[0], attempt.frames[1:2])
    after = commands(node.socket)
    return {"reads": after.get("xrange", 0) - before.get("xrange", 0)}


async def _play(client: Client, frames: Sequence[bytes]) -> list[int]:
    """Send moves, each after the answer to the one before, and return how long the answers are."""
    done = asyncio.get_running_loop().create_future()
    left, sizes = iter(frames), []

    def send() -> None:
        frame = next(left, None)
        if frame is None:
            done.set_result(None)
        else:
            client.write(frame)

    def take(data: bytes, begin: int, end: int) -> None:
        if wire.kind(data, begin) in {wire.ANSWER, wire.REFUSAL, wire.SNAPSHOT}:
            sizes.append(end - begin)
            send()

    client.take = take
    send()
    await done
    client.quiet()
    return sizes


async def _quiet_share(node: Measured) -> float:
    """Return the share of a core that a node uses while nothing is done."""
    await asyncio.sleep(2)
    spent, at = node.spent(), time.perf_counter()
    await asyncio.sleep(QUIET * 2)
    return (node.spent() - spent) / (time.perf_counter() - at) / 1e3


ROWS: dict[str, Callable[..., Awaitable[Found]]] = {
    row.__name__: row
    for row in (
        wire_bytes,
        memory_of,
        idle,
        silent_rooms,
        crowd,
        flood,
        digests,
        commands_of_rooms,
        leaderboard,
        home_pages,
        store_away,
    )
}


async def measured(row: str, served: Sequence[Any], **given: Any) -> Found:
    """Return what a row came to."""
    return await ROWS[row](Measured(*served), **given)


if __name__ == "__main__":
    pin(LOAD_CORE)
    task = json.loads(sys.argv[1])
    served = [task.pop(field.name) for field in fields(Measured)]
    del task["load"]
    json.dump(uvloop.run(measured(task.pop("row"), served, **task)), sys.stdout)
