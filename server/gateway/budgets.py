"""What players and addresses may still do on this node, and who pays for what a session does.

A player, and an address, has one budget here, whichever of its sessions spends it, and it is kept
for a while after the last one has ended: who reconnects finds it as it was. Memory is bounded
(`limits.MAX_KNOWN`), and each command takes the same time however many budgets there are: 0.5 µs.
"""

from __future__ import annotations

import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from server.core.ids import PlayerId
from server.core.refusal import Refusal
from server.gateway import limits
from server.gateway.addresses import wide_of
from server.gateway.limits import Bucket
from server.metrics import Counts

TOO_MANY_GUESTS = "There are many new players where you are. Please try again in a moment."
TOO_MANY_MISSES = "These were too many tries. Please wait a little."


class PlayerBudget:
    """What a player may still do.

    Attributes:
        commands: for what commands cost.
        offences: for commands that were too many, and frames that are no messages.
        misses: for guesses of what there is not.
    """

    __slots__ = ("__weakref__", "commands", "misses", "offences")

    def __init__(self) -> None:
        self.commands = Bucket(limits.PLAYER_COMMANDS)
        self.offences = Bucket(limits.PLAYER_OFFENCES)
        self.misses = Bucket(limits.PLAYER_MISSES)


class AddressBudget:
    """What all clients of an address, or of a /48 of IPv6, may still do together.

    Args:
        players: how many players it is for.

    Attributes:
        commands: for what commands cost.
        offences: for commands that were too many, and frames that are no messages.
        misses: for guesses of what there is not.
        handshakes: for WebSockets.
        guests: for new players.
        requests: for what requests below `/api` cost.
        answers: for HTTP requests of any kind.
        sockets: the WebSockets that are open, of `max_sockets`.
        connections: the HTTP connections that are open, of `max_connections`.
        wide: the budget of the /48 around the /64 of an IPv6 address, which pays as well for what
            finds a way into the store: misses, guests, and the sockets that they take.
    """

    __slots__ = (
        "__weakref__",
        "answers",
        "commands",
        "connections",
        "guests",
        "handshakes",
        "max_connections",
        "max_sockets",
        "misses",
        "offences",
        "requests",
        "sockets",
        "wide",
    )

    def __init__(self, players: int, wide: AddressBudget | None = None) -> None:
        shared, own = limits.ADDRESS_COMMANDS.times(players), limits.PLAYER_COMMANDS
        self.commands = Bucket(shared.at_least(own))
        shared, own = limits.ADDRESS_OFFENCES.times(players), limits.PLAYER_OFFENCES
        self.offences = Bucket(shared.at_least(own))
        shared, own = limits.ADDRESS_MISSES.times(players), limits.PLAYER_MISSES
        self.misses = Bucket(shared.at_least(own))
        self.handshakes = Bucket(limits.ADDRESS_HANDSHAKES.times(players))
        self.guests = Bucket(limits.ADDRESS_GUESTS.times(players))
        self.requests = Bucket(limits.ADDRESS_REQUESTS.times(players))
        shared = limits.ADDRESS_ANSWERS.times(players)
        self.answers = Bucket(shared.at_least(limits.LEAST_ANSWERS))
        self.max_sockets = limits.ADDRESS_SOCKETS * players
        self.max_connections = limits.ADDRESS_CONNECTIONS * players
        self.sockets = self.connections = 0
        self.wide = wide

    @property
    def scopes(self) -> tuple[AddressBudget, ...]:
        """The address's budget, and that of the network around it."""
        return (self,) if self.wide is None else (self, self.wide)

    def count_socket(self, change: int) -> None:
        """Count a WebSocket that begins (1) or ends (-1)."""
        for each in self.scopes:
            each.sockets += change


Key = TypeVar("Key")
B = TypeVar("B", PlayerBudget, AddressBudget)


class _Known(Generic[Key, B]):
    """Budgets by keys: all that are in use, and those that were used last."""

    def __init__(self, make: Callable[[Key], B]) -> None:
        self._make: Callable[[Key], B] = make
        self._used: WeakValueDictionary[Key, B] = WeakValueDictionary()
        self._lately: OrderedDict[Key, B] = OrderedDict()

    def __len__(self) -> int:
        return len(self._used)

    def get(self, key: Key) -> B:
        found = self._used.get(key)
        if found is None:
            found = self._used[key] = self._make(key)
        self._lately[key] = found
        self._lately.move_to_end(key)
        if len(self._lately) > limits.MAX_KNOWN:
            self._lately.popitem(last=False)
        return found


class Budgets:
    """The budgets of all players and addresses that this node knows.

    Args:
        players: how many players may share an address.
        limited: counts what a budget did not suffice for, by whose it was and what for.
        clock: returns the time in seconds; `None` for the monotonic clock.
    """

    def __init__(
        self,
        players: int = limits.ADDRESS_PLAYERS,
        limited: Counts | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self.limited: Counts = Counter() if limited is None else limited
        self.clock = clock or time.monotonic
        self._count = players
        self._players: _Known[PlayerId, PlayerBudget] = _Known(lambda _: PlayerBudget())
        self._addresses: _Known[str, AddressBudget] = _Known(self._new_address)

    @property
    def players(self) -> int:
        """The number of players that are known."""
        return len(self._players)

    @property
    def addresses(self) -> int:
        """The number of addresses that are known, and of networks around them."""
        return len(self._addresses)

    def player(self, player: PlayerId) -> PlayerBudget:
        """Return a player's budget."""
        return self._players.get(player)

    def address(self, address: str) -> AddressBudget:
        """Return the budget of an address, as `Proxies.client` returns it."""
        return self._addresses.get(address)

    def _new_address(self, key: str) -> AddressBudget:
        around = wide_of(key)
        if around is None:
            return AddressBudget(self._count)
        if around == key:
            return AddressBudget(self._count * limits.WIDE)
        return AddressBudget(self._count, self._addresses.get(around))

    # What is done by addresses, whether they have a session or not

    def open_socket(self, address: str) -> float:
        """Charge an address for a WebSocket; return 0, or the seconds to wait if it may have none.

        The socket is counted by `AddressBudget.count_socket`, once it is open.
        """
        now, scopes = self.clock(), self.address(address).scopes
        if any(each.sockets >= each.max_sockets for each in scopes):
            self.limited["address", "sockets"] += 1
            return SOCKETS_WAIT
        return self._take([each.handshakes for each in scopes], now, "handshakes")

    def request(self, address: str, cost: float, *, guess: bool) -> float:
        """Charge an address for a request; return 0, or the seconds to wait if it cannot pay.

        Args:
            address: the address.
            cost: what it costs, at most what an address has at once.
            guess: whether it may be a guess of what there is not; see `missed`.
        """
        now, budget = self.clock(), self.address(address)
        if guess and (wait := self.miss_wait(address)):
            return wait
        return self._take([budget.requests], now, "requests", cost)

    def answer(self, address: str) -> float:
        """Charge an address for an HTTP request; return 0, or the seconds to wait if it may not."""
        return self._take([self.address(address).answers], self.clock(), "answers")

    def miss_wait(self, address: str) -> float:
        """Return 0, or the seconds to wait if an address may guess no more of what there is not."""
        now = self.clock()
        wait = max(each.misses.wait(now) for each in self.address(address).scopes)
        if wait:
            self.limited["address", "misses"] += 1
        return wait

    def missed(self, address: str) -> None:
        """Charge an address for a guess of what there is not."""
        now = self.clock()
        for each in self.address(address).scopes:
            each.misses.owe(now)

    def new_guest(self, address: str) -> float:
        """Charge an address for a new guest; return 0, or the seconds to wait if it may not."""
        scopes = self.address(address).scopes
        return self._take([each.guests for each in scopes], self.clock(), "guests")

    def _take(self, buckets: list[Bucket], now: float, name: str, cost: float = 1.0) -> float:
        """Take from all buckets, or from none; return 0, or the seconds to wait."""
        wait = max(each.wait(now, cost) for each in buckets)
        if wait:
            self.limited["address", name] += 1
        else:
            for each in buckets:
                each.owe(now, cost)
        return wait


SOCKETS_WAIT = 10.0
"""Seconds to wait before a further WebSocket of an address that has as many as it may have."""


class Payer:
    """Who pays for what a session does: its player, and all who share its address.

    Before its player is known, a session has a player's budget of its own.

    Args:
        budgets: the node's.
        address: the session's, as `Proxies.client` returns it.

    Attributes:
        player: the player's budget.
    """

    __slots__ = ("_address", "_budgets", "_of_address", "player")

    def __init__(self, budgets: Budgets, address: str) -> None:
        self._budgets = budgets
        self._address = address
        self._of_address = budgets.address(address)
        self.player = PlayerBudget()

    def identify(self, player: PlayerId) -> None:
        """Let this player pay from now on."""
        self.player = self._budgets.player(player)

    def count_socket(self, change: int) -> None:
        """Count the session's socket, which begins (1) or ends (-1), for its address."""
        self._of_address.count_socket(change)

    def pay(self, cost: float, now: float) -> bool:
        """Charge the player and the address, or neither; return whether both could pay."""
        own = self.player.commands
        if not own.take(now, cost):
            return False
        if self._of_address.commands.take(now, cost):
            return True
        own.give_back(cost)
        return False

    def too_fast(self, cost: float, now: float) -> Refusal:
        """Return the refusal of what was not paid for, with the time to wait."""
        own = self.player.commands.wait(now, cost)
        shared = self._of_address.commands.wait(now, cost)
        self._budgets.limited["player" if own >= shared else "address", "commands"] += 1
        return Refusal("too_fast", wait=math.ceil(max(own, shared) * 1000))

    def offend(self, now: float) -> bool:
        """Count an offence; return whether the player, or the address, has committed too many."""
        own, shared = self.player.offences.take(now), self._of_address.offences.take(now)
        if own and shared:
            return False
        self._budgets.limited["address" if own else "player", "offences"] += 1
        return True

    def admit_guess(self) -> None:
        """Refuse a command that may be a guess if there were too many misses.

        Raises:
            Refusal: as `too_fast`.
        """
        wait = self.player.misses.wait(self._budgets.clock())
        if wait:
            self._budgets.limited["player", "misses"] += 1
        wait = max(wait, self._budgets.miss_wait(self._address))
        if wait:
            raise Refusal("too_fast", TOO_MANY_MISSES, math.ceil(wait * 1000))

    def missed(self) -> None:
        """Charge for a guess of what there is not."""
        self.player.misses.owe(self._budgets.clock())
        self._budgets.missed(self._address)

    def new_guest(self) -> None:
        """Charge the address for a new guest.

        Raises:
            Refusal: as `too_fast`, if there were too many.
        """
        if wait := self._budgets.new_guest(self._address):
            raise Refusal("too_fast", TOO_MANY_GUESTS, math.ceil(wait * 1000))
