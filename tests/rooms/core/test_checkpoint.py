"""Checkpoints of a room: bounded, and equivalent to the whole journal."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from server.base.core.ids import DealId, PlayerId
from server.rooms.core import commands, rate_limit
from server.rooms.core import room as race
from server.rooms.core.room import MAX_REMOVED, MAX_SCORES, Checkpoint, Entry, Room
from tests.builders import ADA, LIMIT, PLAYERS, START, opened, reached, then
from tests.rooms.core.acts import OTHER, Act, acts, step

SEATS = 8

BOUND = 24_000
"""Maximum bytes of a checkpoint, mostly for the latest rounds of eight players."""


def text_of(room: Room) -> bytes:
    """Return the stored form of a room's checkpoint."""
    return msgspec.json.encode(Checkpoint(room, room.at))


def read(text: bytes) -> Checkpoint:
    found = msgspec.json.decode(text, type=Entry)
    assert isinstance(found, Checkpoint)
    return found


def numbered(number: int) -> PlayerId:
    """Return one of many players."""
    return PlayerId(f"{number:016}")


def test_a_checkpoint_is_bounded_however_many_come_and_go() -> None:
    room, sizes, now = opened(SEATS), [], START
    room = then(room, commands.take_seat(room, ADA, START))
    for number in range(150):
        now += 1_000
        others = [numbered(7 * number + each) for each in range(7)]
        for player in others:
            room = then(room, commands.take_seat(room, player, now))
            room = then(room, commands.propose_terms(room, player, OTHER, now))
            if (event := commands.set_ready(room, player, True, now)) is not None:
                room = then(room, event)
        deal = DealId(f"{number:016}")
        players = [ADA, *others]
        room = then(room, commands.start(room, ADA, deal, "c0ffee", now, present=players))
        for place, player in enumerate(players):
            event = commands.finish(room, deal, player, reached(place, 1_000, 99), now)
            room = then(room, event)
        for player in others[:2]:
            now += 10_000
            room = then(room, commands.remove(room, ADA, player, now))
        for player in others[2:]:
            room = then(room, commands.leave(room, player, now))
        sizes.append(len(text_of(room)))
    assert max(sizes) < BOUND
    assert max(sizes[20:75]) + 200 > max(sizes[75:])
    assert (len(room.scores), len(room.removed)) == (MAX_SCORES, MAX_REMOVED)
    assert len(room.paces) <= rate_limit.MAX_PACED
    assert room.points.keys() <= {ADA, *room.former}
    # A thousand players join and leave at the same time, so none of their costs has expired.
    for number in range(1_000):
        player = numbered(number)
        if player not in room.removed:
            room = then(room, commands.take_seat(room, player, now))
            room = then(room, commands.leave(room, player, now))
    assert len(text_of(room)) < BOUND


STEPS = st.tuples(acts(), st.integers(0, 3_000), st.booleans())


@given(st.lists(STEPS, min_size=20, max_size=60))
def test_folding_from_a_checkpoint_equals_folding_the_whole_journal(
    given_: list[tuple[Act, int, bool]],
) -> None:
    whole = cut = opened(4)
    now = START
    for act, later, checkpoint in given_:
        now += later
        event = step(whole, act, now)
        assert step(cut, act, now) == event
        if event is not None:
            whole, cut = race.fold(whole, event), race.fold(cut, event)
        if checkpoint:
            entry = read(text_of(whole))
            # One reader has read the whole journal, the other starts with its last entry.
            whole, cut = race.fold(whole, entry), race.fold(None, entry)
            assert whole.begin == whole.version
    assert whole == cut
    assert whole.terms.limit in {LIMIT, OTHER.limit}


def test_folding_a_checkpoint_without_colours_assigns_them() -> None:
    room = opened(SEATS)
    for player in PLAYERS:
        room = then(room, commands.take_seat(room, player, START))
    earlier = msgspec.json.decode(text_of(room))
    del earlier["room"]["colours"]
    after = race.fold(None, read(msgspec.json.encode(earlier)))
    assert (after.colours, set(after.colours)) == (room.colours, set(PLAYERS))
