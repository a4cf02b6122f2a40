"""Budgets of players and addresses on this node, and the refusals when they are exhausted.

A player or address has one budget, shared by all its sessions. The budget is kept for a while after
the last session, so a reconnecting client finds it unchanged. An IPv6 address and its /48 both pay,
from separate budgets. Memory is bounded (`limits.MAX_KNOWN`, `limits.MAX_SPENT`), and charging a
command takes less than 1 µs, independent of the number of budgets.

A command that cannot be paid for is refused. Only a command that costs more than `limits.PREPAID`
leaves a debt, which delays later commands. A guess is charged in advance, and refunded if it was
right.
"""

from __future__ import annotations

import math
import struct
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from server.base.core.ids import PlayerId
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.net import limits
from server.base.net.addresses import wide_of
from server.base.net.limits import Bucket, Rate
from server.base.net.silences import Silence, Silences
from server.base.work.metrics import Counts

TOO_MANY_GUESTS = "Too many new players at your address. Please try again in a moment."
TOO_MANY_MISSES = "Too many attempts. Please wait a little."
TOO_MANY_RULES = "Too many new rules were tried here lately. Please wait a little."
TOO_MANY_REPORTS = "You have sent a lot of reports lately. Please try again later."


class PlayerBudget:
    """The budget of a player. Most players need only the first bucket; others are made on use.

    Attributes:
        commands: for the costs of commands.
        offences: for commands over the limit, and invalid frames.
        slips: for a day's first wrong guesses, which neither affect others nor are affected by
            them.
        misses: for further wrong guesses.
        reports: for reports of other players.
        rules: for new custom rules.
    """

    __slots__ = ("__weakref__", "commands", "misses", "offences", "reports", "rules", "slips")

    offences: Bucket
    slips: Bucket
    misses: Bucket
    reports: Bucket
    rules: Bucket

    def __init__(self) -> None:
        self.commands = Bucket(limits.PLAYER_COMMANDS)

    def __getattr__(self, name: str) -> Bucket:
        rate: Rate = getattr(limits, f"PLAYER_{name.upper()}")
        bucket = Bucket(rate)
        setattr(self, name, bucket)
        return bucket

    @property
    def buckets(self) -> tuple[Bucket, ...]:
        """All its buckets."""
        return self.commands, self.offences, self.slips, self.misses, self.reports, self.rules


class AddressBudget:
    """The shared budget of all clients at an address or in an IPv6 /48.

    Args:
        key: the address or network, as returned by `addresses.key_of`.
        players: the number of players that it must suffice for.
        wide: the budget of the /48 around an IPv6 /64.

    Attributes:
        key: as given.
        commands: for the costs of commands.
        offences: for commands over the limit, and invalid frames.
        misses: for wrong guesses by players who have been wrong before.
        handshakes: for opening WebSockets.
        guests: for new players.
        requests: for the costs of requests below `/api`.
        answers: for HTTP requests of any kind.
        reports: for reports of other players.
        rules: for new custom rules.
        sockets: the number of open WebSockets, at most `max_sockets`.
        connections: the number of open HTTP connections, at most `max_connections`.
        scopes: the paying budgets: this one, and `wide` if present.
    """

    _KINDS = (
        *("commands", "offences", "misses", "handshakes", "guests", "requests", "answers"),
        *("reports", "rules"),
    )
    _OTHERS = "key", "max_connections", "max_sockets", "connections", "sockets", "wide"
    __slots__ = (*_KINDS, *_OTHERS, "__weakref__")

    def __init__(self, key: str, players: int, wide: AddressBudget | None = None) -> None:
        self.key = key
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
        shared, own = limits.ADDRESS_REPORTS.times(players), limits.PLAYER_REPORTS
        self.reports = Bucket(shared.at_least(own))
        shared, own = limits.ADDRESS_RULES.times(players), limits.PLAYER_RULES
        self.rules = Bucket(shared.at_least(own))
        self.max_sockets = limits.ADDRESS_SOCKETS * players
        self.max_connections = limits.ADDRESS_CONNECTIONS * players
        self.sockets = self.connections = 0
        self.wide = wide

    @property
    def scopes(self) -> tuple[AddressBudget, ...]:
        """The address's budget and the surrounding network's."""
        return (self,) if self.wide is None else (self, self.wide)

    @property
    def buckets(self) -> tuple[Bucket, ...]:
        """All its buckets, without the counts of open connections."""
        found: tuple[Bucket, ...] = attrgetter(*self._KINDS)(self)
        return found

    @property
    def full(self) -> AddressBudget | None:
        """A scope at its maximum of HTTP connections; `None` if one more can be opened."""
        for each in self.scopes:
            if each.connections >= each.max_connections:
                return each
        return None

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of its scopes."""
        return (self.key,) if self.wide is None else (self.key, self.wide.key)

    def count_socket(self, change: int) -> None:
        """Count the start (1) or end (-1) of a WebSocket."""
        for each in self.scopes:
            each.sockets += change

    def count_connection(self, change: int) -> None:
        """Count the start (1) or end (-1) of an HTTP connection."""
        for each in self.scopes:
            each.connections += change


def _take(buckets: Sequence[Bucket], now: float, cost: float = 1.0) -> bool:
    """Take from all buckets or from none, and return whether all had enough."""
    for bucket in buckets:
        if not bucket.take(now, cost):
            for taken in buckets[: buckets.index(bucket)]:
                taken.give_back(cost)
            return False
    return True


def _wait(buckets: Iterable[Bucket], now: float, cost: float = 1.0) -> float:
    """Return the seconds until all buckets have enough; 0 for now."""
    return max(each.wait(now, cost) for each in buckets)


class Guess:
    """The charge for a possible guess, as a context manager around the attempt.

    It is refunded at the end unless `missed` is called.
    """

    __slots__ = ("_taken",)

    def __init__(self, *taken: Bucket) -> None:
        self._taken = taken

    def __enter__(self) -> Guess:
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._taken:
            each.give_back()
        self._taken = ()

    def missed(self) -> None:
        """Keep the charge, since the guess was wrong."""
        self._taken = ()


Key = TypeVar("Key", bound=str)
B = TypeVar("B", PlayerBudget, AddressBudget)


class _BudgetCache(Generic[Key, B]):
    """Budgets by key: all in use, and those used recently.

    Older budgets are reduced to their buckets' states, and kept until they are full again, so that
    forgetting a budget does not refill it.
    """

    def __init__(self, make: Callable[[Key], B], clock: Callable[[], float]) -> None:
        self._make: Callable[[Key], B] = make
        self._clock = clock
        self._used: WeakValueDictionary[Key, B] = WeakValueDictionary()
        self._lately: OrderedDict[Key, B] = OrderedDict()
        self._spent: OrderedDict[Key, bytes] = OrderedDict()
        """For each key, the time when all its buckets are full, and their states."""

    def __len__(self) -> int:
        return len(self._used)

    def get(self, key: Key) -> B:
        if (known := self._lately.get(key)) is not None:
            self._lately.move_to_end(key)
            return known
        found = self._used.get(key)
        if found is None:
            found = self._used[key] = self._make(key)
            if (kept := self._spent.pop(key, None)) is not None:
                for bucket, state in zip(found.buckets, _numbers(kept)[1:], strict=True):
                    bucket.state = state
        # A strong reference keeps the budget after its last session.
        self._lately[key] = found
        if len(self._lately) > limits.MAX_KNOWN:
            self._forget(*self._lately.popitem(last=False))
        return found

    def _forget(self, key: Key, budget: B) -> None:
        now = self._clock()
        buckets: tuple[Bucket, ...] = budget.buckets
        full_at = max(each.full_at for each in buckets)
        # A budget with full buckets need not be remembered.
        if full_at > now:
            numbers = (full_at, *(each.state for each in buckets))
            self._spent[key] = struct.pack(f"{len(numbers)}d", *numbers)
            self._spent.move_to_end(key)
        # Remove up to two for each addition, so that few full budgets remain.
        for _ in range(2):
            oldest = next(iter(self._spent), None)
            if oldest is None:
                return
            if len(self._spent) > limits.MAX_SPENT or _numbers(self._spent[oldest])[0] <= now:
                del self._spent[oldest]


def _numbers(kept: bytes) -> tuple[float, ...]:
    return struct.unpack(f"{len(kept) // 8}d", kept)


class Budgets:
    """The budgets of all players and addresses known to this node.

    Args:
        players: the number of players that may share an address.
        limited: counts refusals, by the kind of budget and the resource.
        clock: returns the time in seconds; `None` for the monotonic clock.

    Attributes:
        silences: the silent connections, which make room for others.
        rules: for new custom rules of all players.
    """

    def __init__(
        self,
        players: int = limits.ADDRESS_PLAYERS,
        limited: Counts | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self.limited: Counts = Counter() if limited is None else limited
        self.clock = clock or time.monotonic
        self.silences = Silences()
        self.rules = Bucket(limits.NODE_RULES)
        self._count = players
        self._players: _BudgetCache[PlayerId, PlayerBudget] = _BudgetCache(
            lambda _: PlayerBudget(), self.clock
        )
        self._addresses: _BudgetCache[str, AddressBudget] = _BudgetCache(
            self._new_address, self.clock
        )

    @property
    def players(self) -> int:
        """The number of known players."""
        return len(self._players)

    @property
    def addresses(self) -> int:
        """The number of known addresses, including the networks around them."""
        return len(self._addresses)

    def player(self, player: PlayerId) -> PlayerBudget:
        """Return a player's budget."""
        return self._players.get(player)

    def address(self, address: str) -> AddressBudget:
        """Return the budget of an address, as returned by `Proxies.client`."""
        found = self._addresses.get(address)
        if found.wide is not None:
            # Using a network's budget also counts as use of the surrounding network's.
            self._addresses.get(found.wide.key)
        return found

    def _new_address(self, key: str) -> AddressBudget:
        around = wide_of(key)
        if around is None:
            return AddressBudget(key, self._count)
        if around == key:
            return AddressBudget(key, self._count * limits.WIDE)
        return AddressBudget(key, self._count, self._addresses.get(around))

    # Charges to addresses, with or without a session

    def open_socket(self, address: str) -> float:
        """Charge an address for a WebSocket; return 0, or the seconds to wait.

        The socket is counted by `AddressBudget.count_socket` once it is open.
        """
        scopes = self.address(address).scopes
        if any(each.sockets >= each.max_sockets for each in scopes):
            self.limited["address", "sockets"] += 1
            return SOCKETS_WAIT
        return self._charge([each.handshakes for each in scopes], "handshakes")

    def request(self, address: str, cost: float) -> float:
        """Charge an address for a request; return 0, or the seconds to wait if it cannot pay.

        The cost must not exceed the capacity of the address's bucket.
        """
        buckets = [each.requests for each in self.address(address).scopes]
        return self._charge(buckets, "requests", cost)

    def answer(self, address: str) -> float:
        """Charge an address for an HTTP request; return 0, or the seconds to wait."""
        return self._charge([each.answers for each in self.address(address).scopes], "answers")

    def guess(self, address: str) -> Guess | None:
        """Charge an address for a possible guess by an unknown player.

        Returns:
            The charge; `None` if there were too many misses.
        """
        buckets = [each.misses for each in self.address(address).scopes]
        return None if self._charge(buckets, "misses") else Guess(*buckets)

    def _charge(self, buckets: list[Bucket], name: str, cost: float = 1.0) -> float:
        """Take from all buckets or from none; return 0, or the seconds to wait."""
        now = self.clock()
        if _take(buckets, now, cost):
            return 0.0
        self.limited["address", name] += 1
        return _wait(buckets, now, cost)


SOCKETS_WAIT = 10.0
"""Seconds to wait before opening another WebSocket at an address that has reached its maximum."""


class Payer:
    """The payers of a session: its player and its address.

    Until its player is known, a session has its own player's budget.

    Args:
        budgets: the node's budgets.
        address: the session's address, as returned by `Proxies.client`.

    Attributes:
        player: the player's budget.
    """

    __slots__ = (
        "_address",
        "_budgets",
        "_commands",
        "_identified",
        "_scopes",
        "_silence",
        "player",
    )

    def __init__(self, budgets: Budgets, address: str) -> None:
        self._budgets = budgets
        self._address = address
        self._scopes = budgets.address(address).scopes
        self._identified: PlayerId | None = None
        self._silence: Silence | None = None
        self.player = PlayerBudget()
        self._commands = self._buckets()

    def identify(self, player: PlayerId) -> None:
        """Charge this player from now on."""
        self._identified = player
        self._end_silence()
        self.player = self._budgets.player(player)
        self._commands = self._buckets()

    def _buckets(self) -> tuple[Bucket, ...]:
        """Return the buckets that every command is charged to, the player's first."""
        return self.player.commands, *(each.commands for each in self._scopes)

    def begin_session(self, abort: Callable[[], object]) -> None:
        """Count the session's socket for its address until `end_session`.

        Args:
            abort: ends the connection if another one needs its place before the player is known.
        """
        own = self._scopes[0]
        own.count_socket(1)
        self._silence = self._budgets.silences.begin(own.keys, abort)

    def end_session(self) -> None:
        """Stop counting the session's socket, and keep its budgets for a while."""
        self._end_silence()
        self._budgets.address(self._address).count_socket(-1)
        if self._identified is not None:
            self._budgets.player(self._identified)

    def _end_silence(self) -> None:
        if self._silence is not None:
            self._silence.end()
            self._silence = None

    def pay(self, cost: float, now: float) -> bool:
        """Charge the player and the address, or neither, and return whether both could pay."""
        return _take(self._commands, now, cost)

    def charge(self, cost: float, now: float, paid: float = 0.0) -> float:
        """Charge the player and the address for additional work of a command, before doing it.

        At most `limits.PREPAID` must be available; the rest is left as a debt.

        Args:
            cost: the cost of the work.
            now: the monotonic time in seconds.
            paid: the sum that the command has paid already, without debts.

        Returns:
            The amount that was available, without the debt.

        Raises:
            Refusal: as `too_fast`, with the time to wait; nothing was charged.
        """
        prepaid = min(cost, limits.PREPAID)
        if not self.pay(prepaid, now):
            # When the command is sent again, it pays everything again.
            raise self.too_fast(paid + prepaid, now)
        if cost > prepaid:
            self.owe(cost - prepaid, now)
        return prepaid

    def owe(self, cost: float, now: float) -> None:
        """Charge the player and the address for work done, leaving a debt if they cannot pay."""
        for each in self._commands:
            each.owe(now, cost)

    def too_fast(self, cost: float, now: float) -> Refusal:
        """Return the refusal of an unpaid command, with the time to wait."""
        own, shared = self._commands[0].wait(now, cost), _wait(self._commands[1:], now, cost)
        self._budgets.limited["player" if own >= shared else "address", "commands"] += 1
        return Refusal(BaseRefusals.too_fast, wait=math.ceil(max(own, shared) * 1000))

    def offend(self, now: float) -> bool:
        """Count an offence, and return whether the player or the address has exceeded its limit."""
        own = self.player.offences.take(now)
        # Charge all of them, even if one has no tokens left.
        refused = sum(not each.offences.take(now) for each in self._scopes)
        if own and not refused:
            return False
        self._budgets.limited["address" if own else "player", "offences"] += 1
        return True

    def guess(self) -> Guess:
        """Charge for a possible guess.

        A player with few recent misses pays alone, unaffected by others. After that, all guessing
        players at the address share its bucket.

        Raises:
            Refusal: as `too_fast`, if there were too many misses.
        """
        now, slips, own = self._budgets.clock(), self.player.slips, self.player.misses
        if slips.take(now):
            return Guess(slips)
        buckets = (own, *(each.misses for each in self._scopes))
        if _take(buckets, now):
            return Guess(*buckets)
        wait = _wait(buckets, now)
        whose = "player" if own.wait(now) >= wait else "address"
        self._budgets.limited[whose, "misses"] += 1
        raise Refusal(BaseRefusals.too_fast, TOO_MANY_MISSES, math.ceil(wait * 1000))

    def new_rules(self, cost: float, paid: float = 0.0) -> float:
        """Charge for rules without tables on this node.

        Args:
            cost: the cost of building the tables.
            paid: as for `charge`.

        Returns:
            As `charge`.

        Raises:
            Refusal: as `too_fast`, with the time to wait, if the player, the address or the node
                has exceeded its limit; or as raised by `charge`.
        """
        budgets, own = self._budgets, self.player.rules
        buckets = (own, *(each.rules for each in self._scopes), budgets.rules)
        now = budgets.clock()
        if not _take(buckets, now):
            wait = _wait(buckets, now)
            whose = "player" if own.wait(now) >= wait else "address"
            whose = "node" if budgets.rules.wait(now) >= wait else whose
            budgets.limited[whose, "rules"] += 1
            raise Refusal(BaseRefusals.too_fast, TOO_MANY_RULES, math.ceil(wait * 1000))
        try:
            return self.charge(cost, now, paid)
        except Refusal:
            for each in buckets:
                each.give_back()
            raise

    @contextmanager
    def report(self) -> Iterator[None]:
        """Charge the player and the address for a report, unless the block raises.

        Raises:
            Refusal: as `too_fast`, if there were too many reports.
        """
        budgets, own = self._budgets, self.player.reports
        buckets = [own, *(each.reports for each in self._scopes)]
        now = budgets.clock()
        if not _take(buckets, now):
            wait = _wait(buckets, now)
            budgets.limited["player" if own.wait(now) >= wait else "address", "reports"] += 1
            raise Refusal(BaseRefusals.too_fast, TOO_MANY_REPORTS, math.ceil(wait * 1000))
        try:
            yield
        except BaseException:
            for each in buckets:
                each.give_back()
            raise

    @contextmanager
    def new_guest(self) -> Iterator[None]:
        """Charge the address for a new guest, unless the block raises.

        Raises:
            Refusal: as `too_fast`, if there were too many guests.
        """
        budgets, buckets = self._budgets, [each.guests for each in self._scopes]
        now = budgets.clock()
        if not _take(buckets, now):
            budgets.limited["address", "guests"] += 1
            wait = math.ceil(_wait(buckets, now) * 1000)
            raise Refusal(BaseRefusals.too_fast, TOO_MANY_GUESTS, wait)
        try:
            yield
        except BaseException:
            for each in buckets:
                each.give_back()
            raise
