"""Challenges, with the Python client against nodes."""

from __future__ import annotations

from samedeal_client import Client
from samedeal_client.challenge import ChallengeKeeper
from samedeal_client.messages import ChallengeChange, Challenger, WatchChallenge
from tests.conftest import ALONE
from tests.python_client.conftest import Relay, refusal_from
from tests.python_client.test_client import played_through, url_of

pytestmark = ALONE


async def test_a_challenge_is_played_by_two_and_answered_by_a_rematch(port: int) -> None:
    async with Client(url_of(port), name="Ada") as ada, Client(url_of(port), name="Bob") as bob:
        made = await ada.create_challenge("robert", players=[bob.player.id])
        assert ada.challenge is None
        await played_through(await ada.play_challenge(made.challenge))
        (row,) = await bob.list_challenges()
        assert (row.challenge, row.state, row.news) == (made.challenge, "new", True)
        before = await bob.watch_challenge(made.challenge)
        target = next(row for row in before.players if row.player == ada.player)
        assert target.result is not None
        assert (target.rank, target.attempt, before.seed) == (None, None, None)
        attempt = await bob.play_challenge(made.challenge)
        await played_through(attempt)
        over = await bob.until(
            lambda: bob.challenge if bob.challenge and bob.challenge.over else None
        )
        assert over.seed is not None
        assert {row.result for row in over.players if row.player == bob.player} == {attempt.result}
        await bob.emote_run(made.challenge, ada.player.id, 3)
        await bob.until(lambda: bob.challenge and any(row.emotes for row in bob.challenge.players))
        again = await bob.rematch(made.challenge)
        assert (await ada.rematch(made.challenge)).challenge == again.challenge
        await bob.close_challenge(again.challenge)
        await ada.hide_challenge(made.challenge)
        assert [row.challenge for row in await ada.list_challenges(seen=True)] == [again.challenge]
        assert await refusal_from(bob.play_challenge(made.challenge)) == "already_played"


async def test_a_challenge_is_watched_again_after_a_reconnect(relay: Relay, port: int) -> None:
    async with Client(relay.url) as ada, Client(url_of(port)) as bob:
        made = await ada.create_challenge("robert")
        await ada.watch_challenge(made.challenge)
        relay.cut()
        await bob.play_challenge(made.challenge)
        begun = await ada.until(
            lambda: ada.challenge.players or None if ada.challenge is not None else None
        )
        assert [(row.player, row.state) for row in begun] == [(bob.player, "playing")]
        await ada.unwatch_challenge()
        assert ada.challenge is None
        assert await refusal_from(ada.watch_challenge("c5n2x8r1m4kq7w0z")) == "unknown_challenge"


async def test_changes_keep_the_order_of_the_table(port: int) -> None:
    async with Client(url_of(port), name="Ada") as ada, Client(url_of(port), name="Bob") as bob:
        made = await ada.create_challenge("robert")
        keeper, other = ChallengeKeeper(), ChallengeKeeper()
        other.handle(made, None)
        assert other.state is None
        keeper.wanted = WatchChallenge(made.challenge)
        keeper.handle(made, None)
        one, two = Challenger(ada.player, "ended"), Challenger(bob.player, "ended")
        ids = ada.player.id, bob.player.id
        added = ChallengeChange(made.challenge, made.version + 1, (one,), ((ids[0], 1),))
        passed = ChallengeChange(
            made.challenge, made.version + 2, (two,), ((ids[1], 1), (ids[0], 2)), "next"
        )
        for event in (added, passed, added):
            keeper.handle(event, None)
        assert keeper.state is not None
        assert [(row.player.id, row.rank) for row in keeper.state.players] == [
            (ids[1], 1),
            (ids[0], 2),
        ]
        assert (keeper.state.version, keeper.state.rematch) == (made.version + 2, "next")
