"""The simulated Redis compared with a real one: equal commands have equal answers."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import pytest

from server.app import redis_store
from server.base.core import keys
from server.base.core.days import DailyId
from server.base.core.due import AttemptDue
from server.base.core.ids import AttemptId, DealId, PlayerId, RoomCode
from server.base.core.refusal import Refusal
from server.base.journals.store import (
    CHECKPOINT,
    Append,
    Beside,
    ConflictError,
    Entries,
    MistimedError,
)
from server.base.nodes.held_store import player_note, room_note
from server.base.nodes.nodes_store import NodeStore
from server.base.outbox.sweepers_store import SweeperStore
from server.base.redis.clock import RedisClock
from server.base.redis.connection import connect
from server.base.redis.database import Database
from server.deals.core import keys as deals_keys
from server.deals.pool_store import _REPLACE
from server.deals.store import DealStore
from server.play.core import keys as play_keys
from server.players.core import keys as players_keys
from server.players.core.account import Passkey
from server.results.core.boards import BoardId, Group, of_daily
from server.rooms.core import keys as rooms_keys
from server.stores import Store
from tests.base.outbox.outboxes import all_due, all_effects, all_set_aside
from tests.builders import PLAYERS
from tests.conftest import ALONE, secret_keys
from tests.deals.certified import pooled
from tests.simulation.link import Link
from tests.simulation.loop import VirtualLoop
from tests.simulation.world import World

pytestmark = ALONE

NAMES = [f"{player}.{player}" for player in PLAYERS[:8]]
TEXTS = ["a", '{"at":1}']
WHOLE = f"{CHECKPOINT}1}}"
GAMES = ["first", "second"]
DAYS = [20_000, 20_001]
DIGESTS = ["a" * 64, "b" * 64]
CODES = [RoomCode("AAAAA"), RoomCode("BBBBBBBB")]
KEY = deals_keys.pool("robert")
DAILY = '[9,43,5,9,"won",3,false]'
COMMANDS = 1_400

MAX_COMMANDS = 4 * COMMANDS
"""Commands after which all answers that are wanted have been seen, with any random choices."""

WANTED = {
    *("_append ConflictError", "_append True", "_checkpoint ConflictError", "_checkpoint True"),
    *("_passkey True", "_device True", "_code True", "_sign_out True"),
    *("_keep Refusal", "_session Refusal", "_effects True"),
    *("_read True", "_read_on True", "_read_on False", "_race True", "_race False", "_met True"),
    *("_due True", "_due False", "_page True", "_around True", "_among True", "_nodes True"),
}
"""Answers that the commands have to come to, for the comparison to mean something."""


@dataclass(frozen=True)
class Side:
    """A store, and the connection that it is on."""

    database: Database
    store: Store


def side_on(database: Database) -> Side:
    """Return the store on a connection; its sweeper has the same name on each."""
    sweepers = SweeperStore(database)
    sweepers.name = "sweeper"
    return Side(
        database,
        replace(redis_store(database, RedisClock(database), secret_keys()), sweepers=sweepers),
    )


Command = Callable[[Side], Awaitable[object]]


class Commands:
    """Draws commands for both stores; `now` is Redis's time, in Unix milliseconds."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.now = 0

    def draw(self) -> tuple[str, Command]:
        """Return the name of the next command, and the command."""
        makers = [self._append] * 12 + [self._read_on] * 2 + [self._checkpoint] * 6 + [
            self._read, self._read_on, self._effects, self._drop_effect, self._due, self._drop_due,
            self._place, self._change_history, self._histories, self._page, self._around,
            self._among, self._race, self._race, self._meet, self._met,
            self._keep, self._profiles, self._session, self._act, self._bar, self._hide_name,
            self._restrictions, self._repair, self._first, self._start,
            self._median_win, self._suspect,
            self._session_used, self._session_ended, self._present, self._presence,
            self._node, self._nodes, self._open_room, self._open_rooms, self._offer,
            *[self._held] * 4,
            self._pair, self._account, *[self._code] * 3, *[self._device] * 2,
            *[self._passkey] * 4, self._sign_out, self._bury,
            *[self._charge] * 4, self._extend, *[self._effects] * 4,
            *[self._gathered] * 4, *[self._append] * 4, *[self._due] * 16,
            self._pending, self._set_aside, self._all_set_aside, self._sweeper,
        ]  # fmt: skip
        maker = self.rng.choice(makers)
        return maker.__name__, maker()

    def _one(self, these: list[Any]) -> Any:
        return self.rng.choice(these)

    def _append(self) -> Command:
        rng, name = self.rng, self._one(NAMES)
        start = rng.random() < 0.3
        due = AttemptDue(AttemptId(name))
        entry = Append(
            play_keys.attempt(name),
            1 if start else rng.randint(1, 4),
            self._one(TEXTS),
            keys.partition(name),
            # A time in the past deletes the journal at once.
            expires=rng.choice((None,) * 6 + (self.now + 900_000, self.now - 60_000)),
            effect=rng.choice((None, (name, self._one(TEXTS)))),
            due=rng.choice((None, (due, None), *[(due, self.now + self._about())] * 2)),
        )
        previous = rng.choice((None, "" if start else self._one(TEXTS)))
        now = self._about_now()
        return lambda on: on.store.journals.append(entry, now, None, previous)

    def _checkpoint(self) -> Command:
        """Append an entry to the journal of a room, maybe a checkpoint, or read it."""
        rng, code = self.rng, self._one(CODES)
        key, number = rooms_keys.room(code), rng.choice((1, 1, 2, 2, 3, 4))
        if rng.random() < 0.3:
            return lambda on: on.store.journals.read(key)
        if rng.random() < 0.3:
            after, last, begin = rng.randint(1, 5), self._one([*TEXTS, WHOLE]), rng.randint(1, 3)
            return lambda on: on.store.journals.read_on(key, after, last, begin)
        beside = Beside(rooms_keys.round_in(code, "deal"), self._one(TEXTS), self.now + 900_000)
        entry = Append(
            key,
            number,
            WHOLE if rng.random() < 0.3 else self._one(TEXTS),
            keys.partition(code),
            # As above.
            expires=rng.choice((None, None, self.now - 60_000)),
            beside=rng.choice((None, beside)),
        )
        previous, now = rng.choice((None, None, *TEXTS, WHOLE)), self._about_now()
        return lambda on: on.store.journals.append(entry, now, None, previous)

    def _about_now(self) -> int:
        return self.now + self.rng.choice((0, 0, 0, 0, -1_000, 1_000, -3_000, 3_000))

    def _gathered(self) -> Command:
        entries = [
            (play_keys.attempt(name), self.rng.randint(1, 4), self._one(TEXTS), self._about_now())
            for name in self.rng.sample(NAMES, 2)
        ]

        async def append(on: Side) -> list[object]:
            store = on.store
            await store.journals.read(entries[0][0])
            loop = asyncio.get_running_loop()
            futures: list[asyncio.Future[object]] = [loop.create_future() for _ in entries]
            for future, (key, number, text, now) in zip(futures, entries, strict=True):

                def done(
                    error: Exception | None, _: int, future: asyncio.Future[object] = future
                ) -> None:
                    future.set_result(type(error))

                generation = store.journals.generation(key)
                entry = Append(key, number, text)
                assert store.journals.append_soon(entry, now, generation, done, None)
            return [await future for future in futures]

        return append

    def _about(self) -> int:
        return self.rng.choice((-90_000, -60_000, 60_000, 90_000))

    def _read(self) -> Command:
        key = play_keys.attempt(self._one(NAMES))
        return lambda on: on.store.journals.read(key)

    def _read_on(self) -> Command:
        key, after, last = (
            play_keys.attempt(self._one(NAMES)),
            self.rng.randint(1, 4),
            self._one(TEXTS),
        )
        return lambda on: on.store.journals.read_on(key, after, last)

    def _effects(self) -> Command:
        return lambda on: all_effects(on.store.outboxes)

    def _drop_effect(self) -> Command:
        name = self._one(NAMES)
        return lambda on: on.store.outboxes.drop_effect(name)

    def _due(self) -> Command:
        # Before all that is due, or after it.
        now = self.now + self._about() * 2
        return lambda on: all_due(on.store.outboxes, now)

    def _drop_due(self) -> Command:
        due, time = AttemptDue(AttemptId(self._one(NAMES))), self.now + self._about()
        return lambda on: on.store.outboxes.drop_due(due, time)

    def _pending(self) -> Command:
        until, numbers = self.now + self._about() // 2, [keys.partition(name) for name in NAMES]
        return lambda on: on.store.outboxes.pending(until, numbers)

    def _set_aside(self) -> Command:
        name, elsewhere = self._one(NAMES), self._one(NAMES)
        given = (keys.partition(elsewhere), self._one([name, f"a:{name}"]), self._one(TEXTS))
        return lambda on: on.store.outboxes.set_aside(*given)

    def _all_set_aside(self) -> Command:
        return lambda on: all_set_aside(on.database)

    def _sweeper(self) -> Command:
        if self.rng.random() < 0.3:
            return lambda on: on.store.sweepers.drop()
        busy = self.rng.random() < 0.3
        return lambda on: on.store.sweepers.renew(busy=busy)

    def _board(self) -> BoardId:
        return of_daily(DailyId(self._one(GAMES), self._one(DAYS)), "guests")

    def _place(self) -> Command:
        score = self._one([None, 1, 2, 3, -4])
        curve = self._one([(), ("0:1", "15:2")])
        group: Group = self._one(["guests", "ranked"])
        board, player = self._board()._replace(group=group), self._one(list(PLAYERS))
        return lambda on: on.store.leaderboards.place(board, player, score, curve)

    def _change_history(self) -> Command:
        player = self._one(list(PLAYERS))
        fields = {"kept": self._one([None, "5"]), "d:robert:7": self._one([None, DAILY])}
        version = self.rng.randint(0, 2)
        return lambda on: on.store.histories.change(player, version, fields)

    def _histories(self) -> Command:
        player = self._one(list(PLAYERS))
        if self.rng.random() < 0.5:
            return lambda on: on.store.histories.read(player)
        return lambda on: on.store.histories.excerpts(list(PLAYERS), [6, 7])

    def _page(self) -> Command:
        board, first, count = self._board(), self.rng.randint(1, 4), self.rng.randint(1, 6)
        return lambda on: on.store.leaderboards.rows(board, first, count)

    def _around(self) -> Command:
        given = (
            self._board(),
            [self._one(list(PLAYERS)), self._one(list(PLAYERS))],
            self.rng.randint(0, 3),
        )
        return lambda on: on.store.leaderboards.around(*given)

    def _among(self) -> Command:
        circles = [
            self.rng.choices(list(PLAYERS), k=self.rng.randint(1, 4))
            for _ in range(self.rng.randint(0, 3))
        ]
        given = (self._board(), [list(dict.fromkeys(each)) for each in circles], 2)
        return lambda on: on.store.leaderboards.among(*given)

    def _keep(self) -> Command:
        player, name = self._one(list(PLAYERS)), self._one([None, "Ada", "Bob"])
        epoch, now = self._one([None, 0, 1, 2]), self._one([None, self.now])
        return lambda on: on.store.players.update(player, name, epoch, now)

    def _account(self) -> Command:
        player: PlayerId = self._one(list(PLAYERS))
        return lambda on: on.store.accounts.load(player)

    def _code(self) -> Command:
        player, digest = self._one(list(PLAYERS)), self._one(DIGESTS)
        at = self.now + self.rng.choice((0, 0, -60_000))
        epoch, confirmed = self._one([0, 1, 3]), self._one([True, False])
        match self._one(["find", "use", "offer", "offered", "keep", "keep"]):
            case "find":
                return lambda on: on.store.accounts.code_owner(digest)
            case "use":
                return lambda on: on.store.accounts.use_code(player, digest, at)
            case "offer":
                given = (player, digest, self.now, epoch)
                return lambda on: on.store.accounts.offer_code(*given, confirmed=confirmed)
            case "offered":
                return lambda on: on.store.accounts.was_offered(player, digest)
            case _:
                return lambda on: on.store.accounts.keep_code(player, digest, at)

    def _device(self) -> Command:
        player, digest = self._one(list(PLAYERS)), self._one(DIGESTS)
        now = self.now + self.rng.choice((0, 400_000))
        if self.rng.random() < 0.5:
            return lambda on: on.store.accounts.take_device(digest, now)
        epoch = self._one([0, 1, 3])
        return lambda on: on.store.accounts.offer_device(player, digest, now, epoch)

    def _passkey(self) -> Command:
        credential, count = f"c{self.rng.randrange(20)}", self.rng.randrange(5)
        made = Passkey(credential, self._one(list(PLAYERS)), b"key", count)
        now, what = self.now, self._one(["keep", "keep", "find", "use"])
        if what == "keep":
            epoch, confirmed = self._one([0, 1, 3]), self._one([True, True, False])
            return lambda on: on.store.accounts.keep_passkey(made, now, epoch, confirmed=confirmed)
        if what == "find":
            return lambda on: on.store.accounts.passkey(credential)
        return lambda on: on.store.accounts.use_passkey(made, count, now)

    def _sign_out(self) -> Command:
        player, session = self._one(list(PLAYERS)), f"node/{self.rng.randrange(12)}"
        epoch, recovery = self._one([0, 1, 3, 9]), self._one([True, False, False])
        passkeys = [f"c{self.rng.randrange(20)}" for _ in range(self._one([0, 0, 1, 3]))]

        async def sign_out(on: Side) -> tuple[int, list[str]] | str:
            given = (player, session, epoch, passkeys)
            try:
                return await on.store.accounts.sign_out(*given, recovery=recovery)
            except Refusal as refusal:
                return refusal.code

        return sign_out

    def _bury(self) -> Command:
        # As often as not, the player is there again for what comes next.
        player, now = self._one(list(PLAYERS)), self.now

        async def bury(on: Side) -> list[str]:
            found = await on.store.accounts.bury(player, now)
            with suppress(Refusal):
                await on.store.players.update(player)
            await on.store.accounts.forget(player)
            if now % 2:
                await on.database.write(
                    players_keys.player(player), "DEL", players_keys.player(player)
                )
            return found

        return bury

    def _profiles(self) -> Command:
        player, now = PLAYERS[self.now % len(PLAYERS)], self.now

        async def profiles(on: Side) -> object:
            players = on.store.players
            waits = [await players.take_rename(player, name, now) for name in ("Ada", *"bcdef")]
            return await players.profiles(PLAYERS), waits

        return profiles

    def _session(self) -> Command:
        player: PlayerId = self._one(list(PLAYERS))
        node, number, now = self._one(["n1", "n2"]), self.rng.randrange(12), self.now
        session, now, epoch = f"{node}/{number}", now + self.rng.randrange(5), self.rng.randrange(3)
        alive = self._one([(), ("n1",), ("n1", "n2")])
        return lambda on: on.store.players.add_session(player, session, now, epoch, alive)

    def _act(self) -> Command:
        act, subject, at = self._one(["1", "2", "3"]), self._one(["a", "b"]), self.rng.randrange(9)
        text = self._one(TEXTS)

        async def record(on: Side) -> object:
            moderation = on.store.moderation
            return await moderation.record(act, subject, at, text), await moderation.acts(2)

        if self.rng.random() < 0.3:
            return lambda on: on.store.moderation.latest(subject)
        return record

    def _bar(self) -> Command:
        player, until = self._one(list(PLAYERS)), self._one([None, None, 0, self.now + 60_000, 1])
        return lambda on: on.store.moderation.bar(player, until)

    def _hide_name(self) -> Command:
        player, hidden = self._one(list(PLAYERS)), self.rng.random() < 0.5
        return lambda on: on.store.moderation.hide_name(player, hidden=hidden)

    def _restrictions(self) -> Command:
        player = self._one(list(PLAYERS))
        if self.rng.random() < 0.5:
            now = self.now
            return lambda on: on.store.players.barred(PLAYERS, now)
        return lambda on: on.store.moderation.restrictions(player)

    def _repair(self) -> Command:
        game, day = self._one(GAMES), self._one(DAYS)

        async def repair(on: Side) -> object:
            await on.store.repaired_days.add(game, day)
            return sorted(await on.store.repaired_days.all())

        return repair

    def _first(self) -> Command:
        daily, player = DailyId(self._one(GAMES), self._one(DAYS)), self._one(list(PLAYERS))
        digests = self._one([["x"], ["y"], ["x", "y", "z"]])
        return lambda on: on.store.suspicions.first(daily, digests, player)

    def _start(self) -> Command:
        daily, player = DailyId(self._one(GAMES), self._one(DAYS)), self._one(list(PLAYERS))
        place, most = self._one(["x", "y"]), self._one([0, 0, 1, 2])

        async def start(on: Side) -> object:
            begun = await on.store.starts.begin(daily, place, player, most)
            return begun, await on.store.starts.earlier(daily, player)

        return start

    def _median_win(self) -> Command:
        board = self._board()
        return lambda on: on.store.suspicions.median_win(board)

    def _suspect(self) -> Command:
        attempt, at, text = self._one(NAMES), self.rng.randrange(9), self._one(TEXTS)

        async def suspect(on: Side) -> object:
            await on.store.suspicions.add(attempt, at, text)
            return sorted(await on.store.suspicions.list())

        return suspect

    def _session_used(self) -> Command:
        player: PlayerId = self._one(list(PLAYERS))
        session = f"{self._one(['n1', 'n2'])}/{self.rng.randrange(12)}"
        now = self.now + self.rng.randrange(5)

        async def use(on: Side) -> list[list[str]]:
            on.store.players.use_session(player, session, now)
            await on.store.rooms.remove_present(
                CODES[0], player, ""
            )  # a write, on the same connection
            return await on.store.players.sessions(PLAYERS)

        return use

    def _session_ended(self) -> Command:
        player: PlayerId = self._one(list(PLAYERS))
        session = f"{self._one(['n1', 'n2'])}/{self.rng.randrange(12)}"

        async def end(on: Side) -> list[list[str]]:
            on.store.players.remove_session(player, session)
            await on.store.rooms.remove_present(CODES[0], player, "")  # as above
            return await on.store.players.sessions(PLAYERS)

        return end

    def _presence(self) -> Command:
        code, player, node = self._one(CODES), self._one(list(PLAYERS)), self._one(["n1", "n2"])
        what = self._one(["put_present", "remove_present", "put_address"])
        return lambda on: getattr(on.store.rooms, what)(code, player, node)

    def _present(self) -> Command:
        code, what = self._one(CODES), self._one(["present", "addresses"])
        return lambda on: getattr(on.store.rooms, what)(code)

    def _held(self) -> Command:
        node, player, code = self._one(["n1", "n2"]), self._one(list(PLAYERS)), self._one(CODES)
        what = self._one(["register", "begin_removal", "end_removal", "note", "drop", "remove"])
        note = self._one([room_note(code), player_note(player)])
        number = keys.partition(note.partition("/")[2])

        async def run(on: Side) -> object:
            given = {"note": [player], "drop": [player], "remove": [number, note]}.get(what, [])
            answer = await getattr(on.store.held, what)(node, *given)
            notes = [sorted(each) for _, each in await on.store.held.notes(node, [number])]
            listed = sorted(answer[1]) if what == "register" else None
            return what == "register" and answer[0], listed, notes

        return run

    def _node(self) -> Command:
        name, what = self._one(["n1", "n2"]), self._one(["renew", "renew", "drop"])
        return lambda on: getattr(on.store.nodes, what)(name)

    def _nodes(self) -> Command:
        now = self.now
        return lambda on: NodeStore(on.database).alive(now)

    def _open_room(self) -> Command:
        code, text = self._one(CODES), self._one(TEXTS)
        now = self.now + self.rng.choice((0, -20_000))
        if self.rng.random() < 0.2:
            return lambda on: on.store.open_rooms.drop(code)
        network = self._one(["", "net"])
        return lambda on: on.store.open_rooms.put(code, text, now, network, 1)

    def _open_rooms(self) -> Command:
        now = self.now
        return lambda on: on.store.open_rooms.list(now)

    def _offer(self) -> Command:
        game, code = self._one(GAMES), self._one(CODES)
        now = self.now + self.rng.choice((0, -20_000))
        if self.rng.random() < 0.3:
            return lambda on: on.store.quick_matches.withdraw(game, code)
        return lambda on: on.store.quick_matches.offer(game, code, now)

    def _race(self) -> Command:
        deal, player = DealId(f"deal{self.rng.randrange(12)}"), self._one(list(PLAYERS[:2]))
        kind, text = self.rng.choice(("decide", "find", "void")), self._one(TEXTS)
        if kind == "find":
            return lambda on: on.store.race_records.find(deal)
        if kind == "void":
            reason = self._one([None, text])
            return lambda on: on.store.race_records.void(deal, player, reason)
        return lambda on: on.store.race_records.decide(deal, text)

    def _meet(self) -> Command:
        player, *others = self.rng.sample(PLAYERS, self.rng.randint(2, len(PLAYERS)))
        at = self._about_now()
        return lambda on: on.store.met.add(player, others, at)

    def _met(self) -> Command:
        player = self._one([*PLAYERS])
        return lambda on: on.store.met.read(player)

    def _charge(self) -> Command:
        place, now, most = self._one(["one", "two"]), self.now, self._one([None, 100, 300])
        until = [now + self.rng.randrange(-1, 40) * 10_000 for _ in range(self.rng.randrange(3))]
        sizes = {each: self.rng.randrange(-20, 90) for each in until}
        return lambda on: on.store.quotas.charge(place, now, sizes, most)

    def _extend(self) -> Command:
        # There is no room, so that nothing depends on when it would expire.
        return lambda on: on.store.rooms.extend(CODES[0], 1_000_000)

    def _pair(self) -> Command:
        game, code, now = self._one(GAMES), self._one(CODES), self.now
        return lambda on: on.store.quick_matches.pair(game, code, now)


async def answer_of(command: Command, on: Side) -> object:
    """Return the answer of a command, or the type of its error."""
    try:
        answer = await command(on)
    except (ConflictError, MistimedError, Refusal) as error:
        return type(error)
    if isinstance(answer, Entries):
        return answer.texts
    # An integer is the generation of a connection, which differs between the stores.
    return "appended" if command.__name__ == "<lambda>" and type(answer) is int else answer


class SimulatedStore:
    """A simulated store without faults, which runs each command to its end."""

    def __init__(self) -> None:
        self.loop = VirtualLoop()
        self.world = World(0, self.loop, Counter())
        self.world.stop_faults()
        link = Link(self.world, "simulated")
        self.loop.connect = lambda factory, _: link.connect(factory)
        self.side = side_on(Database(connect("redis://simulated:6379"), 0))

    async def close(self) -> None:
        """Close the connections."""
        await self.side.database.close()

    async def answer(self, command: Command) -> object:
        """Return the answer of a command."""
        running = answer_of(command, self.side)
        # A thread cannot run two event loops at a time.
        return await asyncio.to_thread(self.loop.run_until_complete, running)


@pytest.fixture
def simulated() -> Iterator[SimulatedStore]:
    """Return a simulated store."""
    made = SimulatedStore()
    yield made
    made.loop.run_until_complete(made.close())
    made.loop.close()


@pytest.fixture
def no_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing end while commands run: the two stores set its end some milliseconds apart."""
    for name in ("NODE_LIFE_S", "SWEEPER_LIFE_S", "BUSY_LIFE_S", "BARRIER_LIFE_S"):
        monkeypatch.setattr(keys, name, 3_600)


@pytest.mark.parametrize("seed", range(1, 4))
@pytest.mark.usefixtures("no_ends")
async def test_the_simulated_store_answers_as_the_real_one(
    database: Database, simulated: SimulatedStore, seed: int
) -> None:
    real = side_on(database)
    clock = real.store.clock
    commands = Commands(random.Random(seed))
    seen: Counter[str] = Counter()
    for number in range(MAX_COMMANDS):
        if number >= COMMANDS and seen.keys() >= WANTED:
            break
        await clock.sample()
        commands.now = clock.now()
        simulated.world.set_epoch(commands.now)
        # When nothing is due is asked first: later, something nearly always is.
        name, command = commands.draw() if number else ("_due", commands._due())
        found, wanted = await simulated.answer(command), await answer_of(command, real)
        assert found == wanted, f"command {number} of seed {seed}: {name}"
        seen[f"{name} {wanted.__name__ if isinstance(wanted, type) else bool(wanted)}"] += 1
    assert WANTED - seen.keys() == set()
    assert {"_append MistimedError", "_checkpoint MistimedError"} & seen.keys()


@pytest.mark.parametrize("which", ["real", "simulated"])
async def test_a_deal_is_found_as_it_was_drawn(
    database: Database, simulated: SimulatedStore, which: str
) -> None:
    real = side_on(database)

    async def story(on: Side) -> None:
        store = on.store
        dailies = [DailyId("robert", day) for day in DAYS[:2]]
        drawn = await store.deals.draw("robert", "standard", CODES[0])
        assert await DealStore(on.database, secret_keys()).find(drawn.id) == drawn
        first = await store.deals.daily(dailies[0])
        assert (first.day, first.room) == (DAYS[0], None)
        assert await store.deals.daily(dailies[0]) == first
        assert await store.deals.daily(dailies[1]) != first
        assert await DealStore(on.database, secret_keys()).daily_ids(
            [dailies[0], DailyId("deuces", DAYS[0])]
        ) == {dailies[0]: first.id}
        assert await store.rooms.code_for(PLAYERS[0], "one", CODES[0]) == CODES[0]
        assert await store.rooms.code_for(PLAYERS[0], "one", CODES[1]) == CODES[0]
        await store.rooms.forget_code(PLAYERS[0], "one")
        assert await store.rooms.code_for(PLAYERS[0], "one", CODES[1]) == CODES[1]
        await store.deals.seal(drawn.id)
        assert await store.formats.read() is None
        await store.formats.raise_to(2)
        assert await store.formats.read() == 2
        assert await store.keyrings.read() is None
        assert await store.keyrings.keep_first("one") == "one"
        assert await store.keyrings.keep_first("two") == "one"
        assert [await store.keyrings.change(*each) for each in (("two", "1"), ("one", "3"))] == [
            False,
            True,
        ]
        assert await store.keyrings.read() == "3"

    if which == "real":
        await story(real)
    else:
        await asyncio.to_thread(simulated.loop.run_until_complete, story(simulated.side))


@pytest.mark.parametrize("which", ["real", "simulated"])
async def test_a_certified_deal_is_taken_from_its_pool(
    database: Database, simulated: SimulatedStore, which: str
) -> None:
    real = side_on(database)
    made = [pooled("robert", effort) for effort in (7, 5, 6)]
    daily = DailyId("robert", DAYS[0])

    async def story(on: Side) -> None:
        store = on.store
        for deal in made:
            await store.pools.put(deal)
        assert await store.pools.sizes(["robert", "deuces"]) == {"robert": 3, "deuces": 0}
        assert await store.pools.read("robert") == ([made[1], made[2], made[0]], [])
        assert await store.pools.seal("robert") == (3, 0)
        assert await on.database.run(_REPLACE, [KEY], "none", "new") == 0
        assert await store.deals.draw_certified(DailyId("deuces", DAYS[0])) is None
        found = await store.deals.daily(daily)
        assert found.id in {deal.id for deal in made}
        assert await DealStore(on.database, secret_keys()).daily(daily) == found
        assert await store.deals.draw_certified(daily) == found.id
        assert await store.pools.count("robert") == 2
        member = str((await on.database.ask(lambda r, key: r.zrange(key, 0, -1), KEY))[0][0])
        assert await on.database.run(_REPLACE, [KEY], member, "2.new") == 1
        assert await store.pools.sizes(["robert"]) == {"robert": 2}
        assert await store.pools.count("robert") == 1

    if which == "real":
        await story(real)
    else:
        await asyncio.to_thread(simulated.loop.run_until_complete, story(simulated.side))
