"""Each command to its service, and what that returns to the client as an event."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from server.core.ids import AttemptId, DealId, PlayerId, RoomCode
from server.core.race import Room
from server.core.refusal import Refusal
from server.gateway import codec, present
from server.gateway import messages as m
from server.gateway.hub import Hub
from server.gateway.load import Load
from server.gateway.session import Session
from server.service.answers import Over
from server.service.moves import MoveNumbers, Reply
from server.service.resume import find_missed
from server.service.services import Services

Handler = Callable[[Session, PlayerId, Any], Awaitable[m.AnyEvent]]


class Handlers:
    """Carries commands out for sessions."""

    def __init__(self, services: Services, hub: Hub, load: Load) -> None:
        self._services = services
        self._load = load
        self._hub = hub
        self._handlers: dict[type, Handler] = {
            m.Ping: self._ping,
            m.Rename: self._rename,
            m.Resign: self._resign,
            m.OpenAttempt: self._open_attempt,
            m.OpenDaily: self._open_daily,
            m.ListDailies: self._list_dailies,
            m.WatchLeaderboard: self._watch_leaderboard,
            m.UnwatchLeaderboard: self._unwatch_leaderboard,
            m.ShowDeal: self._show_deal,
            m.CreateRoom: self._create_room,
            m.JoinRoom: self._join_room,
            m.LeaveRoom: self._leave_room,
            m.SetReady: self._set_ready,
            m.StartRound: self._start_round,
        }

    async def answer(self, session: Session, command: m.AnyCommand) -> m.AnyEvent:
        """Carry a command out, and return its answer.

        Raises:
            Refusal: it is not carried out.
            UnavailableError: the store does not answer.
        """
        if isinstance(command, m.Hello):
            return await self._hello(session, command)
        assert session.player is not None, "a session reads nothing else before hello"
        return await self._handlers[type(command)](session, session.player, command)

    async def _hello(self, session: Session, command: m.Hello) -> m.Welcome:
        if command.version not in m.VERSIONS:
            oldest, newest = m.VERSIONS[0], m.VERSIONS[-1]
            raise Refusal("bad_version", f"This server speaks versions {oldest} to {newest}.")
        profile, token = await self._services.identity.enter(command.token, command.name)
        await self._hub.enter(session, profile.id)
        return m.Welcome(player=present.player(profile), token=token, now=self.now())

    async def _ping(self, _: Session, __: PlayerId, ___: m.Ping) -> m.Pong:
        return m.Pong(now=self.now())

    async def _rename(self, session: Session, player: PlayerId, command: m.Rename) -> m.Done:
        profile = await self._services.identity.rename(player, command.name)
        if session.room is not None:
            self._services.live.renamed(session.room, profile)
        return m.Done()

    def play(
        self, player: PlayerId, attempt: AttemptId, seq: int, what: MoveNumbers, reply: Reply
    ) -> None:
        """Play a move; `reply` is called with what became of it."""
        self._services.attempts.play_soon(attempt, player, seq, what, reply)

    async def _resign(
        self, session: Session, player: PlayerId, command: m.Resign
    ) -> m.Ended | m.Attempt:
        attempt = session.attempt_of(command.number)
        if attempt is None:
            raise Refusal("unknown_attempt")
        found = await self._services.attempts.resign(attempt, player, command.seq)
        if isinstance(found, Over):
            return present.ended(found.after, command.number)
        return present.attempt(found, command.number, self.now())

    async def _open_attempt(
        self, session: Session, player: PlayerId, command: m.OpenAttempt
    ) -> m.Attempt | m.Missed:
        attempts, have = self._services.attempts, command.have
        snapshot = await attempts.open(AttemptId(command.attempt), player)
        missed = None
        if have is not None:
            missed = await find_missed(attempts, snapshot, have.seq, have.digest)
        number = session.number_of(snapshot.attempt)
        session.shows(snapshot.attempt, snapshot.start.room)
        whole = present.attempt(snapshot, number, self.now())
        if missed is None:
            return whole
        part = present.missed(missed, number, self.now())
        return part if len(codec.encode(part)) < len(codec.encode(whole)) else whole

    async def _open_daily(
        self, session: Session, player: PlayerId, command: m.OpenDaily
    ) -> m.Attempt:
        snapshot = await self._services.dailies.open(player, command.game)
        number = session.number_of(snapshot.attempt)
        session.shows(snapshot.attempt, snapshot.start.room)
        return present.attempt(snapshot, number, self.now())

    async def _list_dailies(self, _: Session, player: PlayerId, __: m.ListDailies) -> m.Dailies:
        day, today = await self._services.dailies.today(player)
        return present.dailies(day, today, self.now())

    async def _watch_leaderboard(
        self, session: Session, _: PlayerId, command: m.WatchLeaderboard
    ) -> m.Leaderboard:
        day = self._services.leaderboards.check(command.game, command.day)
        return present.leaderboard(await self._hub.watch(session, command.game, day))

    async def _unwatch_leaderboard(
        self, session: Session, _: PlayerId, __: m.UnwatchLeaderboard
    ) -> m.Done:
        self._hub.leaderboards.unwatch(session)
        return m.Done()

    async def _show_deal(self, _: Session, __: PlayerId, command: m.ShowDeal) -> m.Deal:
        deal, seed = await self._services.show_deal(DealId(command.deal))
        return m.Deal(
            deal=deal.id,
            game=deal.game,
            variant=deal.variant,
            commitment=deal.commitment,
            seed=seed.hex() if seed is not None else None,
            rules=deal.rules,
        )

    async def _create_room(
        self, session: Session, player: PlayerId, command: m.CreateRoom
    ) -> m.RoomState:
        if self._load.is_too_high:
            raise Refusal("overloaded", wait=self._load.wait())
        room = await self._services.rooms.create(
            player,
            command.game,
            command.variant,
            seats=command.seats,
            limit=command.limit * 1000,
            creation=command.key,
        )
        return await self._entered(session, room)

    async def _join_room(
        self, session: Session, player: PlayerId, command: m.JoinRoom
    ) -> m.RoomState:
        room = await self._services.rooms.join(RoomCode(command.code.upper()), player)
        return await self._entered(session, room)

    async def _entered(self, session: Session, room: Room) -> m.RoomState:
        await self._hub.enter_room(session, room)
        page = await self._page(room)
        self._hub.rooms.answered(session, room.opened.code)
        return page

    async def _page(self, room: Room) -> m.RoomState:
        """Return a room: without reading anything, if a session of this node listens to it."""
        return present.room(await self._services.live.read_page(room))

    async def _leave_room(self, session: Session, player: PlayerId, command: m.LeaveRoom) -> m.Done:
        code = RoomCode(command.code)
        await self._services.rooms.leave(code, player)
        self._hub.leave_room(session, code)
        return m.Done()

    async def _set_ready(self, _: Session, player: PlayerId, command: m.SetReady) -> m.RoomState:
        rooms = self._services.rooms
        room = await rooms.set_ready(RoomCode(command.code), player, ready=command.ready)
        return await self._page(room)

    async def _start_round(
        self, _: Session, player: PlayerId, command: m.StartRound
    ) -> m.RoomState:
        return await self._page(await self._services.rooms.start(RoomCode(command.code), player))

    def now(self) -> int:
        """Return the time in Unix milliseconds."""
        return self._services.now()
