"""Rounds with custom rules and on known deals: played like others, and not counted."""

from __future__ import annotations

import pytest

from engine.catalog import ruleset
from engine.deal import lay_out
from engine.known import numbered_deck
from server.base.core.ids import PlayerId, RoomCode
from server.base.core.refusal import Refusal
from server.challenges.core.events import Terms as ChallengeTerms
from server.results.core.history import History
from server.rooms.core import commands
from server.rooms.core.events import Terms
from server.rooms.core.room import Room
from tests.builders import ADA, BOB, LIMIT, refusal_from, round_of
from tests.conftest import ALONE
from tests.nodes import BEGUN, Node, attempt_of

pytestmark = ALONE

CHANGES = "stock.turns=2;waste.redeals=1"
OWN = Terms("klondike", CHANGES, LIMIT)
KNOWN = Terms("freecell", "standard", LIMIT, known="11982")
BOTH = Terms("freecell", "cells.piles=8", LIMIT, known=numbered_deck(7).hex())


async def opened(node: Node, terms: Terms) -> RoomCode:
    room = await node.rooms.create(
        *(ADA, terms.game, terms.variant),
        seats=2,
        limit=terms.limit,
        creation="key",
        allowed=terms.help,
        known=terms.known,
    )
    await node.rooms.decide(room.opened.code, commands.take_seat, BOB)
    return room.opened.code


async def raced(node: Node, code: RoomCode) -> Room:
    """Race a round; both players make a move and resign."""
    room = await node.rooms.start(code, ADA, [ADA, BOB])
    node.clock.time = BEGUN
    for player in (ADA, BOB):
        await node.play(attempt_of(room, player), player)
        await node.attempts.give_up(attempt_of(room, player))
    await node.apply_effects()
    return await node.rooms.load(code)


async def keep(node: Node, *players: PlayerId) -> None:
    for player in players:
        await node.services.histories.keep(player, 0)


@pytest.mark.parametrize("terms", [OWN, KNOWN, BOTH])
async def test_rounds_on_custom_terms_do_not_count(node: Node, other: Node, terms: Terms) -> None:
    await keep(node, ADA, BOB)
    room = await raced(other, await opened(node, terms))
    digest = ruleset(terms.game, terms.variant).digest
    assert (room.terms, round_of(room).over, round_of(room).rules) == (terms, True, digest)
    run = await node.attempts.run(attempt_of(room, BOB))
    assert run is not None
    assert (run.start.variant, run.start.rules) == (terms.variant, digest)
    assert len(room.scores) == 1, "the room shows its own rounds"
    for player in (ADA, BOB):
        assert await node.services.histories.load(player) == History(version=1, kept=0)
    assert await node.services.race_recorder.met(ADA) == [BOB]


async def test_every_runner_gets_the_known_deal(node: Node) -> None:
    room = await node.rooms.start(await opened(node, KNOWN), ADA, [ADA, BOB])
    board = lay_out(ruleset("freecell"), numbered_deck(11982))
    for player in (ADA, BOB):
        attempt = await node.attempts.find(attempt_of(room, player))
        assert attempt is not None
        assert attempt.board == board


async def test_a_known_deal_cannot_be_reserved_for_a_challenge(node: Node) -> None:
    room = await raced(node, await opened(node, KNOWN))
    terms = ChallengeTerms("freecell", "standard", LIMIT, 3_600_000)
    with pytest.raises(Refusal, match="deal_shown"):
        await node.services.challenges.create(ADA, terms, "key", attempt=attempt_of(room, ADA))


async def test_a_challenge_with_custom_rules_cannot_be_for_a_circle(node: Node) -> None:
    challenges = node.services.challenges
    terms = ChallengeTerms("klondike", CHANGES, LIMIT, 3_600_000)
    snapshot = await challenges.play((await challenges.create(ADA, terms, "key")).id, BOB)
    attempt = await node.attempts.find(snapshot.attempt)
    assert attempt is not None
    assert attempt.start.rules == ruleset("klondike", CHANGES).digest

    async def members(_: str) -> set[PlayerId | None]:
        return {ADA}

    challenges.members = members
    of_circle = ChallengeTerms("klondike", CHANGES, LIMIT, 3_600_000, circle="circle")
    assert await refusal_from(challenges.create(ADA, of_circle, "other")) == "listed_only"


@pytest.mark.parametrize(
    ("terms", "code"),
    [
        (Terms("klondike", "stock.turns=1", LIMIT), "bad_ruleset"),
        (Terms("klondike", "stock.turns=99", LIMIT), "bad_ruleset"),
        (Terms("whist", CHANGES, LIMIT), "unknown_game"),
        (Terms("freecell", "standard", LIMIT, known="8589934592"), "bad_deck"),
        (Terms("klondike", "standard", LIMIT, known="11982"), "bad_deck"),
        (Terms("freecell", "standard", LIMIT, known="me"), "bad_seed"),
        (Terms("klondike", "stock.turns=1", LIMIT, known="1"), "bad_ruleset"),
    ],
)
async def test_unplayable_terms_are_refused_undrawn(node: Node, terms: Terms, code: str) -> None:
    assert await refusal_from(opened(node, terms)) == code
    room = await opened(node, OWN)
    for setting in (node.rooms.set_terms, node.rooms.propose_terms):
        assert await refusal_from(setting(room, ADA, terms)) == code
    assert not await node.keys("deal:*")


async def test_a_checkpoint_keeps_custom_terms(node: Node, other: Node) -> None:
    code = await opened(node, Terms("klondike", "standard", LIMIT))
    await node.rooms.set_terms(code, ADA, BOTH)
    await node.rooms.propose_terms(code, BOB, OWN)
    room = await other.rooms.load(code)
    assert (room.terms, room.proposals) == (BOTH, {BOB: OWN})
