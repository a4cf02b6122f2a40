"""Write the golden files of a release: `python -m tests.golden tests/vectors/releases/1.2.3`.

Run it with the code of the release, before any change for the next one. The files are never changed
again. Deals and players are random, so a second run writes different files.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Set
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import msgpack
import msgspec
import pytest
from msgspec import structs
from websockets.asyncio.client import connect

from engine.catalog import daily_games, games, ruleset
from engine.deal import deal_seed
from engine.moves import legal_moves
from engine.notation import move_text
from engine.play import play
from engine.position import position_of
from server.app import redis_store, running_node
from server.base.core.ids import AttemptId, ChallengeId, CircleId, PlayerId, RoomCode
from server.base.core.keys import partition
from server.base.nodes.store_memory import StoreMemory
from server.base.quotas.quotas import Quotas
from server.base.redis.clock import RedisClock
from server.base.redis.connection import connect as connect_redis
from server.base.redis.database import Database
from server.base.redis.embedded import embedded_redis
from server.base.seals.keyring import Keyring
from server.base.work.background import Background
from server.base.work.metrics import Metrics
from server.base.work.random_text import random_id
from server.base.work.signal import Signal
from server.challenges.journal import ChallengeDefinition
from server.circles.journal import CircleDefinition
from server.dailies.dailies import Dailies
from server.dailies.daily_list import DailyList
from server.deals.store import DealStore
from server.play.attempts import Attempts
from server.play.core.attempt import Attempt
from server.play.core.digest import fnv1a
from server.play.messages import FIRST_NUMBER, LAST_NUMBER, Moved, PlayMove
from server.players.address_hash import AddressHashes
from server.results.daily_sets import DailySets
from server.rooms.core import commands
from server.rooms.core.room import Room
from server.rooms.messages import PROGRESS
from server.rooms.rooms import Rooms
from server.settings import Settings
from server.stores import Store
from tests.base.outbox.outboxes import all_effects
from tests.clients.client import Client, Message
from tests.conftest import SECRET_KEY_FILE, secret_keys
from tests.dates import move_clock
from tests.golden import FILES, MESSAGES, RULES, STATES, STORE
from tests.wire import COMMANDS, read_event

ROOT = Path(__file__).parents[2]
SHORT, LONG, MAX_PLAYED = 8, 32, 140
"""Moves of a short game, of a long one, and a limit that lets some games end."""

FAR = "2100-01-01T12:00"
"""The time of the files, far in the future of the tests that read them."""

MAX_OF_A_KIND = 12
"""The most messages kept per kind and length."""

PACE = 0.06
"""Seconds between two moves: a server accepts 20 commands a second."""

Lines = list[dict[str, Any]]


class _Socket:
    """A client's socket that records the frames in both directions."""

    def __init__(self, socket: Any, kept: Lines) -> None:
        self._socket = socket
        self._kept = kept

    def __getattr__(self, name: str) -> Any:
        return getattr(self._socket, name)

    async def send(self, frame: bytes) -> None:
        """Send a frame and record it."""
        self._kept.append({"sender": "client", "name": _command(frame), "frame": frame.hex()})
        await self._socket.send(frame)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for frame in self._socket:
            self._kept.append({"sender": "server", "name": _event(frame), "frame": frame.hex()})
            yield frame


def _command(frame: bytes) -> str:
    kind = msgpack.unpackb(frame)[0]
    if FIRST_NUMBER <= kind <= LAST_NUMBER:
        return PlayMove.__name__
    return next(each.__name__ for each in COMMANDS.values() if each.__struct_config__.tag == kind)


def _event(frame: bytes) -> str:
    row = msgpack.unpackb(frame)
    if FIRST_NUMBER <= row[0] <= LAST_NUMBER:
        return Moved.__name__
    if row[0] == PROGRESS:
        return "Progress"
    return type(read_event(row)).__name__


@asynccontextmanager
async def _client(port: int, kept: Lines) -> AsyncIterator[Client]:
    async with connect(f"ws://localhost:{port}/socket") as socket:
        yield Client(_Socket(socket, kept))  # type: ignore[arg-type]


async def _play(client: Client, redis: Any, attempt: Message, count: int) -> Message:
    """Play some legal moves, and return the attempt with its last `seq` and `result`."""
    deal = await DealStore(Database(redis), secret_keys()).find(attempt["deal"])
    assert deal is not None
    board = deal_seed(ruleset(attempt["game"], attempt["variant"]), deal.seed)
    chance = random.Random(1)
    answer = attempt
    for seq in range(2, count + 2):
        choices = legal_moves(board)
        homeward = [move for move in choices if move.target in board.ruleset.foundations]
        if answer["result"]["end"] is not None or not choices:
            break
        move = chance.choice(homeward or choices)
        text = move_text(board.ruleset, move)
        await asyncio.sleep(PACE)
        answer = await client.ask("move", attempt=attempt["attempt"], seq=seq, move=text)
        # If the attempt is already stuck, the answer is a snapshot.
        assert answer["type"] == "moved" or answer["result"]["end"] == "stuck", answer
        board, _ = play(board, move)
    return attempt | {"seq": answer["seq"], "result": answer["result"]}


async def _resign(client: Client, attempt: Message) -> None:
    if attempt["result"]["end"] is None:
        await client.ask("resign", attempt=attempt["attempt"], seq=attempt["seq"] + 1)


async def _race(host: Client, guest: Client, redis: Any, game: str, variant: str) -> Message:
    """Race a round of a game to its end, and another one that the host leaves midway.

    Returns:
        The guest's last attempt at its start.
    """
    key = f"{game}.{variant}"
    room = await host.ask(
        "room.create", game=game, variant=variant, seats=3, limit=7200, key=key.ljust(8, ".")
    )
    code = room["code"]
    await guest.ask("room.join", code=code)
    for last in (False, True):
        await guest.ask("room.ready", code=code, ready=True)
        await host.ask("room.start", code=code)
        runs = [await player.next("attempt") for player in (host, guest)]
        after = [
            await _play(player, redis, run, count)
            for player, run, count in zip((host, guest), runs, (LONG, SHORT), strict=True)
        ]
        await _resign(guest, after[1])
        if not last:
            await _resign(host, after[0])
            await host.next("room", lambda room: room["round"]["over"])
            await host.ask("deal.show", deal=runs[0]["deal"])
    assert (await host.ask("move", attempt=runs[0]["attempt"], seq=9999, move="s>s"))["type"]
    await guest.ask("room.leave", code=code)
    return runs[1]


async def _daily(client: Client, redis: Any, game: str, *, whole: bool) -> None:
    """Play some moves of a game's daily; if `whole`, play it to its end or resign."""
    attempt = await client.ask("daily.open", game=game)
    after = await _play(client, redis, attempt, MAX_PLAYED if whole else SHORT)
    if whole:
        await _resign(client, after)


async def _reopen(port: int, kept: Lines, token: str, attempt: Message) -> None:
    """Reopen an attempt in a new session, with the digest of its start and without it."""
    seen = ",".join([*attempt["piles"].values(), str(attempt["redeals"])])
    async with _client(port, kept) as client:
        await client.hello(token)
        have = {"seq": attempt["seq"], "digest": fnv1a(seen)}
        missed = await client.ask("attempt.open", attempt=attempt["attempt"], have=have)
        assert missed["type"] == "missed", missed
        await client.ask("attempt.open", attempt=attempt["attempt"])
        await client.ask("attempt.open", attempt="none")


async def _ask_patiently(client: Client, type_: str, **given: Any) -> Message:
    """Send a command, retrying while it exceeds a rate limit, and return the answer."""
    while (answer := await client.ask(type_, **given)).get("code") == "too_fast":
        await asyncio.sleep(answer["wait"] / 1_000)
    assert answer["type"] != "refused", answer
    return answer


async def _friends(host: Client, guest: Client, redis: Any, guest_id: str) -> None:
    """Found a circle, and play challenges: one is closed, three stay open."""
    game = next(iter(games()))
    circle = await _ask_patiently(host, "CreateCircle", name="Thursday club", key="1" * 8)
    name = {"circle": circle["circle"]}
    await _ask_patiently(guest, "ShowInvitation", link=circle["link"])
    await _ask_patiently(guest, "JoinCircle", link=circle["link"])
    await _ask_patiently(host, "SetCircleSeason", **name, weeks=4)
    league = ["week", [game], 600, 1, "none"]
    await _ask_patiently(host, "SetCircleLeague", **name, league=league)
    await _ask_patiently(host, "RenameCircle", **name, name="Friday club")
    await _ask_patiently(guest, "MuteCircle", **name, muted=True)
    terms: Message = {"game": game, "limit": 7200, "open_for": 1_209_600, "variant": "standard"}
    terms |= {"help": "hints", "target": True, "players": []}
    named = terms | {"players": [guest_id]}
    made = await _ask_patiently(host, "CreateChallenge", **named, key="2" * 8)
    challenge = {"challenge": made["challenge"]}
    await _ask_patiently(host, "WatchChallenge", **challenge)
    for client in (host, guest):
        run = await _ask_patiently(client, "PlayChallenge", **challenge)
        await _resign(client, await _play(client, redis, run, SHORT))
    await host.next("Challenge", lambda each: each["over"])
    await _ask_patiently(guest, "EmoteRun", **challenge, player=made["maker"]["id"], emote=1)
    await _ask_patiently(guest, "Rematch", **challenge)
    await _ask_patiently(host, "UnwatchChallenge")
    await _ask_patiently(host, "CreateChallenge", **terms, key="3" * 8, **name)
    made = await _ask_patiently(host, "CreateChallenge", **terms, key="5" * 8)
    await _ask_patiently(host, "CloseChallenge", challenge=made["challenge"])
    made = await _ask_patiently(host, "CreateChallenge", **terms, key="4" * 8)
    for client, count in ((host, LONG), (guest, SHORT)):
        run = await _ask_patiently(client, "PlayChallenge", challenge=made["challenge"])
        after = await _play(client, redis, run, count)
    await _resign(guest, after)
    await _ask_patiently(host, "ListChallenges")
    await _ask_patiently(host, "WatchCircle", **name)
    await _ask_patiently(host, "GetCircleTable", **name, span="all", period=None)
    await _ask_patiently(host, "GetHeadToHead", **name, one=made["maker"]["id"], other=guest_id)
    await _ask_patiently(host, "GetCircleFeed", **name)
    await _ask_patiently(host, "UnwatchCircle")
    await _ask_patiently(host, "ListCircles")


async def _sessions(port: int, redis: Any, kept: Lines) -> None:
    """Send every kind of command from two players."""
    async with AsyncExitStack() as stack:
        host, guest = [await stack.enter_async_context(_client(port, kept)) for _ in range(2)]
        await host.hello(name="Ada")
        welcome = await guest.hello()
        await guest.ask("rename", name="Grace")
        await host.ask("ping")
        await _friends(host, guest, redis, welcome["player"]["id"])
        for game in games().values():
            for variant in game.variants:
                last = await _race(host, guest, redis, game.id, variant)
        first = daily_games()[0]
        await host.ask("leaderboard.watch", game=first)
        for name in daily_games():
            await _daily(host, redis, name, whole=True)
            await _daily(guest, redis, name, whole=name == first)
        await host.next("leaderboard", lambda board: board["size"] == 2)
        await host.ask("leaderboard.unwatch")
        await host.ask("daily.list")
        await host.ask("room.create", game="none", seats=2, limit=600, key="0" * 8)
    await _reopen(port, kept, welcome["token"], last)


def _quotas(store: Store, keyring: Keyring, background: Background) -> Quotas:
    """Return quotas without any effect, because no player has an address."""
    metrics = Metrics()
    memory = StoreMemory(store.memory, metrics, background)
    return Quotas(
        store.quotas, keyring, store.clock, memory, background, players=1, limited=metrics.limited
    )


async def _move(attempts: Attempts, name: AttemptId, player: PlayerId) -> None:
    """Play a first move: an attempt without a move has no effects."""
    state = await attempts.find(name)
    assert state is not None, name
    numbers = state.board.ruleset.numbers_of(legal_moves(state.board)[0])
    done: asyncio.Future[object] = asyncio.Future()
    attempts.play_soon(name, player, state.seq + 1, numbers, done.set_result)
    await done


async def _leave_effects(store: Store, attempts: Attempts) -> None:
    """End two attempts without applying their effects, and set one of these aside."""
    background = Background()
    keyring = Keyring(store.keyrings, store.secret_keys, store.clock, background)
    address_hashes = AddressHashes(keyring)
    quotas = _quotas(store, keyring, background)
    dailies = Dailies(
        attempts,
        keyring,
        address_hashes,
        quotas,
        deals=store.deals,
        pools=store.pools,
        starts=store.starts,
        leaderboards=store.leaderboards,
        histories=store.histories,
        daily_list=DailyList(
            DailySets(store.daily_sets, store.clock, daily_games()), store.deals, daily_games()
        ),
        clock=store.clock,
        background=background,
    )
    for game in daily_games()[:2]:
        player = PlayerId(random_id())
        opened = await dailies.open(player, game)
        await _move(attempts, opened.attempt, player)
        await attempts.resign(opened.attempt, player, opened.seq + 2)
    name, text = (await all_effects(store.outboxes))[0]
    await store.outboxes.set_aside(partition(name), name, text)


def attempt_state(attempt: Attempt) -> dict[str, Any]:
    """Convert an attempt's state to JSON values."""
    return {
        "player": attempt.start.player,
        "started": attempt.start.at,
        "deadline": attempt.start.deadline,
        "seq": attempt.seq,
        "at": attempt.at,
        "result": structs.asdict(attempt.result),
        "position": position_of(attempt.board),
    }


def room_state(room: Room) -> dict[str, Any]:
    """Convert a room's state to JSON values."""
    found: dict[str, Any] = json.loads(msgspec.json.encode(room))
    if room.round is not None:
        results = room.round.results.items()
        found["round"]["results"] = {player: structs.asdict(each) for player, each in results}
    return found


def plain(value: Any) -> Any:
    """Convert a state to JSON values: structs and dataclasses become objects."""
    if isinstance(value, msgspec.Struct):
        return {key: plain(each) for key, each in structs.asdict(value).items()}
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, Set):
        return sorted(map(plain, value))
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return msgspec.to_builtins(value)


async def _folded(redis: Any, key: str, definition: Any) -> Any:
    """Fold a journal's stream with its definition, and return the state."""
    state = None
    for _, entry in await redis.xrange(key):
        state = definition.fold(state, definition.decode(entry["e"]))
    return plain(state)


async def _states(redis: Any, store: Store, attempts: Attempts, keys: list[str]) -> dict[str, Any]:
    background = Background()
    keyring = Keyring(store.keyrings, store.secret_keys, store.clock, background)
    rooms = Rooms(
        store.rooms,
        attempts,
        _quotas(store, keyring, background),
        keyring,
        journals=store.journals,
        deals=store.deals,
        clock=store.clock,
    )
    found: dict[str, dict[str, Any]] = {
        "attempts": {}, "rooms": {}, "challenges": {}, "circles": {}
    }  # fmt: skip
    for key in keys:
        _, kind, name = (*key.split(":", 2), "", "")[:3]
        if kind == "attempt":
            attempt = await attempts.find(AttemptId(name))
            assert attempt is not None, key
            found["attempts"][name] = attempt_state(attempt)
        elif kind == "room":
            found["rooms"][name] = room_state(await rooms.load(RoomCode(name)))
        elif kind == "challenge":
            challenge = ChallengeDefinition(ChallengeId(name), Signal())
            found["challenges"][name] = await _folded(redis, key, challenge)
        elif kind == "circle":
            circle = CircleDefinition(CircleId(name), Signal())
            found["circles"][name] = await _folded(redis, key, circle)
    return found


async def _dump(redis: Any) -> Lines:
    """Return all keys of Redis with their types and values."""
    lines = []
    for key in sorted(await redis.keys()):
        kind = await redis.type(key)
        value: Any
        if kind == "stream":
            value = [[id_, sum(fields.items(), ())] for id_, fields in await redis.xrange(key)]
        elif kind == "hash":
            value = await redis.hgetall(key)
        elif kind == "zset":
            value = dict(await redis.zrange(key, 0, -1, withscores=True))
        else:
            value = await redis.get(key)
        lines.append({"key": key, "type": kind, "value": value})
    return lines


async def _make(folder: Path) -> None:
    kept: Lines = []
    commands.COUNTDOWN_MS = 100
    with tempfile.TemporaryDirectory(prefix="samedeal") as data:
        async with embedded_redis(Path(data)) as url:
            redis: Any = connect_redis(url)
            settings = Settings(
                host="127.0.0.1",
                port=0,
                redis=url,
                secret_key_file=SECRET_KEY_FILE,
                page=folder,
            )
            async with running_node(settings) as port:
                await _sessions(port, redis, kept)
            database = Database(connect_redis(url), 0)
            clock = RedisClock(database)
            await clock.sample()
            store = redis_store(database, clock, secret_keys())
            attempts = Attempts(
                Counter(), journals=store.journals, deals=store.deals, clock=store.clock
            )
            await _leave_effects(store, attempts)
            states = await _states(redis, store, attempts, await redis.keys())
            dump = await _dump(redis)
            await database.close()
            await redis.aclose()
    _write(folder / STATES, json.dumps(states, indent=1, sort_keys=True) + "\n")
    _write(folder / STORE, "".join(json.dumps(line) + "\n" for line in dump))
    _write(folder / MESSAGES, "".join(json.dumps(line) + "\n" for line in _first_of_each(kept)))


def _first_of_each(kept: Lines) -> Iterator[dict[str, Any]]:
    """Yield the first messages of each kind and length, because moves are very frequent."""
    seen: Counter[tuple[str, int]] = Counter()
    for line in kept:
        kind = line["name"], len(msgpack.unpackb(bytes.fromhex(line["frame"])))
        seen[kind] += 1
        if seen[kind] <= MAX_OF_A_KIND:
            yield line


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Write the files into a new folder."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m tests.golden FOLDER\n")
        return 2
    folder = Path(arguments[0])
    if any((folder / name).exists() for name in FILES):
        sys.stderr.write(f"{folder} has golden files: a release's files are never changed.\n")
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    rules = [sys.executable, "-m", "engine", "rules"]
    printed = subprocess.run(rules, cwd=ROOT, check=True, capture_output=True, text=True)  # noqa: S603
    _write(folder / RULES, printed.stdout)
    # Keys expire by Redis's own clock. With a current date in the files, the keys that tests write
    # at that time would expire immediately a few hours later.
    os.environ["AT"] = FAR
    with pytest.MonkeyPatch.context() as patch:
        move_clock(patch)
        asyncio.run(_make(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
