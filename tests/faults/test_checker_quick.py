"""The checker finds errors of quick matches and pace bots."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import pytest

from engine.catalog import ruleset
from server.base.core.ids import PACE_BOT, PlayerId, attempt_id
from server.play.core import attempt as core
from server.play.core import keys, pace_bot
from server.play.core.attempt import Ended, Started
from server.rooms.core import commands, quick_match
from server.rooms.core import room as race
from server.rooms.core.events import Event, RoomOpened
from server.rooms.core.room import Room
from tests.builders import ADA, BOB, CODE, LIMIT
from tests.faults.checker import check
from tests.faults.errors import Errors, each_of
from tests.faults.ledger import Ledger
from tests.faults.recording import GAME, RACED, SEED, Recording, _append, _commitment_of, board_of
from tests.faults.test_checker import Journal, insert, kinds, read, renumber, rewrite, room

BOT = attempt_id(RACED, PACE_BOT)


def quick_recording(
    stop: int | None = None, order: Sequence[PlayerId] = (ADA, PACE_BOT)
) -> Recording:
    """Return the recording of a quick match between a lone player and the bot.

    Args:
        stop: the last entry before the bot stops, or `None` if it plays to its end.
    """
    found = Recording(ledgers={ADA: Ledger(ADA)})
    rules = ruleset(GAME)
    fields = {"game": GAME, "variant": "standard", "seed": SEED.hex(), "rules": rules.digest}
    found.stored.deals[RACED] = {**fields, "commitment": _commitment_of(RACED), "room": CODE}
    room: Room | None = None

    def add(event: Event | None) -> Room:
        nonlocal room
        assert event is not None
        room = race.fold(room, event)
        _append(found.stored.rooms.setdefault(CODE, []), event)
        return room

    found.send(ADA, "room.quick", game=GAME)
    opened = RoomOpened(CODE, ADA, GAME, "standard", 2, LIMIT, found.at, quick=True)
    state = add(commands.match(add(opened), ADA, found.at))
    found.at += quick_match.BOT_AFTER_MS
    state = add(quick_match.seat_bot(state, found.at))
    start = commands.start(
        state,
        None,
        RACED,
        _commitment_of(RACED),
        found.at,
        present={ADA},
        rules=rules.digest,
        home=rules.home_at_start,
    )
    running = add(start).running
    assert running is not None
    for player in order:
        begun = Started(
            *(player, RACED, GAME, "standard", CODE, None),
            *(running.starts, running.deadline, rules.digest),
        )
        attempt = core.begin(begun, board_of())
        journal = found.stored.attempts.setdefault(attempt.id, [])
        found.stored.expiries[attempt.id] = begun.deadline + keys.UNPLAYED_LIFE_MS
        _append(journal, begun)
        while attempt.end is None:
            event: core.Event | None = Ended("resigned", max(found.at, running.starts))
            if player == PACE_BOT and attempt.seq == stop:
                event = core.give_up(attempt, attempt.at)
            elif player == PACE_BOT:
                event = pace_bot.due(attempt, running.deadline)
                event = event or core.due(attempt, running.deadline)
            else:
                found.at = max(found.at, running.starts)
                found.send(ADA, "resign", attempt=attempt.id, seq=2)
            assert event is not None
            attempt = core.fold(attempt, event)
            _append(journal, event)
        found.at = attempt.at
        assert room is not None
        add(commands.finish(room, RACED, player, attempt.result, found.at))
    return found


def test_a_correct_recording_gives_no_complaints() -> None:
    recording = quick_recording()
    verdict = check(recording.stored, list(recording.ledgers.values()), recording.at + 60_000)
    assert verdict.complaints == []
    assert verdict.counts["pace bots"] == 1
    assert len(recording.stored.attempts[BOT]) > 5


def test_a_bot_may_stop_after_the_other_players() -> None:
    recording = quick_recording(stop=5)
    verdict = check(recording.stored, list(recording.ledgers.values()), recording.at + 60_000)
    assert verdict.complaints == []
    assert verdict.counts["pace bots stopped"] == 1


def test_a_bot_stopping_before_the_other_players_is_found() -> None:
    assert kinds(quick_recording(order=(PACE_BOT, ADA))) == set()
    assert kinds(quick_recording(stop=5, order=(PACE_BOT, ADA))) == {"invented"}


def bot(recording: Recording) -> Journal:
    """Return the journal of the bot's attempt."""
    return recording.stored.attempts[BOT]


def give_up_early(recording: Recording) -> None:
    at = read(bot(recording), 4)["at"]
    bot(recording)[3:] = [("0-4", json.dumps({"type": "ended", "end": "resigned", "at": at}))]


ERRORS: Errors[Recording] = {
    "invented": {
        "a late move": lambda r: rewrite(bot(r), 3, at=read(bot(r), 3)["at"] + 1),
        "a move twice": lambda r: insert(bot(r), 3),
        "a lost move": lambda r: renumber(bot(r), 1, 2, *range(4, len(bot(r)) + 1)),
        "an early end": give_up_early,
        "a bot in another room": lambda r: rewrite(room(r), 1, quick=False),
        "a stranger": lambda r: rewrite(room(r), 2, player=BOB),
    },
    "mistimed": {
        "an early bot": lambda r: rewrite(room(r), 3, at=read(room(r), 3)["at"] - 5_000),
    },
}


@pytest.mark.parametrize(("kind", "spoil"), each_of(ERRORS))
def test_each_error_is_found(kind: str, spoil: Callable[[Recording], object]) -> None:
    recording = quick_recording()
    spoil(recording)
    assert kind in kinds(recording)
