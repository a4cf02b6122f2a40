"""Sessions of players across nodes, and the messages that nodes exchange about them.

Redis has a sorted set per player, of sessions by time of last use. Sessions left behind by a dead
node are ignored and later removed (`server.base.nodes.departures`); for that, each node lists the
players with sessions on it.

If a player has several sessions, each node with one of them knows the other nodes and may publish
to them. A single session causes no further writes or messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from msgspec import Struct

from server.base.core.ids import PlayerId
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.nodes.held_store import HeldStore
from server.base.nodes.node_bus import NodeBus
from server.base.nodes.registration import Registration
from server.base.work.background import Background
from server.base.work.clock import Clock
from server.base.work.signal import Signal
from server.base.work.worker_pool import WorkerPool
from server.players.core.bus import Barred, Joined, Left, Replaced, SignedOut
from server.players.core.keys import MAX_SESSIONS
from server.players.core.names import Recorded
from server.players.store import PlayerStore

USED_EVERY_MS = 60_000  # between writes of a session's last use, for players with several sessions
CONCURRENT_WRITES = 100  # of the list of players with sessions on this node


class Sessions:
    """Registers players' sessions, and notifies their nodes."""

    def __init__(
        self,
        store: PlayerStore,
        node_bus: NodeBus,
        registration: Registration,
        background: Background,
        *,
        held: HeldStore,
        clock: Clock,
    ) -> None:
        # Emitted with the id of a session of this node to close, since its player has too many.
        self.superseded: Signal[str] = Signal()
        # Emitted with a barred player, whose sessions on this node must close.
        self.barred: Signal[PlayerId] = Signal()
        # Emitted with a player, an epoch and a session id or `None`: the player's sessions of
        # earlier epochs, except that one, are to close.
        self.signed_out: Signal[PlayerId, int, str | None] = Signal()
        # Emitted with a player when the last other node with the player's sessions has died.
        self.alone: Signal[PlayerId] = Signal()
        self.missed: Signal[()] = Signal()  # emitted when messages to this node may have been lost
        self._store = store
        self._clock = clock
        self._node_bus = node_bus
        self._registration = registration
        self._node = registration.id
        self._local: dict[PlayerId, int] = {}
        # The other nodes with sessions of a local player, if any.
        self._peers: dict[PlayerId, tuple[str, ...]] = {}
        self._used: dict[str, int] = {}
        self._held = held
        self._notes: WorkerPool[PlayerId] = WorkerPool(
            background, "sessions", self._note, size=CONCURRENT_WRITES, completes=True
        )
        self._unremoved: dict[PlayerId, list[str]] = {}
        node_bus.on(Replaced, lambda message: self.superseded.emit(message.session))
        node_bus.on(Joined, self._joined)
        node_bus.on(Left, lambda message: self._drop_peers(message.player, {message.node}))
        node_bus.on(SignedOut, lambda each: self.signed_out.emit(each.player, each.epoch, None))
        node_bus.on(Barred, lambda message: self.barred.emit(message.player))
        node_bus.missed.subscribe(self.missed.emit)
        registration.changed.subscribe(self._nodes_changed)
        registration.lapsed.subscribe(self._lapsed)

    def name_of(self, session: str) -> str:
        """Return the store's name for a session of this node."""
        return f"{self._node}/{session}"

    async def register(
        self, player: PlayerId, session: str, epoch: int = 0, name: str | None = None
    ) -> Recorded | None:
        """Register a session of this node; if there are too many, close the least recently used.

        Takes one round trip, and one message to each other node with sessions of the player.
        `epoch` is the token's. If `name` is given, the player's record is updated with it, or
        without a new name if it is empty, and its outcome is returned. Refused as `bad_token`, if
        the player has been deleted or is in a later epoch, or as `barred`.

        Raises:
            UnavailableError: the store does not answer; the session is not registered.
        """
        # Before the write: another node that reads it asks this one immediately.
        count = self._local[player] = self._local.get(player, 0) + 1
        if count == 1:
            self._note_soon(player)
        try:
            return await self._add(player, session, epoch, name)
        except BaseException:
            # Also on cancellation: otherwise the count would stay too high.
            self.unregister(player, session)
            raise

    async def _add(
        self, player: PlayerId, session: str, epoch: int, name: str | None = None
    ) -> Recorded | None:
        stored, now, alive = self.name_of(session), self._clock.now(), self._registration.alive
        recorded: Recorded | None = None
        if name is None:
            names, dropped = await self._store.add_session(player, stored, now, epoch, alive)
        else:
            entered = await self._store.enter(player, stored, now, epoch, alive=alive, name=name)
            recorded, names, dropped = entered
        for each in dropped:
            node, _, older = each.partition("/")
            if node == self._node:
                self.superseded.emit(older)
            else:
                self._node_bus.send((node,), Replaced(older))
        self._learn_peers(player, names)
        return recorded

    def unregister(self, player: PlayerId, session: str) -> None:
        """Remove an ended session of this node, without waiting for the write."""
        name = self.name_of(session)
        self._store.remove_session(player, name, partial(self._retry_removal, player, name))
        self._used.pop(session, None)
        count = self._local.get(player, 0) - 1
        if count > 0:
            self._local[player] = count
            return
        self._local.pop(player, None)
        self._note_soon(player)
        self._node_bus.send(self._peers.pop(player, ()), Left(player, self._node))

    def _retry_removal(self, player: PlayerId, name: str) -> None:
        self._unremoved.setdefault(player, []).append(name)
        self._notes.add(player)

    def _note_soon(self, player: PlayerId) -> None:
        """Record like `_note`, but without a task unless the write fails."""
        if player in self._notes:
            # Only after the pending write.
            self._notes.add(player)
            return
        write = self._held.note_soon if player in self._local else self._held.drop_soon
        write(self._node, player, partial(self._retry_note, player))

    def _retry_note(self, player: PlayerId) -> None:
        self._notes.add(player)

    async def _note(self, player: PlayerId) -> None:
        """Record whether this node has sessions of a player, for the cleanup after its death."""
        while ended := self._unremoved.get(player):
            await self._store.end_session(player, ended[0])
            # Only after the write, so that a failed one is retried.
            del ended[0]
        self._unremoved.pop(player, None)
        write = self._held.note if player in self._local else self._held.drop
        await write(self._node, player)

    def _lapsed(self) -> None:
        """Store all sessions of this node again after its registration lapsed."""
        for player in self._local:
            self._notes.add(player)
        self.missed.emit()

    def is_here(self, player: PlayerId) -> bool:
        """Return whether a player has a session on this node."""
        return player in self._local

    def has_several(self, player: PlayerId) -> bool:
        """Return whether a local player has more than one session, here or elsewhere."""
        return self._local.get(player, 0) > 1 or player in self._peers

    def use(self, player: PlayerId, session: str) -> None:
        """Record the use of one of several sessions, with at most one write a minute."""
        now = self._clock.now()
        if now - self._used.get(session, 0) >= USED_EVERY_MS:
            self._used[session] = now
            self._store.use_session(player, self.name_of(session), now)

    async def check(
        self, sessions: Sequence[tuple[PlayerId, str, int]], is_open: Callable[[str], bool]
    ) -> list[str]:
        """Return the ids of superseded sessions of this node, in two round trips.

        `sessions` are (player, session id, epoch). Those that the store has lost are registered
        again if they are still open, and their players' other nodes are learned again. `signed_out`
        and `barred` are emitted where they apply.
        """
        players = [player for player, _, _ in sessions]
        barred = await self._store.barred(players, self._clock.now())
        for player in {p for p, is_barred in zip(players, barred, strict=True) if is_barred}:
            self.barred.emit(player)
        stored = await self._store.sessions(players)
        found = []
        for (player, session, epoch), names in zip(sessions, stored, strict=True):
            if self.name_of(session) in names:
                self._learn_peers(player, names)
            elif sum(self._is_on_alive(name) for name in names) >= MAX_SESSIONS:
                # The store has dropped it for newer sessions.
                found.append(session)
            elif is_open(session):
                try:
                    await self._add(player, session, epoch)
                except Refusal as refusal:
                    if refusal.code == BaseRefusals.bad_token:
                        # The player is at least one epoch ahead.
                        self.signed_out.emit(player, epoch + 1, None)
        return found

    def _is_on_alive(self, name: str) -> bool:
        return self._registration.is_alive(name.partition("/")[0])

    async def load(self, player: PlayerId) -> list[str]:
        """Return a player's sessions on live nodes."""
        (names,) = await self._store.sessions([player])
        return [name for name in names if self._is_on_alive(name)]

    async def close_all(self, player: PlayerId) -> None:
        """Close a barred player's sessions on all nodes."""
        (names,) = await self._store.sessions([player])
        self.barred.emit(player)
        # A session that starts meanwhile is refused by the store. If this is lost, the node checks
        # its sessions.
        self._node_bus.send(self._others(names), Barred(player))

    def sign_out(
        self, player: PlayerId, epoch: int, stays: str | None, names: Iterable[str]
    ) -> None:
        """Close a player's sessions of earlier epochs than `epoch` on all nodes.

        `stays` is a session of this node that stays open, if any, and `names` are all sessions
        (`node/session`) that may exist.
        """
        self._node_bus.send(self._others(names), SignedOut(player, epoch))
        self.signed_out.emit(player, epoch, stays)

    def _learn_peers(self, player: PlayerId, names: Iterable[str]) -> None:
        """Learn a player's other nodes from the stored sessions, and notify them of this one."""
        nodes = self._others(names)
        # A node not known to be alive counts once it answers; one whose sessions have all ended
        # answers `Left`.
        self._add_peers(player, filter(self._registration.is_alive, nodes))
        self._node_bus.send(nodes, Joined(player, self._node, answers=False))

    def _others(self, names: Iterable[str]) -> list[str]:
        nodes = dict.fromkeys(name.partition("/")[0] for name in names)
        return [node for node in nodes if node != self._node]

    def _add_peers(self, player: PlayerId, added: Iterable[str]) -> None:
        nodes = tuple(dict.fromkeys((*self._peers.get(player, ()), *added)))
        if nodes:
            self._peers[player] = nodes

    def _drop_peers(self, player: PlayerId, dropped: set[str]) -> None:
        nodes = tuple(node for node in self._peers.pop(player, ()) if node not in dropped)
        if nodes:
            self._peers[player] = nodes

    def _nodes_changed(self, _: set[str], left: set[str]) -> None:
        if left:
            for player in list(self._peers):
                self._drop_peers(player, left)
                if player not in self._peers:
                    self.alone.emit(player)

    def publish(self, player: PlayerId, message: Struct) -> None:
        """Send a message to the other known nodes of a player's sessions."""
        self._node_bus.send(self._peers.get(player, ()), message)

    async def publish_to_all(self, messages: Mapping[PlayerId, Struct]) -> None:
        """Send messages to the other nodes of players, even of players without a session here."""
        found = await self._store.sessions(messages)
        for names, message in zip(found, messages.values(), strict=True):
            self._node_bus.send(self._others(names), message)

    def tell_left(self, player: PlayerId, node: str) -> None:
        """Notify a node that this one has no session of a player."""
        self._node_bus.send((node,), Left(player, self._node))

    def _joined(self, message: Joined) -> None:
        player, node = message.player, message.node
        self._registration.note_alive(node)
        here = player in self._local
        if here:
            self._add_peers(player, (node,))
        if not message.answers:
            me = self._node
            answer = Joined(player, me, answers=True) if here else Left(player, me)
            self._node_bus.send((node,), answer)
