"""Challenges: making and playing them, and how they end, on several nodes."""

from __future__ import annotations

import pytest

from server.base.core.ids import ChallengeId, PlayerId, attempt_id
from server.base.core.refusal import Refusal
from server.challenges.core.challenge import Challenge
from server.challenges.core.events import Terms
from tests.builders import ADA, BOB, CYD, DAN, LIMIT, START
from tests.nodes import Node, SetClock

HOUR = 3_600_000
TERMS = Terms("lady-betty", "standard", LIMIT, 2 * HOUR)


async def made(
    node: Node, maker: PlayerId = ADA, key: str = "key", named: tuple[PlayerId, ...] = ()
) -> Challenge:
    """Make a challenge; those who are named have a session."""
    for player in named:
        await node.store.players.add_session(player, "node/session", START)
    return await node.services.challenges.create(maker, TERMS, key, named=named)


async def played(node: Node, challenge: ChallengeId, player: PlayerId) -> None:
    """Play a challenge to its end, and let follow what does."""
    snapshot = await node.services.challenges.play(challenge, player)
    await node.play_out(snapshot.attempt, player)
    await node.apply_effects()


async def now(node: Node, challenge: Challenge) -> Challenge:
    """Return a challenge as it is now."""
    found = await node.services.challenges.find(challenge.id)
    assert found is not None
    return found


async def test_a_challenge_is_played_once_by_each_and_closes_by_its_date(
    node: Node, other: Node, clock: SetClock
) -> None:
    challenge = await made(node)
    await played(node, challenge.id, ADA)
    await played(other, challenge.id, BOB)
    assert set((await now(node, challenge)).results) == {ADA, BOB}
    with pytest.raises(Refusal, match="already_played"):
        await node.services.challenges.play(challenge.id, BOB)
    clock.time = challenge.made.closes
    await other.sweep()
    await other.apply_effects()
    found = await now(node, challenge)
    assert found.over == challenge.made.closes
    assert found.is_settled
    with pytest.raises(Refusal, match="challenge_over"):
        await node.services.challenges.play(challenge.id, CYD)
    history = await node.services.histories.load(ADA)
    result = history.challenges["lady-betty", challenge.made.deal]
    assert (result.challenge, result.players) == (challenge.id, 2)


async def test_an_attempt_that_nobody_plays_ends_at_its_deadline(
    node: Node, clock: SetClock
) -> None:
    challenge = await made(node)
    await node.services.challenges.play(challenge.id, ADA)
    clock.time += LIMIT
    await node.sweep()
    await node.apply_effects()
    found = await now(node, challenge)
    assert found.results[ADA].end == "time"
    assert await node.attempts.find(attempt_id(challenge.made.deal, ADA)) is not None


async def test_it_closes_when_all_who_are_named_have_played(node: Node) -> None:
    challenge = await made(node, named=(BOB, DAN))
    with pytest.raises(Refusal, match="not_challenged"):
        await node.services.challenges.play(challenge.id, CYD)
    for player in (ADA, BOB):
        await played(node, challenge.id, player)
    assert (await now(node, challenge)).over is None
    await played(node, challenge.id, DAN)
    assert (await now(node, challenge)).is_settled
