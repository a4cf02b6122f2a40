"""All nodes, and the network between them and the players."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from typing import Any, Protocol

from server.base.wire.session import Session
from tests.simulation import faults
from tests.simulation.loop import ORDERED
from tests.simulation.node import Node
from tests.simulation.world import World

LATENCY = 0.02
"""Most messages take up to this many seconds."""


class Device(Protocol):
    """The player's end of a connection."""

    def receive(self, frame: bytes) -> None:
        """Receive a frame."""

    def lose(self) -> None:
        """Note that the connection has ended."""


class Network:
    """The nodes by number; a node that ends is replaced."""

    def __init__(self, world: World, count: int, *, dailies: bool) -> None:
        self.world = world
        self._dailies = dailies
        self._starts = 0
        self._links: dict[str, Node] = {}
        world.loop.connect = self._connect
        self.nodes: list[Node] = [self._start_node(number) for number in range(count)]

    async def _connect(self, factory: Any, host: str) -> tuple[Any, Any]:
        return await self._links[host].link.connect(factory)

    def _start_node(self, number: int) -> Node:
        self._starts += 1
        node = Node(self.world, f"node-{number}-{self._starts}", dailies=self._dailies)
        self._links[node.name] = node
        node.link.on_kill = lambda orderly: self._end(number, node, orderly=orderly)
        node.link.on_jump = lambda: self._jump(node)
        self.world.nodes.append(node)
        node.start()
        return node

    def _end(self, number: int, node: Node, *, orderly: bool) -> None:
        if self.nodes[number] is not node or not (node.up or node.link.alive):
            return
        if orderly and node.up:
            node.end()
            self.nodes[number] = self._start_node(number)
            return
        node.kill()
        pause = self.world.rng.choice((0.05, 0.5, 2.0))
        self.world.loop.call_later(pause, self._start_again, number)

    def _start_again(self, number: int) -> None:
        self.nodes[number] = self._start_node(number)

    def _jump(self, node: Node) -> None:
        seconds = self.world.rng.choice((-3600.0, -8.0, -1.0, -0.2, 0.2, 1.0, 3.0, 12.0, 3600.0))
        self.world.note(node.name, "clock jumps", seconds)
        self.world.skewed |= abs(seconds) >= 60
        node.jump(seconds)

    def open(self, device: Device, number: int, who: str, address: str = "") -> Connection | None:
        """Open a player's connection to a node, or return `None` if it accepts none."""
        node = self.nodes[number]
        return Connection(self.world, node, device, who, address) if node.up else None


class Connection:
    """A player's connection to a node, ordered in both directions until it breaks."""

    def __init__(self, world: World, node: Node, device: Device, who: str, address: str) -> None:
        self.node = node
        self.close_code: int | None = None
        self._world = world
        self._device = device
        self._who = who
        self._lost = False
        self._drops_events = False
        self._held: deque[bytes] | None = None
        self._last_arrival = self._last_delivery = 0.0
        self._session: Session = node.open(self, self.cut, address)

    # The player's end

    def send_command(self, frame: bytes) -> None:
        """Send a frame to the node."""
        world = self._world
        if self._lost:
            return
        fault = world.faults.of_network()
        if fault is not None:
            world.fault(fault, self._who, self.node.name)
        latency = LATENCY * world.rng.random()
        if fault == faults.DELAYED:
            latency += world.rng.random()
        self._last_arrival = max(self._last_arrival + ORDERED, world.loop.time() + latency)
        if fault in {faults.COMMAND_LOST, faults.ELSEWHERE}:
            world.loop.call_at(self._last_arrival, self.cut)
            return
        world.loop.call_at(self._last_arrival, self._arrive, frame)
        if fault == faults.ANSWER_LOST:
            self._drops_events = True
            world.loop.call_at(self._last_arrival + ORDERED + 0.5 * world.rng.random(), self.cut)

    def cut(self) -> None:
        """Break the connection; the player notices a moment after the node."""
        if self._lost:
            return
        self._lost = True
        self.node.leave(self._session)
        self._world.loop.call_later(LATENCY * self._world.rng.random(), self._device.lose)

    # The node's end

    def _arrive(self, frame: bytes) -> None:
        if self._lost or not self.node.link.alive:
            return
        if self._held is not None:
            self._held.append(frame)
        else:
            self._session.receive(frame)

    def send(self, frame: bytes, _key: Hashable = None) -> None:
        """Send a message to the player."""
        world = self._world
        if self._lost or self._drops_events or not self.node.link.alive:
            return
        latency = LATENCY * world.rng.random()
        self._last_delivery = max(self._last_delivery + ORDERED, world.loop.time() + latency)
        world.loop.call_at(self._last_delivery, self._deliver, frame)

    def _deliver(self, frame: bytes) -> None:
        if not self._lost:
            self._device.receive(frame)

    def is_full(self) -> bool:
        """Return `False`: nothing large is sent."""
        return False

    def is_behind(self) -> bool:
        """Return `False`: players always keep up."""
        return False

    def in_turn(self, begin: Callable[[], None], _cost: float) -> None:
        """Start soon, after the messages that arrived before."""
        self._world.loop.call_soon(begin)

    def hold(self) -> None:
        """Queue commands until `release`."""
        self._held = deque()

    def release(self) -> None:
        """Pass the queued commands on."""
        held, self._held = self._held, None
        while held:
            self._world.loop.call_soon(self._arrive, held.popleft())

    def close(self, code: int) -> None:
        """Close the connection after the events in flight have arrived."""
        self.close_code = code
        self._world.loop.call_at(
            max(self._last_delivery, self._world.loop.time()) + ORDERED, self.cut
        )
