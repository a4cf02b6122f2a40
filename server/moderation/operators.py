"""Requests of operators: show rooms, players, circles and cases, and submit acts.

Both `samedeal admin` and the operators' page (`operator_handlers.py`) use them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Literal, NamedTuple, TypedDict

from msgspec.structs import replace

from engine.catalog import games
from server.base.core import days as daily
from server.base.core.ids import (
    AttemptId,
    PlayerId,
    RoomCode,
    has_owner,
    split_attempt_id,
)
from server.base.core.keys import PARTITIONS
from server.base.core.refusal import BaseRefusals, Refusal, UnreadableError
from server.base.outbox.outbox import Outbox
from server.base.outbox.store import OutboxStore
from server.base.work.clock import Clock
from server.base.work.random_text import random_id
from server.circles.circles import Circles
from server.circles.core.circle import Circle
from server.circles.core.ids import CircleId
from server.circles.core.refusals import CircleRefusals
from server.deals.store import DealStore
from server.lobby.open_rooms import OpenRooms
from server.moderation.cases import Case, CaseKind, CasePage, Cases, State
from server.moderation.core.acts import (
    AnyAct,
    BarPlayer,
    CloseCase,
    CloseRoom,
    DeleteCircle,
    DeletePlayer,
    HideName,
    Outcome,
    RenameCircle,
    RepairDay,
    VoidResult,
)
from server.moderation.core.refusals import ModerationRefusals
from server.moderation.core.suspicion import Suspicion
from server.moderation.moderation import decode
from server.moderation.shown import (
    CircleRow,
    CircleShown,
    PlayerRow,
    PlayerShown,
    RoomRow,
    RoomShown,
    RunShown,
    game_row,
    named,
    seat_rows,
    state_of,
)
from server.moderation.store import ModerationStore
from server.moderation.suspicions import Suspicions
from server.players.core.restrictions import Restrictions, is_barred
from server.players.profiles import Profiles
from server.players.sessions import Sessions
from server.results.core.boards import ALL_GAMES
from server.results.histories import Histories
from server.results.repaired_days import RepairedDays
from server.rooms.core.keys import RoundDue
from server.rooms.core.room import Room
from server.rooms.live_rooms import LiveRooms
from server.rooms.race_recorder import RaceRecorder
from server.rooms.rooms import Rooms
from server.runs.closed_deals import ClosedDeals

# The rooms to list: all, public ones with a free seat, or those with a running round.
RoomFilter = Literal["all", "open", "running"]

BATCH = 64  # partitions whose deadlines are read together
MAX_ROUND_MS = 86_400_000  # bounds the length of a round


class By(NamedTuple):
    """The acting operator, and the reason."""

    operator: str
    reason: str


class _About(TypedDict):
    """The fields common to all acts; see `server.moderation.core.acts.Act`."""

    id: str
    at: int
    operator: str
    reason: str


class Operators:
    """Operators' requests. Those about a player are refused as `unknown_player`.

    Requests to act return the act's id.
    """

    def __init__(
        self,
        store: ModerationStore,
        outbox: Outbox,
        *,
        deals: DealStore,
        outboxes: OutboxStore,
        clock: Clock,
        rooms: Rooms,
        live: LiveRooms,
        open_rooms: OpenRooms,
        sessions: Sessions,
        profiles: Profiles,
        histories: Histories,
        race_recorder: RaceRecorder,
        suspicions: Suspicions,
        cases: Cases,
        repaired_days: RepairedDays,
        closed_deals: ClosedDeals,
        circles: Circles,
    ) -> None:
        self._store = store
        self._deals = deals
        self._outboxes = outboxes
        self._clock = clock
        self._outbox = outbox
        self._rooms = rooms
        self._live = live
        self._open_rooms = open_rooms
        self._sessions = sessions
        self._profiles = profiles
        self._histories = histories
        self._race_recorder = race_recorder
        self._suspicions = suspicions
        self._cases = cases
        self._repaired_days = repaired_days
        self._closed_deals = closed_deals
        self._circles = circles

    # Rooms

    async def rooms(self, which: RoomFilter, game: str | None, limit: int) -> list[RoomRow]:
        """Return at most `limit` rooms; to find all, all keys are scanned."""
        found: dict[RoomCode, RoomRow] = {}
        async for code in self._codes(which):
            if code in found:
                continue
            try:
                room = await self._rooms.load(code)
            except (Refusal, UnreadableError):
                # The room has expired, or a newer release has written to it.
                continue
            if game in {None, room.terms.game}:
                found[code] = await self._room_row(room)
            if len(found) >= limit:
                break
        return list(found.values())

    async def _codes(self, which: RoomFilter) -> AsyncIterator[RoomCode]:
        match which:
            case "all":
                async for codes in self._rooms.all():
                    for code in codes:
                        yield code
            case "open":
                for row, _ in await self._open_rooms.list():
                    yield row.code
            case "running":
                # The deadlines of all running rounds lie before this time.
                until = self._clock.now() + MAX_ROUND_MS
                for first in range(0, PARTITIONS, BATCH):
                    numbers = range(first, first + BATCH)
                    for pending in await self._outboxes.pending(until, numbers):
                        for due, _ in pending.due:
                            if isinstance(due, RoundDue):
                                yield RoomCode(due.name)

    async def _room_row(self, room: Room) -> RoomRow:
        names = await self._profiles.load([room.host] if room.host is not None else [])
        host = named(names[room.host]) if room.host is not None else ""
        seats = f"{len(room.seats)}/{room.opened.seats}"
        code = room.opened.code
        return RoomRow(code, room.terms.game, host, seats, state_of(room), room.at)

    async def room(self, code: RoomCode) -> RoomShown:
        """Return a room. Refused as `unknown_room`."""
        room = await self._rooms.load(code)
        online = await self._live.load_online(code)
        hosts = [room.host] if room.host is not None else []
        names = await self._profiles.load([*hosts, *(seat.player for seat in room.seats)])
        terms = room.terms
        return RoomShown(
            code,
            state_of(room),
            named(names[room.host]) if room.host is not None else "",
            room.opened.at,
            room.at,
            f"{terms.game} {terms.variant}, {terms.limit // 1000} s, help: {terms.help}",
            room.round.number if room.round is not None else 0,
            room.round.deal if room.round is not None else "",
            seat_rows(room, names, online),
            sorted(room.removed),
        )

    async def close_room(self, by: By, code: RoomCode) -> str:
        """Close a room permanently. Refused as `unknown_room`."""
        await self._rooms.load(code)
        return await self._submit(CloseRoom(room=code, **self._about(by)))

    # Players

    async def players(self, name: str, limit: int) -> list[PlayerRow]:
        """Return at most `limit` players whose names start with a text, ignoring case.

        Scans all keys and reads each name: about 2 s for a million players.
        """
        wanted, found = name.casefold(), dict[PlayerId, PlayerRow]()
        async for profiles in self._profiles.all():
            for profile in profiles:
                if profile.name.casefold().startswith(wanted):
                    found[profile.id] = PlayerRow(profile.id, named(profile))
            if len(found) >= limit:
                break
        return sorted(found.values(), key=lambda row: row.name)[:limit]

    async def player(self, player: PlayerId) -> PlayerShown:
        """Return a player."""
        barred, hidden, _ = await self._check_player(player)
        profile = (await self._profiles.load([player]))[player]
        found = await self._histories.load(player)
        owner = await self._profiles.owner(player) if has_owner(player) else None
        today = daily.day_at(self._clock.now())
        played = {game for game, _ in (*found.days, *found.rounds)} | found.sums.keys()
        return PlayerShown(
            player,
            named(profile),
            found.kept,
            barred if is_barred(barred, self._clock.now()) else None,
            hidden,
            None if owner is None else owner.id,
            await self._sessions.load(player),
            [
                game_row(found, game, today, await self._repaired_days.load(game))
                for game in sorted(played)
            ],
            [each for each in await self._suspicions.list() if each.player == player],
            [CircleRow(each.id, each.name) for each in (await self._circles.of(player)).circles],
        )

    async def hide_name(self, by: By, player: PlayerId, *, hidden: bool) -> str:
        """Hide a player's name or restore it."""
        await self._check_player(player)
        return await self._submit(HideName(player=player, hidden=hidden, **self._about(by)))

    async def bar(self, by: By, player: PlayerId, days: int | None) -> str:
        """Bar a player for some days, or permanently if `None`."""
        await self._check_player(player)
        until = 0 if days is None else self._clock.now() + days * daily.DAY
        return await self._submit(BarPlayer(player=player, until=until, **self._about(by)))

    async def unbar(self, by: By, player: PlayerId) -> str:
        """Lift a player's bar."""
        await self._check_player(player)
        return await self._submit(BarPlayer(player=player, until=None, **self._about(by)))

    async def delete(self, by: By, player: PlayerId) -> str:
        """Delete a player, anonymizing the results."""
        await self._check_player(player)
        return await self._submit(DeletePlayer(player=player, **self._about(by)))

    async def _check_player(self, player: PlayerId) -> Restrictions:
        found = await self._store.restrictions(player)
        if not found.known:
            raise Refusal(BaseRefusals.unknown_player)
        return found

    # Circles

    async def circle(self, circle: CircleId) -> CircleShown:
        """Return a circle. Refused as `unknown_circle`."""
        found = await self._circle(circle)
        names = await self._profiles.load(found.players)
        members = [PlayerRow(each, named(names[each])) for each in found.players]
        return CircleShown(found.id, found.name, found.owner, found.founded, members)

    async def delete_circle(self, by: By, circle: CircleId) -> str:
        """Delete a circle and its data. Refused as `unknown_circle`."""
        await self._circle(circle)
        return await self._submit(DeleteCircle(circle=circle, **self._about(by)))

    async def rename_circle(self, by: By, circle: CircleId, name: str) -> str:
        """Rename a circle. Refused as `unknown_circle`, or if the name is not allowed."""
        await self._circle(circle)
        name = self._circles.clean(name)
        return await self._submit(RenameCircle(circle=circle, name=name, **self._about(by)))

    async def _circle(self, circle: CircleId) -> Circle:
        found = await self._circles.find(circle)
        if found is None:
            raise Refusal(CircleRefusals.unknown_circle, "There is no such circle.")
        return found

    # Results

    async def void(self, by: By, attempt: AttemptId, *, void: bool) -> str:
        """Void the result of a daily or a race, or restore it. Refused as `unknown_run`."""
        found = await self.run(attempt)
        player, game, day = found.player, found.game, found.day
        act = VoidResult(
            attempt=attempt, player=player, game=game, day=day, void=void, **self._about(by)
        )
        return await self._submit(act)

    async def run(self, attempt: AttemptId) -> RunShown:
        """Return the result of a daily or a race. Refused as `unknown_run`."""
        parts = split_attempt_id(attempt)
        deal = await self._deals.find(parts[0]) if parts is not None else None
        if parts is None or deal is None:
            raise Refusal(BaseRefusals.unknown_run)
        player, game, day = parts[1], deal.game, deal.day
        if day is None:
            void = await self._race_recorder.is_void(attempt)
            if void is None:
                void = await self._closed_deals.is_void(attempt)
        else:
            (excerpt,) = await self._histories.excerpts([player], [day])
            result = excerpt.days.get((game, day))
            void = None if result is None else result.void
        if void is None:
            raise Refusal(BaseRefusals.unknown_run)
        profile = (await self._profiles.load([player]))[player]
        return RunShown(attempt, player, named(profile), game, day, void)

    async def repair_day(self, by: By, day: int, game: str = ALL_GAMES) -> str:
        """Keep a day from ending streaks, of a game or of all games.

        Refused as `unknown_game`, or as `unknown_day` if the day is in the future.
        """
        if game != ALL_GAMES and game not in games():
            raise Refusal(BaseRefusals.unknown_game)
        if day > daily.day_at(self._clock.now()):
            raise Refusal(BaseRefusals.unknown_day)
        return await self._submit(RepairDay(game=game, day=day, **self._about(by)))

    async def suspicious(self, limit: int, day: int | None = None) -> list[Suspicion]:
        """Return suspicious runs, of a day or all, the most suspicious first."""
        return (await self._suspicions.list(day))[:limit]

    # Cases

    async def cases(
        self,
        limit: int,
        *,
        state: State | None = None,
        kind: CaseKind | None = None,
        day: int | None = None,
        before: tuple[int, str] | None = None,
    ) -> CasePage:
        """Return suspicious runs and reports, newest first. See `Cases.page`."""
        return await self._cases.page(limit, state=state, kind=kind, day=day, before=before)

    async def reports(self, limit: int) -> list[Case]:
        """Return open reports, newest first."""
        found: list[Case] = []
        before = None
        while len(found) < limit:
            page = await self.cases(limit - len(found), state="open", kind="report", before=before)
            found += page.cases
            before = page.next
            if before is None:
                break
        return found

    async def close_case(self, by: By, case: str, outcome: Outcome) -> str:
        """Close a case. Refused as `unknown_case`."""
        if not await self._cases.has(case):
            raise Refusal(ModerationRefusals.unknown_case)
        return await self._submit(CloseCase(case=case, outcome=outcome, **self._about(by)))

    # Acts

    async def acts(self, limit: int) -> list[AnyAct]:
        """Return the newest acts, newest first."""
        return list(map(decode, await self._store.acts(limit)))

    def _about(self, by: By) -> _About:
        return _About(id=random_id(), at=self._clock.now(), operator=by.operator, reason=by.reason)

    async def _submit(self, act: AnyAct) -> str:
        latest = await self._store.latest(act.subject)
        if latest:
            # It must follow the earlier acts even if the clock was set back.
            at = max(act.at, decode(latest).at + 1)
            act = replace(act, at=at)
        # Stored before it is applied, so that it is not left half done if this process dies.
        await self._outbox.submit(act)
        await self._outbox.flush()
        return act.id
