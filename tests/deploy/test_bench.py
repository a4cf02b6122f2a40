"""The benchmark's parts: recorded games, protocol messages, frames, rows and medians."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import time
from dataclasses import replace
from inspect import signature
from itertools import repeat
from pathlib import Path

import pytest
from websockets.frames import Frame, Opcode
from websockets.streams import StreamReader

from deploy.bench import capacity, earlier, node, wire
from deploy.bench.__main__ import CHECK_SHARE, is_fast_enough
from deploy.bench.attacks import ATTACKS, attack
from deploy.bench.client import Client, masked
from deploy.bench.comparison import Round, summary
from deploy.bench.engine import engine
from deploy.bench.games import GAMES, SEED, hinted, recorded
from deploy.bench.players import ECHO, MAX_GAME_MOVES, Player, long_games, move_in_turn
from deploy.bench.processes import ROOT, Meter, Server, running, spread
from deploy.bench.table import (
    CHECKED,
    RESULTS,
    ROWS,
    SCENARIOS,
    are_met,
    comparison_lines,
    last_line,
    lines,
    reason_lines,
)
from engine.catalog import games, ruleset
from engine.deal import deal_seed
from engine.hints import hint
from engine.moves import is_stuck, is_won
from engine.play import play
from engine.ruleset import ROW
from engine.search import Outcome, cards_never_seen, search
from server import protocol as m
from server.base.wire import codec, session_messages
from server.base.wire import messages as wire_messages
from server.deals import store as deals_store
from server.play import messages as play_messages
from server.rooms import messages as room_messages
from server.watching import messages as watch_messages
from tests.processes import PATIENCE


@pytest.mark.parametrize("game", GAMES)
def test_a_recorded_game_is_legal_and_never_searched_because_cards_stay_unseen(game: str) -> None:
    board = deal_seed(ruleset(game), SEED)
    moves = recorded(game)
    assert len(moves) > 40
    for move in moves:
        board, _ = play(board, move)
        assert not is_won(board)
        assert not is_stuck(board)
        assert cards_never_seen(board)


def test_a_game_of_closed_loops_is_never_searched_however_long_it_is() -> None:
    assert len(long_games()) > 1
    for game in long_games():
        board = deal_seed(ruleset(game), SEED)
        moves = recorded(game, MAX_GAME_MOVES)
        assert len(moves) == MAX_GAME_MOVES
        for move in moves:
            board, _ = play(board, move)
            assert cards_never_seen(board)


@pytest.mark.parametrize("game", games())
def test_a_game_by_hints_ends_when_it_is_over(game: str) -> None:
    board = deal_seed(ruleset(game), SEED)
    for move in hinted(game):
        assert cards_never_seen(board) or search(board).outcome is not Outcome.UNREACHABLE
        board, _ = play(board, move)
    assert hint(board) is None or search(board).outcome is Outcome.UNREACHABLE


@pytest.mark.parametrize("game", GAMES)
def test_moves_are_commands_of_the_protocol(game: str) -> None:
    rules = ruleset(game)
    moves = recorded(game)
    commands = [m.decode(payload) for payload in wire.moves(rules, 40, 2, moves)]
    for seq, (command, move) in enumerate(zip(commands, moves, strict=True), 2):
        assert isinstance(command, play_messages.PlayMove)
        target = move.target if move.target != ROW else len(rules.pile_names)
        played = play_messages.PlayMove(40, seq, move.source, target, move.count)
        assert command == played


def test_payloads_are_classified_by_kind() -> None:
    snapshot = play_messages.Attempt(
        40, "a.b", "a", "c", "robert", "standard", "H7KQ2M4X", None, 1, [], 0, 1, 2, 3,
        wire_messages.Result(0, 52, 0, 0, None), "d1ce",
    )  # fmt: skip
    events = {
        codec.encode_moved(40, 2, [[1, 1]], None, None, None): wire.ANSWER,
        codec.encode_progress((0, 1, 2, 3)): wire.PROGRESSED,
        codec.encode_progress(range(32)): wire.PROGRESSED,
        codec.encode(session_messages.Refused("unavailable", "Later.", 0), (40, 2)): wire.REFUSAL,
        codec.encode(snapshot, (40, 2)): wire.OTHER,
        codec.encode(session_messages.Pong(1), 7): wire.OTHER,
    }
    for payload, kind in events.items():
        assert wire.kind(b"before" + payload, len("before")) == kind
    assert wire.read(codec.encode(snapshot)) == (0, snapshot)
    key = watch_messages.WatchKey("H7KQ2M4X", "abc")
    assert wire.read(codec.encode(key, 3)) == (3, key)


def test_commands_are_packed_as_the_server_reads_them() -> None:
    for command in (
        session_messages.Hello(1, 1),
        room_messages.SetReady(2, "H7KQ2M4X", ready=False),
    ):
        assert m.decode(wire.pack(command)) == command
    opened = play_messages.OpenAttempt(3, "a.b", play_messages.Have(9, 1))
    assert m.decode(wire.pack(opened)) == opened


@pytest.mark.parametrize("length", [0, 5, 125, 126, 4_096])
def test_frames_are_read_by_websockets(length: int) -> None:
    payload = bytes(length)
    reader = StreamReader()
    reader.feed_data(masked(payload))
    parsing = Frame.parse(reader.read_exact, mask=True)
    with pytest.raises(StopIteration) as done:
        next(parsing)
    assert done.value.value == Frame(Opcode.BINARY, payload)


@pytest.mark.parametrize("piece", [1, 2, 7, 10_000])
async def test_payloads_are_reassembled_from_pieces_of_any_size(piece: int) -> None:
    client, payloads_read = Client(0), []
    client.handle_payload = lambda data, begin, end: payloads_read.append(data[begin:end])
    payloads = [b"", b"one", bytes(125), bytes(126), bytes(70_000)]
    received = b"HTTP/1.1 101 Switching Protocols\r\n\r\n" + b"".join(
        Frame(Opcode.BINARY, payload).serialize(mask=False) for payload in payloads
    )
    for at in range(0, len(received), piece):
        client.data_received(received[at : at + piece])
    await asyncio.wait_for(client.opened, PATIENCE)
    assert payloads_read == payloads


MOVED = codec.encode_moved(40, 2, [[1, 1]], None, None, None)
REFUSED = codec.encode(session_messages.Refused("unavailable", "Later.", 0), (40, 2))


class Peer:
    """A client's peer: the frames sent to it, and its answers."""

    def __init__(self) -> None:
        self.client = Client(0)
        self.sent: list[bytes] = []
        self.client.write = self.sent.append

    async def answer(self, payload: bytes) -> None:
        """Answer the last frame, and continue the client."""
        self.client.handle_payload(payload, 0, len(payload))
        await asyncio.sleep(0)


async def test_a_player_sends_each_frame_after_the_previous_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses: list[tuple[float, ...]] = []

    def uniform(*bounds: float) -> float:
        pauses.append(bounds)
        return 0.0

    monkeypatch.setattr(random, "uniform", uniform)
    server = Peer()
    player = Player(server.client, again=True)
    playing = asyncio.create_task(player.play([b"a", b"b"]))
    await asyncio.sleep(0)
    assert server.sent == [b"a"]
    await server.answer(REFUSED)
    while len(server.sent) < 2:
        await asyncio.sleep(0)
    await server.answer(MOVED)
    assert server.sent == [b"a", b"a", b"b"]
    await server.answer(MOVED)
    await asyncio.wait_for(playing, PATIENCE)
    assert (len(player.times), player.refused, len(player.due)) == (2, 1, 0)
    assert player.size == 2 * len(MOVED)
    assert pauses == [(0.2, 0.45)]


async def test_a_player_without_retries_stops_at_a_refused_move() -> None:
    server = Peer()
    player = Player(server.client, [b"a", b"b", b"c"])
    player.move(0.0)
    player.move(0.0)
    await server.answer(MOVED)
    await server.answer(REFUSED)
    player.move(0.0)
    assert server.sent == [b"a", b"b"]
    assert (len(player.times), player.refused, len(player.due)) == (1, 2, 0)


async def test_players_move_in_turn() -> None:
    servers = [Peer(), Peer()]
    players = [Player(each.client, repeat(ECHO), echoes=True) for each in servers]
    await move_in_turn(players, 0.0001, 0.0005, first=1)
    assert [len(player.due) for player in players] == [2, 3]
    await servers[0].answer(ECHO)
    assert [len(player.due) for player in players] == [1, 3]


def round_(ours: float, floor: float, **more: float) -> Round:
    """Return a round with one figure, and others that are equal for both servers."""
    return {"floor": {"server_us": floor, **more}, "node": {"server_us": ours, **more}}


def test_figures_are_medians_and_ratios_are_taken_per_round() -> None:
    found = summary([round_(10, 10), round_(40, 10), round_(60, 40)])
    assert found == {"server_us": 40, "server_us of floor": 10, "server_us / floor": 1.5}
    assert summary([]) == {}


def test_goals_name_figures_of_rows() -> None:
    def of(rate: float, p99: float) -> dict[str, float]:
        return {"rate": rate, "p50": 2.0, "p99": p99, "p999": 9.0, "server_us": 20.0, "refused": 0}

    row = ROWS["closed 50"]
    measured = {"floor": of(100, 2), "stack": of(160, 1), row.server: of(80, 4)}
    found: dict[str, list[Round]] = {"closed 50": [measured], "closed 500": []}
    shown = list(lines(found))
    moves = "| moves a second at {} sockets, as a ratio to the floor"
    assert f"{moves.format(50)} | 0.80 | ≥ 0.75 | met |" in shown
    assert f"{moves.format(500)} | - | ≥ 0.80 | missed |" in shown
    assert shown.count("| the same, as a ratio to the stack | 0.50 | ≥ 0.45 | met |") == 1
    assert not are_met(found)
    assert are_met({"closed 50": [measured]})
    assert last_line(found) == "ratio to the floor: 50 0.80"
    table = list(comparison_lines(found, "closed"))[2:]
    assert [each.split(" | ")[1] for each in table] == ["floor", "stack", row.server]


def test_each_reason_is_given_once_for_the_missed_goals_that_it_explains() -> None:
    def of(attack: str, ratio: float) -> tuple[str, list[Round]]:
        row = {"ratio": ratio, "grown_mib": 1.0, "share": 0.9}
        return f"hostile: {attack}", [{"node --guarded": row}]

    found = dict([of("pings", 3.0), of("pongs", 1.0), of("pages", 2.5)])
    (line,) = reason_lines(found)
    assert line.startswith("- hostile: pings (ratio); hostile: pages (ratio): These attacks ")


def test_each_missed_goal_of_the_recorded_results_is_explained() -> None:
    results = RESULTS.read_text(encoding="utf-8")
    assert "| missed |" in results
    assert "Not explained." not in results


def test_explanations_concern_figures_with_goals() -> None:
    for row in ROWS.values():
        assert set(row.missed) <= set(row.goals)


@pytest.mark.parametrize("missed", [True, False])
def test_rows_are_judged_by_their_bounds(missed: bool) -> None:
    row = {"ratio": 2.5 if missed else 1.5, "grown_mib": 1.0, "share": 0.9}
    assert are_met({"hostile: pings": [{"node --guarded": row}]}) is not missed


def test_the_median_round_passes_from_a_share_of_the_recorded_figure() -> None:
    rounds = [round_(20, 12), round_(20, 10), round_(40, 10)]
    middle = 10 / 20
    assert is_fast_enough("closed 50", rounds, 0.99 * middle / CHECK_SHARE)
    assert not is_fast_enough("closed 50", rounds, 1.01 * middle / CHECK_SHARE)


def test_no_figure_passes_without_rounds() -> None:
    assert not is_fast_enough("closed 50", [], 0.1)


@pytest.mark.parametrize("name", CHECKED)
def test_checked_figures_are_compared_with_the_floor_in_an_odd_number_of_rounds(name: str) -> None:
    row = ROWS[name]
    assert row.against[0] == "floor"
    assert row.rounds % 2 == 1
    assert row.rounds >= 5


def test_a_move_takes_no_more_instructions_and_calls_than_recorded() -> None:
    counted = subprocess.run(
        [sys.executable, "-m", "deploy.bench.counts"],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert counted.returncode == 0, counted.stderr


def test_only_the_servers_child_processes_count_towards_its_time() -> None:
    with running("itself") as itself:
        # Other tests may have left children that have finished their work.
        until, meter = itself.searched() + 0.2, Meter(itself)
        busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        try:
            deadline = time.monotonic() + PATIENCE
            while itself.searched() < until and time.monotonic() < deadline:
                time.sleep(0.01)
            found = meter.shares()
        finally:
            busy.kill()
            busy.wait()
    assert found["searcher_share"] * found["seconds"] >= 0.2
    assert found["server_share"] >= found["searcher_share"]


def test_quantiles_are_in_milliseconds() -> None:
    times = [number / 1000 for number in range(1, 1002)]
    assert spread(times) == pytest.approx({"p50": 501, "p99": 991, "p999": 1000, "worst": 1001})


async def test_the_stored_size_of_each_kind_can_be_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(deals_store, "secrets", node.FixedSeed)
    monkeypatch.setattr(capacity, "COUNT", 2)
    monkeypatch.setattr(capacity, "LENGTHS", (1, 100))
    monkeypatch.setattr(capacity, "CHALLENGERS", (2,))
    async with capacity.alone() as (services, redis):
        found = await capacity.measure(services, redis)
    # With so few items, Redis's own overhead hides the size of each.
    assert len(found) == 16


async def test_the_engine_is_compared_with_python_chess_by_game() -> None:
    found = await engine(Server(0, 0), laps=1)
    assert found.keys() == {*games(), "mean"}
    assert min(found.values()) > 0


@pytest.mark.parametrize("name", ROWS)
def test_a_rows_scenario_accepts_its_arguments(name: str) -> None:
    row = ROWS[name]
    signature(SCENARIOS[row.scenario]).bind(None, **row.given)
    assert {each.split()[0] for each in (row.server, *row.against)} <= {
        "floor", "stack", "hello", "node", "itself",
    }  # fmt: skip


@pytest.mark.parametrize("name", ATTACKS)
async def test_an_attack_reconnects_after_each_close(name: str) -> None:
    async def end(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        came.release()
        writer.close()

    came = asyncio.Semaphore(0)
    server = await asyncio.start_server(end, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    attacking = asyncio.create_task(attack(replace(ATTACKS[name], sockets=2, pause=0.01), port, 1))
    async with asyncio.timeout(PATIENCE):
        for _ in range(6):
            await came.acquire()
    attacking.cancel()
    server.close()


@pytest.mark.deep
def test_the_comparison_with_an_earlier_commit_runs_in_a_tree() -> None:
    # A closed loop refuses to measure on a busy machine.
    found = earlier.measured_in(ROOT, Path(sys.executable), "operations")
    assert len(found) == 6
    assert min(found.values()) > 0
