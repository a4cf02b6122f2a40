"""Leagues of circles: scheduled challenges and their results."""

from __future__ import annotations

import pytest

from server.base.core.days import DAY
from server.base.core.ids import ChallengeId, PlayerId
from server.base.core.quota import Item
from server.base.core.refusal import Refusal
from server.base.quotas.quotas import Scope
from server.challenges.core.effects import ChallengeOpened
from server.challenges.core.events import Terms
from server.challenges.core.keys import ChallengeDue
from server.challenges.core.occasions import occasion_of
from server.challenges.core.refusals import ChallengeRefusals
from server.circles.core import charges, commands
from server.circles.core.circle import PAID_ROUNDS, Circle
from server.circles.core.events import League
from server.circles.core.keys import CircleDue
from server.circles.core.seasons import ROUND_SETTLED_MS
from server.circles.core.tables import LeagueScore
from tests.builders import ADA, BOB, CYD, LIMIT
from tests.challenges.test_challenges import played
from tests.circles.test_circles import founded
from tests.conftest import ALONE
from tests.nodes import Node

pytestmark = ALONE

HOUR = 3_600_000
DAILY = League("day", ("lady-betty", "robert"), LIMIT, 1)


async def in_league(node: Node, *others: PlayerId, league: League = DAILY) -> Circle:
    circle = await founded(node, *others)
    await node.services.circles.decide(circle.id, commands.set_season, ADA, 2)
    return await node.services.circles.set_league(circle.id, ADA, league)


async def now(node: Node, circle: Circle) -> Circle:
    found = await node.services.circles.find(circle.id)
    assert found is not None
    return found


async def passed(node: Node, circle: Circle) -> Circle:
    due = (await now(node, circle)).round_due
    assert due is not None
    node.clock.time = due
    await pass_all(node, circle)
    return await now(node, circle)


async def pass_all(node: Node, circle: Circle) -> None:
    """Do the due work of a circle and its league, as the sweeper does."""
    for round_ in (await now(node, circle)).rounds:
        await node.services.challenges.pass_deadline(ChallengeDue(round_.challenge))
    await node.services.circles.pass_deadline(CircleDue(circle.id))
    await node.apply_effects()


async def test_a_league_makes_a_daily_challenge_rotating_its_games(node: Node, other: Node) -> None:
    circle = await in_league(node, BOB)
    first = await passed(other, circle)
    second = await passed(node, circle)
    assert [each.game for each in second.rounds] == ["lady-betty", "robert"]
    assert first.rounds == second.rounds[:1]
    for round_ in second.rounds:
        challenge = await node.services.challenges.find(round_.challenge)
        assert challenge is not None
        assert (challenge.made.terms.circle, challenge.made.audience) == (circle.id, "circle")
        assert challenge.made.closes == round_.closes == round_.at + DAY
    assert second.challenges == (), "league challenges are listed separately"


async def test_only_members_can_play_a_circles_challenge(node: Node) -> None:
    circle = await passed(node, await in_league(node, BOB))
    (round_,) = circle.rounds
    await played(node, round_.challenge, BOB)
    for challenge in (round_.challenge, ChallengeId("0" * 16)):
        with pytest.raises(Refusal, match="unknown_challenge"):
            await node.services.challenges.play(challenge, CYD)
        with pytest.raises(Refusal, match="unknown_challenge"):
            await node.services.challenges.load(challenge, CYD)
    terms = Terms("robert", "standard", LIMIT, 2 * HOUR, circle=circle.id)
    with pytest.raises(Refusal, match="not_in_circle"):
        await node.services.challenges.create(CYD, terms, "creation")


async def test_worst_results_are_dropped_open_challenges_omitted(node: Node, other: Node) -> None:
    circle = await passed(node, await in_league(node, BOB))
    tables = node.services.circle_tables
    await played(node, circle.rounds[0].challenge, BOB)
    table = await tables.table(circle, "season")
    assert [row.league for row in table.rows] == [(), ()], "open challenges do not count"
    assert all(each.about == "joined" for each in await tables.feed(circle))
    circle = await passed(other, circle)
    assert [row.league for row in (await tables.table(circle, "season")).rows] == [(), ()]
    node.clock.time += ROUND_SETTLED_MS
    ada, bob = (await tables.table(circle, "season")).rows
    assert bob.league == (LeagueScore(bob.league[0].points, True),)
    assert (bob.points, ada.points) == (0, 0), "the only result is dropped"
    assert bob.league[0].points > 0
    circle = await passed(node, circle)
    node.clock.time += ROUND_SETTLED_MS
    bob, ada = (await other.services.circle_tables.table(circle, "season")).rows
    assert [each.dropped for each in bob.league] == [False, True]
    assert [each.dropped for each in ada.league] == [True, False]
    assert bob.points == bob.league_points == bob.league[0].points
    won = [each for each in await tables.feed(circle) if each.about == "challenge"]
    assert [(each.player, each.game) for each in won] == [(None, "robert"), (BOB, "lady-betty")]


async def test_a_void_result_counts_in_no_table(node: Node) -> None:
    circle = await passed(
        node, await in_league(node, BOB, league=League("day", ("robert",), LIMIT))
    )
    (round_,) = circle.rounds
    for player in (ADA, BOB):
        await played(node, round_.challenge, player)
    circle = await passed(node, circle)
    node.clock.time += ROUND_SETTLED_MS
    table = await node.services.circle_tables.table(circle, "season")
    assert all(row.points > 0 for row in table.rows)
    assert await node.services.challenges.find(round_.challenge) is not None

    await node.services.challenges.void(occasion_of(round_.challenge), BOB, is_void=True)
    await node.apply_effects()
    table = await node.services.circle_tables.table(circle, "season")
    assert [(row.player, row.points > 0) for row in table.rows] == [(ADA, True), (BOB, False)]


async def test_a_retry_after_a_crash_makes_no_second_challenge(node: Node, other: Node) -> None:
    circle = await in_league(node)
    due = circle.round_due
    assert due is not None
    node.clock.time = due
    assert circle.league is not None
    terms = Terms(*("lady-betty", "standard", LIMIT, DAY, "none"), target=False, circle=circle.id)
    made = await node.services.challenges.create_for_league(ADA, terms, 0)
    await node.apply_effects()
    assert (await now(node, circle)).challenges == (), "league challenges are listed separately"
    assert await other.services.circles.pass_deadline(CircleDue(circle.id))
    after = await now(node, circle)
    assert ([each.challenge for each in after.rounds], after.challenges) == ([made.id], ())


async def test_a_challenge_that_would_close_too_soon_is_skipped(node: Node) -> None:
    circle = await in_league(node)
    due = circle.round_due
    assert due is not None
    node.clock.time = due + DAY - HOUR + 1
    await pass_all(node, circle)
    after = await now(node, circle)
    assert (after.rounds, after.turn, after.round_due) == ((), 1, due + DAY)


async def test_refused_challenges_are_skipped(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    circle = await in_league(node)

    async def refuse(*_: object) -> None:
        raise Refusal(ChallengeRefusals.too_many_challenges)

    monkeypatch.setattr(node.services.challenges, "create_for_league", refuse)
    after = await passed(node, circle)
    assert (after.rounds, after.turn) == ((), 1)


async def test_an_unplayed_league_ends(node: Node) -> None:
    circle = await in_league(node, BOB)
    for _ in range(PAID_ROUNDS):
        circle = await passed(node, circle)
        assert circle.league is not None
    circle = await passed(node, circle)
    assert (circle.league, len(circle.rounds)) == (None, PAID_ROUNDS)


async def test_a_played_league_continues(node: Node) -> None:
    circle = await in_league(node, BOB)
    for _ in range(PAID_ROUNDS):
        circle = await passed(node, circle)
    await played(node, circle.rounds[-1].challenge, BOB)
    circle = await passed(node, circle)
    assert circle.league is not None


async def test_a_player_pays_for_the_leagues_next_challenges(node: Node) -> None:
    circle = await passed(node, await in_league(node, BOB))
    here = Scope("here")
    node.services.quotas.where = lambda player: (here,) if player == BOB else ()
    noted: list[Item] = []
    node.services.quotas.note = lambda _, *items: noted.extend(items)  # type: ignore[method-assign]
    (round_,) = circle.rounds
    assert circle.paid == PAID_ROUNDS - 1
    for _ in range(2):
        await node.services.challenges.play(round_.challenge, BOB)
    assert (await now(node, circle)).paid == PAID_ROUNDS
    assert [each for each in noted if each in charges.rounds("day", 1)] == [
        *charges.rounds("day", 1)
    ]


async def test_a_players_key_cannot_collide_with_one_of_the_server(node: Node) -> None:
    """The owner creates challenges with the keys once used for leagues and rematches."""
    circle = await in_league(node, BOB)
    service = node.services.challenges
    terms = Terms("robert", "standard", LIMIT, DAY, circle=circle.id)
    for key in (f"league {circle.id} 0", f'["ByLeague","{circle.id}",0]'):
        own = await service.create(ADA, terms, key)
        circle = await passed(node, circle)
        assert own.id not in {each.challenge for each in circle.rounds}
    (_, last) = circle.rounds
    await played(node, last.challenge, ADA)
    own = await service.create(ADA, terms, f"{last.challenge} rematch")
    assert (await service.rematch(last.challenge, ADA)).id != own.id


async def test_a_members_challenge_is_recorded_once(node: Node, other: Node) -> None:
    circle = await founded(node, BOB)
    terms = Terms("robert", "standard", LIMIT, 2 * HOUR, circle=circle.id)
    made = await other.services.challenges.create(BOB, terms, "creation")
    for each in (node, other):
        await each.services.leagues.note_opened(ChallengeOpened(made.id))
    (noted,) = (await now(node, circle)).challenges
    assert (noted.challenge, noted.player, noted.closes) == (made.id, BOB, made.made.closes)
