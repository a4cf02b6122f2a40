"""Sessions: which ones a player has, on which nodes, and what these tell one another.

Redis has a sorted set for each player, of the sessions by the time at which they were last used. A
session is added by `hello` and removed at its end; what a dead node leaves behind is not counted,
and is removed (`server.base.nodes.departures`), for which each node notes whose sessions it has.
While a player has one session, nothing else is written or published.

If there are several, each node with one of them knows the other nodes, and may publish to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from msgspec import Struct

from server.base.core.ids import PlayerId
from server.base.core.refusal import Refusal
from server.base.nodes.held_store import HeldStore
from server.base.nodes.node_bus import NodeBus
from server.base.nodes.registration import Registration
from server.base.work.background import Background
from server.base.work.clock import Clock
from server.base.work.signal import Signal
from server.base.work.worker_pool import WorkerPool
from server.players.core.bus import Barred, Joined, Left, Replaced, SignedOut
from server.players.core.keys import MAX_SESSIONS
from server.players.store import PlayerStore

USED_EVERY_MS = 60_000
"""Milliseconds after which the use of one of several sessions is stored again."""

CONCURRENT_WRITES = 100
"""Players of whom it is written at the same time whether this node has sessions of them."""


class Sessions:
    """Registers players' sessions, and notifies them across nodes.

    Attributes:
        superseded: emitted with the id of a session of this node that is to be closed, since its
            player has too many.
        barred: emitted with a player who is barred, and may have sessions on this node.
        signed_out: emitted with a player, an epoch and the id of a session or `None`, when the
            player's other sessions of earlier epochs are to be closed.
        alone: emitted with a player when the last other node of the player's sessions has died.
        missed: emitted when messages to this node may have been missed.
    """

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
        self.superseded: Signal[str] = Signal()
        self.barred: Signal[PlayerId] = Signal()
        self.signed_out: Signal[PlayerId, int, str | None] = Signal()
        self.alone: Signal[PlayerId] = Signal()
        self.missed: Signal[()] = Signal()
        self._store = store
        self._clock = clock
        self._node_bus = node_bus
        self._registration = registration
        self._node = registration.id
        self._local: dict[PlayerId, int] = {}
        self._peers: dict[PlayerId, tuple[str, ...]] = {}
        """The other nodes with a session of a player of this node, where there is one."""
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
        """Return how the store names a session of this node."""
        return f"{self._node}/{session}"

    async def register(self, player: PlayerId, session: str, epoch: int = 0) -> None:
        """Register a session of this node; if there are too many, the least used one is closed.

        One round trip, and one message to each other node that may have a session of the player.

        Args:
            player: the player.
            session: the session's id.
            epoch: that of the token by which it was opened.

        Raises:
            Refusal: as `bad_token`, if the player has been deleted or has begun a later epoch; as
                `barred`.
            UnavailableError: the store does not answer; the session is not registered.
        """
        # Before the store is written: another node that reads it asks this one at once.
        count = self._local[player] = self._local.get(player, 0) + 1
        if count == 1:
            self._notes.add(player)
        try:
            await self._add(player, session, epoch)
        except BaseException:
            self.unregister(player, session)
            raise

    async def _add(self, player: PlayerId, session: str, epoch: int) -> None:
        name = self.name_of(session)
        now = self._clock.now()
        alive = self._registration.alive
        names, dropped = await self._store.add_session(player, name, now, epoch, alive)
        for each in dropped:
            node, _, older = each.partition("/")
            if node == self._node:
                self.superseded.emit(older)
            else:
                self._node_bus.send((node,), Replaced(older))
        self._meet(player, names)

    def unregister(self, player: PlayerId, session: str) -> None:
        """Remove a session of this node that has ended; one write, without waiting for it."""
        name = self.name_of(session)
        self._store.remove_session(player, name, partial(self._not_removed, player, name))
        self._used.pop(session, None)
        count = self._local.get(player, 0) - 1
        if count > 0:
            self._local[player] = count
            return
        self._local.pop(player, None)
        self._notes.add(player)
        self._node_bus.send(self._peers.pop(player, ()), Left(player, self._node))

    def _not_removed(self, player: PlayerId, name: str) -> None:
        """Remove a session later of which the store could not be told that it has ended."""
        self._unremoved.setdefault(player, []).append(name)
        self._notes.add(player)

    async def _note(self, player: PlayerId) -> None:
        """Note in the store whether this node has sessions of a player, for when it is gone."""
        while ended := self._unremoved.get(player):
            await self._store.end_session(player, ended[0])
            del ended[0]
        self._unremoved.pop(player, None)
        write = self._held.note if player in self._local else self._held.drop
        await write(self._node, player)

    def _lapsed(self) -> None:
        """Store all sessions of this node again that are not stored any more."""
        for player in self._local:
            self._notes.add(player)
        self.missed.emit()

    def is_here(self, player: PlayerId) -> bool:
        """Return whether a player has a session on this node."""
        return player in self._local

    def has_several(self, player: PlayerId) -> bool:
        """Return whether a player of this node has more than one session, here or elsewhere."""
        return self._local.get(player, 0) > 1 or player in self._peers

    def use(self, player: PlayerId, session: str) -> None:
        """Note that one of several sessions plays; one write a minute."""
        now = self._clock.now()
        if now - self._used.get(session, 0) >= USED_EVERY_MS:
            self._used[session] = now
            self._store.use_session(player, self.name_of(session), now)

    async def check(
        self, sessions: Sequence[tuple[PlayerId, str, int]], is_open: Callable[[str], bool]
    ) -> list[str]:
        """Return the ids of those sessions of this node that are too many.

        Two round trips for all of them. A session that the store has lost is registered again, and
        the other nodes of its player are known again. If its player has signed out everywhere
        meanwhile, or is barred, that is emitted.

        Args:
            sessions: (player, session id, epoch) of each.
            is_open: whether a session, by its id, has not ended meanwhile: one that has is not
                stored again.
        """
        players = [player for player, _, _ in sessions]
        barred = await self._store.barred(players, self._clock.now())
        for player in {p for p, is_barred in zip(players, barred, strict=True) if is_barred}:
            self.barred.emit(player)
        stored = await self._store.sessions(players)
        found = []
        for (player, session, epoch), names in zip(sessions, stored, strict=True):
            if self.name_of(session) in names:
                self._meet(player, names)
            elif sum(self._is_on_alive(name) for name in names) >= MAX_SESSIONS:
                found.append(session)
            elif is_open(session):
                try:
                    await self._add(player, session, epoch)
                except Refusal as refusal:
                    if refusal.code == "bad_token":
                        self.signed_out.emit(player, epoch + 1, None)
        return found

    def _is_on_alive(self, name: str) -> bool:
        return self._registration.is_alive(name.partition("/")[0])

    async def load(self, player: PlayerId) -> list[str]:
        """Return a player's sessions, but for those that nodes which died have left behind."""
        (names,) = await self._store.sessions([player])
        return [name for name in names if self._is_on_alive(name)]

    async def close_all(self, player: PlayerId) -> None:
        """Close the sessions of a player who has been barred, on all nodes.

        A session that begins at this moment finds out by itself. If a message is lost, its node
        checks its sessions.
        """
        (names,) = await self._store.sessions([player])
        self.barred.emit(player)
        self._node_bus.send(self._others(names), Barred(player))

    def sign_out(
        self, player: PlayerId, epoch: int, stays: str | None, names: Iterable[str]
    ) -> None:
        """Close the sessions of a player's earlier epochs, here and on other nodes.

        Args:
            player: the player.
            epoch: the first that is not over.
            stays: the id of a session of this node that stays, if one does.
            names: all sessions (`node/session`) that there may be.
        """
        self._node_bus.send(self._others(names), SignedOut(player, epoch))
        self.signed_out.emit(player, epoch, stays)

    def _meet(self, player: PlayerId, names: Iterable[str]) -> None:
        """Add the other nodes of a player by the stored sessions, and tell them of this one.

        A node whose sessions have all ended answers that it has `Left`. One that is not known to be
        alive is not counted until it answers.
        """
        nodes = self._others(names)
        self._add_peers(player, filter(self._registration.is_alive, nodes))
        self._node_bus.send(nodes, Joined(player, self._node, answers=False))

    def _others(self, names: Iterable[str]) -> list[str]:
        """Return the other nodes of sessions, each once."""
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
        """Send a message to the other nodes of a player's sessions, as far as they are known."""
        self._node_bus.send(self._peers.get(player, ()), message)

    async def publish_to_all(self, messages: Mapping[PlayerId, Struct]) -> None:
        """Send messages to the other nodes of the sessions of players who may have none here."""
        found = await self._store.sessions(messages)
        for names, message in zip(found, messages.values(), strict=True):
            self._node_bus.send(self._others(names), message)

    def tell_left(self, player: PlayerId, node: str) -> None:
        """Tell a node that it takes this one for one of a player's in vain."""
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
