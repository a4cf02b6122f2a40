"""This release reads the stored data and messages of earlier releases correctly."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any

import msgpack
import msgspec
import pytest

from engine.catalog import stored_ruleset
from server import protocol
from server.base.core import keys
from server.base.core.days import closes
from server.base.core.ids import AttemptId, ChallengeId, PlayerId, RoomCode
from server.base.wire import codec
from server.base.wire.messages import Event
from server.base.wire.session_messages import Welcome
from server.circles.core.ids import CircleId
from server.play.messages import Moved
from server.players.core.names import guest_name
from server.rooms.messages import PROGRESS
from tests.base.outbox.outboxes import all_effects, all_set_aside
from tests.builders import BOB
from tests.conftest import ALONE
from tests.golden import FILES, MESSAGES, RELEASES, STATES, STORE, releases
from tests.golden.__main__ import attempt_state, plain, room_state, stream_of
from tests.nodes import Node, SetClock, node_on
from tests.wire import read_event

pytestmark = pytest.mark.usefixtures("any_time")

OF_DAY = re.compile(r"leaderboard:\{(?!all:)[a-z-]+:[0-9]+\}")
"""The key of a leaderboard of one game and day."""


def rows(release: str, name: str) -> list[list[Any]]:
    return [json.loads(line) for line in lines(release, name)]


def lines(release: str, name: str) -> list[str]:
    return (RELEASES / release / name).read_text(encoding="utf-8").splitlines()


def states(release: str, of: str) -> dict[str, dict[str, Any]]:
    return {name: state for kind, name, state in rows(release, STATES) if kind == of}


def without_new_fields(kept: Any, now: Any) -> Any:
    """Return `now` without the fields, at any depth, that `kept` does not have."""
    if isinstance(kept, dict) and isinstance(now, dict):
        return {
            key: without_new_fields(kept[key], value) for key, value in now.items() if key in kept
        }
    if isinstance(kept, list) and isinstance(now, list) and len(kept) == len(now):
        return [without_new_fields(*pair) for pair in zip(kept, now, strict=True)]
    return now


async def load(redis: Any, release: str) -> None:
    for key, kind, value in rows(release, STORE):
        if kind == "stream":
            for id_, fields in stream_of(value):
                await redis.xadd(key, fields, id_)
        elif kind == "hash":
            await redis.hset(key, mapping=value)
        elif kind == "zset":
            await redis.zadd(key, value)
        else:
            assert kind == "string", key
            await redis.set(key, value)


@pytest.fixture(params=releases())
def release(request: pytest.FixtureRequest) -> str:
    version: str = request.param
    return version


@pytest.fixture
async def node(redis_url: str, release: str, clock: SetClock) -> AsyncIterator[Node]:
    """Return a node on the dump of a release, at the time of its last entry."""
    clock.time = max(state["at"] for state in states(release, "attempt").values())
    async with node_on(redis_url, clock) as node:
        await load(node.redis, release)
        yield node


def test_a_release_has_all_golden_files(release: str) -> None:
    assert {path.name for path in (RELEASES / release).iterdir()} == set(FILES)


def test_a_releases_rules_are_known(release: str) -> None:
    """Every variant was played, and a digest covers all rules that affect play."""
    for key, kind, value in rows(release, STORE):
        if kind == "stream" and ":attempt:" in key:
            rules = stored_ruleset(value[0]["game"], value[0]["variant"], value[0]["rules"])
            assert rules.digest == value[0]["rules"]


@ALONE
async def test_attempts_have_the_releases_states(node: Node, release: str) -> None:
    kept = states(release, "attempt")
    assert {state["result"]["end"] for state in kept.values()} > {None, "resigned"}
    for name, state in kept.items():
        now = attempt_state(await node.state_of(AttemptId(name)))
        assert without_new_fields(state, now) == state


@ALONE
async def test_rooms_have_the_releases_states(node: Node, release: str) -> None:
    for code, state in states(release, "room").items():
        now = room_state(await node.rooms.load(RoomCode(code)))
        assert without_new_fields(state, now) == state


@ALONE
async def test_challenges_have_the_releases_states(node: Node, release: str) -> None:
    kept = states(release, "challenge")
    assert {state["over"] is None for state in kept.values()} == {True, False}
    for name, state in kept.items():
        found = await node.services.challenges.find(ChallengeId(name))
        assert found is not None
        assert without_new_fields(state, plain(found)) == state
        if found.over is None and found.made.audience == "link":
            await node.services.challenges.play(found.id, BOB)


@ALONE
async def test_circles_have_the_releases_states(node: Node, release: str) -> None:
    for name, state in states(release, "circle").items():
        owner = PlayerId(state["owner"])
        found = await node.services.circles.load(CircleId(name), owner)
        assert without_new_fields(state, plain(found)) == state
        assert (await node.services.circles.rename(found.id, owner, "Club")).name == "Club"


@ALONE
async def test_open_attempts_can_be_continued(node: Node, release: str) -> None:
    for name, state in states(release, "attempt").items():
        if state["result"]["end"] is None:
            player = PlayerId(state["player"])
            answer = await node.play(AttemptId(name), player)
            assert answer.after.seq == state["seq"] + 1
            await node.attempts.resign(AttemptId(name), player, state["seq"] + 2)


@ALONE
async def test_pending_effects_and_deadlines_are_processed(
    node: Node, release: str, clock: SetClock
) -> None:
    # Other effects belong to rooms that are no longer kept.
    left = {
        name.partition(".")[2]
        for name, text in await all_effects(node.services.outbox_store)
        if '"day":null' not in text
    }
    # On other leaderboards, every new result changes a player's score.
    boards = {key: value for key, _, value in rows(release, STORE) if OF_DAY.fullmatch(key)}
    clock.time = closes(int(next(iter(boards)).rstrip("}").rpartition(":")[2]))
    await node.sweep()
    await node.apply_effects()
    assert left
    assert not await all_effects(node.services.outbox_store)
    known = await node.keys("leaderboard:*")
    redis: Any = node.redis
    found = [dict(await redis.zrange(key, 0, -1, withscores=True)) for key in known]
    assert left <= {player for each in found for player in each}
    assert all(any(value.items() <= each.items() for each in found) for value in boards.values())
    ended = [await node.state_of(AttemptId(name)) for name in states(release, "attempt")]
    assert all(attempt.end is not None for attempt in ended if attempt.start.day is not None)
    # An effect that was set aside stays set aside.
    aside = next(value for key, _, value in rows(release, STORE) if key == keys.SET_ASIDE)
    assert await all_set_aside(node.database) == aside


@ALONE
async def test_players_are_known_by_their_tokens_and_names(node: Node, release: str) -> None:
    seen = False
    for event in events(release):
        if isinstance(event, Welcome):
            profile, token = await node.identify(event.token)
            # A dump has no live node, so only the expiry shows that none is left.
            assert (profile.id, token) == (event.player.id, event.token)
            seen |= profile.name != guest_name(profile.id)
    assert seen, "no player has a chosen name"


def frames(release: str, sender: str) -> Iterator[tuple[str, bytes]]:
    for line in lines(release, MESSAGES):
        side, name, frame = line.split()
        if side == sender:
            yield name, bytes.fromhex(frame)


def events(release: str) -> Iterator[Event]:
    """Yield a release's events except moves and progress."""
    for name, frame in frames(release, "server"):
        if name not in {"Moved", "Progress"}:
            yield read_event(msgpack.unpackb(frame))


def test_a_releases_commands_are_decoded(release: str) -> None:
    names = set()
    for name, frame in frames(release, "client"):
        command = protocol.decode(frame)
        names.add(name)
        assert type(command).__name__ == name
        sent, read = msgpack.unpackb(frame), msgspec.to_builtins(command)
        assert read[: len(sent)] == sent
        # Omitted trailing fields have their defaults.
        assert msgspec.convert(read, type=type(command)) == command
    assert {"Hello", "CreateRoom", "PlayMove", "OpenAttempt", "Resign", "OpenDaily"} <= names
    assert {"CreateChallenge", "PlayChallenge", "CreateCircle", "JoinCircle"} <= names


def test_a_releases_events_are_encoded_unchanged_except_added_fields(release: str) -> None:
    names = set()
    for name, frame in frames(release, "server"):
        names.add(name)
        sent = msgpack.unpackb(frame)
        if name == "Moved":
            moved = msgspec.convert(sent, type=Moved)
            fields = [getattr(moved, field) for field in moved.__struct_fields__]
            assert msgpack.unpackb(codec.encode_moved(*fields)) == sent
        elif name == "Progress":
            assert sent[0] == PROGRESS
            assert msgpack.unpackb(codec.encode_progress(sent[1:])) == sent
        else:
            event = read_event(sent)
            now = msgpack.unpackb(codec.encode(event, sent[1]))
            assert type(event).__name__ == name
            assert without_added_fields(sent, now) == sent
    assert {"Welcome", "RoomState", "Attempt", "Missed", "Moved", "Progress", "Refused"} <= names
    assert {"Challenge", "Challenges", "Circle", "CircleTable", "CircleFeed"} <= names


def without_added_fields(kept: Any, now: Any) -> Any:
    """Return `now` without the fields, in any row, that were appended since `kept`."""
    if isinstance(kept, list) and isinstance(now, list):
        return [without_added_fields(*pair) for pair in zip(kept, now[: len(kept)], strict=False)]
    return now
