"""Write the golden files of a release: `python -m tests.golden tests/vectors/releases/1.2.3`.

Run it with the code of the release, before any change for the next one. The files are never changed
again. Deals and players are random, so a second run writes different files.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Set
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import fields, is_dataclass
from hashlib import sha256
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
from engine.schema import STANDARD
from server.base.core.ids import AttemptId, ChallengeId, PlayerId, RoomCode, attempt_id
from server.base.core.keys import partition
from server.base.redis.clock import RedisClock
from server.base.redis.connection import connect as connect_redis
from server.base.redis.database import Database
from server.base.work.random_text import random_id, random_room_code
from server.base.work.signal import Signal
from server.challenges.journal import ChallengeDefinition
from server.circles.core.ids import CircleId
from server.circles.journal import CircleDefinition
from server.deals.store import DealStore
from server.play.core.attempt import Attempt, Started
from server.play.core.digest import fnv1a
from server.play.messages import FIRST_NUMBER, LAST_NUMBER, Moved, PlayMove
from server.rooms.core import commands
from server.rooms.core.room import Room
from server.rooms.messages import PROGRESS
from tests import conftest
from tests.base.outbox.outboxes import all_effects
from tests.clients.client import Client, Message
from tests.dates import move_clock
from tests.golden import FILES, MESSAGES, STATES, STORE
from tests.nodes import Node, node_on
from tests.redis_servers import running_server
from tests.wire import COMMANDS, read_event

SHORT, LONG = 8, 32
"""Moves of a short game and of a long one."""

ENDING = "golf"
"""A game that ends after few moves."""

FAR = "2100-01-01T12:00"
"""The time of the files, far in the future of the tests that read them."""

MAX_OF_A_KIND = 2
"""The most messages kept per kind and length."""

PACE = 0.06
"""Seconds between two moves: a server accepts 20 commands a second."""

Kept = list[tuple[str, str, str]]
"""The sender, struct and hexadecimal bytes of frames."""

Rows = AsyncIterator[tuple[str, str, Any]]


class _Socket:
    """A client's socket that records the frames in both directions."""

    def __init__(self, socket: Any, kept: Kept) -> None:
        self._socket = socket
        self._kept = kept

    def __getattr__(self, name: str) -> Any:
        return getattr(self._socket, name)

    async def send(self, frame: bytes) -> None:
        self._kept.append(("client", _command(frame), frame.hex()))
        await self._socket.send(frame)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for frame in self._socket:
            self._kept.append(("server", _event(frame), frame.hex()))
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
async def _client(port: int, kept: Kept) -> AsyncIterator[Client]:
    async with connect(f"ws://localhost:{port}/socket") as socket:
        yield Client(_Socket(socket, kept))  # type: ignore[arg-type]


async def _play(client: Client, redis: Any, attempt: Message, count: int) -> Message:
    """Play some legal moves, and return the attempt with its last `seq` and `result`."""
    deal = await DealStore(Database(redis), conftest.secret_keys()).find(attempt["deal"])
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


async def _race(host: Client, guest: Client, redis: Any) -> Message:
    """Race a round to its end, and another one that the host leaves midway."""
    game = next(iter(games()))
    room = await _ask_patiently(host, "room.create", game=game, seats=3, limit=7200, key="6" * 8)
    code = room["code"]
    await _ask_patiently(guest, "room.join", code=code)
    for last in (False, True):
        await _ask_patiently(guest, "room.ready", code=code, ready=True)
        await _ask_patiently(host, "room.start", code=code)
        runs = [await player.next("attempt") for player in (host, guest)]
        after = [
            await _play(player, redis, run, count)
            for player, run, count in zip((host, guest), runs, (LONG, SHORT), strict=True)
        ]
        await _resign(guest, after[1])
        if not last:
            await _resign(host, after[0])
            await host.next("room", lambda room: room["round"]["over"])
            await _ask_patiently(host, "deal.show", deal=runs[0]["deal"])
    assert (await host.ask("move", attempt=runs[0]["attempt"], seq=9999, move="s>s"))["type"]
    await _ask_patiently(guest, "room.leave", code=code)
    return runs[1]


async def _reopen(port: int, kept: Kept, token: str, attempt: Message) -> None:
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
    await _ask_patiently(guest, "EmoteRun", **challenge, player=made["creator"]["id"], emote=1)
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
    await _ask_patiently(host, "GetHeadToHead", **name, one=made["creator"]["id"], other=guest_id)
    await _ask_patiently(host, "GetCircleFeed", **name)
    await _ask_patiently(host, "UnwatchCircle")
    await _ask_patiently(host, "ListCircles")


async def _sessions(port: int, redis: Any, kept: Kept) -> None:
    """Send every kind of command from two players."""
    async with AsyncExitStack() as stack:
        host, guest = [await stack.enter_async_context(_client(port, kept)) for _ in range(2)]
        await host.hello(name="Ada")
        welcome = await guest.hello()
        await guest.ask("rename", name="Grace")
        await host.ask("ping")
        await _friends(host, guest, redis, welcome["player"]["id"])
        last = await _race(host, guest, redis)
        first, second, *_ = daily_games()
        await host.ask("leaderboard.watch", game=first)
        for client, count in ((host, LONG), (guest, SHORT)):
            attempt = await client.ask("daily.open", game=first)
            await _resign(client, await _play(client, redis, attempt, count))
        await _play(host, redis, await host.ask("daily.open", game=second), SHORT)
        await host.next("leaderboard", lambda board: board["size"] == 2)
        await host.ask("leaderboard.unwatch")
        await host.ask("daily.list")
        await host.ask("room.create", game="none", seats=2, limit=600, key="0" * 8)
    await _reopen(port, kept, welcome["token"], last)


async def _play_every_variant(node: Node) -> None:
    """Play some moves by every variant's rules, and a game until it is won or stuck."""
    for game in games().values():
        for variant in game.variants:
            attempt, player = await _start(node, game.id, variant)
            for _ in range(SHORT):
                if (await node.state_of(attempt)).end is None:
                    await node.play(attempt, player)
    await node.play_out(*await _start(node, ENDING, STANDARD))


async def _start(node: Node, game: str, variant: str) -> tuple[AttemptId, PlayerId]:
    """Start an attempt in a room that is no longer kept; return it and its player."""
    player, room, now = PlayerId(random_id()), random_room_code(), node.services.clock.now()
    deal = await node.services.deal_store.draw(game, variant, room)
    end = now + 7_200_000
    await node.attempts.start(
        Started(player, deal.id, game, variant, room, None, now, end, deal.rules)
    )
    return attempt_id(deal.id, player), player


async def _leave_effects(node: Node) -> None:
    for game in daily_games()[:2]:
        player = PlayerId(random_id())
        opened = await node.dailies.open(player, game)
        # An attempt without a move has no effects.
        await node.play(opened.attempt, player)
        await node.attempts.resign(opened.attempt, player, opened.seq + 2)
    name, text = (await all_effects(node.services.outbox_store))[0]
    await node.services.outbox_store.set_aside(partition(name), name, text)


def attempt_state(attempt: Attempt) -> dict[str, Any]:
    position = json.dumps(position_of(attempt.board))
    return {
        "player": attempt.start.player,
        "started": attempt.start.at,
        "deadline": attempt.start.deadline,
        "seq": attempt.seq,
        "at": attempt.at,
        "result": structs.asdict(attempt.result),
        "board": sha256(position.encode()).hexdigest()[:16],
    }


def room_state(room: Room) -> dict[str, Any]:
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
    state = None
    for _, entry in await redis.xrange(key):
        state = definition.fold(state, definition.decode(entry["e"]))
    return plain(state)


async def _states(node: Node) -> Rows:
    for key in sorted(await node.keys()):
        _, kind, name = (*key.split(":", 2), "", "")[:3]
        if kind == "attempt":
            yield kind, name, attempt_state(await node.state_of(AttemptId(name)))
        elif kind == "room":
            yield kind, name, room_state(await node.rooms.load(RoomCode(name)))
        elif kind == "challenge":
            challenge = ChallengeDefinition(ChallengeId(name), Signal())
            yield kind, name, await _folded(node.redis, key, challenge)
        elif kind == "circle":
            circle = CircleDefinition(CircleId(name), Signal())
            yield kind, name, await _folded(node.redis, key, circle)


async def _dump(redis: Any) -> Rows:
    for key in sorted(await redis.keys()):
        kind = await redis.type(key)
        value: Any
        if kind == "stream":
            entries = await redis.xrange(key)
            value = [json.loads(fields["e"]) for _, fields in entries]
            assert entries == list(stream_of(value)), key
        elif kind == "hash":
            value = await redis.hgetall(key)
        elif kind == "zset":
            value = dict(await redis.zrange(key, 0, -1, withscores=True))
        else:
            value = await redis.get(key)
        yield key, kind, value


def stream_of(entries: list[Any]) -> Iterator[tuple[str, dict[str, str]]]:
    for number, entry in enumerate(entries, 1):
        yield f"0-{number}", {"e": compact(entry)}


def compact(value: object) -> str:
    """Return JSON as the server writes it."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


async def _make(folder: Path, redis_url: str) -> None:
    kept: Kept = []
    commands.COUNTDOWN_MS = 100
    redis = connect_redis(redis_url)
    async with conftest.node(redis_url, page=folder) as port:
        await _sessions(port, redis, kept)
    await redis.aclose()
    database = Database(connect_redis(redis_url), 0)
    clock = RedisClock(database)
    await clock.sample()
    async with node_on(redis_url, clock) as node:
        await _play_every_variant(node)
        await _leave_effects(node)
        for name, rows in ((STATES, _states(node)), (STORE, _dump(node.redis))):
            _write(folder / name, [compact(row) async for row in rows])
    await database.close()
    _write(folder / MESSAGES, map(" ".join, _first_of_each(kept)))


def _first_of_each(kept: Kept) -> Iterator[tuple[str, str, str]]:
    """Yield the first messages of each kind and length, because moves are very frequent."""
    seen: Counter[tuple[str, int]] = Counter()
    for sender, name, frame in kept:
        kind = name, len(msgpack.unpackb(bytes.fromhex(frame)))
        seen[kind] += 1
        if seen[kind] <= MAX_OF_A_KIND:
            yield sender, name, frame


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m tests.golden FOLDER\n")
        return 2
    folder = Path(arguments[0])
    if any((folder / name).exists() for name in FILES):
        sys.stderr.write(f"{folder} has golden files: a release's files are never changed.\n")
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    # Keys expire by Redis's own clock. With a current date in the files, the keys that tests write
    # at that time would expire immediately a few hours later.
    os.environ["AT"] = FAR
    with pytest.MonkeyPatch.context() as patch, running_server() as server:
        move_clock(patch)
        asyncio.run(_make(folder, server.admin_url))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
