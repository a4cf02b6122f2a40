"""The challenges service on several nodes: creating, playing and closing challenges."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from server.base.core.ids import ChallengeId, DealId, PlayerId, attempt_id
from server.base.core.refusal import Refusal
from server.challenges import challenges
from server.challenges.core import keys
from server.challenges.core.challenge import Challenge
from server.challenges.core.events import Begun, Terms
from server.challenges.core.occasions import occasion_of
from server.challenges.core.refusals import ChallengeRefusals
from server.challenges.store import MAX_LISTED, MAX_OPEN, MAX_UNSEEN_BY_ONE, MAX_UNSEEN_BY_STRANGERS
from server.deals.pool_store import PooledDeal
from server.deals.store import Deal, DealStore
from server.moderation.operators import By
from server.rooms.core.room import Room
from tests.builders import ADA, BOB, CYD, DAN, LIMIT, START, refusal_from, round_of
from tests.nodes import BEGUN, Node, attempt_of

HOUR = 3_600_000
TERMS = Terms("lady-betty", "standard", LIMIT, 2 * HOUR)


async def known(node: Node, *players: PlayerId) -> None:
    for player in players:
        await node.services.player_store.add_session(player, "node/session", START)


async def made(
    node: Node, creator: PlayerId = ADA, key: str = "key", named: Sequence[PlayerId] = ()
) -> Challenge:
    await known(node, *named)
    found = await node.services.challenges.create(creator, TERMS, key, named=named)
    await node.apply_effects()
    return found


async def played(node: Node, challenge: ChallengeId, player: PlayerId) -> None:
    await node.play_out((await node.services.challenges.play(challenge, player)).attempt, player)
    await node.apply_effects()


async def now(node: Node, challenge: Challenge) -> Challenge:
    found = await node.services.challenges.find(challenge.id)
    assert found is not None
    return found


async def raced(node: Node, *players: PlayerId) -> Room:
    room, code = await node.race_of(*players)
    node.clock.time = BEGUN
    for player in players:
        await node.play_out(attempt_of(room, player), player)
    await node.apply_effects()
    return await node.rooms.load(code)


def deal_of(room: Room) -> DealId:
    return round_of(room).deal


async def challenged(
    node: Node, room: Room, creator: PlayerId = ADA, key: str = "race"
) -> Challenge:
    create = node.services.challenges.create
    return await create(creator, TERMS, key, attempt=attempt_of(room, creator))


async def test_players_play_once_and_the_challenge_closes_in_time(node: Node, other: Node) -> None:
    challenge = await made(node)
    await played(node, challenge.id, ADA)
    await played(other, challenge.id, BOB)
    assert set((await now(node, challenge)).results) == {ADA, BOB}
    assert await refusal_from(node.services.challenges.play(challenge.id, BOB)) == "already_played"
    node.clock.time = challenge.made.closes
    await other.sweep()
    await other.apply_effects()
    found = await now(node, challenge)
    assert found.over == challenge.made.closes
    assert found.is_settled
    assert await refusal_from(node.services.challenges.play(challenge.id, CYD)) == "challenge_over"
    for player, place in found.ranks().items():
        history = await node.services.histories.load(player)
        result = history.challenges["lady-betty", challenge.made.deal]
        assert (result.challenge, result.place, result.players) == (challenge.id, place, 2)
        assert not history.days
        assert not history.rounds


async def test_an_attempt_can_be_resumed_on_any_node(node: Node, other: Node) -> None:
    challenge = await made(node)
    begun = await node.services.challenges.play(challenge.id, ADA)
    moved = await node.play(begun.attempt, ADA)
    again = await other.services.challenges.play(challenge.id, ADA)
    assert (again.attempt, again.seq) == (begun.attempt, moved.after.seq)
    assert again.start.occasion == occasion_of(challenge.id)


async def test_an_attempt_unstarted_by_a_dead_node_starts_later(node: Node, other: Node) -> None:
    """The entry was appended, and the node died before it started the attempt."""
    challenge = await made(node)
    begin = node.services.challenges._submit
    await begin(challenge.id, lambda _, now: Begun(BOB, now, now + LIMIT))
    node.clock.time += 1_000
    assert (await other.services.challenges.play(challenge.id, BOB)).start.at == START
    node.clock.time = challenge.made.closes
    await other.sweep()
    await other.apply_effects()
    assert (await now(node, challenge)).results[BOB].end == "time"


async def test_an_unplayed_attempt_ends_at_its_deadline(node: Node) -> None:
    challenge = await made(node)
    await node.services.challenges.play(challenge.id, ADA)
    node.clock.time += LIMIT
    await node.sweep()
    await node.apply_effects()
    assert (await now(node, challenge)).results[ADA].end == "time"
    assert await node.attempts.find(attempt_id(challenge.made.deal, ADA)) is not None


async def test_running_attempts_end_with_the_challenge_and_count(node: Node, other: Node) -> None:
    challenge = await made(node)
    node.clock.time = challenge.made.closes - 60_000
    for player in (ADA, BOB):
        await node.services.challenges.play(challenge.id, player)
    await node.play(attempt_id(challenge.made.deal, ADA), ADA)
    node.clock.time = challenge.made.closes
    # The first read closes the challenge; the sweeper ends the attempts.
    assert (await now(other, challenge)).over == challenge.made.closes
    await other.sweep()
    await other.apply_effects()
    found = await now(node, challenge)
    assert {found.results[each].end for each in (ADA, BOB)} == {"time"}
    assert found.is_settled


async def test_it_closes_when_all_invited_players_have_played(node: Node) -> None:
    challenge = await made(node, named=(BOB, DAN))
    assert await refusal_from(node.services.challenges.play(challenge.id, CYD)) == "not_challenged"
    for player in (ADA, BOB):
        await played(node, challenge.id, player)
    assert (await now(node, challenge)).over is None
    await played(node, challenge.id, DAN)
    assert (await now(node, challenge)).is_settled
    history = await node.services.histories.load(DAN)
    assert list(history.challenges) == [("lady-betty", challenge.made.deal)]


async def test_its_creator_can_close_it_early(node: Node, other: Node) -> None:
    challenge = await made(node, named=[BOB, CYD])
    await node.services.challenges.play(challenge.id, BOB)
    assert await refusal_from(other.services.challenges.close(challenge.id, BOB)) == "not_creator"
    for _ in range(2):
        await other.services.challenges.close(challenge.id, ADA)
    assert await refusal_from(node.services.challenges.play(challenge.id, CYD)) == "challenge_over"
    assert (await now(node, challenge)).over is None
    # The sweeper ends the attempt at the deadline set by the close.
    node.clock.time += LIMIT
    await other.sweep()
    await other.apply_effects()
    found = await now(node, challenge)
    assert (found.over, found.is_settled, set(found.results)) == (START + LIMIT, True, {BOB})
    history = await node.services.histories.load(BOB)
    assert history.challenges["lady-betty", challenge.made.deal].place == 1


async def test_closed_challenges_settle_despite_unstarted_attempts(node: Node, other: Node) -> None:
    challenge = await made(node)
    begin = node.services.challenges._submit
    await begin(challenge.id, lambda _, now: Begun(BOB, now, now + LIMIT))
    await node.services.challenges.close(challenge.id, ADA)
    node.clock.time += LIMIT
    await other.sweep()
    await other.apply_effects()
    found = await now(node, challenge)
    assert (found.over, found.is_settled, found.results[BOB].end) == (START + LIMIT, True, "time")


async def test_a_dead_nodes_effects_are_applied_once_by_another(node: Node, other: Node) -> None:
    challenge = await made(node, named=(BOB,))
    for player in (ADA, BOB):
        snapshot = await node.services.challenges.play(challenge.id, player)
        await node.play_out(snapshot.attempt, player)
    for each in (other, other):
        await each.sweep()
        await each.apply_effects()
    assert (await now(other, challenge)).is_settled
    before = await other.services.histories.load(ADA)
    await node.apply_effects()
    assert await node.services.histories.load(ADA) == before
    assert before.version == 1


async def test_a_retry_creates_nothing(node: Node, other: Node) -> None:
    first, again = await asyncio.gather(made(node), made(other))
    assert (first.id, first.made) == (again.id, again.made)
    assert ((await made(node)).version, len(await node.keys("*challenge:*"))) == (1, 1)


async def test_only_existing_players_can_be_invited(node: Node) -> None:
    create = node.services.challenges.create
    assert await refusal_from(create(ADA, TERMS, "key", named=[BOB])) == "unknown_player"
    assert await refusal_from(create(ADA, TERMS, "key", named=[PlayerId("x")])) == "unknown_player"
    assert (await made(node, named=(BOB, ADA, BOB))).made.named == (BOB,)


@pytest.mark.parametrize(
    ("terms", "code"),
    [
        (msgspec.structs.replace(TERMS, game="none"), "unknown_game"),
        (msgspec.structs.replace(TERMS, variant="none"), "unknown_variant"),
        (msgspec.structs.replace(TERMS, circle="none"), "not_in_circle"),
    ],
)
async def test_invalid_terms_are_refused(node: Node, terms: Terms, code: str) -> None:
    assert await refusal_from(node.services.challenges.create(ADA, terms, "key")) == code


async def test_a_player_may_have_so_many_open_challenges(node: Node) -> None:
    for number in range(MAX_OPEN):
        challenge = await made(node, key=f"key {number}")
    create = node.services.challenges.create
    assert await refusal_from(create(ADA, TERMS, "one more")) == "too_many_challenges"
    assert (await made(node, key="key 3")).version == 1
    assert await refusal_from(create(BOB, TERMS, "one more")) is None
    await node.services.challenges.close(challenge.id, ADA)
    await node.apply_effects()
    assert await refusal_from(create(ADA, TERMS, "one more")) is None
    assert await refusal_from(create(ADA, TERMS, "another")) == "too_many_challenges"
    node.clock.time += TERMS.open_for
    assert await refusal_from(create(ADA, TERMS, "another")) is None


async def test_a_spare_certified_deal_is_used(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    deal = await node.services.deal_store.find((await made(node)).made.deal)
    assert deal is not None
    assert deal.certificate is None
    monkeypatch.setattr(challenges, "DRAWN_AHEAD", 0)
    pooled = PooledDeal(
        DealId("dea1000000000001"), "lady-betty", bytes(32), deal.rules, True, 40, "s>w", 1
    )
    await node.services.pool_store.put(pooled)
    certified = await made(node, key="another")
    found = await node.services.deal_store.read(certified.made.deal)
    assert found is not None
    assert found.id == pooled.id
    assert found.certificate is not None
    assert (found.certificate.par, found.occasion) == (40, occasion_of(certified.id))


async def test_a_circles_challenge_is_visible_only_to_its_members(node: Node) -> None:
    members: set[PlayerId | None] = {ADA, BOB}

    async def members_of(circle: str) -> set[PlayerId | None]:
        return members if circle == "circle" else set()

    service = node.services.challenges
    service.members = members_of
    terms = msgspec.structs.replace(TERMS, circle="circle")
    assert await refusal_from(service.create(CYD, terms, "key")) == "not_in_circle"
    challenge = await service.create(ADA, terms, "key")
    assert await refusal_from(service.load(challenge.id, CYD)) == "unknown_challenge"
    assert await refusal_from(service.play(challenge.id, CYD)) == "unknown_challenge"
    await played(node, challenge.id, BOB)
    members.discard(BOB)
    assert await refusal_from(service.load(challenge.id, BOB)) is None


async def test_a_challenge_on_a_races_deal_has_the_racers_results(node: Node, other: Node) -> None:
    room = await raced(node, ADA, BOB)
    challenge = await challenged(node, room)
    assert room.round is not None
    assert (challenge.made.deal, challenge.results) == (room.round.deal, room.round.results)
    assert challenge.made.terms.limit == room.round.terms.limit
    assert await refusal_from(node.services.challenges.play(challenge.id, BOB)) == "already_played"
    await played(other, challenge.id, CYD)
    assert set((await now(node, challenge)).results) == {ADA, BOB, CYD}
    # The challenge does not change the race's results.
    history = await node.services.histories.load(ADA)
    assert list(history.rounds) == [("lady-betty", room.round.deal)]


async def test_a_races_deal_is_hidden_while_the_challenge_is_open(node: Node, other: Node) -> None:
    room = await raced(node, ADA, BOB)
    deal, runs = deal_of(room), other.services.runs
    await node.services.closed_deals.load(deal, ADA)
    challenge = await challenged(node, room)

    async def sees(viewer: PlayerId | None) -> list[bool]:
        """Return whether a viewer can see the seed, a run and the list of runs."""
        seed = (await other.services.closed_deals.load(deal, viewer))[1] is not None
        found = [await refusal_from(runs.load(attempt_of(room, BOB), viewer))]
        if viewer is not None:
            found.append(await refusal_from(runs.on(deal, viewer)))
        return [seed, *(code is None for code in found)]

    assert not any(await sees(None))
    assert not any(await sees(CYD))
    assert all(await sees(BOB))
    snapshot = await node.services.challenges.play(challenge.id, CYD)
    assert not any(await sees(CYD))
    await node.play_out(snapshot.attempt, CYD)
    await node.apply_effects()
    assert all(await sees(CYD))
    assert not any(await sees(DAN))
    node.clock.time = challenge.made.closes
    assert all(await sees(DAN))
    assert all(await sees(None))


async def test_a_deal_that_others_have_seen_is_not_played_any_more(node: Node) -> None:
    room = await raced(node, ADA, BOB)
    await node.services.closed_deals.load(deal_of(room), BOB)
    await node.services.closed_deals.load(deal_of(room), CYD)
    assert await refusal_from(challenged(node, room)) == "deal_shown"
    assert not (await node.keys("challenges-made:*"))


async def test_a_races_deal_has_only_one_challenge(node: Node) -> None:
    room = await raced(node, ADA, BOB)
    challenge = await challenged(node, room)
    assert (await challenged(node, room)).id == challenge.id
    assert await refusal_from(challenged(node, room, BOB)) == "deal_shown"


async def test_a_running_or_foreign_races_deal_is_refused(node: Node) -> None:
    room, _ = await node.race_of(ADA, BOB)
    assert await refusal_from(challenged(node, room)) == "deal_open"
    create = node.services.challenges.create
    other = attempt_of(room, BOB)
    assert await refusal_from(create(ADA, TERMS, "key", attempt=other)) == "unknown_run"
    daily = await node.dailies.open(ADA, "robert")
    assert await refusal_from(create(ADA, TERMS, "key", attempt=daily.attempt)) == "unknown_run"


async def test_racers_cannot_be_invited(node: Node) -> None:
    room = await raced(node, ADA, BOB)
    await known(node, BOB, CYD)
    create, attempt = node.services.challenges.create, attempt_of(room, ADA)
    asked = create(ADA, TERMS, "race", named=[BOB], attempt=attempt)
    assert await refusal_from(asked) == "already_played"
    challenge = await create(ADA, TERMS, "race", named=[BOB, CYD], attempt=attempt)
    assert challenge.made.named == (CYD,)
    await played(node, challenge.id, CYD)
    assert (await now(node, challenge)).is_settled


async def test_runs_are_visible_after_ending_and_the_seed_after_the_close(node: Node) -> None:
    challenge = await made(node)
    deal, service = challenge.made.deal, node.services.challenges
    await played(node, challenge.id, ADA)
    run = challenge.attempt(ADA)
    assert (await node.services.closed_deals.load(deal, BOB))[1] is None
    assert await refusal_from(node.services.runs.load(run, BOB)) == "deal_open"
    await played(node, challenge.id, BOB)
    assert (await node.services.runs.load(run, BOB)).run.end is not None
    size, rows = await node.services.runs.on(deal, BOB)
    assert (size, {row.profile.id for row in rows}) == (2, {ADA, BOB})
    page = await service.page(await now(node, challenge), BOB)
    assert (page.seed, page.may_play) == (None, False)
    node.clock.time = challenge.made.closes
    page = await service.page(await now(node, challenge), CYD)
    assert page.seed == (await node.services.closed_deals.load(deal))[0].seed.hex()


async def test_the_creator_sees_the_number_of_viewers(node: Node) -> None:
    challenge = await made(node)
    service = node.services.challenges
    for player in (BOB, CYD, BOB, ADA):
        await service.look(challenge, player)
    assert (await service.page(challenge, ADA)).opened == 2
    assert (await service.page(challenge, BOB)).opened == 0


async def test_all_players_share_one_rematch_for_the_same_players(node: Node, other: Node) -> None:
    challenge = await made(node, named=(BOB,))
    service = node.services.challenges
    assert await refusal_from(service.rematch(challenge.id, BOB)) == "not_played"
    for player in (ADA, BOB):
        await played(node, challenge.id, player)
    made_ = await asyncio.gather(
        service.rematch(challenge.id, BOB), other.services.challenges.rematch(challenge.id, ADA)
    )
    assert made_[0].made == made_[1].made
    following = made_[0]
    assert {following.made.creator, *following.made.named} == {ADA, BOB}
    assert following.made.deal != challenge.made.deal
    assert (await now(node, challenge)).rematch == following.id
    assert (await service.rematch(challenge.id, ADA)).id == following.id


async def test_players_are_notified_of_the_rematch_of_a_challenge_by_link(node: Node) -> None:
    challenge = await made(node)
    for player in (BOB, CYD):
        await played(node, challenge.id, player)
    following = await node.services.challenges.rematch(challenge.id, CYD)
    await node.apply_effects()
    assert (following.made.audience, following.made.told) == ("link", (BOB,))
    assert following.id in await node.services.challenge_lists.ids(BOB)


async def test_voiding_a_result_changes_the_table_and_histories(node: Node) -> None:
    challenge = await made(node, named=(BOB,))
    for player in (ADA, BOB):
        await played(node, challenge.id, player)

    async def void(*, void: bool) -> dict[PlayerId, tuple[bool, int]]:
        """Void or reinstate Ada's result; return (void, place) from the histories."""
        node.clock.time += 1
        operators = node.services.operators
        assert (await operators.run(challenge.attempt(ADA))).void != void
        await operators.void(By("op", "why"), challenge.attempt(ADA), void=void)
        await node.apply_effects()
        histories = [await node.services.histories.load(each) for each in (ADA, BOB)]
        found = [each.challenges["lady-betty", challenge.made.deal] for each in histories]
        return {p: (each.void, each.place) for p, each in zip((ADA, BOB), found, strict=True)}

    before = (await now(node, challenge)).ranks()
    assert await void(void=True) == {ADA: (True, 2), BOB: (False, 1)}
    assert (await now(node, challenge)).ranks() == {BOB: 1}
    assert await void(void=False) == {p: (False, rank) for p, rank in before.items()}


async def test_a_list_has_created_received_and_played_challenges(node: Node, other: Node) -> None:
    first = await made(node, named=(BOB,))
    second = await made(node, key="another")
    await played(node, second.id, BOB)
    lists = other.services.challenge_lists
    rows = [row for row, _ in await lists.load(BOB)]
    assert {row.summary.challenge: row.state for row in rows} == {
        first.id: "new",
        second.id: "ended",
    }
    assert {row.summary.challenge for row, _ in await lists.load(ADA)} == {first.id, second.id}
    await lists.hide(BOB, first.id)
    assert [row.summary.challenge for row, _ in await lists.load(BOB)] == [second.id]
    assert await lists.load(CYD) == []


async def test_news_lasts_until_the_player_views_the_list(node: Node) -> None:
    challenge = await made(node)
    lists = node.services.challenge_lists

    async def news(*, seen: bool = False) -> list[bool]:
        return [row.news for row, _ in await lists.load(ADA, seen=seen)]

    node.clock.time += 1_000
    assert await news(seen=True) == [False]
    node.clock.time += 1_000
    await played(node, challenge.id, BOB)
    assert await news() == [True]
    node.clock.time += 1_000
    assert (await news(seen=True), await news()) == ([True], [False])


async def test_strangers_fill_nobodys_list(node: Node) -> None:
    """Four strangers send 48 challenges. Bob's own and a friend's stay, even after views."""
    own = [await made(node, BOB, f"own {number}") for number in range(3)]
    strangers = [PlayerId(f"5tranger0000000{number}") for number in range(4)]
    lists, store = node.services.challenge_lists, node.services.challenge_store
    await node.services.met_store.add(BOB, [DAN], START)

    async def named_by(player: PlayerId) -> list[ChallengeId]:
        names = [ChallengeId(f"{player[-3:]}{number:013}") for number in range(12)]
        return [each for each in names if await store.offer(BOB, each, node.clock.time, player)]

    found = [await named_by(each) for each in strangers]
    assert max(map(len, found)) == MAX_UNSEEN_BY_ONE
    assert sum(map(len, found)) == MAX_UNSEEN_BY_STRANGERS
    friends = await made(node, DAN, "friend's", (BOB,))
    for number in range(60):
        node.clock.time += 1
        await store.see(BOB, node.clock.time)
        stranger = strangers[number % 4]
        await store.offer(BOB, ChallengeId(f"later{number:011}"), node.clock.time + 1, stranger)
    listed = await lists.ids(BOB)
    assert len(listed) == MAX_LISTED
    assert {friends.id, *(each.id for each in own)} <= {*listed}
    assert f"later{59:011}" in listed


async def test_blocked_challengers_are_listed_and_not_notified(node: Node) -> None:
    await known(node, ADA)
    lists = node.services.challenge_lists
    assert await refusal_from(lists.block(BOB, PlayerId("x"), blocked=True)) == "unknown_player"
    assert [each.id for each in await lists.block(BOB, ADA, blocked=True)] == [ADA]
    unwanted = await made(node, named=(BOB,))
    assert await lists.ids(BOB) == []
    await played(node, unwanted.id, BOB)
    assert await lists.ids(BOB) == [unwanted.id], "playing by link lists it"
    assert await lists.block(BOB, ADA, blocked=False) == []
    wanted = await made(node, key="another", named=(BOB,))
    assert {*await lists.ids(BOB)} == {unwanted.id, wanted.id}


async def test_a_key_creates_one_challenge(node: Node) -> None:
    await known(node, BOB)
    create = node.services.challenges.create
    first = await create(ADA, TERMS, "key", named=[BOB])
    assert (await create(ADA, TERMS, "key", named=[BOB, ADA])).id == first.id
    for terms, named in ((msgspec.structs.replace(TERMS, limit=LIMIT * 2), [BOB]), (TERMS, [])):
        assert await refusal_from(create(ADA, terms, "key", named=named)) == "key_used"
    assert (await create(BOB, TERMS, "key")).id != first.id


async def test_one_of_two_concurrent_uses_of_a_key_is_refused(node: Node, other: Node) -> None:
    another = msgspec.structs.replace(TERMS, game="freecell")
    made_ = await asyncio.gather(
        *(each.services.challenges.create(ADA, terms, "key")
          for each, terms in ((node, TERMS), (other, another))),
        return_exceptions=True,
    )  # fmt: skip
    [refusal] = [each for each in made_ if isinstance(each, Refusal)]
    [challenge] = [each for each in made_ if isinstance(each, Challenge)]
    assert refusal.code == ChallengeRefusals.key_used
    deal = await node.services.deal_store.find(challenge.made.deal)
    assert deal is not None
    assert deal.game == challenge.made.terms.game


async def test_concurrent_rematches_use_one_slot_and_one_deal(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    challenge = await made(node, named=(BOB,))
    for player in (ADA, BOB):
        await played(node, challenge.id, player)
    monkeypatch.setattr(challenges, "DRAWN_AHEAD", 0)
    rules = challenge.made.rules
    for number in range(3):
        name = DealId(f"dea100000000000{number}")
        pooled = PooledDeal(name, "lady-betty", bytes(32), rules, True, 40, "s>w", 1)
        await node.services.pool_store.put(pooled)
    draw, both = DealStore.draw_for, asyncio.Barrier(2)

    async def draw_with_the_other(self: DealStore, *given: Any) -> Deal:
        # By now both nodes have found that no rematch exists.
        await both.wait()
        return await draw(self, *given)

    monkeypatch.setattr(DealStore, "draw_for", draw_with_the_other)
    one, same = await asyncio.gather(
        node.services.challenges.rematch(challenge.id, BOB),
        other.services.challenges.rematch(challenge.id, ADA),
    )
    assert one.made == same.made
    assert (await node.services.pool_store.sizes(["lady-betty"]))["lady-betty"] == 2
    assert one.made.deal.startswith("dea1")
    holders = {
        player
        for player in (ADA, BOB)
        if await node.redis.zscore(keys.made(player), one.id) is not None
    }
    assert holders == {one.made.creator}


async def test_a_players_data_is_exported_and_deleted(node: Node) -> None:
    challenge = await made(node, named=(BOB,))
    for player in (ADA, BOB):
        await played(node, challenge.id, player)
    exported = msgspec.json.decode(await node.services.accounts.export(BOB))
    assert exported["challenge_list"] == {"came": {challenge.id: START}, "blocked": []}
    assert [row["challenge"] for row in exported["challenges"]] == [challenge.id]
    await node.services.accounts.delete(BOB)
    assert not [key for key in await node.keys("challenges*") if BOB in key]
    assert not (await node.services.histories.load(BOB)).challenges
    assert BOB in (await now(node, challenge)).results
