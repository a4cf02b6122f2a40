"""Colours of the players in a room."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from server.base.core.ids import PlayerId
from server.rooms.core.colours import COLOURS, after, favourite

ADA, BOB, CYD = PlayerId("ada"), PlayerId("bob"), PlayerId("cyd")
PLAYERS = [PlayerId(f"player-{number}") for number in range(2 * COLOURS)]
RIVALS = [player for player in map(PlayerId, map(str, range(100))) if favourite(player) == 0]
"""Players with the same favourite colour."""


def test_the_first_player_gets_the_favourite_colour() -> None:
    one, other, third = RIVALS[:3]
    assert after({}, [other, one, third], []) == {other: 0, one: 1, third: 2}
    # Outside rooms, the page assigns colours by the same rule: `colours.test.ts`.
    assert [favourite(PlayerId(name)) for name in ("ada", "grace", "barbara")] == [5, 7, 2]


def test_players_keep_their_colours_when_others_join_leave_or_sit_out() -> None:
    one, other, third = RIVALS[:3]
    waiting = after({}, [one, other, third], [])
    # The second sits out, then the first leaves, and another player takes the free seat.
    running = after(waiting, [one, other, third], [one, third])
    assert running == waiting
    left = after(running, [other, third], [one, third])
    assert left == waiting
    come = after(left, [other, third, RIVALS[3]], [one, third])
    assert come == waiting | {RIVALS[3]: 3}
    # After the round, the former member is forgotten, and the colour is free.
    assert after(come, [other, third], [other, third]) == {other: 1, third: 2}
    assert after({other: 1, third: 2}, [other, third, RIVALS[4]], [])[RIVALS[4]] == 0


def test_a_newcomer_to_a_room_without_free_colours_gets_a_former_members_colour() -> None:
    full = PLAYERS[:COLOURS]
    running = after({}, full, full)
    come = after(running, [*full[1:], PLAYERS[COLOURS]], full)
    assert come == running | {PLAYERS[COLOURS]: running[full[0]]}
    # The former member returns in place of another one, and gets their colour.
    assert after(come, [*full[2:], PLAYERS[COLOURS], full[0]], full)[full[0]] == running[full[1]]


@given(st.data())
def test_members_have_distinct_colours_and_keep_them(data: st.DataObject) -> None:
    members: list[PlayerId] = []
    runners: list[PlayerId] = []
    colours: dict[PlayerId, int] = {}
    for _ in range(data.draw(st.integers(1, 30))):
        before, were = colours, set(members)
        player = data.draw(st.sampled_from(PLAYERS))
        if player in members:
            members.remove(player)
        elif len(members) < COLOURS:
            members.append(player)
        else:
            runners = data.draw(st.lists(st.sampled_from(members), unique=True))
        colours = after(colours, members, runners)
        assert set(colours) == {*members, *runners}
        assert set(colours.values()) <= set(range(COLOURS))
        assert len({colours[player] for player in members}) == len(members)
        assert all(colours[player] == before[player] for player in were & set(members))
