"""Notifications about invitations to challenges and overtaking."""

from __future__ import annotations

from engine.catalog import games
from server.base.core.ids import ChallengeId, DealId, PlayerId
from server.challenges.core.challenge import Challenge, Entrant
from server.challenges.core.events import ChallengeMade, Terms
from server.notifications.core.passed import MAX_NOTIFIED, passed
from server.play.core.result import Result
from tests.builders import ADA, BOB, CYD, DAN, LIMIT, START
from tests.nodes import Node
from tests.notifications.test_notifications import told_on

TERMS = Terms("lady-betty", "standard", LIMIT, 3_600_000)


def ended(**home: int) -> Challenge:
    made = ChallengeMade(ChallengeId("c"), ADA, TERMS, DealId("d"), "", "", 0, START)
    players = {
        PlayerId(name): Entrant(
            START, START, Result(count, 52 - count, 1_000, 60, "stuck"), START + at
        )
        for at, (name, count) in enumerate(home.items())
    }
    return Challenge(made, players, version=9, at=START)


def test_overtaken_players_are_listed_best_first() -> None:
    challenge = ended(ada=10, bob=30, cyd=20, dan=40, eve=5)
    assert passed(challenge, PlayerId("dan")) == ["bob", "cyd", "ada"]
    assert passed(challenge, PlayerId("cyd")) == ["ada"]
    assert passed(challenge, PlayerId("eve")) == passed(challenge, PlayerId("zoe")) == []


def test_only_the_closest_overtaken_players_are_notified() -> None:
    challenge = ended(**{f"p{n}": n for n in range(1, 40)})
    assert passed(challenge, PlayerId("p39")) == [f"p{n}" for n in range(38, 38 - MAX_NOTIFIED, -1)]


async def test_invited_and_overtaken_players_are_notified(node: Node) -> None:
    challenges = node.services.challenges
    async with told_on(node) as told:
        await told.subscribe("challenged", "beaten")
        for player in (ADA, CYD, DAN):
            await node.services.player_store.add_session(player, "node/session", START)
        made = await challenges.create(BOB, TERMS, "key", named=(ADA, CYD, DAN))
        await node.apply_effects()
        found = await told.read()
        assert (found["topic"], found["link"], found["game"]) == (
            "challenged",
            f"c/{made.id}",
            games()["lady-betty"].name,
        )
        snapshot = await challenges.play(made.id, ADA)
        await node.attempts.give_up(snapshot.attempt)
        await node.apply_effects()
        snapshot = await challenges.play(made.id, BOB)
        await node.play_out(snapshot.attempt, BOB)
        await node.apply_effects()
        found = await told.read()
        assert (found["topic"], found["link"]) == ("beaten", f"c/{made.id}")
        assert found["who"] == (await node.services.profiles.load([BOB]))[BOB].name
        assert told.service.received.empty()
