"""Attempts: answers to clients' commands, on any node."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import product

import msgspec
import pytest

from engine.board import apply_delta
from engine.catalog import ruleset
from engine.errors import NotationError
from engine.moves import legal_moves
from engine.notation import move_text, parse_move
from server.base.core import days
from server.base.core.days import DailyId
from server.base.core.ids import AttemptId, DealId, PlayerId, attempt_id
from server.base.outbox import outbox
from server.base.work.random_text import random_id
from server.play.answers import Played, Snapshot
from server.play.core import attempt as core
from server.play.core import keys
from server.play.core.attempt import Attempt, Started
from server.play.core.finish import Finish
from server.play.core.keys import AttemptDue
from tests.base.outbox.outboxes import all_due, all_effects
from tests.base.redis.servers import calls, in_flight, until, writes_held_up
from tests.builders import ADA, BOB, LIMIT, START, refusal_from
from tests.conftest import ALONE
from tests.engine.positions import is_view_pile
from tests.nodes import Node, SetClock, node_on

pytestmark = ALONE

DAY = days.day_at(START)
DEADLINE = START + LIMIT

Answer = Played | Attempt | Snapshot


async def begin(
    node: Node, player: PlayerId = ADA, game: str = "lady-betty", day: int = DAY
) -> AttemptId:
    deal = await node.services.deal_store.daily(DailyId(game, day))
    started = Started(player, deal.id, game, "standard", None, day, START, DEADLINE, deal.rules)
    return (await node.attempts.start(started)).id


async def command(
    node: Node, attempt: AttemptId, seq: int, move: str, player: PlayerId = ADA
) -> Answer:
    """Send a move, or `resign`. Any other text is sent as numbers that are not a move."""
    if move == "resign":
        return await node.attempts.resign(attempt, player, seq)
    deal = await node.services.deal_store.find(DealId(attempt.partition(".")[0]))
    rules = ruleset(deal.game if deal else "lady-betty")
    try:
        numbers = rules.numbers_of(parse_move(rules, move))
    except NotationError:
        numbers = (move == "nonsense", 63, 1)
    done: asyncio.Future[Played | Snapshot | Exception] = asyncio.Future()
    node.attempts.play_soon(attempt, player, seq, numbers, done.set_result)
    answer = await done
    if isinstance(answer, Exception):
        raise answer
    return answer


def numbers(move: str) -> tuple[int, int, int]:
    """Return a Lady Betty move as the numbers of the protocol."""
    rules = ruleset("lady-betty")
    return rules.numbers_of(parse_move(rules, move))


async def entries(node: Node, attempt: AttemptId) -> list[str]:
    return (await node.services.journal_store.read(keys.attempt(attempt))).texts


async def moves(node: Node, attempt: AttemptId) -> list[str]:
    """Return the moves in the attempt's journal, and `resign` for an end without a move."""
    later = map(msgspec.json.decode, (await entries(node, attempt))[1:])
    return [entry.get("move", "resign") for entry in later]


async def test_an_attempt_starts_once_on_all_nodes(node: Node, other: Node) -> None:
    deal = await node.services.deal_store.daily(DailyId("robert", DAY))
    started = [
        Started(ADA, deal.id, "robert", "standard", None, DAY, START + late, DEADLINE, deal.rules)
        for late in range(4)
    ]
    states = await asyncio.gather(
        *((node, other)[late % 2].attempts.start(event) for late, event in enumerate(started))
    )
    assert len({state.start.at for state in states}) == 1
    assert len(await entries(node, attempt_id(deal.id, ADA))) == 1


async def test_opening_an_attempt_returns_its_players_view(node: Node, other: Node) -> None:
    attempt = await begin(node)
    await node.play(attempt, ADA)
    snapshot = await other.attempts.open(attempt, ADA)
    deal = await node.services.deal_store.find(snapshot.start.deal)
    assert deal is not None
    assert (snapshot.attempt, snapshot.seq, snapshot.result.moves) == (attempt, 2, 1)
    assert snapshot.commitment == deal.commitment
    assert all(is_view_pile(pile) for pile in snapshot.view.piles)
    assert deal.seed.hex() not in repr(snapshot)


async def test_a_player_can_use_only_their_own_attempts(node: Node) -> None:
    attempt = await begin(node)
    deal, _ = attempt.split(".")
    strange = [attempt_id(DealId(deal), BOB), attempt_id(DealId("0" * 16), ADA)]
    strange += [AttemptId(text) for text in ("", "x", "a.b")]
    for found, player in [(attempt, BOB), *((id_, ADA) for id_ in strange)]:
        assert await refusal_from(node.attempts.open(found, player)) == "unknown_attempt"
        for seq, move in product((1, 2, 3), ("s>t0", "resign")):
            assert await refusal_from(command(node, found, seq, move, player)) == "unknown_attempt"
    for missing in strange:
        assert await node.attempts.find(missing) is None
    assert len(await entries(node, attempt)) == 1


async def test_a_started_daily_can_be_played_on_a_node_with_a_lagging_clock(node: Node) -> None:
    attempt = await begin(node)
    node.clock.time = START - 1
    assert (await node.attempts.open(attempt, ADA)).seq == 1
    assert isinstance(await command(node, attempt, 2, "s>t0"), Played)
    assert (await node.state_of(attempt)).at == START


async def test_a_moves_delta_leads_from_one_view_to_the_next(node: Node, other: Node) -> None:
    attempt = await begin(node, game="robert")
    view = (await node.attempts.open(attempt, ADA)).view
    for number in range(2, 30):
        node.clock.time += 1_000
        played = await (node, other)[number % 2].play(attempt, ADA)
        after = played.after
        assert (after.id, after.seq, after.result.moves) == (attempt, number, number - 1)
        assert played.before.seq == number - 1
        view = apply_delta(view, played.delta)
        snapshot = await (node, other)[number % 3 % 2].attempts.open(attempt, ADA)
        assert (snapshot.seq, snapshot.view, snapshot.result) == (number, view, after.result)


async def test_a_resent_command_gets_its_first_answer_again(node: Node, other: Node) -> None:
    attempt = await begin(node)
    answers: list[Answer] = [await node.play(attempt, ADA) for _ in range(5)]
    answers.append(await command(node, attempt, 7, "resign"))
    before, sent = await entries(node, attempt), await moves(node, attempt)
    for again in (node, other):
        for seq, (move, answer) in enumerate(zip(sent, answers, strict=True), start=2):
            repeated = answer
            if isinstance(answer, Played):
                repeated = msgspec.structs.replace(answer, is_repeated=True)
            assert await command(again, attempt, seq, move) == repeated
    assert isinstance(answers[-1], Attempt)
    assert await entries(node, attempt) == before


@pytest.mark.parametrize("seq", [1, 2, 3, 5, 100])
@pytest.mark.parametrize("move", ["s>t6", "resign", "nonsense"])
async def test_wrong_numbers_get_a_snapshot(node: Node, other: Node, seq: int, move: str) -> None:
    attempt = await begin(node, game="deuces")
    for _ in range(2):
        await node.play(attempt, ADA)
    for each in (node, other):
        assert await command(each, attempt, seq, move) == await node.attempts.open(attempt, ADA)
    assert len(await entries(node, attempt)) == 3


@pytest.mark.parametrize(
    ("move", "code"),
    [("illegal", "illegal_move"), ("castle", "bad_move"), ("nonsense", "bad_move")],
)
async def test_refused_moves_keep_numbers(node: Node, other: Node, move: str, code: str) -> None:
    attempt = await begin(node)
    await other.state_of(attempt)
    await node.play(attempt, ADA)
    if move == "illegal":
        board = (await node.state_of(attempt)).board
        rules = board.ruleset
        possible = [rules.move(pile, rules.tableau[0]) for pile in rules.tableau]
        move = move_text(rules, next(each for each in possible if each not in legal_moves(board)))
    for each in (node, other):
        assert await refusal_from(command(each, attempt, 3, move)) == code
    assert isinstance(await other.play(attempt, ADA), Played)


async def test_commands_after_the_end_are_refused(node: Node, other: Node) -> None:
    attempt = await begin(node)
    last = await node.play_out(attempt, ADA)
    final = (await moves(node, attempt))[-1]
    assert last.end in {"won", "stuck"}
    for each in (node, other):
        for move in ("s>t0", "resign"):
            assert await refusal_from(command(each, attempt, last.seq + 1, move)) == "attempt_ended"
        again = await command(each, attempt, last.seq, final)
        assert isinstance(again, Played)
        assert again.after == last


async def test_a_move_after_the_deadline_gets_a_final_snapshot(node: Node, other: Node) -> None:
    attempt = await begin(node)
    await node.play(attempt, ADA)
    await other.state_of(attempt)
    node.clock.time = DEADLINE
    for each in (node, other):
        answer = await command(each, attempt, 3, "s>t0")
        assert isinstance(answer, Snapshot)
        assert (answer.seq, answer.result.end) == (3, "time")
    assert len(await entries(node, attempt)) == 3


async def test_reading_an_attempt_after_its_deadline_ends_it_once(node: Node, other: Node) -> None:
    attempt = await begin(node)
    node.clock.time = DEADLINE - 1
    assert (await other.state_of(attempt)).end is None
    node.clock.time = DEADLINE + 5_000
    states = await asyncio.gather(*(n.state_of(attempt) for n in (node, other, node, other)))
    assert {state.end for state in states} == {"time"}
    assert msgspec.json.decode((await entries(node, attempt))[-1]) == {
        "type": "ended", "end": "time", "at": DEADLINE,
    }  # fmt: skip
    assert (await other.state_of(attempt)).result.end == "time"


async def resign(node: Node, attempt: AttemptId) -> None:
    await command(node, attempt, 3, "resign")


async def give_up(node: Node, attempt: AttemptId) -> None:
    await node.attempts.give_up(attempt)
    await node.attempts.give_up(attempt)


async def time_up(node: Node, attempt: AttemptId) -> None:
    assert isinstance(node.services.clock, SetClock)
    node.services.clock.time = DEADLINE
    await node.state_of(attempt)


async def play_out(node: Node, attempt: AttemptId) -> None:
    await node.play_out(attempt, ADA)


@pytest.mark.parametrize("end", [resign, give_up, time_up, play_out])
async def test_the_last_entry_is_stored_together_with_its_effect(
    node: Node, end: Callable[[Node, AttemptId], asyncio.Future[None]]
) -> None:
    attempt = await begin(node)
    await node.play(attempt, ADA)
    assert await all_due(node.services.outbox_store, DEADLINE) == [(AttemptDue(attempt), DEADLINE)]
    assert await all_effects(node.services.outbox_store) == []
    await end(node, attempt)
    assert await all_due(node.services.outbox_store, DEADLINE) == []
    state = await node.state_of(attempt)
    finish = Finish(attempt, ADA, state.start.deal, "lady-betty", None, DAY, state.result)
    [(field, text)] = await all_effects(node.services.outbox_store)
    assert (field, msgspec.json.decode(text, type=Finish)) == (attempt, finish)
    assert node.outbox.queue.get_nowait() == finish
    assert node.outbox.queue.empty()
    assert await node.redis.pttl(keys.attempt(attempt)) > 0


async def test_finishes_beyond_the_queues_bound_stay_in_the_outbox(
    redis_url: str, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "MAX_QUEUED", 1)
    async with node_on(redis_url, clock) as node:
        for day in range(DAY, DAY + 3):
            attempt = await begin(node, day=day)
            await node.play(attempt, ADA)
            await resign(node, attempt)
        assert node.outbox.queue.qsize() == 1
        assert len(await all_effects(node.services.outbox_store)) == 3


async def test_an_attempt_known_to_have_ended_is_not_read_again(node: Node, other: Node) -> None:
    attempts = [await begin(node, day=day) for day in (DAY, DAY + 1)]
    await node.play(attempts[0], ADA)
    await resign(node, attempts[0])
    found = [await node.state_of(attempt) for attempt in attempts]
    before = await calls(node.redis, "xrange")
    assert await node.attempts.find_all(attempts[:1]) == found[:1]
    assert await calls(node.redis, "xrange") == before
    # Another node may play on in one that has not ended, and one may not exist.
    await other.play(attempts[1], ADA)
    played = await other.state_of(attempts[1])
    unknown = AttemptId(f"{'z' * 16}.{ADA}")
    assert await node.attempts.find_all([*attempts, unknown]) == [found[0], played]


async def test_only_one_of_two_moves_with_one_number_is_played(node: Node, other: Node) -> None:
    attempt = await begin(node)
    for seq in range(2, 12):
        # To different piles; both are legal.
        moves = ("s>t0", "s>t1")
        answers = await asyncio.gather(
            *(command(n, attempt, seq, move) for n, move in zip((node, other), moves, strict=True))
        )
        assert {type(answer) for answer in answers} == {Played, Snapshot}
        assert len(await entries(node, attempt)) == seq


async def test_a_move_sent_twice_concurrently_is_played_once(node: Node, other: Node) -> None:
    attempt = await begin(node)
    for seq in range(2, 12):
        answers = await asyncio.gather(
            *(command(n, attempt, seq, "s>t0") for n in (node, other, node, other))
        )
        played = [each for each in answers if isinstance(each, Played)]
        assert [each.is_repeated for each in played].count(False) == 1
        assert len({(each.before, each.after) for each in played}) == 1
        assert len(played) == len(answers)
        assert len(await entries(node, attempt)) == seq


async def test_a_move_of_an_ended_session_is_answered_when_resent(node: Node, other: Node) -> None:
    attempt = await begin(node)
    await command(node, attempt, 2, "s>t0")
    gone: list[object] = []
    async with writes_held_up(other.redis):
        node.attempts.play_soon(attempt, ADA, 3, numbers("s>t0"), gone.append)
        await until(lambda: in_flight(other.redis, "evalsha"))
        assert gone == []
    for again in (node, other):
        answer = await command(again, attempt, 3, "s>t0")
        assert isinstance(answer, Played)
        assert (answer.after.seq, answer.after.result.moves) == (3, 2)
    assert len(await entries(node, attempt)) == 3


async def test_subscribers_are_notified_of_every_entry_appended(node: Node, other: Node) -> None:
    notified: list[tuple[int, str | None]] = []
    attempt = await begin(node)
    node.attempts.appended.subscribe(lambda _, state, __: notified.append((state.seq, state.end)))
    await node.play(attempt, ADA)
    await other.play(attempt, ADA)
    await node.play(attempt, ADA)
    await node.attempts.give_up(attempt)
    assert notified == [(2, None), (4, None), (5, "resigned")]


async def test_missing_attempts_evict_nothing_from_the_cache(node: Node) -> None:
    attempt = await begin(node)
    held = len(node.attempts._replicas._used.held), len(node.attempts._replicas._read_only.held)
    for number in range(50):
        strange = AttemptId(f"{number:016}.{ADA}")
        assert await node.attempts.find(strange) is None
        assert await refusal_from(command(node, strange, 2, "s>t0")) == "unknown_attempt"
    replicas = node.attempts._replicas
    assert (len(replicas._used.held), len(replicas._read_only.held)) == held
    # Reading missing attempts does not evict a played one.
    deal, _ = attempt.split(".")
    for number in range(50):
        assert await node.attempts.find(AttemptId(f"{deal}.{number:016}")) is None
    assert len(replicas._used.held) == held[0]
    assert replicas.known(attempt) is not None


async def test_moves_beyond_the_limit_are_refused(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core, "MAX_MOVES", 3)
    attempt = await begin(node)
    for _ in range(3):
        last = await node.play(attempt, ADA)
    assert isinstance(last, Played)
    last = msgspec.structs.replace(last, is_repeated=True)
    final = (await moves(node, attempt))[-1]
    for each in (node, other):
        assert await refusal_from(command(each, attempt, 5, "s>t0")) == "too_many_moves"
        assert await command(each, attempt, 4, final) == last
    assert isinstance(await command(other, attempt, 5, "resign"), Attempt)


async def test_a_players_started_deals_are_found(node: Node) -> None:
    one, other = (DealId(random_id()) for _ in range(2))
    await node.redis.xadd(keys.attempt(attempt_id(one, ADA)), {"e": "text"}, id="0-1")
    attempts = node.services.attempts
    assert await attempts.started([one, other], ADA) == {one}
    assert await attempts.started([one, other], BOB) == set()
    assert await attempts.started([], ADA) == set()
