"""Sessions: which ones a player has, on which nodes, and what these tell one another.

Redis has a sorted set for each player, of the sessions by the time at which they were last used. A
session is added by `hello` and removed at its end; what a dead node leaves behind is not counted,
and is removed (`server.base.nodes.departures`), for which each node notes whose sessions it has.
While a player has one session, nothing else is written or published.

If there are several, each node with one of them knows the other nodes, and publishes to them each
entry of the player's attempts: one message for each entry and other node.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from functools import partial

import structlog

from server.base.core import topics
from server.base.core.ids import AttemptId, PlayerId
from server.base.core.refusal import Refusal, UnavailableError, UnreadableError
from server.base.nodes import messages as nodes_messages
from server.base.nodes.messages import (
    Advanced,
    Barred,
    Ended,
    Joined,
    Left,
    Opened,
    Released,
    Replaced,
    SignedOut,
    Taken,
)
from server.base.nodes.registration import Registration
from server.base.redis.bus import Bus
from server.base.redis.keys import MAX_SESSIONS
from server.base.work.background import Background
from server.base.work.signal import Signal
from server.base.work.tasks import Tasks
from server.base.work.worker_pool import WorkerPool
from server.play.attempts import Attempts
from server.play.core.attempt import Attempt, move_of
from server.play.core.attempt import Ended as EndedEntry
from server.play.journal import Step, decode
from server.stores import Store

USED_EVERY = 60_000
"""Milliseconds after which the use of one of several sessions is stored again."""

CONCURRENT_WRITES = 100
"""Players of whom it is written at the same time whether this node has sessions of them."""

log = structlog.get_logger()


class Sessions:
    """Registers players' sessions, and notifies them across nodes.

    Attributes:
        superseded: emitted with the id of a session of this node that is to be closed, since its
            player has too many.
        barred: emitted with a player who is barred, and may have sessions on this node.
        signed_out: emitted with a player, an epoch and the id of a session or `None`, when the
            player's other sessions of earlier epochs are to be closed.
        ended: emitted when a player's attempt has ended without a command of this session; the
            player may have no session on this node.
        advanced: emitted with each entry of an attempt whose player has several sessions, soon
            after it was answered: the entry, its text (JSON) if this node has appended it or else
            `None`, and the session that it is by, as far as another node knows.
        unfollowed: emitted with a player, an attempt and the session that has played, if an entry
            of another node does not follow what this node knows of the attempt.
        opened: emitted when a session on another node shows an attempt.
        taken: emitted when a session on another node plays an attempt.
        released: emitted when a session on another node has ended that played an attempt.
        alone: emitted with a player when the last other node of the player's sessions has died.
        missed: emitted when messages to this node may have been missed.
    """

    def __init__(
        self,
        store: Store,
        bus: Bus,
        registration: Registration,
        attempts: Attempts,
        background: Background,
    ) -> None:
        self.superseded: Signal[str] = Signal()
        self.barred: Signal[PlayerId] = Signal()
        self.signed_out: Signal[PlayerId, int, str | None] = Signal()
        self.ended: Signal[Ended] = Signal()
        self.advanced: Signal[Step, str | None, str | None] = Signal()
        self.unfollowed: Signal[PlayerId, AttemptId, str | None] = Signal()
        self.opened: Signal[Opened] = Signal()
        self.taken: Signal[Taken] = Signal()
        self.released: Signal[Released] = Signal()
        self.alone: Signal[PlayerId] = Signal()
        self.missed: Signal[()] = Signal()
        self._players = store.players
        self._clock = store.clock
        self._bus = bus
        self._registration = registration
        self._node = registration.id
        self._attempts = attempts
        self._local: dict[PlayerId, int] = {}
        self._peers: dict[PlayerId, tuple[str, ...]] = {}
        """The other nodes with a session of a player of this node, where there is one."""
        self._used: dict[str, int] = {}
        self._held = store.held
        self._notes: WorkerPool[PlayerId] = WorkerPool(
            background, "sessions", self._note, size=CONCURRENT_WRITES, completes=True
        )
        self._unremoved: dict[PlayerId, list[str]] = {}
        self._tasks = Tasks()
        bus.subscribe(topics.node(self._node), self._receive)
        attempts.appended.subscribe(self._appended)
        attempts.given_up.subscribe(self._given_up)
        registration.changed.subscribe(self._nodes_changed)
        registration.lapsed.subscribe(self._lapsed)

    def name_of(self, session: str) -> str:
        """Return how the store names a session of this node."""
        return f"{self._node}/{session}"

    async def enter(self, player: PlayerId, session: str, epoch: int = 0) -> None:
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
            self.leave(player, session)
            raise

    async def _add(self, player: PlayerId, session: str, epoch: int) -> None:
        name = self.name_of(session)
        now = self._clock.now()
        alive = self._registration.alive
        names, dropped = await self._players.add_session(player, name, now, epoch, alive)
        for each in dropped:
            node, _, older = each.partition("/")
            if node == self._node:
                self.superseded.emit(older)
            else:
                self._publish((node,), Replaced(older))
        self._meet(player, names)

    def leave(self, player: PlayerId, session: str) -> None:
        """Remove a session of this node that has ended; one write, without waiting for it."""
        name = self.name_of(session)
        self._players.remove_session(player, name, partial(self._not_removed, player, name))
        self._used.pop(session, None)
        count = self._local.get(player, 0) - 1
        if count > 0:
            self._local[player] = count
            return
        self._local.pop(player, None)
        self._notes.add(player)
        self._publish(self._peers.pop(player, ()), Left(player, self._node))

    def _not_removed(self, player: PlayerId, name: str) -> None:
        """Remove a session later of which the store could not be told that it has ended."""
        self._unremoved.setdefault(player, []).append(name)
        self._notes.add(player)

    async def _note(self, player: PlayerId) -> None:
        """Note in the store whether this node has sessions of a player, for when it is gone."""
        while ended := self._unremoved.get(player):
            await self._players.end_session(player, ended[0])
            del ended[0]
        self._unremoved.pop(player, None)
        write = self._held.note if player in self._local else self._held.drop
        await write(self._node, player)

    def _lapsed(self) -> None:
        """Store all sessions of this node again that are not stored any more."""
        for player in self._local:
            self._notes.add(player)
        self.missed.emit()

    def has_several(self, player: PlayerId) -> bool:
        """Return whether a player of this node has more than one session, here or elsewhere."""
        return self._local.get(player, 0) > 1 or player in self._peers

    def use(self, player: PlayerId, session: str) -> None:
        """Note that one of several sessions plays; one write a minute."""
        now = self._clock.now()
        if now - self._used.get(session, 0) >= USED_EVERY:
            self._used[session] = now
            self._players.use_session(player, self.name_of(session), now)

    async def check(self, sessions: Sequence[tuple[PlayerId, str, int]]) -> list[str]:
        """Return the ids of those sessions of this node that are too many.

        Two round trips for all of them. A session that the store has lost is registered again, and
        the other nodes of its player are known again. If its player has signed out everywhere
        meanwhile, or is barred, that is emitted.

        Args:
            sessions: (player, session id, epoch) of each.

        Raises:
            UnavailableError: the store does not answer.
        """
        players = [player for player, _, _ in sessions]
        barred = await self._players.barred(players, self._clock.now())
        for player in {p for p, is_barred in zip(players, barred, strict=True) if is_barred}:
            self.barred.emit(player)
        stored = await self._players.sessions(players)
        found = []
        for (player, session, epoch), names in zip(sessions, stored, strict=True):
            if self.name_of(session) in names:
                self._meet(player, names)
            elif sum(self._is_on_alive(name) for name in names) >= MAX_SESSIONS:
                found.append(session)
            else:
                try:
                    await self._add(player, session, epoch)
                except Refusal as refusal:
                    if refusal.code == "bad_token":
                        self.signed_out.emit(player, epoch + 1, None)
        return found

    def _is_on_alive(self, name: str) -> bool:
        return self._registration.is_alive(name.partition("/")[0])

    async def of(self, player: PlayerId) -> list[str]:
        """Return a player's sessions, but for those that nodes which died have left behind.

        Raises:
            UnavailableError: the store does not answer.
        """
        (names,) = await self._players.sessions([player])
        return [name for name in names if self._is_on_alive(name)]

    async def close_all(self, player: PlayerId) -> None:
        """Close the sessions of a player who has been barred, on all nodes.

        A session that begins at this moment finds out by itself. If a message is lost, its node
        checks its sessions.

        Raises:
            UnavailableError: the store does not answer.
        """
        (names,) = await self._players.sessions([player])
        self.barred.emit(player)
        self._publish(self._others(names), Barred(player))

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
        self._publish(self._others(names), SignedOut(player, epoch))
        self.signed_out.emit(player, epoch, stays)

    def _meet(self, player: PlayerId, names: Iterable[str]) -> None:
        """Add the other nodes of a player by the stored sessions, and tell them of this one.

        A node whose sessions have all ended answers that it has `Left`. One that is not known to be
        alive is not counted until it answers.
        """
        nodes = self._others(names)
        self._add_peers(player, filter(self._registration.is_alive, nodes))
        self._publish(nodes, Joined(player, self._node, answers=False))

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

    def notify_ended(self, attempt: Attempt) -> None:
        """Notify an attempt's player that it has ended without a command of each session.

        Two reads of the store if the player has no session on this node, else none.
        """
        player = attempt.start.player
        ended = Ended.of(attempt)
        self.ended.emit(ended)
        if player in self._local:
            self._publish(self._peers.get(player, ()), ended)
        else:
            self._tasks.run_soon(self._publish_ended(player, ended))

    async def _publish_ended(self, player: PlayerId, ended: Ended) -> None:
        """Publish the end of an attempt to the nodes of its player's sessions."""
        try:
            ((*names,),) = await self._players.sessions([player])
            (newest,) = await self._players.newest_sessions([player])
        except UnavailableError as error:
            # The player learns of it by the answer to the next command on the attempt.
            log.debug("end_not_published", attempt=ended.attempt, error=str(error))
            return
        if newest is not None:
            names.append(newest)
        self._publish(self._others(names), ended)

    def _appended(self, before: Attempt | None, after: Attempt, text: str) -> None:
        """Handle an entry of this node: two look-ups, if its player has no other session."""
        if after.end == "time":
            self.notify_ended(after)
        elif before is not None and self.has_several(after.start.player):
            # Who has played is answered first.
            asyncio.get_running_loop().call_soon(self._advanced, before, after, text)

    def _advanced(self, before: Attempt, after: Attempt, text: str) -> None:
        event = decode(text)
        if not isinstance(event, EndedEntry):
            self.advanced.emit(Step(before, event, after), text, None)
        elif event.end == "resigned":
            # Of other ends, the player is notified by those who append them.
            self.notify_ended(after)

    def _given_up(self, after: Attempt) -> None:
        """Notify the player of an attempt that was resigned without a command of a session."""
        if not self.has_several(after.start.player):
            self.notify_ended(after)

    def publish_entry(self, after: Attempt, text: str, by: str | None) -> None:
        """Publish an entry that this node has appended to the player's other nodes.

        Args:
            after: the attempt after it.
            text: the entry (JSON).
            by: the session that it is by, if one asked for it.
        """
        player = after.start.player
        message = Advanced(player, self._node, after.id, after.seq, text, by)
        self._publish(self._peers.get(player, ()), message)

    def publish_opened(self, player: PlayerId, attempt: AttemptId, session: str) -> None:
        """Ask the player's other nodes who plays an attempt that a session shows now."""
        message = Opened(player, attempt, session, self._node)
        self._publish(self._peers.get(player, ()), message)

    def answer_opened(self, opened: Opened, by: str, at: int) -> None:
        """Answer that a session of this node plays the attempt, since it took it over at a time."""
        taken = Taken(opened.player, opened.attempt, by, at, opened.session)
        self._publish((opened.node,), taken)

    def publish_taken(self, player: PlayerId, attempt: AttemptId, by: str, at: int) -> None:
        """Publish that a session of this node has taken an attempt over, at this time."""
        self._publish(self._peers.get(player, ()), Taken(player, attempt, by, at, None))

    def publish_released(self, player: PlayerId, attempt: AttemptId, by: str) -> None:
        """Publish that a session of this node has ended, which played an attempt."""
        self._publish(self._peers.get(player, ()), Released(player, attempt, by))

    def _publish(self, nodes: Iterable[str], message: nodes_messages.NodeMessage) -> None:
        payload = b""
        for node in nodes:
            payload = payload or nodes_messages.encode(message)
            self._bus.publish(topics.node(node), payload)

    def _receive(self, payload: bytes | None) -> None:
        """Handle a message to this node; `None` if messages may have been missed."""
        message = nodes_messages.node_message(payload)
        match message:
            case Replaced(session):
                self.superseded.emit(session)
            case SignedOut(player, epoch):
                self.signed_out.emit(player, epoch, None)
            case Ended():
                self.ended.emit(message)
            case Joined():
                self._joined(message)
            case Left(player, node):
                self._drop_peers(player, {node})
            case Advanced():
                self._receive_entry(message)
            case Opened():
                self.opened.emit(message)
            case Taken():
                self.taken.emit(message)
            case Released():
                self.released.emit(message)
            case Barred(player):
                self.barred.emit(player)
            case _:
                self.missed.emit()

    def _joined(self, message: Joined) -> None:
        player, node = message.player, message.node
        self._registration.note_alive(node)
        here = player in self._local
        if here:
            self._add_peers(player, (node,))
        if not message.answers:
            me = self._node
            answer = Joined(player, me, answers=True) if here else Left(player, me)
            self._publish((node,), answer)

    def _receive_entry(self, message: Advanced) -> None:
        if message.player not in self._local:
            # The node was not told that the last session here has ended.
            self._publish((message.node,), Left(message.player, self._node))
            return
        try:
            step = self._attempts.receive(message.attempt, message.number, message.text)
        except UnreadableError as error:
            # What it is has been logged where it was read.
            log.debug("entry_not_followed", attempt=message.attempt, code=error.code)
            return
        if step is not None and move_of(step.event) is not None:
            self.advanced.emit(step, None, message.by)
        else:
            self.unfollowed.emit(message.player, message.attempt, message.by)

    async def close(self) -> None:
        """Wait for the notifications in flight."""
        await self._tasks.wait()
