"""The benchmark's parts: recorded games, messages of the protocol, frames and medians."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from inspect import signature
from itertools import repeat

import pytest
from websockets.frames import Frame, Opcode
from websockets.streams import StreamReader

from deploy.bench import capacity, wire
from deploy.bench.__main__ import CHECK_SHARE, is_fast_enough, last_line
from deploy.bench.alone import services_alone
from deploy.bench.attacks import ATTACKS, attack
from deploy.bench.client import Client, masked
from deploy.bench.comparison import FLOOR, OURS, Comparison
from deploy.bench.games import GAMES, SEARCHED, SEED, recorded, searched
from deploy.bench.players import ECHO, Player, backoff, move_in_turn
from deploy.bench.processes import spread
from deploy.bench.table import MEASURED, ROWS, SCENARIOS, SERVERS, are_met, compared, lines
from engine.catalog import ruleset
from engine.deal import deal_seed
from engine.moves import is_stuck, is_won
from engine.play import play
from engine.ruleset import ROW
from engine.search import cards_never_seen
from server import protocol as m
from server.base.wire import codec
from tests.processes import PATIENCE


@pytest.mark.parametrize("game", GAMES)
def test_a_recorded_game_is_legal_and_leaves_cards_unseen_so_that_none_is_searched(
    game: str,
) -> None:
    board = deal_seed(ruleset(game), SEED)
    moves = recorded(game)
    assert len(moves) > 40
    for move in moves:
        board, _ = play(board, move)
        assert not is_won(board)
        assert not is_stuck(board)
        assert cards_never_seen(board)


def test_all_cards_have_been_seen_in_the_rest_of_the_searched_game() -> None:
    moves, first = searched()
    board = deal_seed(ruleset(SEARCHED), SEED)
    for number, move in enumerate(moves):
        board, _ = play(board, move)
        assert bool(cards_never_seen(board)) is (number < first)


@pytest.mark.parametrize("game", GAMES)
def test_moves_are_commands_of_the_protocol(game: str) -> None:
    rules = ruleset(game)
    moves = recorded(game)
    commands = [m.decode(payload) for payload in wire.moves(rules, 40, 2, moves)]
    for seq, (command, move) in enumerate(zip(commands, moves, strict=True), 2):
        assert isinstance(command, m.attempts.PlayMove)
        target = move.target if move.target != ROW else len(rules.pile_names)
        played = m.attempts.PlayMove(40, seq, move.source, target, move.count)
        assert command == played


def test_payloads_are_classified_by_kind() -> None:
    snapshot = m.attempts.Attempt(
        40, "a.b", "a", "c", "robert", "standard", "H7KQ2M4X", None, 1, [], 0, 1, 2, 3,
        m.shared.Result(0, 52, 0, 0, None), "d1ce",
    )  # fmt: skip
    moved = m.watching.WatchedMove(1, 0, 9, [[1, 1]], 0, m.shared.Result(0, 52, 0, 8, None))
    events = {
        codec.encode_moved(40, 2, [[1, 1]], None, None, None): wire.ANSWER,
        codec.encode_progress((0, 1, 2)): wire.PROGRESSED,
        codec.encode_progress(range(24)): wire.PROGRESSED,
        codec.encode(m.session.Refused("unavailable", "Later.", 0), (40, 2)): wire.REFUSAL,
        codec.encode(snapshot, (40, 2)): wire.SNAPSHOT,
        codec.encode(m.session.Pong(1), 7): wire.OTHER,
        codec.encode(moved): wire.WATCHED_MOVE,
    }
    for payload, kind in events.items():
        assert wire.kind(b"before" + payload, len("before")) == kind
    assert wire.answers_move(codec.encode(snapshot, (40, 2)))
    assert not wire.answers_move(codec.encode(snapshot))
    assert wire.read(codec.encode(snapshot)) == (0, snapshot)
    assert wire.read(codec.encode(moved)) == (0, moved)
    key = m.watching.WatchKey("H7KQ2M4X", "abc")
    assert wire.read(codec.encode(key, 3)) == (3, key)


def test_commands_are_packed_as_the_server_reads_them() -> None:
    for command in (m.session.Hello(1, 1), m.rooms.SetReady(2, "H7KQ2M4X", ready=False)):
        assert m.decode(wire.pack(command)) == command
    opened = m.attempts.OpenAttempt(3, "a.b", m.attempts.Have(9, 1))
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
REFUSED = codec.encode(m.session.Refused("unavailable", "Later.", 0), (40, 2))


class Server:
    """The other side of a client: what was sent to it, and its answers."""

    def __init__(self) -> None:
        self.client = Client(0)
        self.sent: list[bytes] = []
        self.client.write = self.sent.append

    async def answer(self, payload: bytes) -> None:
        """Answer what was sent last, and let the client go on."""
        self.client.handle_payload(payload, 0, len(payload))
        await asyncio.sleep(0)


async def test_a_player_plays_each_frame_when_the_one_before_is_answered() -> None:
    server = Server()
    player = Player(server.client, pause=lambda _: 0)
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
    assert (len(player.times), player.sent, player.refused, player.failed) == (2, 3, 1, 0)
    assert player.sizes == [len(MOVED)] * 2


async def test_a_player_without_a_pause_sends_no_more_once_a_move_is_refused() -> None:
    server = Server()
    player = Player(server.client, [b"a", b"b", b"c"])
    player.move(0.0)
    player.move(0.0)
    await server.answer(MOVED)
    await server.answer(REFUSED)
    player.move(0.0)
    assert server.sent == [b"a", b"b"]
    assert (len(player.times), player.refused, len(player.due)) == (1, 2, 0)


async def test_players_move_in_turn() -> None:
    servers = [Server(), Server()]
    players = [Player(each.client, repeat(ECHO), echoes=True) for each in servers]
    await move_in_turn(players, 0.0001, 0.0005, first=1)
    assert [len(player.due) for player in players] == [2, 3]
    await servers[0].answer(ECHO)
    assert [len(player.due) for player in players] == [1, 3]


def test_the_pauses_of_browsers_grow_and_are_bounded() -> None:
    for refusals in range(1, 20):
        assert 0.2 <= backoff(refusals) <= min(4.0, 0.45 * 2 ** max(0, refusals - 2))


def test_goals_are_about_the_figures_of_comparisons_and_rows() -> None:
    def of(rate: float, refused: int) -> dict[str, float]:
        shares = {"server_us": 20.0, "server_share": 0.1, "refused": refused, "failed": 0}
        return {"rate": rate, "others_share": 0, "p50": 2.0, "p99": 4.0, **shares}

    closed = Comparison(50, {FLOOR: [of(100, 0)], OURS: [of(80, 0)]})
    unfound = Comparison(500, {FLOOR: [of(100, 0)], OURS: [None]})
    shown = list(lines(compared("closed", [closed, unfound])))
    moves = "| moves a second at {} sockets, as a ratio to the floor"
    assert f"{moves.format(50)} | 0.80 | ≥ 0.70 | met |" in shown
    assert f"{moves.format(500)} | - | ≥ 1.00 | missed |" in shown
    assert shown.count("| answer to a move, bytes | - | ≤ 16.0 | missed |") == 1


def figures(rate: float, others: float = 0.0) -> dict[str, float]:
    return {"rate": rate, "others_share": others}


def test_a_ratio_is_the_median_of_undisturbed_rounds() -> None:
    floor = [figures(100), figures(200), figures(100), figures(100)]
    ours = [figures(50), figures(120), figures(10, others=0.5), figures(70)]
    assert Comparison(50, {FLOOR: floor, OURS: ours}).ratio() == pytest.approx(0.6)
    busy = [figures(rate, others=0.5) for rate in (50, 60, 90)]
    assert Comparison(50, {FLOOR: [figures(100)] * 3, OURS: busy}).ratio() == pytest.approx(0.6)


def test_a_round_in_which_a_load_failed_is_left_out() -> None:
    comparison = Comparison(50, {FLOOR: [figures(100), figures(200)], OURS: [None, figures(100)]})
    assert comparison.ratio() == pytest.approx(0.5)
    with pytest.raises(ValueError, match="median"):
        Comparison(50, {FLOOR: [figures(100)], OURS: [None]}).ratio()


def test_the_last_line_lists_the_ratios() -> None:
    fifty = Comparison(50, {FLOOR: [figures(100)], OURS: [figures(71)]})
    more = Comparison(500, {FLOOR: [figures(100)], OURS: [figures(102)]})
    assert last_line([fifty, more]) == "ratio to the floor: 50 0.71, 500 1.02"


def rounds(*times: tuple[float, float]) -> list[Comparison]:
    return [
        Comparison(
            50,
            {
                FLOOR: [{"server_us": one, "others_share": 0}],
                OURS: [{"server_us": other, "others_share": 0}],
            },
        )
        for one, other in times
    ]


def test_the_best_rounds_are_fast_enough_from_a_share_of_what_is_recorded_on() -> None:
    best = 10 / 20
    assert is_fast_enough(rounds((12, 20), (10, 30), (20, 40)), 0.99 * best / CHECK_SHARE)
    assert not is_fast_enough(rounds((12, 20), (10, 30), (20, 40)), 1.01 * best / CHECK_SHARE)


def test_rounds_that_failed_are_not_fast_enough() -> None:
    assert not is_fast_enough([Comparison(50, {FLOOR: [None], OURS: [None]})], 0.1)


def test_quantiles_are_in_milliseconds() -> None:
    times = [number / 1000 for number in range(1, 1002)]
    assert spread(times) == pytest.approx({"p50": 501, "p99": 991, "p999": 1000, "worst": 1001})


async def test_what_is_kept_of_each_kind_can_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity, "COUNT", 2)
    monkeypatch.setattr(capacity, "LENGTHS", (1, 100))
    async with services_alone() as alone:
        found = await capacity.measure(alone)
    # Of so few, what each takes is lost in what Redis takes for itself.
    assert len(found) == 13


@pytest.mark.parametrize("name", MEASURED)
def test_a_row_names_a_scenario_that_takes_what_it_is_given(name: str) -> None:
    row = ROWS[name]
    assert row.server in SERVERS
    assert list(signature(SCENARIOS[row.scenario]).parameters) == ["server", *row.given]


@pytest.mark.parametrize("missed", [True, False])
def test_rows_that_were_measured_are_judged_by_their_goals_alone(missed: bool) -> None:
    row = {"ratio": 2.5 if missed else 1.5, "grown_mib": 1.0}
    assert are_met({"hostile: pings": row}) is not missed


@pytest.mark.parametrize("name", ATTACKS)
async def test_an_attack_comes_again_after_each_close(name: str) -> None:
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
