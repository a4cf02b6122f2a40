"""A node's connections to the simulated Redis, which can lose commands and replies."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import hiredis

from tests.simulation import faults
from tests.simulation.loop import ORDERED
from tests.simulation.world import World

LATENCY = 0.0015
"""Most commands take up to this many seconds."""

HANDSHAKE = {b"HELLO", b"CLIENT", b"SCRIPT"}
"""Commands that open a connection, which have no faults."""

WRITES = {b"EVAL", b"EVALSHA", b"SET", b"HSET", b"HDEL", b"ZREM", b"DEL", b"PUBLISH"}

Batch = list[list[bytes]]


class Link:
    """One node's connections to Redis.

    A killed node sends and receives nothing more, but commands in flight may still arrive.

    Attributes:
        on_kill: called to end the node; the argument is true for SIGTERM, false for SIGKILL.
        on_jump: called to make its clock jump.
    """

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name
        self.alive = True
        self.on_kill: Callable[[bool], None] = lambda _: None
        self.on_jump: Callable[[], None] = lambda: None

    async def connect(self, factory: Callable[[], Any]) -> tuple[Transport, Any]:
        """Open a connection."""
        world = self.world
        await asyncio.sleep(LATENCY * world.rng.random())
        if not self.alive or world.loop.time() < world.unavailable_until:
            raise ConnectionRefusedError("the store is unavailable")
        transport = Transport(self, protocol := factory())
        world.connections[transport] = None
        protocol.connection_made(transport)
        return transport, protocol


class Transport(asyncio.Transport):
    """One connection of a node to Redis."""

    def __init__(self, link: Link, protocol: Any) -> None:
        super().__init__()
        self._link = link
        self._world = link.world
        self._protocol = protocol
        self._commands = hiredis.Reader()
        self._lost = False
        self._arrives = self._answers = 0.0

    # The node's side

    def get_protocol(self) -> Any:
        """Return the protocol."""
        return self._protocol

    def set_protocol(self, protocol: Any) -> None:
        """Set the protocol."""
        self._protocol = protocol

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return nothing: there is no socket."""
        return default

    def is_closing(self) -> bool:
        """Return whether it is closed or lost."""
        return self._lost

    def get_write_buffer_size(self) -> int:
        """Return 0: nothing is buffered."""
        return 0

    def pause_reading(self) -> None:
        """Do nothing: flow control is not simulated."""

    def resume_reading(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Close it."""
        self.lose(None)

    def abort(self) -> None:
        """Close it."""
        self.lose(None)

    def write(self, data: Any) -> None:
        """Send commands."""
        if self._lost or not self._link.alive:
            return
        self._commands.feed(bytes(data))
        batch: Batch = []
        while (command := self._commands.gets()) is not False:
            batch.append(command)
        if batch:
            world = self._world
            latency = LATENCY * world.rng.random()
            self._arrives = max(self._arrives + ORDERED, world.loop.time() + latency)
            world.loop.call_at(self._arrives, self._arrive, batch)

    def writelines(self, list_of_data: Any) -> None:
        """Send commands."""
        self.write(b"".join(list_of_data))

    # The simulated side

    def lose(self, error: Exception | None) -> None:
        """Break the connection; commands that have already arrived are applied."""
        if self._lost:
            return
        self._lost = True
        self._world.connections.pop(self, None)
        self._world.redis.forget(self)
        self._world.loop.call_soon(self._report_lost, error)

    def _report_lost(self, error: Exception | None) -> None:
        self._protocol.connection_lost(error)

    def push(self, topic: str, frame: bytes) -> None:
        """Deliver a message published to a topic, or lose it."""
        world = self._world
        if world.faults.happens(faults.BUS_MESSAGE_LOST):
            world.fault(faults.BUS_MESSAGE_LOST, self._link.name, topic)
            return
        late = world.faults.happens(faults.BUS_MESSAGE_LATE)
        if late:
            world.fault(faults.BUS_MESSAGE_LATE, self._link.name, topic)
        self._answer(frame, world.rng.random() if late else 0.0)

    def _answer(self, data: bytes, delay: float = 0.0) -> None:
        """Send bytes to the node in order, after a delay in seconds."""
        world = self._world
        self._answers = max(self._answers + ORDERED, world.loop.time() + delay)
        world.loop.call_at(self._answers, self._receive, data)

    def _receive(self, data: bytes) -> None:
        if not self._lost and self._link.alive:
            self._protocol.data_received(data)

    def _arrive(self, batch: Batch) -> None:
        """Apply a batch that arrives at Redis, or inject a fault."""
        world = self._world
        if not self._link.alive:
            # In flight when the node was killed.
            if not self._lost and world.rng.random() < 0.5:
                self._apply(batch, "from a killed node")
            return
        if self._lost:
            return
        if world.loop.time() < world.unavailable_until:
            self._break("the store is unavailable")
            return
        fault = None if batch[0][0] in HANDSHAKE else world.faults.of_store()
        if fault is None:
            self._answer(self._apply(batch))
        else:
            world.fault(fault, self._link.name, _text(batch))
            self._inject(fault, batch)

    def _inject(self, fault: str, batch: Batch) -> None:
        world, rng = self._world, self._world.rng
        some = batch[: rng.randint(0, len(batch))]
        if fault == faults.LOST:
            self._break("commands were lost")
        elif fault == faults.UNANSWERED:
            self._apply(rng.choice((batch, some)))
            world.loop.call_later(rng.choice((0.0, 0.3, 2.0)), self._break, "the answer was lost")
        elif fault == faults.APPLIED_LATE:
            late = rng.choice((0.002, 0.01, 0.5, 1.5, 4.0)) * rng.random()
            world.loop.call_later(late, self._apply_late, batch, world.cuts)
            self._break("lost before the commands were applied")
        elif fault == faults.SLOW:
            self._answer(self._apply(batch), rng.choice((0.01, 0.1, 1.5, 6.0)))
        elif fault == faults.UNAVAILABLE:
            world.make_unavailable(rng.expovariate(1.5))
        elif fault == faults.CLOCK_JUMP:
            self._link.on_jump()
            self._answer(self._apply(batch))
        elif fault == faults.RESTARTED:
            self._answer(self._apply(batch))
            self._link.on_kill(True)
        else:
            if fault == faults.KILLED_AFTER:
                self._apply(batch)
            self._link.on_kill(False)

    def _apply(self, batch: Batch, how: str = "") -> bytes:
        if batch and batch[0][0] not in HANDSHAKE:
            self._world.note(self._link.name, f"batch {how}".rstrip(), _text(batch))
        return b"".join(self._world.redis.answer(self, command) for command in batch)

    def _apply_late(self, batch: Batch, cuts: int) -> None:
        """Apply the writes of a broken connection, unless the power was cut meanwhile."""
        if cuts == self._world.cuts:
            writes = [command for command in batch if command[0] in WRITES]
            self._apply(writes, "late")

    def _break(self, reason: str) -> None:
        self._world.note(self._link.name, "connection lost", reason)
        self.lose(ConnectionResetError(reason))


def _text(batch: Batch) -> str:
    """Format commands for the trace, identically in every replay."""
    return "; ".join(sorted(_short(command) for command in batch))


def _short(command: list[bytes]) -> str:
    name, *given = command
    if name in {b"EVAL", b"EVALSHA", b"SCRIPT"}:
        given = given[1:]
    words = sorted(given) if name in {b"SUBSCRIBE", b"UNSUBSCRIBE"} else given
    return b" ".join([name, *words]).decode("utf-8", "replace")[:400]
