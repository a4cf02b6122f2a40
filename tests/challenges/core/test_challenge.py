"""Challenges without I/O: who can play, how they close, and their visibility."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from server.base.core.ids import PACE_BOT, ChallengeId, DealId, PlayerId
from server.base.core.refusal import Refusal
from server.challenges.core import commands
from server.challenges.core.challenge import MAX_EMOTES, MAX_PLAYERS, Challenge, Checkpoint, fold
from server.challenges.core.events import ChallengeMade, Event, Terms
from server.challenges.core.listed import (
    UNRANKED,
    ListedChallenge,
    listed,
    placed_by,
    rank_bound,
    score_of,
    summary,
)
from server.challenges.core.table import Row, table
from server.challenges.journal import decode
from server.play.core.result import Result
from tests.builders import ADA, BOB, CYD, DAN, EVE, LIMIT, START, reached, refusal_of

HOUR = 3_600_000
ID = ChallengeId("cha0000000000000")
TERMS = Terms("robert", "standard", LIMIT, 2 * HOUR)
MADE = ChallengeMade(ID, ADA, TERMS, DealId("dea1000000000000"), "c", "r", 0, START)
CLOSES = MADE.closes


def challenge(*named: PlayerId, **terms: object) -> Challenge:
    changed = msgspec.structs.replace(TERMS, **terms)
    return fold(None, msgspec.structs.replace(MADE, named=named, terms=changed))


def then(state: Challenge, event: Event | None) -> Challenge:
    if event is None:
        return state
    return fold(state, decode(msgspec.json.encode(event).decode()))


def begun(state: Challenge, *players: PlayerId, now: int = START) -> Challenge:
    for player in players:
        state = then(state, commands.begin(state, player, now, is_member=True))
    return state


def ended(state: Challenge, player: PlayerId, result: Result, now: int = START) -> Challenge:
    state = begun(state, player, now=now)
    return then(state, commands.finish(state, player, result, now))


def closed(state: Challenge) -> Challenge:
    return then(state, commands.due(state, CLOSES))


def rows_of(state: Challenge, *, shows_results: bool = True) -> list[Row]:
    return table(state, shows_results=shows_results).rows()


def in_list(state: Challenge, player: PlayerId, seen: int) -> ListedChallenge:
    entrants = state.players.items()
    scores = {each: score_of(state, of) for each, of in entrants if of.begun is not None}
    score = scores.get(player)
    best = None if score is None else rank_bound(score)
    limit = float((best or "0").removeprefix("("))
    below = [each for each in scores.values() if each < limit or (each == limit == UNRANKED)]
    told = player in state.made.named
    count = 0 if best is None else len(below)
    return listed(summary(state), player, seen, score=score, up_to=count, told=told, now=state.at)


def begin_refused(
    state: Challenge, player: PlayerId, now: int = START, **given: bool
) -> str | None:
    wanted = {"is_member": True} | given
    return refusal_of(lambda: commands.begin(state, player, now, **wanted))


def test_an_attempt_lasts_until_its_limit_or_the_close() -> None:
    early, late = challenge(), CLOSES - 1_000
    assert begun(early, BOB).players[BOB].deadline == START + LIMIT
    assert begun(early, BOB, now=late).players[BOB].deadline == CLOSES
    assert begin_refused(early, BOB, CLOSES) == "challenge_over"


def test_starting_again_resumes_the_attempt_until_it_is_over() -> None:
    state = begun(challenge(), BOB)
    assert commands.begin(state, BOB, START + 5, is_member=True) is None
    assert begin_refused(ended(state, BOB, reached(3)), BOB) == "already_played"


def test_only_the_creator_and_invited_players_can_play() -> None:
    state = challenge(BOB, CYD)
    assert begin_refused(state, DAN) == "not_challenged"
    assert list(begun(state, ADA, BOB).players) == [ADA, BOB, CYD]


def test_only_members_can_play_a_circles_challenge() -> None:
    state = challenge(circle="circle")
    assert begin_refused(state, BOB, is_member=False) == "not_challenged"
    assert begin_refused(state, BOB, is_member=True) is None


def test_racers_are_in_the_table_and_cannot_play() -> None:
    raced = {ADA: reached(9, 100, 5), PACE_BOT: reached(4, 100, 5)}
    state = fold(None, msgspec.structs.replace(MADE, raced=raced, named=(BOB,)))
    assert (begin_refused(state, ADA), state.over) == ("already_played", None)
    assert ended(state, BOB, reached(1)).ranks() == {ADA: 1, PACE_BOT: 2, BOB: 3}


def test_a_full_challenge_refuses_another_player() -> None:
    state = challenge()
    players = {PlayerId(f"p{number:015}"): each for number, each in
               enumerate([*begun(state, BOB).players.values()] * MAX_PLAYERS)}  # fmt: skip
    full = replace(state, players=players)
    assert begin_refused(full, BOB) == "challenge_full"
    assert begin_refused(full, next(iter(players))) is None


def test_it_closes_at_its_deadline_and_settles_when_all_attempts_are_over() -> None:
    state = begun(ended(challenge(), ADA, reached(3)), BOB)
    assert commands.due(state, CLOSES - 1) is None
    state = closed(state)
    assert (state.over, state.is_settled, commands.due(state, CLOSES + 1)) == (CLOSES, False, None)
    state = then(state, commands.finish(state, BOB, reached(5), CLOSES + 9))
    assert (state.is_settled, state.ranks()) == (True, {BOB: 1, ADA: 2})


def test_it_closes_when_the_last_invited_player_has_played() -> None:
    state = challenge(BOB)
    state = ended(state, BOB, reached(3), START + 1)
    assert (state.over, ended(state, ADA, reached(3), START + 2).over) == (None, START + 2)


def test_a_challenge_by_link_stays_open_until_its_deadline() -> None:
    assert ended(ended(challenge(), ADA, reached(3)), BOB, reached(3)).over is None


def test_a_result_is_recorded_once() -> None:
    state = ended(challenge(), BOB, reached(3))
    assert commands.finish(state, BOB, reached(9), START) is None
    assert commands.finish(state, CYD, reached(9), START) is None


def test_invited_players_who_never_start_are_absent_and_rank_last() -> None:
    state = closed(ended(challenge(BOB, CYD), BOB, reached(0)))
    rows = {row.player: (row.state, row.rank) for row in rows_of(state)}
    assert rows == {BOB: ("ended", 1), ADA: ("absent", 2), CYD: ("absent", 2)}


def test_a_void_result_is_unranked_and_can_be_reinstated() -> None:
    state = closed(ended(ended(challenge(), ADA, reached(9)), BOB, reached(3)))
    void = then(state, commands.void(state, ADA, CLOSES, is_void=True))
    assert void.ranks() == {BOB: 1}
    first, last = rows_of(void)
    assert (first.player, last.player, last.result, last.attempt) == (BOB, ADA, None, None)
    assert commands.void(void, ADA, CLOSES, is_void=True) is None
    assert commands.void(void, CYD, CLOSES, is_void=True) is None
    assert then(void, commands.void(void, ADA, CLOSES, is_void=False)).ranks() == state.ranks()


def test_an_early_close_is_immediate_without_running_attempts() -> None:
    state = ended(challenge(BOB, target=False), ADA, reached(3))
    assert refusal_of(lambda: commands.close(state, BOB, START + 9)) == "not_creator"
    state = then(state, commands.close(state, ADA, START + 9))
    assert (state.over, state.closes, state.is_settled) == (START + 9, START + 9, True)
    assert commands.close(state, ADA, START + 10) is None
    assert begin_refused(state, BOB, START + 10) == "challenge_over"
    rows = {row.player: (row.state, row.rank) for row in rows_of(state)}
    assert rows == {ADA: ("ended", 1), BOB: ("absent", 2)}


def test_running_attempts_continue_after_an_early_close() -> None:
    state = begun(begun(challenge(), BOB), CYD, now=START + 7)
    state = then(state, commands.close(state, ADA, START + 9))
    assert (state.over, state.closes) == (None, START + 7 + LIMIT)
    assert not state.shows_results(None)
    assert begin_refused(state, ADA, START + 10) == "challenge_over"
    assert commands.begin(state, BOB, START + 10, is_member=True) is None
    assert commands.close(state, ADA, START + 10) is None
    assert [in_list(state, each, 0).state for each in (ADA, BOB)] == ["missed", "playing"]
    state = ended(state, BOB, reached(3), START + 20)
    assert state.over is None
    late = then(state, commands.due(state, START + 7 + LIMIT))
    assert (late.over, late.is_settled) == (START + 7 + LIMIT, False)
    state = then(state, commands.finish(state, CYD, reached(4), START + 30))
    assert (state.over, state.closes, state.is_settled) == (START + 30, START + 30, True)
    assert state.ranks() == {CYD: 1, BOB: 2}


def test_an_early_close_is_not_in_the_past_if_an_attempt_has_run_out_unsettled() -> None:
    state = begun(challenge(), BOB)
    late = START + LIMIT + 60_000
    assert then(state, commands.close(state, ADA, late)).closes == late


def test_a_circles_challenge_closes_only_at_its_deadline() -> None:
    state = challenge(circle="circle")
    assert refusal_of(lambda: commands.close(state, ADA, START)) == "for_circle"


def test_before_ending_a_player_sees_only_the_target() -> None:
    state = begun(ended(ended(challenge(), BOB, reached(9)), ADA, reached(3)), CYD)
    assert not state.shows_results(CYD)
    assert not state.shows_results(None)
    rows = rows_of(state, shows_results=False)
    assert [(row.player, row.state) for row in rows] == [
        (BOB, "ended"), (ADA, "ended"), (CYD, "playing")]  # fmt: skip
    assert [row.result for row in rows] == [None, reached(3), None]
    assert all(row.rank is None and row.attempt is None and not row.emotes for row in rows)
    hidden = replace(state, made=msgspec.structs.replace(
        state.made, terms=msgspec.structs.replace(TERMS, target=False)))  # fmt: skip
    assert all(row.result is None for row in rows_of(hidden, shows_results=False))


def test_results_are_visible_after_ending_or_after_the_close() -> None:
    state = ended(ended(challenge(), ADA, reached(3)), BOB, reached(9))
    assert state.shows_results(BOB)
    assert closed(state).shows_results(None)
    first, second = rows_of(state)
    assert (first.player, first.rank, first.attempt) == (BOB, 1, state.attempt(BOB))
    assert (second.player, second.rank) == (ADA, 2)


RESULTS = st.builds(reached, st.integers(0, 52), st.integers(0, 9_000), st.integers(0, 99))
KINDS = st.sampled_from(["begin", "end", "close", "end it", "void", "emote"])
STEPS = st.lists(st.tuples(KINDS, st.sampled_from([ADA, BOB, CYD, DAN, EVE]), RESULTS), max_size=30)


@given(STEPS, st.booleans())
def test_what_others_reach_changes_nothing_that_is_shown_to_who_has_not_ended(
    steps: list[tuple[str, PlayerId, Result]], target: bool
) -> None:
    """Challenges that differ only in other players' results look equal to such a viewer."""

    def played(changed: bool) -> Challenge:
        state = challenge(target=target)
        for step, player, result in steps:
            own = reached(result.home, result.time, result.moves)
            is_target = player == ADA and target
            if changed and not is_target:
                own = reached((result.home + 1) % 53, result.time + 7, result.moves + 1)
            match step:
                case "begin" if refusal_of(_begins(state, player)) is None:
                    state = begun(state, player)
                case "end":
                    state = then(state, commands.finish(state, player, own, START))
                case "end it" if any(each.is_playing for each in state.players.values()):
                    state = then(state, commands.close(state, ADA, START))
                case "void":
                    state = then(state, commands.void(state, player, START, is_void=True))
                case "emote" if refusal_of(_emotes(state, player)) is None:
                    state = then(state, commands.emote(state, player, player, 1, START))
        return state

    one, other = played(False), played(True)
    assert rows_of(one, shows_results=False) == rows_of(other, shows_results=False)
    for viewer in (ADA, BOB, CYD) if one.over is None else ():
        assert one.shows_results(viewer) == one.has_ended(viewer) == other.has_ended(viewer)


def _begins(state: Challenge, player: PlayerId) -> Callable[[], object]:
    return lambda: commands.begin(state, player, START, is_member=True)


def _emotes(state: Challenge, player: PlayerId) -> Callable[[], object]:
    return lambda: commands.emote(state, player, player, 1, START)


def test_players_who_ended_can_send_emotes_and_the_latest_are_kept() -> None:
    state = begun(ended(challenge(), ADA, reached(3)), BOB)
    assert refusal_of(lambda: commands.emote(state, BOB, ADA, 1, START)) == "not_played"
    assert refusal_of(lambda: commands.emote(state, ADA, BOB, 1, START)) == "unknown_run"
    assert refusal_of(lambda: commands.emote(state, ADA, CYD, 1, START)) == "unknown_run"
    sent = then(state, commands.emote(state, ADA, ADA, 1, START))
    assert commands.emote(sent, ADA, ADA, 1, START) is None
    sent = then(sent, commands.emote(sent, ADA, ADA, 2, START))
    assert sent.players[ADA].emotes == {ADA: 2}
    assert then(sent, commands.emote(sent, ADA, ADA, None, START)).players[ADA].emotes == {}
    for number in range(MAX_EMOTES + 3):
        player = PlayerId(f"p{number:015}")
        sent = ended(sent, player, reached(1))
        sent = then(sent, commands.emote(sent, player, ADA, 1, START))
    assert len(sent.players[ADA].emotes) == MAX_EMOTES
    assert player in sent.players[ADA].emotes


def test_a_challenge_has_one_rematch() -> None:
    state = challenge()
    following = ChallengeId("cha1000000000000")
    after = then(state, commands.follow(state, following, START + 3))
    assert (after.rematch, after.rematch_at) == (following, START + 3)
    assert commands.follow(after, ID, START) is None


def test_news_excludes_the_players_own_actions() -> None:
    state = challenge(BOB)
    assert in_list(state, BOB, START - 1).news
    assert not in_list(state, BOB, START).news
    assert not in_list(state, ADA, START - 1).news
    state = ended(state, BOB, reached(3), START + 5)
    assert in_list(state, ADA, START).news
    assert not in_list(state, BOB, START).news
    assert in_list(closed(state), BOB, START + 5).news


def test_the_state_in_a_list_shows_the_players_progress() -> None:
    state = challenge()
    assert [in_list(state, each, 0).state for each in (ADA, BOB)] == ["made", "new"]
    state = begun(state, ADA, BOB)
    state = ended(state, ADA, reached(3))
    assert [in_list(state, each, 0).state for each in (ADA, BOB)] == ["ended", "playing"]
    assert in_list(closed(state), CYD, 0).state == "missed"
    assert (in_list(state, ADA, 0).rank, in_list(state, BOB, 0).rank) == (1, None)


@given(STEPS)
def test_stored_scores_rank_like_the_table(steps: list[tuple[str, PlayerId, Result]]) -> None:
    state, scores = challenge(), dict[PlayerId, int]()
    for step, player, result in steps:
        event: Event | None = None
        if step == "begin" and refusal_of(_begins(state, player)) is None:
            event = commands.begin(state, player, START, is_member=True)
        elif step == "end":
            event = commands.finish(state, player, result, START)
        elif step == "void":
            event = commands.void(state, player, START, is_void=result.home % 2 == 0)
        if event is not None:
            state = then(state, event)
            scores.update(placed_by(state, event))
    for player in state.players:
        assert scores[player] == score_of(state, state.players[player])
        assert in_list(state, player, 0).rank == state.ranks().get(player)


@given(STEPS)
def test_a_checkpoint_restores_the_whole_state(steps: list[tuple[str, PlayerId, Result]]) -> None:
    state = challenge()
    for step, player, result in steps:
        try:
            event: Event | None = None
            match step:
                case "begin":
                    event = commands.begin(state, player, START, is_member=True)
                case "end":
                    event = commands.finish(state, player, result, START)
                case "close":
                    event = commands.due(state, CLOSES)
                case "end it":
                    event = commands.close(state, ADA, START)
                case "void":
                    event = commands.void(state, player, START, is_void=True)
                case "emote":
                    event = commands.emote(state, ADA, player, 3, START)
        except Refusal:
            continue
        state = then(state, event)
    text = msgspec.json.encode(Checkpoint(state, state.at)).decode()
    entry = decode(text)
    assert text.startswith('{"type":"checkpoint",')
    assert fold(None, entry) == replace(state, version=state.version + 1, begin=state.version + 1)
