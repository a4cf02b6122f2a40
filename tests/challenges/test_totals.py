"""Public totals leave a race out while a challenge on its deal is open."""

from __future__ import annotations

from typing import Any

import msgspec

from server.base.core.ids import PlayerId
from server.base.journals.findings import Findings
from server.challenges.core.effects import ChallengeOpened, ChallengeSettled
from server.results.core.boards import boards_of_round
from server.results.core.contests import PLAYED_MOVES
from server.results.players_api import OfPlayer, show_player
from server.rooms.core.room import Room
from tests.builders import ADA, BOB, CYD, START
from tests.challenges.test_challenges import challenged, deal_of, played
from tests.conftest import ALONE
from tests.nodes import Node, SetClock, attempt_of

pytestmark = ALONE

GAME = "lady-betty"


async def raced(node: Node, clock: SetClock, winner: PlayerId, loser: PlayerId) -> Room:
    """Run a race that the first player wins, without applying its effects."""
    room, code = await node.race_of(winner, loser)
    clock.time += 60_000
    for _ in range(PLAYED_MOVES):
        await node.play(attempt_of(room, loser), loser)
    await node.attempts.give_up(attempt_of(room, loser))
    clock.time += 1_000
    await node.play_out(attempt_of(room, winner), winner)
    return await node.rooms.load(code)


async def totals(node: Node) -> Any:
    """Return everything public about the two players' races."""
    services = node.services
    scores = {}
    for board in boards_of_round(GAME, "standard"):
        rows = (await services.leaderboards.top(board)).rows
        scores[board.name] = {row.player: (row.rank, row.score) for row in rows}
    pages = [(await show_player(services, OfPlayer(each))).value for each in (ADA, BOB)]
    duels = await services.circle_tables.duels(ADA, BOB)
    # The challenge counts as such once it is over.
    return scores, msgspec.to_builtins(pages), [each for each in duels if each.form == "race"]


async def test_a_race_is_in_no_total_while_a_challenge_on_its_deal_is_open(
    node: Node, other: Node, clock: SetClock
) -> None:
    for player in (ADA, BOB):
        await node.services.histories.keep(player, START - 1)
    await raced(node, clock, BOB, ADA)
    await node.apply_effects()
    before = await totals(node)
    room = await raced(node, clock, ADA, BOB)
    await node.apply_effects()
    after = await totals(node)
    assert all(one != other for one, other in zip(before, after, strict=True))
    challenge = await challenged(node, room)
    await node.apply_effects()
    assert await totals(node) == before
    findings = Findings(node.services.journal_store)
    await node.services.checks["history"](ADA, findings)
    assert findings.sentences() == []
    await played(other, challenge.id, CYD)
    assert await totals(other) == before
    clock.time = challenge.made.closes
    await other.sweep()
    await other.apply_effects()
    assert await totals(node) == after


async def test_a_race_recorded_after_the_challenge_was_made_is_in_no_total_either(
    node: Node, clock: SetClock
) -> None:
    for player in (ADA, BOB):
        await node.services.histories.keep(player, START - 1)
    before = await totals(node)
    room = await raced(node, clock, ADA, BOB)
    for _ in range(2):
        await node.outbox.apply(node.outbox.queue.get_nowait())
    challenge = await challenged(node, room)
    await node.services.challenge_recorder.withhold(ChallengeOpened(challenge.id))
    await node.apply_effects()
    assert (await node.services.histories.load(ADA)).rounds.keys() == {(GAME, deal_of(room))}
    scores, _, duels = await totals(node)
    assert (scores, duels) == (before[0], before[2])


async def test_effects_of_a_challenge_can_be_applied_in_any_order(
    node: Node, clock: SetClock
) -> None:
    for player in (ADA, BOB):
        await node.services.histories.keep(player, START - 1)
    room = await raced(node, clock, ADA, BOB)
    await node.apply_effects()
    after = await totals(node)
    challenge = await challenged(node, room)
    recorder = node.services.challenge_recorder
    await node.services.challenges.close(challenge.id, ADA)
    await recorder.withhold(ChallengeSettled(challenge.id, 2))
    await recorder.withhold(ChallengeOpened(challenge.id))
    await node.apply_effects()
    assert await totals(node) == after
