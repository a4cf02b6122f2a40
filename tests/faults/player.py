"""Scripted players on sockets, who resume attempts with correct and wrong claims."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from server.play.core.digest import digest
from tests.clients import player as scripted
from tests.clients.client import Client
from tests.clients.plans import Club
from tests.clients.player import LostError
from tests.faults import ledger
from tests.faults.ledger import Ledger, Message

QUIET_TIMEOUT = 20.0
"""Seconds to wait for an answer when there are no more faults."""

SECOND_DEVICE = 0.02
"""Probability of playing on a second device at the same time."""

NOTHING, OLD, WRONG_DIGEST, WRONG_ENTRY = 0.15, 0.15, 0.1, 0.1
"""Probabilities of no `have`, of the first state's, of a wrong digest, and of a wrong entry."""


@dataclass
class World:
    """State shared by all players.

    Attributes:
        port: the balancer's port.
        counts: number of occurrences, by name.
        duplicate: number of batches left to send with a duplicate command.
        reorder: number of batches left to send with two commands swapped.
        closing: whether the faults are over and players should finish.
        challenges: links of the latest challenges.
        circles: the latest circles.
        links: codes and watch keys shared by hosts, the latest ones.
        complaints: errors found by the players themselves.
        ledgers: one per identity.
    """

    port: int
    counts: Counter[str] = field(default_factory=Counter)
    duplicate: int = 0
    reorder: int = 0
    closing: bool = False
    challenges: deque[str] = field(default_factory=lambda: deque(maxlen=4))
    circles: deque[Club] = field(default_factory=lambda: deque(maxlen=3))
    links: deque[tuple[str, str]] = field(default_factory=lambda: deque(maxlen=8))
    complaints: list[str] = field(default_factory=list)
    ledgers: list[Ledger] = field(default_factory=list)

    @property
    def calm(self) -> bool:
        """Whether the faults are over."""
        return self.closing

    def now(self) -> int:
        """Return the time in Unix milliseconds."""
        return ledger.now()

    def skip_time(self, milliseconds: float) -> None:
        """Do nothing: this is real time."""

    def complain(self, kind: str, about: str, text: str) -> None:
        """Add a complaint."""
        self.complaints.append(f"{about}: {kind}: {text}")


class Player(scripted.Player):
    """A person whose sockets go through the balancer."""

    world: World
    stamina = 4
    # Each move of another runner would make the player read the room again.
    unheeded = frozenset({"progress", "WatchedMove"})

    def __init__(self, number: int, world: World, rng: random.Random, pace: float) -> None:
        super().__init__(number, world, rng)
        self.pace = pace

    @property
    def port(self) -> int:
        """The port of the next session."""
        return self.world.port

    async def connect(self, number: int, take: Callable[[Message], None]) -> Client:
        """Return a device's new connection.

        Raises:
            LostError: it could not be opened.
        """
        try:
            socket = await connect(
                f"ws://127.0.0.1:{self.port}/socket",
                proxy=None,
                compression=None,
                open_timeout=self.timeout(),
                ping_interval=None,
                close_timeout=1,
            )
        except (OSError, InvalidHandshake, ConnectionClosed, EOFError) as error:
            raise LostError from error
        return Client(socket, take)

    def timeout(self) -> float:
        """Return the seconds to wait for an answer."""
        return QUIET_TIMEOUT if self.world.closing else self.rng.uniform(0.5, 8.0)

    def have(self, attempt: str) -> Message | None:
        """Return the `have` of the last or first state, or a wrong one, or none."""
        rng, state = self.rng, self.states[attempt]
        chance = rng.random()
        self.world.counts["resumed"] += 1
        if chance < NOTHING:
            return None
        had = self.first_states.get(attempt, state) if chance < NOTHING + OLD else state
        seq, value = had.seq, digest(had.view)
        match rng.random():
            case lie if lie < WRONG_DIGEST:
                value ^= 1 << rng.randrange(32)
            case lie if lie < WRONG_DIGEST + WRONG_ENTRY:
                seq = rng.choice((seq + 1, seq + 1_000, max(1, seq - 1)))
        return {"seq": seq, "digest": value}

    def takes_second_device(self, attempt: str) -> bool:
        """Return whether to play on a second device at the same time."""
        takes = self.rng.random() < SECOND_DEVICE
        self.world.counts["second devices"] += takes
        return takes

    def disturbed(self, commands: list[Message]) -> list[Message]:
        """Return the commands to send, with a duplicate or a swap if a fault is planned."""
        world, sent = self.world, list(commands)
        if world.duplicate > 0:
            world.duplicate -= 1
            world.counts["fault: message twice"] += 1
            at = self.rng.randrange(len(sent))
            sent.insert(self.rng.randrange(at, len(sent)) + 1, sent[at])
        if world.reorder > 0 and len(commands) > 1:
            world.reorder -= 1
            world.counts["fault: messages swapped"] += 1
            at = self.rng.randrange(len(sent) - 1)
            sent[at], sent[at + 1] = sent[at + 1], sent[at]
        return sent

    def ignored(self, commands: list[Message]) -> None:
        """Complain of missing answers."""
        text = f"no answer within {QUIET_TIMEOUT} s to {commands}"
        self.world.complain("broken", f"player {self.number}", text)
