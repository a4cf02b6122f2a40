"""All nodes, and the network between them and the players."""

from __future__ import annotations

from typing import Any, Protocol

from server.core.ids import PlayerId
from server.gateway import messages as m
from server.gateway.messages import AnyCommand
from tests.faults.ledger import Message
from tests.simulation import fates
from tests.simulation.node import Node
from tests.simulation.world import World

LATENCY = 0.02
"""Seconds that most messages take at most."""

_TYPES: dict[str, Any] = {
    "room.create": m.CreateRoom,
    "room.join": m.JoinRoom,
    "room.leave": m.LeaveRoom,
    "room.ready": m.SetReady,
    "room.start": m.StartRound,
    "attempt.open": m.OpenAttempt,
    "move": m.PlayMove,
    "resign": m.Resign,
    "daily.open": m.OpenDaily,
    "leaderboard.watch": m.WatchLeaderboard,
}


class Client(Protocol):
    """A player, as the network sees one."""

    id: PlayerId

    def hear(self, event: Message) -> None:
        """Be told something."""

    def give_up(self, command: int) -> None:
        """Find that a command cannot be sent."""

    def hint(self) -> None:
        """Be told that there may be news."""


class Network:
    """The nodes by number, each in its present life."""

    def __init__(self, world: World, count: int, *, dailies: bool) -> None:
        self.world = world
        self._dailies = dailies
        self._lives = 0
        self.nodes: list[Node] = [self._born(number) for number in range(count)]

    def _born(self, number: int) -> Node:
        self._lives += 1
        node = Node(self.world, f"node {number}.{self._lives}", self.wake, dailies=self._dailies)
        node.link.on_kill = lambda orderly: self._end(number, node, orderly=orderly)
        node.link.on_jump = lambda: self._jump(node)
        self.world.keep.append(node)
        node.start()
        return node

    def _end(self, number: int, node: Node, *, orderly: bool) -> None:
        """End a node, and start another one in its place."""
        if self.nodes[number] is not node or not (node.up or node.link.alive):
            return
        if orderly and node.up:
            node.end()
            self.nodes[number] = self._born(number)
            return
        node.kill()
        pause = self.world.rng.choice((0.05, 0.5, 2.0))
        self.world.loop.call_later(pause, self._start_again, number)

    def _start_again(self, number: int) -> None:
        self.nodes[number] = self._born(number)

    def _jump(self, node: Node) -> None:
        seconds = self.world.rng.choice((-3600.0, -8.0, -1.0, -0.2, 0.2, 1.0, 3.0, 12.0, 3600.0))
        self.world.note(node.name, "clock jumps", seconds)
        node.jump(seconds)

    def wake(self, topic: str) -> None:
        """Wake all nodes, but for those whose wake-up is lost."""
        world = self.world
        for node in self.nodes:
            if node.up and world.season.happens(fates.WAKE_UP_LOST):
                world.fault(fates.WAKE_UP_LOST, node.name, topic)
            elif node.up:
                world.loop.call_later(0.001, node.wake, topic)

    def send(self, client: Client, device: int, number: int, command: Message) -> None:
        """Send a player's command to a node."""
        world = self.world
        fate = world.season.of_network()
        if fate is not None:
            world.fault(fate, client.id, command)
        else:
            world.note(client.id, f"to node {number}", command)
        latency = LATENCY * world.rng.random()
        if fate == fates.ELSEWHERE:
            number = (number + 1) % len(self.nodes)
        elif fate == fates.DELAYED:
            latency += world.rng.random()
        elif fate == fates.TWICE:
            again = latency + world.rng.choice((0.001, 0.05, 1.0))
            world.loop.call_later(again, self._arrive, client, device, number, command, None)
        if fate != fates.COMMAND_LOST:
            world.loop.call_later(latency, self._arrive, client, device, number, command, fate)

    def _arrive(
        self, client: Client, device: int, number: int, command: Message, fate: str | None
    ) -> None:
        node = self.nodes[number]
        if not node.up:
            client.give_up(command["id"])
            return

        def reply(event: Message) -> None:
            self._reply(client, event, lost=fate == fates.ANSWER_LOST)

        node.take(client.id, device, _typed(command), reply, client.hint)

    def _reply(self, client: Client, event: Message, *, lost: bool) -> None:
        world = self.world
        world.note(client.id, "lost answer" if lost else "answer", event)
        if not lost:
            latency = LATENCY * world.rng.random()
            world.loop.call_later(latency, client.hear, event)


def _typed(command: Message) -> AnyCommand:
    fields = {name: value for name, value in command.items() if name != "type"}
    if fields.get("have") is not None:
        fields["have"] = m.Have(**fields["have"])
    typed: AnyCommand = _TYPES[command["type"]](**fields)
    return typed
