"""Scripted players on the simulated network."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Set

from server.play.core.digest import digest
from server.play.core.keys import UNPLAYED_LIFE_MS
from tests.clients import player as scripted
from tests.clients.player import UNEXPECTED, LostError
from tests.clients.session import Session
from tests.faults.ledger import Message
from tests.simulation import faults
from tests.simulation.network import Network
from tests.simulation.world import World

QUIET_TIMEOUT = 15.0
"""Seconds to wait for an answer after faults have stopped."""

NEVER_EXPECTED = frozenset({"internal", "bad_message", "hello_first", "bad_version"})
"""Refusals that must never occur, whatever is sent."""

LATE = {"room_full"}
"""Refusals that these players may get, because they come late."""

LOST = {"unknown_room", "unknown_attempt"}
"""Refusals that they may get after the store has lost something."""


class Device(Session):
    """A player's end of a simulated connection.

    Raises:
        LostError: the node accepts none.
    """

    def __init__(
        self, player: Player, number: int, node: int, take: Callable[[Message], None]
    ) -> None:
        super().__init__(take)
        who = f"player {player.number}.{number}"
        found = player.network.open(self, node, who, player.address)
        if found is None:
            raise LostError
        self._connection = found
        self.node = found.node.name

    def transmit(self, frame: bytes) -> None:
        """Send a frame."""
        self._connection.send_command(frame)

    async def end(self) -> None:
        """Close the connection."""
        self._connection.cut()
        self.lose()


class Player(scripted.Player):
    """A simulated person.

    Attributes:
        address: its network address; may be empty.
    """

    world: World

    def __init__(self, world: World, network: Network, number: int, address: str = "") -> None:
        super().__init__(number, world, world.rng)
        self.address = address
        self.network = network
        self._node = self.rng.randrange(len(network.nodes))

    @property
    def node(self) -> str:
        """The last node of its first device's session, if any."""
        device = self._devices[0]
        return device.node if isinstance(device, Device) else ""

    @property
    def unexpected(self) -> Set[str]:
        """Refusals that it must not get."""
        return UNEXPECTED - LATE - (LOST if self.world.lost_at is not None else set())

    @property
    def accepts_older(self) -> bool:
        """Whether rooms and attempts may go back, because the store has lost entries."""
        return self.world.lost_at is not None

    async def connect(self, number: int, take: Callable[[Message], None]) -> Device:
        """Return a device's new connection.

        Raises:
            LostError: it could not be opened.
        """
        return Device(self, number, (self._node + number) % len(self.network.nodes), take)

    def timeout(self) -> float:
        """Return the seconds to wait for an answer."""
        return QUIET_TIMEOUT if self.world.calm else self.rng.uniform(0.1, 1.5)

    def have(self, attempt: str) -> Message:
        """Return the `have` with which to resume a known attempt."""
        state = self.states[attempt]
        return {"seq": state.seq, "digest": digest(state.view)}

    def takes_second_device(self, attempt: str) -> bool:
        """Return whether to play on a second device at the same time."""
        happens = self.world.faults.happens(faults.SECOND_DEVICE)
        if happens:
            self.world.fault(faults.SECOND_DEVICE, self.id, attempt)
        return happens

    def roam(self) -> None:
        """Choose a node for the next session."""
        self._node = self.rng.randrange(len(self.network.nodes))

    def disturbed(self, commands: list[Message]) -> Iterator[Message]:
        """Yield the commands to send, some of them twice."""
        for command in commands:
            if self.world.faults.happens(faults.COMMAND_TWICE):
                self.world.fault(faults.COMMAND_TWICE, self.id, command)
                yield command
            else:
                self.world.note(self.id, "sends", command)
            yield command

    def ignored(self, commands: list[Message]) -> None:
        """Count missing answers although no faults are injected."""
        self.world.note(self.id, "timed out without faults", [c["id"] for c in commands])
        self.world.counts["timed out without faults"] += 1

    def is_unexpected(self, code: str, fields: Message) -> bool:
        """Return whether a command must not get this refusal."""
        if code == "unknown_attempt" and self._has_expired(fields["attempt"]):
            return False
        return super().is_unexpected(code, fields)

    def _has_expired(self, attempt: str) -> bool:
        """Return whether an unplayed attempt would have expired."""
        deadlines = [
            line.message["deadline"]
            for line in self.ledger.events()
            if line.message["type"] == "attempt" and line.message["attempt"] == attempt
        ]
        return max(deadlines, default=math.inf) + UNPLAYED_LIFE_MS <= self.world.now()

    def receive(self, event: Message) -> None:
        """Record an event, and update the state."""
        self.world.note(self.id, "receives", event)
        super().receive(event)
