"""The store of one node, in memory: the same classes, and what they answer is the same."""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from engine.deal import SEED_BYTES, commitment
from server.core.ids import (
    ALPHABET,
    CODE_ALPHABET,
    CODE_LENGTH,
    ID_LENGTH,
    DealId,
    PlayerId,
    RoomCode,
    attempt_id,
)
from server.core.names import Profile, guest_name
from server.core.ranking import Row
from server.service.store import Store
from server.store import keys
from server.store.clock import Clock
from server.store.database import Database
from server.store.deals import Deal, Deals
from server.store.journal import Append, Journals
from server.store.leaderboards import Leaderboards
from server.store.nodes import Nodes
from server.store.outbox import Left, Outboxes
from server.store.players import Players
from server.store.rooms import Rooms
from server.store.sweepers import Share, Sweepers
from tests.simulation.link import Link


def store_on(link: Link) -> Store:
    """Return the store that a node reaches by a link."""
    return Store(
        SimulatedClock(link),
        SimulatedJournals(link),
        SimulatedDeals(link),
        SimulatedPlayers(link),
        SimulatedLeaderboards(link),
        SimulatedOutboxes(link),
        SimulatedRooms(link),
        SimulatedNodes(link),
        SimulatedSweepers(link),
    )


class SimulatedClock(Clock):
    """Redis's clock, between looks carried on by a clock of the node's own."""

    def __init__(self, link: Link) -> None:
        super().__init__(cast(Database, link))
        self._link = link
        self._jumped = 0.0

    def jump(self, seconds: float) -> None:
        """Let the node's own clock jump."""
        self._jumped += seconds

    def _monotonic(self) -> float:
        """Return the node's own time in seconds, off by all its jumps."""
        return self._link.world.now() / 1000 + self._jumped

    async def _ask(self) -> float:
        """Return the world's time in Unix seconds."""
        return await self._link.call("TIME", self._link.world.now) / 1000


class SimulatedJournals(Journals):
    """All journals."""

    def __init__(self, link: Link) -> None:
        self._call = link.call
        self._memory = link.world.memory

    async def append(self, entry: Append, previous: str, now: int) -> None:
        """Append an entry; when this returns, it stands."""
        await self._call(
            "append",
            lambda: self._memory.append(entry, previous, now),
            (entry.key, entry.number, entry.payload),
        )

    async def read(self, key: str) -> list[str]:
        """Return the texts of all entries."""
        return await self._call("read", lambda: list(self._memory.stream(key)), key)

    async def read_on(self, key: str, after: int, last: str) -> list[str] | None:
        """Return the texts of the entries after number `after`, or `None` if that is lost."""

        def read() -> list[str] | None:
            texts = self._memory.stream(key)
            return texts[after:] if texts[after - 1 : after] == [last] else None

        return await self._call("read on", read, (key, after))


class SimulatedDeals(Deals):
    """All deals, drawn from the world's seed."""

    def __init__(self, link: Link) -> None:
        self._call = link.call
        self._memory = link.world.memory
        self._rng = link.world.rng
        self._known = OrderedDict()

    async def draw(
        self, game: str, variant: str, *, room: RoomCode | None = None, day: int | None = None
    ) -> Deal:
        """Draw a seed, and keep the deal."""
        deal_id = DealId(random_id(self._rng))
        seed = self._rng.randbytes(SEED_BYTES)
        deal = Deal(deal_id, game, variant, seed, commitment(deal_id, seed), room, day)
        fields = {
            "game": game,
            "variant": variant,
            "seed": seed.hex(),
            "commitment": deal.commitment,
        }
        if room is not None:
            fields["room"] = room
        if day is not None:
            fields["day"] = str(day)
        key = keys.deal(deal_id)
        await self._call(
            "draw", lambda: self._memory.set_fields(key, fields, keys.DEAL_LIFE), deal_id
        )
        self._remember(deal)
        return deal

    async def find(self, deal_id: DealId) -> Deal | None:
        """Return a deal, or `None`."""
        if deal_id in self._known:
            return self._known[deal_id]
        fields = await self._call(
            "find deal", lambda: self._memory.hash(keys.deal(deal_id)), deal_id
        )
        if not fields:
            return None
        deal = Deal(
            deal_id,
            fields["game"],
            fields["variant"],
            bytes.fromhex(fields["seed"]),
            fields["commitment"],
            RoomCode(fields["room"]) if "room" in fields else None,
            int(fields["day"]) if "day" in fields else None,
        )
        self._remember(deal)
        return deal

    async def daily(self, game: str, variant: str, day: int) -> Deal:
        """Return the deal of a game for a day, drawn now if no node has done so."""
        key = keys.daily(game, day)
        known = await self._call("find daily", lambda: self._memory.value(key), key)
        if known is None:
            drawn = await self.draw(game, variant, day=day)
            known = await self._call(
                "keep daily", lambda: self._memory.keep_first(key, drawn.id, keys.DEAL_LIFE), key
            )
        deal = await self.find(DealId(known))
        assert deal is not None, "a day's deal is kept before it is named"
        return deal

    async def started(self, deals: list[DealId], player: PlayerId) -> set[DealId]:
        """Return at which of these deals a player has started an attempt."""
        names = {deal: keys.attempt(attempt_id(deal, player)) for deal in deals}
        return await self._call(
            "started", lambda: {deal for deal in deals if self._memory.stream(names[deal])}, player
        )

    async def daily_ids(self, games: list[str], day: int) -> dict[str, DealId]:
        """Return the ids of a day's deals that have been drawn, by game."""

        def find() -> dict[str, DealId]:
            found = {game: self._memory.value(keys.daily(game, day)) for game in games}
            return {game: DealId(id_) for game, id_ in found.items() if id_}

        return await self._call("find dailies", find, day)


class SimulatedPlayers(Players):
    """All players."""

    def __init__(self, link: Link) -> None:
        self._call = link.call
        self._memory = link.world.memory
        self._rng = link.world.rng

    async def secret(self) -> bytes:
        """Return the secret that signs tokens."""
        made = self._rng.randbytes(32).hex()
        kept = await self._call(
            "secret", lambda: self._memory.keep_first(keys.SIGNING_KEY, made, None)
        )
        return bytes.fromhex(kept)

    async def keep(self, player: PlayerId, name: str | None = None) -> Profile:
        """Return a player's profile, made or renamed."""
        key = keys.player(player)

        def keep() -> str:
            kept = name or self._memory.hash(key).get("name") or guest_name(player)
            self._memory.set_fields(key, {"name": kept}, keys.PLAYER_LIFE)
            return kept

        return Profile(player, await self._call("keep player", keep, player))

    async def profiles(self, players: Iterable[PlayerId]) -> dict[PlayerId, Profile]:
        """Return the profiles of players."""
        wanted = sorted(players)

        def find() -> dict[PlayerId, Profile]:
            names = {p: self._memory.hash(keys.player(p)).get("name") for p in wanted}
            return {p: Profile(p, name or guest_name(p)) for p, name in names.items()}

        return await self._call("profiles", find)

    async def take_session(self, player: PlayerId, session: str) -> None:
        """Make a session the player's newest one."""
        key = keys.session(player)
        await self._call(
            "take session", lambda: self._memory.set(key, session, keys.SESSION_LIFE), player
        )

    async def renew_session(self, player: PlayerId, session: str) -> bool:
        """Keep a session alive; return whether it is the player's newest one."""
        key = keys.session(player)

        def renew() -> bool:
            if self._memory.value(key) not in {None, session}:
                return False
            self._memory.set(key, session, keys.SESSION_LIFE)
            return True

        return await self._call("renew session", renew, player)

    async def drop_session(self, player: PlayerId, session: str) -> None:
        """Forget a session, unless a newer one has taken its place."""
        key = keys.session(player)

        def drop() -> None:
            if self._memory.value(key) == session:
                self._memory.delete(key)

        await self._call("drop session", drop, player)

    async def here(self, players: Iterable[PlayerId]) -> set[PlayerId]:
        """Return which of the players have a session on any node."""
        wanted = sorted(players)
        return await self._call(
            "here", lambda: {p for p in wanted if self._memory.value(keys.session(p)) is not None}
        )


class SimulatedLeaderboards(Leaderboards):
    """All leaderboards."""

    def __init__(self, link: Link) -> None:
        self._call = link.call
        self._memory = link.world.memory

    async def enter(self, game: str, day: int, player: PlayerId, score: int) -> None:
        """Enter a player's one result of the day; doing so again changes nothing."""
        key = keys.leaderboard(game, day)
        await self._call(
            "enter",
            lambda: self._memory.score(key, player, score, keys.LEADERBOARD_LIFE),
            (key, player, score),
        )

    async def size(self, game: str, day: int) -> int:
        """Return the number of rows."""
        key = keys.leaderboard(game, day)
        return await self._call("size", lambda: len(self._memory.scores(key)), key)

    async def top(self, game: str, day: int, count: int) -> list[Row]:
        """Return the first rows."""
        key = keys.leaderboard(game, day)
        return await self._call("top", lambda: self._all(key)[:count], key)

    async def around(self, game: str, day: int, player: PlayerId, reach: int) -> list[Row]:
        """Return a player's row with up to `reach` rows on either side; none without a row."""
        key = keys.leaderboard(game, day)

        def find() -> list[Row]:
            rows = self._all(key)
            place = next((n for n, row in enumerate(rows) if row.player == player), None)
            return [] if place is None else rows[max(0, place - reach) : place + reach + 1]

        return await self._call("around", find, key)

    def _all(self, key: str) -> list[Row]:
        """Return all rows."""
        scores = self._memory.scores(key)
        ordered = list(scores.values())
        return [
            Row(ordered.index(score) + 1, PlayerId(player), score)
            for player, score in scores.items()
        ]


class SimulatedOutboxes(Outboxes):
    """The outboxes and due times of all partitions."""

    def __init__(self, link: Link) -> None:
        self._call = link.call
        self._memory = link.world.memory

    async def look(self, until: int, partitions: Sequence[int]) -> list[Left]:
        """Return for each partition what falls due up to a time, and its effects."""
        return await self._call(
            "look", lambda: [self._memory.left(number, until) for number in partitions], until
        )

    async def drop_effect(self, field: str) -> None:
        """Forget an effect that has been applied."""
        await self._call("drop effect", lambda: self._memory.drop_effect(field), field)

    async def drop_due(self, name: str, member: str, time: int) -> None:
        """Forget a due time that has been dealt with, unless there is a later one by now."""
        await self._call("drop due", lambda: self._memory.drop_due(name, member, time), member)

    async def set_aside(self, partition: int, name: str, text: str) -> None:
        """Keep an effect or a due time of a partition where an operator finds it."""
        await self._call("set aside", lambda: self._memory.set_aside(partition, name, text), name)

    async def all_set_aside(self) -> dict[str, str]:
        """Return what was set aside, by name."""
        return await self._call("all set aside", lambda: self._memory.hash(keys.SET_ASIDE))


class SimulatedRooms(Rooms):
    """Creation keys and progress counters."""

    def __init__(self, link: Link) -> None:
        self._call = link.call
        self._memory = link.world.memory
        self._rng = link.world.rng

    async def code_for(self, player: PlayerId, creation: str) -> RoomCode:
        """Return the code of a creation: a new one, or what it was given the first time."""
        key = keys.creation(player, creation)
        code = "".join(self._rng.choices(CODE_ALPHABET, k=CODE_LENGTH))
        return RoomCode(
            await self._call(
                "code", lambda: self._memory.keep_first(key, code, keys.CREATION_LIFE), key
            )
        )

    async def forget_code(self, player: PlayerId, creation: str) -> None:
        """Forget a creation's code, since another room has it."""
        key = keys.creation(player, creation)
        await self._call("forget code", lambda: self._memory.delete(key), key)

    async def set_progress(self, code: RoomCode, progress: Mapping[str, str]) -> None:
        """Keep texts about attempts by attempt id."""
        key, fields = keys.progress(code), dict(progress)
        await self._call(
            "set progress", lambda: self._memory.set_fields(key, fields, keys.ROOM_LIFE / 1000), key
        )

    async def progress(self, code: RoomCode, attempts: list[str]) -> dict[str, str]:
        """Return what was kept about these attempts."""
        if not attempts:
            return {}
        key = keys.progress(code)
        known = await self._call("progress", lambda: self._memory.hash(key), key)
        return {a: known[a] for a in attempts if a in known}


class SimulatedNodes(Nodes):
    """The nodes that have said lately that they are alive."""

    def __init__(self, link: Link) -> None:
        self._call = link.call
        self._memory = link.world.memory
        self._now = link.world.now

    async def renew(self, node: str) -> None:
        """Let a node count as alive for a while."""

        def renew() -> None:
            now = int(self._now())
            known = self._memory.scores(keys.NODES).items()
            alive = {name: until for name, until in known if until > now}
            alive[node] = now + keys.NODE_LIFE * 1000
            self._memory.replace_scores(keys.NODES, alive, keys.NODE_LIFE)

        await self._call("renew node", renew, node)

    async def drop(self, node: str) -> None:
        """Forget a node that ends."""

        def drop() -> None:
            alive = self._memory.scores(keys.NODES)
            alive.pop(node, None)
            self._memory.replace_scores(keys.NODES, alive)

        await self._call("drop node", drop, node)

    async def alive(self, now: int) -> list[str]:
        """Return the nodes that are alive at a time in Unix milliseconds, in order."""
        scores = await self._call("nodes", lambda: self._memory.scores(keys.NODES))
        return sorted(node for node, until in scores.items() if until > now)


class SimulatedSweepers(Sweepers):
    """The nodes that sweep."""

    def __init__(self, link: Link) -> None:
        self._call = link.call
        self._memory = link.world.memory
        self._now = link.world.now
        self.name = random_id(link.world.rng)

    async def renew(self, *, busy: bool) -> Share:
        """Be one of them for a while; say if anybody played here."""

        def renew() -> Share:
            now = int(self._now())
            known = self._memory.scores(keys.SWEEPERS).items()
            alive = {name: until for name, until in known if until > now}
            alive[self.name] = now + keys.SWEEPER_LIFE * 1000
            self._memory.replace_scores(keys.SWEEPERS, alive, keys.SWEEPER_LIFE)
            if busy:
                self._memory.set(keys.BUSY, "", keys.BUSY_LIFE)
            return Share(sorted(alive), self._memory.value(keys.BUSY) is not None)

        return await self._call("renew sweeper", renew)

    async def drop(self) -> None:
        """Be none of them any more."""

        def drop() -> None:
            alive = self._memory.scores(keys.SWEEPERS)
            alive.pop(self.name, None)
            self._memory.replace_scores(keys.SWEEPERS, alive)

        await self._call("drop sweeper", drop)


def random_id(rng: random.Random) -> str:
    """Return an id from a source of chance."""
    return "".join(rng.choices(ALPHABET, k=ID_LENGTH))
