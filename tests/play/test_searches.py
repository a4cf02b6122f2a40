"""Searches: attempts at a dead end are ended, and no others."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from itertools import accumulate, islice
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
from structlog.testing import capture_logs

from engine.board import Board
from engine.catalog import games, ruleset
from engine.deal import deal_seed
from engine.moves import legal_moves
from engine.notation import move_text, parse_move
from engine.search import MAX_POSITIONS, Outcome, cards_never_seen, search
from server.base.core.ids import AttemptId
from server.base.journals.cache import ReplicaCache
from server.base.work import line_process
from server.base.work.background import Background
from server.base.work.line_process import LineProcessError
from server.play import searches
from server.play.core import attempt as core
from server.play.core import keys
from server.play.core.attempt import Attempt, Moved
from server.play.core.bus import Ended
from server.play.searcher import Answer, Searcher, leave_core
from server.play.searches import Searches
from tests.base.redis.servers import running, until
from tests.builders import ADA, BOB, CYD, START, begun, line_home, refusal_from
from tests.conftest import ALONE, debug_captured
from tests.engine.dead_ends import dead_end_line
from tests.engine.positions import board
from tests.nodes import BEGUN, Node, attempt_of
from tests.processes import PATIENCE

pytestmark = ALONE

GAMES = ["deuces", "roosevelt", "robert", "canfield", "yukon", "rouge-et-noir"]
"""The last two with cards that nobody has seen."""

TWO_DEEP = board(
    "roosevelt",
    f0="AS", f1="KS", f2="KH", f3="KH", f4="KD", f5="KD", f6="KC", f7="KC",
    t0="2S 9S", t1="3S 4S 5S 6S 7S 8S TS", t2="JS QS KS",
)  # fmt: skip
"""A position that requires moving a card off a 2 before the 2 can go home."""

LINE = ("t0>t3", "t0>f0")
"""The shortest line of `TWO_DEEP`."""

THREE_DEEP = board(
    "roosevelt",
    f0="AS", f1="KS", f2="KH", f3="KH", f4="KD", f5="KD", f6="KC", f7="KC",
    t0="2S 9S 8S", t1="3S 4S 5S 6S 7S TS", t2="JS QS KS",
)  # fmt: skip
"""A position that requires moving two cards off the 2."""

DEAD = board(
    "roosevelt",
    f0="AS", f1="KS", f2="KH", f3="KH", f4="KD", f5="KD", f6="KC", f7="KC",
    t0="2S 3S 4S 5S 6S 7S 8S 9S TS", t1="JS", t2="QS", t3="KS",
)  # fmt: skip
"""A dead end that no search of one position finds."""

Race = Callable[[str], Awaitable[tuple[AttemptId, tuple[str, ...]]]]


@pytest.fixture
def race(node: Node, monkeypatch: pytest.MonkeyPatch) -> Race:
    """Return a function that starts a race and returns Ada's attempt, and a line to a dead end."""

    async def start(game: str) -> tuple[AttemptId, tuple[str, ...]]:
        seed, line = dead_end_line(game)
        drawn = SimpleNamespace(choice=secrets.choice, token_bytes=lambda _: seed)
        monkeypatch.setattr("server.deals.store.secrets", drawn)
        room, _ = await node.race_of(ADA, BOB, game=game)
        node.clock.time = BEGUN
        return attempt_of(room, ADA), line

    return start


async def play(node: Node, attempt: AttemptId, line: tuple[str, ...]) -> None:
    state = await node.state_of(attempt)
    for number, move in enumerate(line, start=state.seq + 1):
        await node.move(attempt, ADA, number, parse_move(state.board.ruleset, move))


async def wait_for_end(node: Node, attempt: AttemptId) -> None:
    async def is_over() -> bool:
        return (await node.state_of(attempt)).end is not None

    await until(is_over)


@pytest.mark.parametrize("game", GAMES)
async def test_an_attempt_at_a_dead_end_ends_as_stuck(node: Node, race: Race, game: str) -> None:
    attempt, line = await race(game)
    async with running(node.run_all):
        await play(node, attempt, line)
        await wait_for_end(node, attempt)
        await until(lambda: bool(node.ended))
    state = await node.state_of(attempt)
    assert (state.end, state.seq, state.board.moves) == ("stuck", len(line) + 2, len(line))
    entries = (await node.services.journal_store.read(keys.attempt(attempt))).texts
    assert entries[-1] == f'{{"type":"ended","end":"stuck","at":{BEGUN}}}'
    assert node.ended == [Ended(ADA, attempt, state.seq, state.result)]


async def test_a_dead_end_ends_the_attempt_even_after_further_moves(node: Node, race: Race) -> None:
    attempt, line = await race("deuces")
    await play(node, attempt, line)
    found = (await node.state_of(attempt)).seq
    for _ in range(3):
        state = await node.state_of(attempt)
        await play(node, attempt, (move_text(state.board.ruleset, legal_moves(state.board)[0]),))
    assert await node.attempts.end_stuck(attempt, found)
    assert (await node.state_of(attempt)).seq == found + 4


async def test_a_finished_or_lagging_attempt_is_not_ended_as_stuck(node: Node, race: Race) -> None:
    attempt, line = await race("robert")
    await play(node, attempt, line[:3])
    assert not await node.attempts.end_stuck(attempt, 5)
    assert (await node.state_of(attempt)).end is None
    await node.attempts.give_up(attempt)
    assert not await node.attempts.end_stuck(attempt, 4)
    assert (await node.state_of(attempt)).end == "resigned"
    await node.redis.delete(keys.attempt(attempt))
    node.attempts._replicas = ReplicaCache()
    assert await refusal_from(node.attempts.end_stuck(attempt, 4)) == "unknown_attempt"


async def test_a_dead_nodes_attempt_is_searched_later(node: Node, other: Node, race: Race) -> None:
    attempt, line = await race("roosevelt")
    await play(node, attempt, line)
    async with running(other.run_all):
        assert (await other.attempts.open(attempt, ADA)).result.end is None
        await wait_for_end(other, attempt)
    assert (await node.state_of(attempt)).end == "stuck"


async def test_the_search_process_ends_with_the_service(node: Node, race: Race) -> None:
    attempt, line = await race("roosevelt")
    searcher = node.services.searches._searcher
    assert isinstance(searcher, Searcher)
    async with running(node.run_all):
        await play(node, attempt, line[:-1])
        started = searcher._process
        await play(node, attempt, line[-1:])
        await wait_for_end(node, attempt)
        process = searcher._process
        assert process is not None
    assert started in {None, process}
    assert process.returncode is not None


async def test_a_search_process_avoids_its_nodes_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_process, "STEPS_BACK", True)
    searcher, allowed = Searcher(), os.sched_getaffinity(0)
    own = {min(allowed)}
    os.sched_setaffinity(0, own)
    try:
        await searcher.ask(TWO_DEEP)
        assert searcher._process is not None
        pid = searcher._process.pid
        cores, scheduler = os.sched_getaffinity(pid), os.sched_getscheduler(pid)
        niceness = os.getpriority(os.PRIO_PROCESS, pid)
        session = Path(f"/proc/{pid}/autogroup")
        group = session.read_text() if session.exists() else "nice 19\n"
    finally:
        os.sched_setaffinity(0, allowed)
        await searcher.close()
    assert (scheduler, niceness) == (os.SCHED_IDLE, 19)
    assert group.endswith("nice 19\n")
    assert cores & own == (own if allowed == own else set())


@pytest.mark.parametrize("own", [{0}, {0, 1}])
def test_a_process_stays_if_moving_fails(own: set[int], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[set[int]] = []

    def refuse(_: int, cores: set[int]) -> None:
        asked.append(cores)
        raise OSError

    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: own, raising=False)
    monkeypatch.setattr(os, "sched_setaffinity", refuse, raising=False)
    leave_core()
    assert asked == ([{1, 2, 3}] if own == {0} else [])


async def test_a_search_process_that_dies_costs_one_search() -> None:
    searcher = Searcher()
    assert (await searcher.ask(TWO_DEEP)).line == LINE
    process = searcher._process
    assert process is not None
    process.kill()
    with pytest.raises(LineProcessError):
        await searcher.ask(TWO_DEEP)
    assert (await searcher.ask(TWO_DEEP)).outcome is Outcome.REACHABLE
    await searcher.close()


async def test_a_cancelled_searchs_answer_is_not_given_to_the_next() -> None:
    searcher = Searcher()
    await searcher.ask(TWO_DEEP)
    process = searcher._process
    assert process is not None
    asked = asyncio.create_task(searcher.ask(TWO_DEEP))
    await asyncio.sleep(0)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert process.returncode is not None
    assert (await searcher.ask(TWO_DEEP)).outcome is Outcome.REACHABLE
    await searcher.close()


def test_a_search_process_whose_node_was_killed_ends_silently() -> None:
    rules, piles = TWO_DEEP.ruleset, TWO_DEEP.piles
    names = {"game": rules.game, "variant": rules.variant, "rules": rules.digest}
    asked = {**names, "piles": piles, "redeals": 0, "positions": MAX_POSITIONS}
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "server.play.searcher"],
            input=msgspec.json.encode(asked) + b"\n",
            stdout=writer,
            stderr=subprocess.PIPE,
            check=False,
            timeout=PATIENCE,
        )
    finally:
        os.close(writer)
    assert (ended.returncode, ended.stderr) == (-signal.SIGPIPE, b"")


async def test_a_search_follows_a_failed_one(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> Answer:
        raise LineProcessError

    searcher = search_locally(node)
    with debug_captured() as logs, monkeypatch.context() as patch:
        patch.setattr(searcher, "ask", fail)
        await enqueue(node, begun("roosevelt", TWO_DEEP))
    assert [entry["event"] for entry in logs] == ["search_failed"]
    await enqueue(node, begun("roosevelt", TWO_DEEP))
    assert len(searcher.boards) == 1


class LocalSearcher(Searcher):
    """Searches in this process when permitted, and records the boards."""

    def __init__(self) -> None:
        super().__init__()
        self.boards: list[Board] = []
        self.may = asyncio.Event()
        self.may.set()

    async def ask(self, board: Board, positions: int = MAX_POSITIONS) -> Answer:
        """Search a board."""
        self.boards.append(board)
        await self.may.wait()
        found = search(board, positions)
        return Answer(found.outcome, tuple(move_text(board.ruleset, move) for move in found.line))


def search_locally(node: Node) -> LocalSearcher:
    searcher = node.services.searches._searcher = LocalSearcher()
    return searcher


def put(node: Node, attempt: Attempt, *moves: str) -> Attempt:
    """Enqueue an attempt after each move; without moves, as if it was opened."""
    found = node.services.searches
    if not moves:
        found._enqueue(attempt)
    for text in moves:
        move = Moved(text, START)
        attempt = core.fold(attempt, move)
        found._enqueue(attempt, msgspec.json.encode(move).decode())
    return attempt


async def enqueue(node: Node, attempt: Attempt, *moves: str) -> Attempt:
    """Enqueue an attempt as `put` does, and wait until the queue is empty."""
    attempt = put(node, attempt, *moves)
    await node.services.searches._searches.finish()
    return attempt


def after(attempt: Attempt, *moves: str) -> Attempt:
    for move in moves:
        attempt = core.fold(attempt, Moved(move, START))
    return attempt


async def test_no_search_runs_while_the_last_line_can_be_played(node: Node) -> None:
    searcher = search_locally(node)
    attempt = await enqueue(node, begun("roosevelt", TWO_DEEP))
    assert len(searcher.boards) == 1
    # A move that does not affect the line, one that makes it illegal, and the next line's first.
    attempt = await enqueue(node, attempt, "t2>t6")
    assert len(searcher.boards) == 1
    attempt = await enqueue(node, attempt, "t2>t3")
    assert len(searcher.boards) == 2
    await enqueue(node, attempt, move_text(TWO_DEEP.ruleset, search(attempt.board).line[0]))
    assert len(searcher.boards) == 2


@pytest.mark.parametrize("departing", [(), ("t2>t6",)])
async def test_moves_along_a_line_need_no_search(node: Node, departing: tuple[str, ...]) -> None:
    searcher = search_locally(node)
    found = node.services.searches
    attempt = await enqueue(node, begun("roosevelt", THREE_DEEP))
    attempt = await enqueue(node, attempt, *departing)
    line = [move_text(THREE_DEEP.ruleset, move) for move in search(attempt.board).line]
    assert len(line) > 2
    for move in line[:-1]:
        attempt = put(node, attempt, move)
        # Open it too.
        put(node, attempt)
        assert not found._pending
    put(node, attempt, line[-1])
    assert (list(found._pending), searcher.boards) == ([attempt.id], [THREE_DEEP])


async def test_a_line_is_kept_whatever_its_length(node: Node) -> None:
    """This line deals the whole stock, and turns the waste over."""
    searcher = search_locally(node)
    home = "9S 8D 9H 8C 9D 8S 7H 8H 7D 6S 5S 6D 7C 6C 7S"
    deep = board("robert", redeals=1, f0=home, w="6H 2D", s="2H", rest="w")
    attempt = await enqueue(node, begun("robert", deep))
    (kept,) = node.services.searches._lines.values()
    assert len(kept.line) > 30
    attempt = put(node, attempt, *(move_text(deep.ruleset, move) for move in kept.line[:-1]))
    assert not node.services.searches._pending
    assert (attempt.board.home, searcher.boards) == (deep.home, [])


@pytest.mark.parametrize("departing", [("t2>t6",), ("t2>t6", "t0>t3")])
async def test_moves_may_depart_from_a_line(node: Node, departing: tuple[str, ...]) -> None:
    search_locally(node)
    attempt = await enqueue(node, begun("roosevelt", THREE_DEEP))
    put(node, after(attempt, *departing[:-1]), departing[-1])
    assert node.services.searches._pending


async def test_moves_in_quick_succession_are_tested_once_for_unseen_cards_out_of_reach(
    node: Node,
) -> None:
    searcher = search_locally(node)
    seed, line = dead_end_line("rouge-et-noir")
    first = begun("rouge-et-noir", deal_seed(ruleset("rouge-et-noir"), seed))
    states = list(accumulate(line, after, initial=first))
    dealt = [state for state in states if searches._has_dealt_all(state.board)]
    assert len(dealt) > 1
    assert cards_never_seen(dealt[-1].board) > 0
    found = node.services.searches
    for state in dealt:
        found._enqueue(state)
    assert found._untested == {first.id: dealt[-1]}
    assert found._tests.is_scheduled(first.id)
    await found._tests.work(first.id)
    assert found._pending == {first.id: dealt[-1]}
    await found._searches.finish()
    assert len(searcher.boards) <= 1
    assert not found._untested


async def test_a_node_runs_one_search_and_its_answer_serves_later_states(node: Node) -> None:
    searcher = search_locally(node)
    searcher.may.clear()
    line = [move_text(THREE_DEEP.ruleset, move) for move in search(THREE_DEEP).line]
    async with running(node.run_all):
        first = put(node, begun("roosevelt", THREE_DEEP))
        await until(lambda: bool(searcher.boards))
        put(node, first, line[0])
        put(node, core.begin(msgspec.structs.replace(first.start, player=BOB), TWO_DEEP))
        await asyncio.sleep(0.01)
        assert searcher.boards == [THREE_DEEP]
        searcher.may.set()
        await until(lambda: not node.services.searches._searches)
    assert searcher.boards == [THREE_DEEP, TWO_DEEP]


async def test_later_moves_hide_no_dead_end(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[tuple[AttemptId, int]] = []

    async def end(attempt: AttemptId, seq: int) -> None:
        ended.append((attempt, seq))

    monkeypatch.setattr(node.attempts, "end_stuck", end)
    searcher = search_locally(node)
    searcher.may.clear()
    async with running(node.run_all):
        first = put(node, begun("roosevelt", DEAD))
        await until(lambda: bool(searcher.boards))
        last = put(node, first, move_text(DEAD.ruleset, legal_moves(DEAD)[0]))
        searcher.may.set()
        await until(lambda: len(ended) == 2)
    assert ended == [(first.id, first.seq), (first.id, last.seq)]


async def test_the_oldest_line_is_dropped(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    search_locally(node)
    found = node.services.searches
    first = begun("roosevelt", TWO_DEEP)
    second, third = (
        core.begin(msgspec.structs.replace(first.start, player=player), TWO_DEEP)
        for player in (BOB, CYD)
    )
    size = searches._size(search(TWO_DEEP).line)
    monkeypatch.setattr(searches, "MAX_LINE_BYTES", 2 * size)
    for attempt in (first, second, first, third):
        await enqueue(node, attempt)
    assert (list(found._lines), found._line_bytes) == ([second.id, third.id], 2 * size)
    for attempt in (second, third):
        found._enqueue(core.fold(attempt, core.Ended("resigned", START)))
    assert (found._lines, found._line_bytes) == ({}, 0)


async def test_boards_that_need_no_search_are_not_searched(node: Node) -> None:
    searcher = search_locally(node)
    await enqueue(node, begun("klondike"))
    await enqueue(node, begun("freecell"))
    await enqueue(node, begun("robert"))
    await enqueue(node, begun("lady-betty"))
    await enqueue(node, begun("roosevelt", TWO_DEEP), "t0>t6")
    assert searcher.boards == []


async def test_the_queue_is_bounded_and_keeps_the_newest_state_of_each_attempt(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searches, "MAX_WAITING", 1)
    found = Searches(node.attempts, node.services.mirrors, Searcher(), Background())
    first = begun("roosevelt", TWO_DEEP)
    later = after(first, "t2>t6")
    with capture_logs() as logs:
        found._enqueue(first)
        found._enqueue(later)
        assert logs == []
        found._enqueue(core.begin(msgspec.structs.replace(first.start, player=BOB), TWO_DEEP))
        assert [entry["event"] for entry in logs] == ["searches_full"]
    assert list(found._pending.values()) == [later]
    found._enqueue(core.fold(later, core.Ended("resigned", START)))
    assert not found._pending


@pytest.mark.parametrize("game", [game for game in sorted(games()) if ruleset(game).in_stock])
def test_every_skipped_board_has_unseen_cards(game: str) -> None:
    state = begun(game)
    skipped = 0
    for move in islice(line_home(state.board), 150):
        if not searches._may_have_seen_all(state.board):
            assert cards_never_seen(state.board) > 0
            skipped += 1
        state = after(state, move)
    assert skipped > 0
