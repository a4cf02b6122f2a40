"""Budgets of players and addresses on this node: who pays for what, and what is refused then.

A player, and an address, has one budget here, whichever of its sessions spends it, and it is kept
for a while after the last one has ended: who reconnects finds it as it was. What an address pays,
the /48 of IPv6 around it pays as well, out of a budget of its own. Memory is bounded
(`limits.MAX_KNOWN`, `limits.MAX_SPENT`), and each command takes the same time however many budgets
there are, less than 1 µs.

What cannot be paid for is not done. Only commands that cost more than `limits.PREPAID` leave a
debt, for which later commands wait. A guess is paid for before it is known to be one, and
paid back if it was right.
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
from server.base.core.refusal import Refusal
from server.base.net import limits
from server.base.net.addresses import wide_of
from server.base.net.limits import Bucket
from server.base.net.silences import Silence, Silences
from server.base.work.metrics import Counts

TOO_MANY_GUESTS = "There are many new players where you are. Please try again in a moment."
TOO_MANY_MISSES = "These were too many tries. Please wait a little."
TOO_MANY_RULES = "A lot of new rules have been tried here lately. Please wait a little."
TOO_MANY_REPORTS = "You have reported a lot already. Please try again later."


class PlayerBudget:
    """The budget of a player: what it may still do.

    Attributes:
        commands: for what commands cost.
        offences: for commands that were too many, and frames that are no messages.
        slips: for the first wrong guesses of a day, of which nobody else is to notice anything, and
            which nobody else can take away.
        misses: for further ones.
        reports: for reports of others.
        rules: for new rules.
    """

    __slots__ = ("__weakref__", "commands", "misses", "offences", "reports", "rules", "slips")

    def __init__(self) -> None:
        self.commands = Bucket(limits.PLAYER_COMMANDS)
        self.offences = Bucket(limits.PLAYER_OFFENCES)
        self.slips = Bucket(limits.PLAYER_SLIPS)
        self.misses = Bucket(limits.PLAYER_MISSES)
        self.reports = Bucket(limits.PLAYER_REPORTS)
        self.rules = Bucket(limits.PLAYER_RULES)

    @property
    def buckets(self) -> tuple[Bucket, ...]:
        """All that it has."""
        return self.commands, self.offences, self.slips, self.misses, self.reports, self.rules


class AddressBudget:
    """The budget of all clients of an address, or of a /48 of IPv6, together.

    Args:
        key: the address, or the network, as `addresses.key_of` returns it.
        players: how many players it is for.
        wide: that of the /48 around the /64 of an IPv6 address.

    Attributes:
        key: as given.
        commands: for what commands cost.
        offences: for commands that were too many, and frames that are no messages.
        misses: for wrong guesses of players who have been wrong before.
        handshakes: for WebSockets.
        guests: for new players.
        requests: for what requests below `/api` cost.
        answers: for HTTP requests of any kind.
        reports: for reports of other players.
        rules: for new rules.
        sockets: the WebSockets that are open, of `max_sockets`.
        connections: the HTTP connections that are open, of `max_connections`.
        scopes: who pays: this budget, and `wide`, if there is one.
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
        """The address's budget, and that of the network around it."""
        return (self,) if self.wide is None else (self, self.wide)

    @property
    def buckets(self) -> tuple[Bucket, ...]:
        """All that it has, but for what is counted while it is open."""
        found: tuple[Bucket, ...] = attrgetter(*self._KINDS)(self)
        return found

    @property
    def full(self) -> AddressBudget | None:
        """The scope that has all of its HTTP connections; `None` if one more may be opened."""
        return next(
            (each for each in self.scopes if each.connections >= each.max_connections), None
        )

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of its scopes."""
        return tuple(each.key for each in self.scopes)

    def count_socket(self, change: int) -> None:
        """Count a WebSocket that begins (1) or ends (-1)."""
        for each in self.scopes:
            each.sockets += change

    def count_connection(self, change: int) -> None:
        """Count an HTTP connection that begins (1) or ends (-1)."""
        for each in self.scopes:
            each.connections += change


def _take(buckets: Sequence[Bucket], now: float, cost: float = 1.0) -> bool:
    """Take from all buckets, or from none; return whether all could give it."""
    for number, bucket in enumerate(buckets):
        if not bucket.take(now, cost):
            for taken in buckets[:number]:
                taken.give_back(cost)
            return False
    return True


def _wait(buckets: Iterable[Bucket], now: float, cost: float = 1.0) -> float:
    """Return the seconds until all buckets can give something; 0 for now."""
    return max(each.wait(now, cost) for each in buckets)


class Guess:
    """The price of something that may be a guess; given back at the end, unless it `missed`.

    A context, in which it is tried.
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
        """Let it be paid for, since it was wrong."""
        self._taken = ()


Key = TypeVar("Key", bound=str)
B = TypeVar("B", PlayerBudget, AddressBudget)


class _Known(Generic[Key, B]):
    """Budgets by keys: all that are in use, and those that were used last.

    Of those that were used before them, the numbers alone are kept for as long as anything is
    missing in them: whoever is forgotten is not forgiven.
    """

    def __init__(self, make: Callable[[Key], B], clock: Callable[[], float]) -> None:
        self._make: Callable[[Key], B] = make
        self._clock = clock
        self._used: WeakValueDictionary[Key, B] = WeakValueDictionary()
        self._lately: OrderedDict[Key, B] = OrderedDict()
        self._spent: OrderedDict[Key, bytes] = OrderedDict()
        """Of each: when all is there again, and the states of its buckets."""

    def __len__(self) -> int:
        return len(self._used)

    def get(self, key: Key) -> B:
        found = self._used.get(key)
        if found is None:
            found = self._used[key] = self._make(key)
            if (kept := self._spent.pop(key, None)) is not None:
                for bucket, state in zip(found.buckets, _numbers(kept)[1:], strict=True):
                    bucket.state = state
        self._lately[key] = found
        self._lately.move_to_end(key)
        if len(self._lately) > limits.MAX_KNOWN:
            self._forget(*self._lately.popitem(last=False))
        return found

    def _forget(self, key: Key, budget: B) -> None:
        now = self._clock()
        buckets: tuple[Bucket, ...] = budget.buckets
        full_at = max(each.full_at for each in buckets)
        if full_at > now:
            numbers = (full_at, *(each.state for each in buckets))
            self._spent[key] = struct.pack(f"{len(numbers)}d", *numbers)
            self._spent.move_to_end(key)
        # Two for each that may be added, so that few are there of which nothing is missing.
        for _ in range(2):
            oldest = next(iter(self._spent), None)
            if oldest is None:
                return
            if len(self._spent) > limits.MAX_SPENT or _numbers(self._spent[oldest])[0] <= now:
                del self._spent[oldest]


def _numbers(kept: bytes) -> tuple[float, ...]:
    return struct.unpack(f"{len(kept) // 8}d", kept)


class Budgets:
    """The budgets of all players and addresses that this node knows.

    Args:
        players: how many players may share an address.
        limited: counts what a budget did not suffice for, by whose it was and what for.
        clock: returns the time in seconds; `None` for the monotonic clock.

    Attributes:
        silences: the connections that have said nothing yet.
        rules: for new rules of all players.
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
        self._players: _Known[PlayerId, PlayerBudget] = _Known(lambda _: PlayerBudget(), self.clock)
        self._addresses: _Known[str, AddressBudget] = _Known(self._new_address, self.clock)

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
        found = self._addresses.get(address)
        if found.wide is not None:
            # As long as a network is used, so is the one around it.
            self._addresses.get(found.wide.key)
        return found

    def _new_address(self, key: str) -> AddressBudget:
        around = wide_of(key)
        if around is None:
            return AddressBudget(key, self._count)
        if around == key:
            return AddressBudget(key, self._count * limits.WIDE)
        return AddressBudget(key, self._count, self._addresses.get(around))

    # What is done by addresses, whether they have a session or not

    def open_socket(self, address: str) -> float:
        """Charge an address for a WebSocket; return 0, or the seconds to wait if it may have none.

        The socket is counted by `AddressBudget.count_socket`, once it is open.
        """
        scopes = self.address(address).scopes
        if any(each.sockets >= each.max_sockets for each in scopes):
            self.limited["address", "sockets"] += 1
            return SOCKETS_WAIT
        return self._charge([each.handshakes for each in scopes], "handshakes")

    def request(self, address: str, cost: float) -> float:
        """Charge an address for a request; return 0, or the seconds to wait if it cannot pay.

        Args:
            address: the address.
            cost: the cost, at most what an address has at once.
        """
        buckets = [each.requests for each in self.address(address).scopes]
        return self._charge(buckets, "requests", cost)

    def answer(self, address: str) -> float:
        """Charge an address for an HTTP request; return 0, or the seconds to wait if it may not."""
        return self._charge([each.answers for each in self.address(address).scopes], "answers")

    def guess(self, address: str) -> Guess | None:
        """Charge an address for what may be a guess of somebody who is not known.

        Returns:
            What was taken; `None` if there were too many misses.
        """
        buckets = [each.misses for each in self.address(address).scopes]
        return None if self._charge(buckets, "misses") else Guess(*buckets)

    def _charge(self, buckets: list[Bucket], name: str, cost: float = 1.0) -> float:
        """Take from all buckets, or from none; return 0, or the seconds to wait."""
        now = self.clock()
        if _take(buckets, now, cost):
            return 0.0
        self.limited["address", name] += 1
        return _wait(buckets, now, cost)


SOCKETS_WAIT = 10.0
"""Seconds to wait before a further WebSocket of an address that has as many as it may have."""


class Payer:
    """The payer for a session: its player, and all who share its address.

    Before its player is known, a session has a player's budget of its own.

    Args:
        budgets: the node's.
        address: the session's, as `Proxies.client` returns it.

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
        self._commands = tuple(each.commands for each in self._scopes)
        self._identified: PlayerId | None = None
        self._silence: Silence | None = None
        self.player = PlayerBudget()

    def identify(self, player: PlayerId) -> None:
        """Let this player pay from now on."""
        self._identified = player
        self._end_silence()
        self.player = self._budgets.player(player)

    def begin_session(self, abort: Callable[[], object]) -> None:
        """Count the session's socket for its address, until `end_session`.

        Args:
            abort: ends the connection, if another one needs its place before its player is known.
        """
        own = self._scopes[0]
        own.count_socket(1)
        self._silence = self._budgets.silences.begin(own.keys, abort)

    def end_session(self) -> None:
        """Count the session's socket no more; what it has spent is known for a while."""
        self._end_silence()
        self._budgets.address(self._address).count_socket(-1)
        if self._identified is not None:
            self._budgets.player(self._identified)

    def _end_silence(self) -> None:
        if self._silence is not None:
            self._silence.end()
            self._silence = None

    def pay(self, cost: float, now: float) -> bool:
        """Charge the player and the address, or neither; return whether both could pay."""
        own = self.player.commands
        if not own.take(now, cost):
            return False
        if _take(self._commands, now, cost):
            return True
        own.give_back(cost)
        return False

    def charge(self, cost: float, now: float) -> None:
        """Charge the player and the address for more than a command's own cost, before the work.

        At most `limits.PREPAID` of it must be there; the rest is owed.

        Raises:
            Refusal: as `too_fast`, with the time to wait; then nothing was charged.
        """
        prepaid = min(cost, limits.PREPAID)
        if not self.pay(prepaid, now):
            raise self.too_fast(prepaid, now)
        if cost > prepaid:
            for each in (self.player.commands, *self._commands):
                each.owe(now, cost - prepaid)

    def too_fast(self, cost: float, now: float) -> Refusal:
        """Return the refusal of what was not paid for, with the time to wait."""
        own, shared = self.player.commands.wait(now, cost), _wait(self._commands, now, cost)
        self._budgets.limited["player" if own >= shared else "address", "commands"] += 1
        return Refusal("too_fast", wait=math.ceil(max(own, shared) * 1000))

    def offend(self, now: float) -> bool:
        """Count an offence; return whether the player, or the address, has committed too many."""
        own = self.player.offences.take(now)
        # From all of them, even if one has none.
        refused = sum(not each.offences.take(now) for each in self._scopes)
        if own and not refused:
            return False
        self._budgets.limited["address" if own else "player", "offences"] += 1
        return True

    def guess(self) -> Guess:
        """Charge for what may be a guess.

        Who has hardly been wrong lately waits for nobody. Whoever has, pays out of what all have
        who are at the address and guess on.

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
        raise Refusal("too_fast", TOO_MANY_MISSES, math.ceil(wait * 1000))

    def new_rules(self, cost: float) -> None:
        """Charge for rules of which the node has no tables yet.

        Args:
            cost: what it takes to make them.

        Raises:
            Refusal: as `too_fast`, with the time to wait, if there were too many of the player, at
                the address, or on this node; or as `charge` does.
        """
        budgets, own = self._budgets, self.player.rules
        buckets = (own, *(each.rules for each in self._scopes), budgets.rules)
        now = budgets.clock()
        if not _take(buckets, now):
            wait = _wait(buckets, now)
            whose = "player" if own.wait(now) >= wait else "address"
            whose = "node" if budgets.rules.wait(now) >= wait else whose
            budgets.limited[whose, "rules"] += 1
            raise Refusal("too_fast", TOO_MANY_RULES, math.ceil(wait * 1000))
        self.charge(cost, now)

    @contextmanager
    def report(self) -> Iterator[None]:
        """Charge the player and the address for a report, unless it is refused in the block.

        Raises:
            Refusal: as `too_fast`, if there were too many.
        """
        budgets, own = self._budgets, self.player.reports
        buckets = [own, *(each.reports for each in self._scopes)]
        now = budgets.clock()
        if not _take(buckets, now):
            wait = _wait(buckets, now)
            budgets.limited["player" if own.wait(now) >= wait else "address", "reports"] += 1
            raise Refusal("too_fast", TOO_MANY_REPORTS, math.ceil(wait * 1000))
        try:
            yield
        except BaseException:
            for each in buckets:
                each.give_back()
            raise

    @contextmanager
    def new_guest(self) -> Iterator[None]:
        """Charge the address for a new guest, unless there is none at the end of the block.

        Raises:
            Refusal: as `too_fast`, if there were too many.
        """
        budgets, buckets = self._budgets, [each.guests for each in self._scopes]
        now = budgets.clock()
        if not _take(buckets, now):
            budgets.limited["address", "guests"] += 1
            wait = math.ceil(_wait(buckets, now) * 1000)
            raise Refusal("too_fast", TOO_MANY_GUESTS, wait)
        try:
            yield
        except BaseException:
            for each in buckets:
                each.give_back()
            raise
