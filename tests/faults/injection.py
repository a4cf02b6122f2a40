"""The faults: their kinds and order, injection and healing."""

from __future__ import annotations

import asyncio
import random
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from redis.crc import key_slot

from tests.faults.balancer import Balancer, Link
from tests.faults.player import World
from tests.faults.stage import Node, Stage
from tests.faults.stores import PrivateServer, Store
from tests.redis_servers import Server

WEIGHTS = {
    "connection cut": 15,
    "connection delayed": 15,
    "message twice": 14,
    "messages swapped": 12,
    "clock jump": 9,
    "node held": 8,
    "node killed": 6,
    "all connections of a node cut": 4,
    "connections refused": 4,
    "node restarted": 4,
    "Redis held": 3,
    "Redis killed": 3,
    "Redis held and nodes killed": 3,
}
"""Weights of the kinds, for about a hundred faults."""

ONLY_IN = {"cluster": {"slot moved": 5}, "private": {"private store killed": 6}}
"""Additional kinds, by kind of Redis."""

NOT_IN = {"private": {"Redis killed"}}
"""Excluded kinds: a node restarts its private store by itself."""

NOT_WITH_WORKERS = {"clock jump"}
"""Kinds that work only with a node of one process."""

FURTHEST_JUMP = 600.0
"""The farthest jump of a clock, in seconds."""

NEAREST_JUMP = 0.2

DISTURBED_WITHIN = 10
"""Seconds for players to send the remaining duplicates and swaps."""

MAX_HOLD = 10.0
"""The longest stop of Redis, in seconds."""

USUAL_HOLD, USUAL_HOLD_IN_CLUSTER = 1.25, 2.0
"""The mean stop of Redis, in seconds. A cluster should sometimes fail over."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A planned fault: its kind, the seconds since the previous one, and its seed."""

    kind: str
    pause: float
    seed: int


def weights_in(redis: str, workers: int = 1) -> dict[str, int]:
    """Return the weights of the kinds for a kind of Redis and a number of workers."""
    left_out = NOT_IN.get(redis, set()) | (NOT_WITH_WORKERS if workers > 1 else set())
    every = {**WEIGHTS, **ONLY_IN.get(redis, {})}
    return {kind: weight for kind, weight in every.items() if kind not in left_out}


def planned(
    count: int,
    seed: int,
    pause: float,
    weights: Mapping[str, int],
    kinds: Iterable[str] | None = None,
) -> list[Fault]:
    """Return `count` faults, with each kind at least once if `count` allows.

    Args:
        pause: mean seconds between faults.
        kinds: the kinds to choose from; all if left out.
    """
    rng = random.Random(seed)
    if kinds is not None:
        weights = {kind: weights[kind] for kind in kinds}
    order = list(weights)[:count]
    order += rng.choices(list(weights), list(weights.values()), k=count - len(order))
    rng.shuffle(order)
    return [Fault(kind, rng.uniform(0.2, 1.8) * pause, rng.getrandbits(32)) for kind in order]


class Injector:
    """Injects faults into a stage, and waits until all are healed.

    Args:
        hold: length of Redis's stops in seconds; random if `None`.
    """

    def __init__(
        self, stage: Stage, balancer: Balancer, world: World, hold: float | None = None
    ) -> None:
        self._hold_for = hold
        self._stage = stage
        self._balancer = balancer
        self._world = world
        self._under_way: set[asyncio.Task[None]] = set()
        self._actions: dict[str, Callable[[random.Random], Awaitable[bool]]] = {
            "connection cut": self._cut,
            "connection delayed": self._delay,
            "message twice": self._duplicate,
            "messages swapped": self._reorder,
            "clock jump": self._jump,
            "node held": self._hold_node,
            "node killed": self._kill_node,
            "all connections of a node cut": self._cut_node,
            "connections refused": self._refuse,
            "node restarted": self._restart_node,
            "Redis held": self._hold_redis,
            "Redis killed": self._kill_redis,
            "private store killed": self._kill_private_store,
            "Redis held and nodes killed": self._hold_and_kill,
            "slot moved": self._move_slot,
        }

    async def inject(self, faults: Iterable[Fault]) -> None:
        """Inject the faults in order, without waiting until they are healed."""
        for fault in faults:
            await asyncio.sleep(fault.pause)
            task = asyncio.create_task(self._do(fault))
            self._under_way.add(task)

    async def _do(self, fault: Fault) -> None:
        if await self._actions[fault.kind](random.Random(fault.seed)):
            self._world.counts[f"fault: {fault.kind}"] += 1

    async def wait_until_healed(self) -> None:
        """Wait until every fault is over, including faults that players inject.

        Raises:
            Exception: a fault could not be injected.
        """
        await asyncio.gather(*self._under_way)
        await self._stage.in_thread(self._stage.store.until_whole)
        world = self._world
        for _ in range(DISTURBED_WITHIN):
            if world.duplicate or world.reorder:
                await asyncio.sleep(1.0)

    async def stop(self) -> None:
        """Cancel the faults under way."""
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)

    @asynccontextmanager
    async def _redis(self) -> AsyncIterator[Store]:
        """Hold the lock of Redis, and count the milliseconds of the fault."""
        store = self._stage.store
        async with store.lock:
            begun = time.monotonic()
            try:
                yield store
            finally:
                spent = time.monotonic() - begun
                self._world.counts["milliseconds with a fault of Redis"] += round(1000 * spent)

    def _link(self, rng: random.Random) -> Link | None:
        links = list(self._balancer.links)
        return rng.choice(links) if links else None

    def _node(self, rng: random.Random) -> Node:
        """Return a random node, preferably one without a fault under way."""
        free = [node for node in self._stage.nodes if not node.lock.locked()]
        return rng.choice(free or list(self._stage.nodes))

    async def _random_link(self, rng: random.Random) -> Link:
        while (link := self._link(rng)) is None:
            await asyncio.sleep(0.1)
        return link

    async def _cut(self, rng: random.Random) -> bool:
        (await self._random_link(rng)).cut()
        return True

    async def _delay(self, rng: random.Random) -> bool:
        link = await self._random_link(rng)
        link.hold(rng.uniform(0.1, 5.0), inwards=rng.random() < 0.5)
        return True

    async def _duplicate(self, _: random.Random) -> bool:
        # The player that sends it counts it.
        self._world.duplicate += 1
        return False

    async def _reorder(self, _: random.Random) -> bool:
        self._world.reorder += 1
        return False

    async def _jump(self, rng: random.Random) -> bool:
        size = NEAREST_JUMP * (FURTHEST_JUMP / NEAREST_JUMP) ** rng.random()
        while True:
            node = self._node(rng)
            async with node.lock:
                # A node without its signal handler would die from the signal.
                if await node.listens():
                    node.jump(rng.choice((size, -size)))
                    # The node reads the file when the signal arrives.
                    await asyncio.sleep(0.1)
                    return True
            await asyncio.sleep(0.1)

    async def _hold_node(self, rng: random.Random) -> bool:
        node = self._node(rng)
        async with node.lock:
            node.signal(signal.SIGSTOP)
            try:
                await asyncio.sleep(rng.uniform(0.5, 6.0))
            finally:
                node.signal(signal.SIGCONT)
        return True

    async def _kill_node(self, rng: random.Random) -> bool:
        node = self._node(rng)
        async with node.lock:
            await self._killed(node, rng)
        return True

    async def _killed(self, node: Node, rng: random.Random) -> None:
        node.kill()
        await asyncio.sleep(rng.uniform(0.0, 1.0))
        await self._start(node)

    async def _start(self, node: Node) -> None:
        node.start()
        if self._stage.is_one_node:
            await node.until_ready()

    async def _cut_node(self, rng: random.Random) -> bool:
        node = self._node(rng)
        for link in list(self._balancer.links):
            if link.node == node.number:
                link.cut()
        return True

    async def _refuse(self, rng: random.Random) -> bool:
        await self._balancer.refuse(rng.uniform(0.2, 2.0))
        return True

    async def _restart_node(self, rng: random.Random) -> bool:
        node = self._node(rng)
        async with node.lock:
            if not await node.end():
                self._world.complaints.append(f"node {node.number} does not end on SIGTERM")
            await self._start(node)
        return True

    async def _hold_redis(self, rng: random.Random) -> bool:
        async with self._redis() as store:
            usual = USUAL_HOLD_IN_CLUSTER if store.cluster else USUAL_HOLD
            seconds = self._hold_for or min(MAX_HOLD, rng.expovariate(1 / usual))
            await self._hold(await self._random_master(rng), seconds)
            await self._stage.in_thread(store.until_whole)
        return True

    async def _hold(self, server: Server | PrivateServer, seconds: float) -> None:
        await self._stage.in_thread(server.signal, signal.SIGSTOP)
        try:
            await asyncio.sleep(seconds)
        finally:
            server.signal(signal.SIGCONT)

    async def _random_master(self, rng: random.Random) -> Server | PrivateServer:
        return rng.choice(await self._stage.in_thread(self._stage.store.masters))

    async def _kill_redis(self, rng: random.Random) -> bool:
        async with self._redis() as store:
            server = await self._random_master(rng)
            assert isinstance(server, Server), "no other node restarts it"
            self._world.complaints += await self._stage.in_thread(store.refused)
            await self._stage.in_thread(server.kill)
            try:
                # In a cluster, a replica may take over meanwhile.
                await asyncio.sleep(rng.uniform(0.1, 5.0 if store.cluster else 1.0))
            finally:
                await self._stage.in_thread(server.start)
            await self._stage.in_thread(store.until_whole)
        return True

    async def _kill_private_store(self, rng: random.Random) -> bool:
        """Kill the node's private store, sometimes again right after its restart."""
        async with self._redis():
            server = await self._random_master(rng)
            for _ in range(rng.choice((1, 1, 2))):
                await self._stage.in_thread(server.kill)
        return True

    async def _hold_and_kill(self, rng: random.Random) -> bool:
        """Kill nodes while they wait for Redis, so that their answers are lost."""
        async with self._redis() as store:
            server = await self._random_master(rng)
            await self._stage.in_thread(server.signal, signal.SIGSTOP)
            try:
                await asyncio.sleep(rng.uniform(0.5, 1.5))
                killed = asyncio.gather(*(self._kill_locked(n, rng) for n in self._stage.nodes))
                await asyncio.sleep(1.0)
            finally:
                server.signal(signal.SIGCONT)
            await killed
            await self._stage.in_thread(store.until_whole)
        return True

    async def _kill_locked(self, node: Node, rng: random.Random) -> None:
        if not node.lock.locked():
            async with node.lock:
                await self._killed(node, rng)

    async def _move_slot(self, rng: random.Random) -> bool:
        async with self._redis():
            await self._stage.in_thread(self._move_used_slot, rng)
        return True

    def _move_used_slot(self, rng: random.Random) -> None:
        """Move the slot of a random journal to another master."""
        cluster = self._stage.store.cluster
        assert cluster is not None, "only a cluster has slots"
        masters = cluster.masters()
        source = rng.choice(masters)
        with source.client() as client:
            key = client.randomkey()
        if key is None:
            return
        target = rng.choice([server for server in masters if server is not source])
        cluster.move_slot(key_slot(str(key).encode()), source, target)
