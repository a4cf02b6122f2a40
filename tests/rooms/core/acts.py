"""Random commands of players, and nodes' reactions to absences, in any order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hypothesis import strategies as st

from server.base.core.ids import DealId, PlayerId
from server.base.core.refusal import Refusal
from server.rooms.core import commands as of
from server.rooms.core.absence import SEAT_ABSENCE_MS
from server.rooms.core.events import Event, Terms
from server.rooms.core.room import Room
from tests.builders import DEAL, LIMIT, PLAYERS, START, reached

Act = tuple[PlayerId | None, Callable[[Room, int], Event | None]]
"""A step at a time, and its player; `None` for a node's own step."""

OTHER = Terms("roosevelt", "standard", 60_000)


@st.composite
def acts(draw: st.DrawFn, players: Sequence[PlayerId] = PLAYERS) -> Act:
    """Draw a player's command, or a node's reaction to an absence; it may be refused."""
    player, other = draw(st.sampled_from(players)), draw(st.sampled_from(players))
    present, flag = draw(st.sets(st.sampled_from(players))), draw(st.booleans())
    result = reached(draw(st.integers(0, 2)), moves=draw(st.integers(0, 1)))
    terms = draw(st.sampled_from([Terms("robert", "standard", LIMIT), OTHER]))

    def start(room: Room, now: int) -> Event | None:
        deal = DealId(f"dea10000000000{room.round.number if room.round else 0:02}")
        return of.start(room, player, deal, "c0ffee", now, present=present, anyway=flag)

    def finish(room: Room, now: int) -> Event | None:
        return of.finish(room, room.round.deal if room.round else DEAL, player, result, now)

    by_player: list[Callable[[Room, int], Event | None]] = [
        lambda room, now: of.take_seat(room, player, now),
        lambda room, now: of.take_seat(room, player, now),
        lambda room, now: of.leave(room, player, now),
        lambda room, now: of.set_ready(room, player, flag, now),
        lambda room, now: of.remove(room, player, other, now),
        lambda room, now: of.hand_over(room, player, other, now),
        lambda room, now: of.set_lock(room, player, flag, now),
        lambda room, now: of.set_public(room, player, flag, now),
        lambda room, now: of.set_terms(room, player, terms, now),
        lambda room, now: of.propose_terms(room, player, terms, now),
        *(start, start, finish, finish, finish),
    ]
    by_node: list[Callable[[Room, int], Event | None]] = [
        lambda room, now: of.replace_host(room, other, START, present, now),
        lambda room, now: of.free_seat(room, other, START, SEAT_ABSENCE_MS, now),
    ]
    who = draw(st.sampled_from([player] * 4 + [None]))
    return who, draw(st.sampled_from(by_player if who is not None else by_node))


def step(room: Room, act: Act, now: int = START) -> Event | None:
    """Return the event of an act; `None` if it is refused or has no effect."""
    try:
        return act[1](room, now)
    except Refusal:
        return None
