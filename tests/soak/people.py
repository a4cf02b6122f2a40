"""Players who use every feature: the fault suite's players, with activities around races.

They look at the lobby, boards, deals and runs, send HTTP requests, join strangers, change their
names, keep, link, export and delete their identities, and return as new guests.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable, Callable, Sequence, Set
from datetime import UTC, datetime
from http import HTTPStatus
from typing import get_args

from server.base.wire.session_messages import VERSION
from server.results.core.boards import Scope
from server.routes import ROUTES
from tests.clients.plans import SHORTEST, VANISHED, Table, play_dailies
from tests.clients.player import UNEXPECTED, LostError
from tests.faults import plans
from tests.faults.http import request
from tests.faults.ledger import Message
from tests.faults.plans import GAMES
from tests.faults.player import Player, World

STAYING = (1.0, 6.0)
"""Seconds spent on a board or in a room of the lobby."""

EMOTES = 3
"""Emotes that a player sends in a room of the lobby."""

LASTS = 12
"""The mean number of activities before a player is replaced by a new one."""


class Person(Player):
    """A player who uses every feature.

    Args:
        number: the player's number.
        world: the state shared by all players.
        rng: source of all choices.
        ports: the nodes' ports.
        pace: mean seconds between the player's commands.
    """

    def __init__(
        self, number: int, world: World, rng: random.Random, ports: Sequence[int], pace: float
    ) -> None:
        super().__init__(number, world, rng, pace)
        self._ports = ports
        self._dailies: list[str] = []
        self._code: str | None = None

    @property
    def unexpected(self) -> Set[str]:
        """Refusals that it must not get."""
        # Rooms of the lobby fill up, and rooms seen by others may be gone.
        return UNEXPECTED - {"room_full", "unknown_room"}

    async def become_new(self) -> None:
        """Become a new guest without a recovery code."""
        self._code = None
        await super().become_new()

    @property
    def port(self) -> int:
        """The port of a random node. A balancer would use as much processor time as the players."""
        return self.rng.choice(self._ports)

    async def live(self, tables: asyncio.Queue[Table]) -> None:
        """Perform activities until the world closes, then leave."""
        # Spread out the arrivals.
        await self.pause(0.0, 4 * self.pace)
        await self._arrive()
        things: dict[Callable[[], Awaitable[None]], int] = {
            lambda: plans.race(self, tables): 30,
            self._daily: 20,
            lambda: plans.race_quickly(self): 10,
            self._look_on: 7,
            self._drop_in: 7,
            self._look_at_board: 7,
            self._look_at_runs: 5,
            self._browse: 8,
            self._rename: 2,
            self._keep: 3,
            self._link: 2,
            self._vanish: 3,
        }
        while not self.world.closing:
            [thing] = self.rng.choices(list(things), list(things.values()))
            await thing()
            if self.rng.random() < 1 / LASTS:
                await self._part()
                await self._arrive()
            await self._rest()
        self.doing = "leaving"
        await self.leave()
        self.doing = "done"

    async def _rest(self) -> None:
        await asyncio.sleep(self.rng.expovariate(1 / self.pace))

    async def _arrive(self) -> None:
        """Arrive as a new guest."""
        self.doing = "arriving"
        await self.become_new()
        self._dailies = self.rng.sample(GAMES, len(GAMES))

    async def _daily(self) -> None:
        self.doing = "listing the dailies"
        await self.ask("daily.list")
        if self._dailies:
            await play_dailies(self, self._dailies.pop())

    async def _look_on(self) -> None:
        if self.world.links:
            await plans.look_on(self)

    async def _drop_in(self) -> None:
        """Look at the lobby, and join a room or make one's own room public and wait."""
        self.doing = "looking at the lobby"
        listed = await self.ask("room.list")
        rooms = listed["rooms"] if listed is not None else []
        if rooms:
            code = self.rng.choice(rooms)["code"]
            room = await self.ask("room.join", code=code)
        else:
            game, key = self.rng.choice(GAMES), f"{self.rng.getrandbits(64):016x}"
            room = await self.ask("room.create", game=game, seats=4, limit=SHORTEST, key=key)
        if room is None or room["type"] != "room":
            return
        code = room["code"]
        self.doing = f"staying in room {code} of the lobby"
        if not rooms:
            await self.ask("room.public", once=True, code=code, public=True)
        for _ in range(EMOTES):
            await self.ask("SendEmote", once=True, code=code, emote=self.rng.randrange(3))
            await self._stay(2 / EMOTES)
        self.doing = f"leaving room {code}"
        await self.ask("room.leave", code=code)
        self.world.counts["visits to the lobby"] += 1

    async def _stay(self, share: float = 1.0) -> None:
        """Stay for a while."""
        await asyncio.sleep(share * self.rng.uniform(*STAYING))

    async def _look_at_board(self) -> None:
        """Watch a random board for a while."""
        self.doing = "watching a board"
        scope = self.rng.choice(get_args(Scope))
        answer = await self.ask("leaderboard.watch", game=self.rng.choice(GAMES), scope=scope)
        if answer is not None and answer["type"] == "leaderboard":
            await self._stay()
            await self.ask("leaderboard.unwatch")
            self.world.counts["boards watched"] += 1

    def _deal(self) -> str | None:
        """Return the deal of one of the player's finished rounds, if any."""
        rounds = [room["round"] for room in self.rooms.values()]
        deals = [each["deal"] for each in rounds if each is not None and each["over"]]
        return self.rng.choice(deals) if deals else None

    async def _look_at_runs(self) -> None:
        """Look at the deal and the runs of a finished round."""
        deal = self._deal()
        if deal is None:
            return
        self.doing = f"looking at the runs of {deal}"
        await self.ask("deal.show", deal=deal)
        runs = await self.ask("GetRuns", deal=deal)
        for row in (runs or {}).get("runs", [])[:2]:
            await self.ask("GetRun", attempt=row["attempt"])
        self.world.counts["deals looked at"] += 1

    async def _browse(self) -> None:
        """Request several paths of the HTTP interface, as other sites' pages do."""
        self.doing = "browsing"
        known: dict[str, Sequence[str]] = {
            "player": [ledger.player for ledger in self.world.ledgers],
            "deal": [self._deal() or "unknown"],
            "run": list(self.states) or ["unknown"],
            "challenge": ["unknown"],
            "game": GAMES,
            "date": [datetime.now(UTC).date().isoformat()],
            "scope": get_args(Scope),
            "period": ["all", datetime.now(UTC).date().isoformat()],
            "file": ["2000-01-01.jsonl.gz"],
        }
        for route in self.rng.sample(ROUTES, 3):
            path = re.sub(r"{(\w+)}", lambda name: self.rng.choice(known[name[1]]), route.path)
            try:
                status, _ = await request(self.port, f"/api{path}")
            except OSError:
                # The node is down or Redis is held.
                self.world.counts["HTTP without an answer"] += 1
                continue
            self.world.counts[f"HTTP {status}"] += 1
            if status == HTTPStatus.INTERNAL_SERVER_ERROR:
                self.world.complaints.append(f"HTTP {status} for {path}")

    async def _rename(self) -> None:
        self.doing = "changing the name"
        await self.ask("rename", once=True, name=f"Ada {self.rng.randrange(10**6)}")

    async def _keep(self) -> None:
        """Keep the identity with a recovery code, and look at the account."""
        self.doing = "keeping the identity"
        told = await self.ask("NewRecoveryCode")
        if told is not None and told["type"] == "RecoveryCode":
            await self.ask("KeepRecoveryCode", code=told["code"])
            self._code = told["code"]
        await self.ask("GetAccount")

    async def _link(self) -> None:
        """Sign in on another device with a code, and keep it for a while."""
        self.doing = "linking a device"
        told = await self.ask("LinkDevice", once=True)
        if told is None or told["type"] != "DeviceCode":
            return
        signed_in = await self._visit(None, told["code"])
        if signed_in is not None and signed_in["type"] == "SignedIn":
            await self._visit(signed_in["token"])
            self.world.counts["devices linked"] += 1

    async def _visit(self, token: str | None, code: str | None = None) -> Message | None:
        """Open another session, sign in with a code if given, and close it.

        Returns:
            The answer, or `None` without one.
        """
        try:
            device = await self.connect(0, lambda _: None)
        except LostError:
            return None
        try:
            answer = await self.answer(device, "hello", version=VERSION, token=token)
            if code is not None:
                answer = await self.answer(device, "SignIn", code=code)
            else:
                await self._stay()
            return answer
        finally:
            await device.end()

    async def _vanish(self) -> None:
        self.doing = "away"
        await self.vanish(self.rng.uniform(*VANISHED))

    async def _part(self) -> None:
        """Export the data and sign out, or just leave; or arrive briefly and delete the account."""
        self.doing = "parting"
        chance = self.rng.random()
        if chance < 0.3:
            if self._code is not None:
                await self.ask("ConfirmCode", once=True, code=self._code)
            await self.ask("ExportData", once=True)
            await self.ask("SignOutEverywhere", once=True)
        elif chance < 0.4:
            await self.become_new()
            await self.ask("rename", once=True, name="Gone")
            await self.ask("DeleteAccount", once=True)
            self.world.counts["identities deleted"] += 1
