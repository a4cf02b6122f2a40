"""Seasons and leagues of circles: their ends and turns."""

from __future__ import annotations

import itertools
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from server.base.core.days import DAY, day_at
from server.base.core.ids import ChallengeId, DealId, PlayerId
from server.circles.core import commands, seasons
from server.circles.core.circle import MAX_ROUNDS, MAX_SEASONS, PAID_ROUNDS, Circle
from server.circles.core.events import Every, League, RoundMade, RoundSkipped, Webhook
from server.circles.core.ids import CircleId
from server.circles.core.seasons import Season
from server.results.core.boards import days_of, week_of
from tests.builders import ADA, BOB, CYD, START, refusal_of
from tests.circles.core.circles import circle_of, founded, then

DAILY = League("day", ("robert", "deuces"), 600_000, 1)
WEEKLY = League("week", ("robert",), 600_000, 2)
HOOK = Webhook("sealed", "json")
MONDAY = days_of(week_of(day_at(START))).start * DAY


def in_season(weeks: int = 1, circle: Circle | None = None, at: int = START) -> Circle:
    circle = circle or founded()
    return then(circle, commands.set_season(circle, ADA, weeks, at))


def season_of(circle: Circle) -> Season:
    assert circle.season is not None
    return circle.season


def closed(circle: Circle) -> Circle:
    return then(circle, commands.close_season(circle, season_of(circle).settled))


def with_round(circle: Circle, at: int, number: int = 0) -> Circle:
    deal = DealId(f"d{number:015}")
    made = RoundMade(ChallengeId(f"c{number:015}"), "robert", deal, at + DAY, at)
    return then(circle, commands.make_round(circle, circle.turn, made))


def test_a_season_has_whole_weeks_from_the_current_monday() -> None:
    season = season_of(in_season(2))
    assert (season.days.start * DAY, len(season.days)) == (MONDAY, 14)
    assert season.ends == MONDAY + 14 * DAY
    assert season.settled == season.ends + 2 * 3_600_000, "grace period and time to apply results"


def test_seasons_follow_each_other() -> None:
    circle = closed(in_season(2))
    assert ([each.number for each in circle.closed], season_of(circle).number) == ([1], 2)
    assert season_of(circle).days.start == circle.closed[0].days.stop
    assert commands.close_season(circle, season_of(circle).settled - 1) is None


def test_a_season_ends_with_the_current_week_at_the_earliest() -> None:
    circle = in_season(4)
    later = START + 8 * DAY
    assert season_of(in_season(1, circle, later)).weeks == 2
    assert season_of(in_season(6, circle, later)).weeks == 6
    ended = then(circle, commands.set_season(circle, ADA, None, later))
    assert season_of(ended).weeks == 2
    over = closed(ended)
    assert (over.season, over.due) == (None, None)
    assert season_of(in_season(3, over, over.at)).number == 2


def test_a_season_awaiting_its_last_results_does_not_change() -> None:
    circle = in_season(1)
    at = season_of(circle).ends + 1
    after = in_season(4, circle, at)
    assert (season_of(after).weeks, season_of(closed(after)).weeks) == (1, 4)


def test_the_number_of_seasons_kept_is_limited() -> None:
    circle = in_season(1)
    for _ in range(MAX_SEASONS + 2):
        circle = closed(circle)
    assert (len(circle.closed), circle.closed[0].number) == (MAX_SEASONS, MAX_SEASONS + 2)


def test_seasons_with_many_challenges_are_dropped_earlier() -> None:
    circle, number = in_season(26), 0
    for _ in range(4):
        league = commands.set_league(circle, ADA, DAILY, circle.at)
        circle = circle if league is None else then(circle, league)
        for day in season_of(circle).days:
            circle = with_round(circle, max(day * DAY, circle.at), number)
            number += 1
        circle = closed(circle)
    assert sum(len(each.rounds) for each in circle.closed) <= MAX_ROUNDS
    assert len(circle.closed) == 2


def test_a_seasons_table_lists_the_members_at_its_end() -> None:
    circle = in_season(1, circle_of(BOB))
    end = season_of(circle).ends
    circle = then(circle, commands.leave(circle, BOB, end + 1))
    circle = closed(circle)
    circle = then(circle, commands.join(circle, CYD, circle.secret, circle.at))
    (season,) = circle.closed
    assert set(circle.players_at(season.ends)) == {ADA, BOB}
    early = in_season(1, circle_of(BOB))
    early = then(early, commands.leave(early, BOB, end - 1))
    assert closed(early).players_at(end) == [ADA]


def test_a_returning_member_is_listed_once() -> None:
    circle = in_season(1, circle_of(BOB))
    end = season_of(circle).ends
    circle = then(circle, commands.leave(circle, BOB, end + 1))
    circle = then(circle, commands.join(circle, BOB, circle.secret, end + 2))
    circle = closed(circle)
    assert circle.players_at(end) == [BOB, ADA]


def test_a_league_requires_a_season() -> None:
    circle = founded()
    assert refusal_of(lambda: commands.set_league(circle, ADA, DAILY, START)) == "no_season"
    last = in_season(1)
    last = then(last, commands.set_season(last, ADA, None, START))
    at = season_of(last).ends
    assert refusal_of(lambda: commands.set_league(last, ADA, DAILY, at)) == "no_season"


def test_a_league_rotates_its_games() -> None:
    circle = in_season(2)
    circle = then(circle, commands.set_league(circle, ADA, DAILY, START))
    games = []
    for number in range(3):
        due = circle.round_due
        assert due is not None
        assert (due % DAY, commands.next_game(circle, due - 1)) == (circle.delay, None)
        games.append(commands.next_game(circle, due))
        circle = with_round(circle, due, number)
    assert games == ["robert", "deuces", "robert"]
    assert (len(circle.rounds_of(season_of(circle))), season_of(circle).drop) == (3, 1)


def test_a_turn_is_recorded_once_and_can_be_skipped() -> None:
    circle = in_season()
    circle = then(circle, commands.set_league(circle, ADA, WEEKLY, START))
    due = circle.round_due
    assert due == MONDAY + 7 * DAY + circle.delay
    skipped = RoundSkipped(due)
    after = then(circle, commands.make_round(circle, 0, skipped))
    assert (after.rounds, after.round_due) == ((), due + 7 * DAY)
    assert commands.make_round(after, 0, skipped) is None
    dropped = then(after, commands.set_league(after, ADA, None, due))
    assert commands.make_round(dropped, 1, skipped) is None


def test_a_league_ends_with_the_last_season() -> None:
    circle = in_season()
    circle = then(circle, commands.set_league(circle, ADA, DAILY, START))
    circle = then(circle, commands.set_season(circle, ADA, None, START))
    end = season_of(circle).ends
    assert circle.round_due is not None
    circle = with_round(circle, end - DAY + circle.delay)
    assert (circle.round_due, closed(circle).league) == (None, None)


def test_a_challenge_made_after_the_end_belongs_to_the_next_season() -> None:
    circle = in_season()
    circle = then(circle, commands.set_league(circle, ADA, DAILY, START))
    end = season_of(circle).ends
    circle = with_round(circle, end - DAY, 1)
    circle = with_round(circle, end, 2)
    assert [each.at for each in circle.rounds_of(season_of(circle))] == [end - DAY]
    circle = closed(circle)
    assert [each.at for each in circle.closed[0].rounds] == [end - DAY]
    assert [each.at for each in circle.rounds_of(season_of(circle))] == [end]


def test_a_new_league_waits_for_the_open_challenge() -> None:
    circle = in_season(3)
    circle = then(circle, commands.set_league(circle, ADA, WEEKLY, START))
    due = circle.round_due
    assert due is not None
    deal = DealId("d000000000000000")
    made = RoundMade(ChallengeId("c000000000000000"), "robert", deal, due + 7 * DAY, due)
    circle = then(circle, made)
    circle = then(circle, commands.set_league(circle, ADA, DAILY, due + 1))
    assert circle.round_due == due + 7 * DAY


def test_a_league_makes_only_prepaid_challenges() -> None:
    circle = in_season(2)
    circle = then(circle, commands.set_league(circle, ADA, DAILY, START))
    for number in range(PAID_ROUNDS):
        assert circle.paid == PAID_ROUNDS - number
        due = circle.round_due
        assert due is not None
        circle = with_round(circle, due, number)
    assert circle.paid == 0
    assert commands.pay(circle, BOB, START) is not None
    paid = then(circle, commands.pay(circle, BOB, START))
    assert paid.paid == PAID_ROUNDS
    assert commands.pay(paid, BOB, START) is None, "already paid"
    ended = then(paid, commands.set_league(paid, ADA, None, START))
    assert (ended.paid, commands.pay(ended, BOB, START)) == (0, None)


def test_circles_spread_their_scheduled_work() -> None:
    delays = [seasons.delay_of(CircleId(f"{number:016}")) for number in range(600)]
    assert all(0 <= each < seasons.SPREAD_MS for each in delays)
    # Each of 30 intervals contains about a thirtieth of the circles.
    parts = Counter(each * 30 // seasons.SPREAD_MS for each in delays)
    assert len(parts) == 30
    assert max(parts.values()) < 50


def test_each_day_is_posted_once_after_it_is_settled() -> None:
    circle = founded()
    circle = then(circle, commands.set_webhook(circle, ADA, HOOK, START))
    day = day_at(START)
    due = circle.post_due
    assert due == seasons.settled(day) + circle.delay
    assert commands.day_to_post(circle, due - 1) is None
    assert commands.day_to_post(circle, due) == day
    after = then(circle, commands.post(circle, day, due))
    assert (commands.post(after, day, due), after.post_due) == (None, due + DAY)
    assert commands.day_to_post(circle, due + 5 * DAY) == day + 5, "only the latest one"
    gone = then(circle, commands.set_webhook(circle, ADA, None, START))
    assert (gone.post_due, commands.post(gone, day, due)) == (None, None)


def test_due_is_the_earliest_scheduled_time() -> None:
    circle = in_season(1)
    assert circle.due == season_of(circle).settled + circle.delay
    circle = then(circle, commands.set_league(circle, ADA, DAILY, START))
    assert circle.due == circle.round_due
    circle = then(circle, commands.set_league(circle, ADA, None, START))
    circle = then(circle, commands.set_webhook(circle, ADA, HOOK, START))
    assert circle.due == circle.post_due


@given(st.integers(10**10, 10**13), st.sampled_from(["day", "week"]), st.integers(0, 1_800_000))
def test_the_next_start_is_the_first_one_after_a_time(now: int, every: Every, delay: int) -> None:
    start = seasons.next_start(every, now, delay)
    assert now < start <= now + (DAY if every == "day" else 7 * DAY)
    assert start % DAY == delay
    assert every == "day" or start // DAY == days_of(week_of(start // DAY)).start


@given(st.integers(0, 10**13))
def test_the_last_settled_day_is_the_latest(now: int) -> None:
    day = seasons.last_settled(now)
    assert seasons.settled(day) <= now < seasons.settled(day + 1)


MEMBERS = [ADA, BOB, CYD, *(PlayerId(f"m{n:015}") for n in range(2))]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["join", "leave", "remove", "over", "season", "none", "wait"]),
            st.sampled_from(MEMBERS),
            st.integers(1, 5),
        ),
        max_size=40,
    )
)
def test_commands_keep_an_owner_and_season_numbers(steps: list[tuple[str, PlayerId, int]]) -> None:
    circle = founded()
    now = circle.at
    for name, player, number in steps:
        now += 1
        if name == "wait":
            now += number * DAY
        while (over := commands.close_season(circle, now)) is not None:
            circle = then(circle, over)
        if circle.deleted:
            break
        event = None
        owner = circle.owner
        match name:
            case "join":
                event = commands.join(circle, player, circle.secret, now)
            case "leave" if circle.member(player):
                event = commands.leave(circle, player, now)
            case "remove":
                event = commands.remove(circle, owner, player, circle.secret, now)
            case "over" if circle.member(player):
                event = commands.hand_over(circle, owner, player, now)
            case "season":
                event = commands.set_season(circle, owner, number, now)
            case "none":
                event = commands.set_season(circle, owner, None, now)
        circle = circle if event is None else then(circle, event)
        assert circle.deleted or circle.member(circle.owner)
        assert len(set(circle.players)) == len(circle.players)
        known = [*([circle.season] if circle.season else []), *circle.closed]
        assert all(one.days.start >= other.days.stop for one, other in itertools.pairwise(known))
        assert [each.number for each in known] == list(range(len(known), 0, -1))
