"""Hostile commands, in any order, do not affect other players' races."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from server.base.core.ids import DealId, PlayerId
from server.base.core.refusal import Refusal
from server.rooms.core import commands, effects, events
from server.rooms.core import room as race
from server.rooms.core.room import Room
from server.watching.core import sight
from tests.builders import ADA, BOB, CODE, CYD, LIMIT, PLAYERS, START, opened, reached, then
from tests.rooms.core.acts import Act, acts, step
from tests.sizes import cases


def rooms() -> st.SearchStrategy[Room]:
    quick = events.RoomOpened(CODE, ADA, "robert", "standard", 2, LIMIT, START, quick=True)
    return st.sampled_from([opened(4), race.fold(None, quick)]).map(
        lambda room: then(then(room, events.SeatTaken(ADA, START)), events.SeatTaken(BOB, START))
    )


def played(room: Room, done: list[Act]) -> list[tuple[PlayerId | None, Room, events.Event, Room]]:
    """Return (player, room before, event, room after) of each act that was not refused."""
    found = []
    for act in done:
        if (event := step(room, act)) is not None:
            after = race.fold(room, event)
            found.append((act[0], room, event, after))
            room = after
    return found


@settings(max_examples=cases(50, 300))
@given(rooms(), st.lists(acts(PLAYERS[:4]), min_size=20, max_size=40))
def test_no_players_rated_result_is_changed_by_anothers_event(room: Room, done: list[Act]) -> None:
    agreed = {seat.player for seat in room.seats}
    for who, before, event, after in played(room, done):
        round_, running = after.round, before.running
        match event:
            case events.SeatTaken(player=player) if before.round is None:
                agreed.add(player)
            case events.ReadySet(player=player, ready=ready):
                assert player == who
                (agreed.add if ready else agreed.discard)(player)
            case events.RoundStarted(players=players):
                assert round_ is not None
                assert set(players) <= agreed | {who}, "a player has not agreed to it"
                agreed = set()
                continue
            case events.RunnerFinished(player=player):
                assert player == who, "only its own run ends it"
        if running is None:
            continue
        # Only the end of a player's own run changes the round: nobody is removed from it, and no
        # other result changes.
        assert round_ is not None
        assert (round_.players, round_.terms, round_.rated) == (
            running.players,
            running.terms,
            running.rated,
        )
        assert {p for p in round_.results if round_.results[p] != running.results.get(p)} <= {who}
        assert running.results.items() <= round_.results.items()
        left = {seat.player for seat in before.seats} - {seat.player for seat in after.seats}
        assert left.isdisjoint(running.players) or left == {who}, "a runner was removed"
        if round_.over and (over := effects.race_over(after)) is not None:
            assert set(over.results) == set(round_.players)


@settings(max_examples=cases(50, 300))
@given(
    rooms(),
    st.lists(acts(PLAYERS[:4]), min_size=20, max_size=40),
    st.sampled_from(PLAYERS),
    st.booleans(),
)
def test_what_a_stranger_may_see_in_a_round_is_never_more_than_at_its_start(
    room: Room, done: list[Act], watcher: PlayerId, has_key: bool
) -> None:
    hidden = False
    came_in = {ADA, BOB} if room.public else set[PlayerId]()
    for _, before, event, after in played(room, done):
        if isinstance(event, events.SeatTaken):
            (came_in.add if before.public else came_in.discard)(event.player)
        if isinstance(event, events.RoundStarted):
            hidden = bool(came_in & set(event.players)) or after.public
        if after.running is None:
            continue
        hidden = hidden or after.public
        try:
            found = sight.sight(after, watcher, has_key=has_key)
        except Refusal:
            continue
        assert (found == "hidden") == hidden


def test_a_round_that_an_operator_ends_is_not_rated() -> None:
    room = opened()
    for player in (ADA, BOB, CYD):
        room = then(room, events.SeatTaken(player, START))
    room = then(room, commands.start(room, ADA, DealId("d"), "", START, present=[ADA, BOB, CYD]))
    room = then(room, commands.finish(room, DealId("d"), ADA, reached(3, 1, 1), START))
    room = then(room, commands.close(room, START))
    for player in (BOB, CYD):
        room = then(room, commands.finish(room, DealId("d"), player, reached(0), START))
    assert (room.running, effects.race_over(room)) == (None, None)
