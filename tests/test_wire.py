"""Packing and unpacking in `tests.wire`, checked against the server's codec."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import msgpack
import pytest
from msgspec import structs

from engine.board import Board, view_of
from engine.catalog import games, ruleset
from engine.deal import deal_seed
from engine.moves import legal_moves
from engine.notation import move_text, parse_move, seen_text
from engine.play import play
from engine.ruleset import ROW
from server import protocol
from server.base.wire import codec, session_messages
from server.base.wire import messages as wire_messages
from server.play import messages as play_messages
from server.results import messages as result_messages
from server.rooms import messages as room_messages
from tests.wire import KNOWN, NO_NUMBER, Message, Wire

ME = wire_messages.Player("k3mq7w2r5t9xkz4b", "Ada", "4F2A")
BOB = wire_messages.Player("zz5n8c1v6m2qx7ap", "Bob", "9C01")
NO_RESULT = wire_messages.Result(0, 52, 0, 0, None)
NUMBER = 33


class Attempt:
    """An attempt on the server, and the frames sent for it."""

    def __init__(self, game: str, id_: str, rng: random.Random) -> None:
        self.id = id_
        self.board: Board = deal_seed(ruleset(game), rng.randbytes(32))
        self.seq = 1
        self.time = 0

    @property
    def result(self) -> wire_messages.Result:
        """The result so far."""
        board = self.board
        return wire_messages.Result(
            board.home, board.ruleset.total - board.home, self.time, board.moves, None
        )

    def piles(self) -> dict[str, str]:
        """Return the texts of the piles in the view, by name."""
        view = view_of(self.board)
        return dict(zip(view.ruleset.pile_names, map(seen_text, view.piles), strict=True))

    def snapshot(self, re: wire_messages.Re = wire_messages.NEWS) -> bytes:
        """Return the frame of a snapshot."""
        rules = self.board.ruleset
        piles = list(view_of(self.board).piles)
        event = play_messages.Attempt(
            *(NUMBER, self.id, "deal", "00", rules.game, rules.variant, None, 7, self.seq),
            *(piles, self.board.redeals, 0, 9, 5, self.result, rules.digest),
        )
        return codec.encode(event, re)

    def move(self, text: str) -> play_messages.Moved:
        """Play a move, and return its event."""
        before = self.board
        self.board, delta = play(before, parse_move(before.ruleset, text))
        home = self.board.home != before.home
        self.seq += 1
        self.time = self.seq * 1_000 if self.board.home > before.home else self.time
        changes = [[pile, take, *put] for pile, take, put in delta.changes]
        turned = delta.redeals if delta.redeals != before.redeals else None
        return play_messages.Moved(
            *(NUMBER, self.seq, changes, self.time if home else None, None, turned)
        )


def frame_of(moved: play_messages.Moved) -> bytes:
    return codec.encode_moved(*structs.astuple(moved))


def missed_move(attempt: Attempt, text: str) -> play_messages.MissedMove:
    """Play a move without sending its event, and return it as a missed one."""
    rules = attempt.board.ruleset
    move = parse_move(rules, text)
    moved = attempt.move(text)
    target = len(rules.pile_names) if move.target == ROW else move.target
    return play_messages.MissedMove(
        *(move.source, target, move.count, moved.changes, attempt.board.redeals)
    )


def any_move(attempt: Attempt, rng: random.Random) -> str | None:
    moves = legal_moves(attempt.board)
    return move_text(attempt.board.ruleset, rng.choice(moves)) if moves else None


def after(piles: dict[str, str], changes: list[Any]) -> dict[str, str]:
    changed = dict(piles)
    for pile, take, put in changes:
        changed[pile] = changed[pile][: len(changed[pile]) - 2 * take] + put
    return changed


@pytest.mark.parametrize("game", list(games()))
@pytest.mark.parametrize("seed", range(3))
def test_moves_and_missed_moves_are_unpacked_as_they_were_played(game: str, seed: int) -> None:
    rng = random.Random(f"{game} {seed}")
    attempt = Attempt(game, f"{game}.{seed}", rng)
    wire = Wire()
    snapshot = wire.unpack(attempt.snapshot())
    assert snapshot["piles"] == attempt.piles()
    shown = snapshot["piles"]
    assert "re" not in snapshot
    for id_ in range(1, 120):
        text = any_move(attempt, rng)
        if text is None:
            break
        command = {"type": "move", "id": id_, "attempt": attempt.id}
        sent = protocol.decode(wire.pack({**command, "seq": attempt.seq + 1, "move": text}))
        assert isinstance(sent, play_messages.PlayMove)
        move = parse_move(attempt.board.ruleset, text)
        assert (sent.number, sent.source, sent.count) == (NUMBER, move.source, move.count)
        message = wire.unpack(frame_of(attempt.move(text)))
        shown = after(shown, message.pop("changes"))
        assert shown == attempt.piles()
        played = {"type": "moved", "re": id_, "attempt": attempt.id, "seq": attempt.seq}
        state = {"redeals": attempt.board.redeals, "result": structs.asdict(attempt.result)}
        assert message == {**played, "move": text, **state}
    seq = attempt.seq
    texts: list[str] = []
    moves: list[play_messages.MissedMove] = []
    while (text := any_move(attempt, rng)) and len(moves) < 20:
        texts.append(text)
        moves.append(missed_move(attempt, text))
    event = play_messages.Missed(NUMBER, attempt.id, seq, attempt.seq, moves, 5, attempt.result)
    missed = Wire().unpack(codec.encode(event, 9))
    assert (missed["re"], missed["since"], missed["seq"]) == (9, seq, attempt.seq)
    assert [move for move, _, _ in missed["moves"]] == texts
    assert missed["result"] == structs.asdict(attempt.result)
    for _, changes, _ in missed["moves"]:
        shown = after(shown, changes)
    assert shown == attempt.piles()


def playing() -> tuple[Wire, Attempt]:
    attempt, wire = Attempt("robert", "robert.9", random.Random(9)), Wire()
    KNOWN.pop(attempt.id, None)
    wire.unpack(attempt.snapshot())
    return wire, attempt


def ask(wire: Wire, id_: int, seq: int, move: str = "s>w") -> bytes:
    return wire.pack({"type": "move", "id": id_, "attempt": "robert.9", "seq": seq, "move": move})


def test_known_help_survives_moves_missed_by_another_session() -> None:
    _, attempt = playing()
    helped = replace(KNOWN[attempt.id].states[1], moves=1, undos=2, peeked=True)
    moves = [missed_move(attempt, "s>w")]
    KNOWN[attempt.id].states[2] = helped
    moves.append(missed_move(attempt, "s>w"))
    event = play_messages.Missed(NUMBER, attempt.id, 1, 3, moves, 5, attempt.result)
    Wire().unpack(codec.encode(event, 9))
    assert KNOWN[attempt.id].states[2] == helped


def test_a_hint_counts_as_an_entry_but_an_empty_answer_does_not() -> None:
    wire, attempt = playing()
    ask(wire, 5, 2)
    wire.unpack(frame_of(attempt.move("s>w")))
    for move, hints in ((None, 0), ([0, 1, 1], 1)):
        attempt.seq += hints
        hinted = play_messages.Hinted(NUMBER, attempt.seq, move, hints)
        wire.unpack(codec.encode(hinted, 6))
        ask(wire, 7, attempt.seq + 1)
        message = wire.unpack(frame_of(attempt.move("s>w")))
        assert message["result"] == structs.asdict(attempt.result) | {"hints": hints}


def test_a_move_sent_twice_gets_two_answers_in_order() -> None:
    wire, attempt = playing()
    assert ask(wire, 5, 2) == ask(wire, 6, 2)
    answer = frame_of(attempt.move("s>w"))
    first, again = wire.unpack(answer), wire.unpack(answer)
    assert (first["re"], again["re"]) == (5, 6)
    assert first | {"re": 6} == again


def test_a_move_after_one_with_an_unknown_outcome_is_unpacked_as_moved_ahead() -> None:
    wire, attempt = playing()
    for id_, seq in ((5, 2), (6, 3)):
        ask(wire, id_, seq)
    first, second = attempt.move("s>w"), attempt.move("s>w")
    wire.unpack(codec.encode(session_messages.Refused("unavailable", "No.", 0), (NUMBER, 2)))
    ahead = wire.unpack(frame_of(second))
    assert (ahead["type"], ahead["re"], ahead["seq"]) == ("moved ahead", 6, 3)
    for id_, moved in ((7, first), (8, second)):
        ask(wire, id_, moved.seq)
        message = wire.unpack(frame_of(moved))
        assert (message["type"], message["re"]) == ("moved", id_)
        assert message["result"]["moves"] == id_ - 6


def test_a_refusal_and_a_snapshot_answer_a_move() -> None:
    wire, attempt = playing()
    ask(wire, 5, 7, "w>f0")
    ask(wire, 6, 8, "s>w")
    refused = wire.unpack(
        codec.encode(session_messages.Refused("illegal_move", "No.", 0), (NUMBER, 7))
    )
    assert refused == {"type": "refused", "re": 5, "code": "illegal_move", "text": "No.", "wait": 0}
    assert wire.unpack(attempt.snapshot((NUMBER, 8)))["re"] == 6


@pytest.mark.parametrize("move", ["", "s>w ", "t0>f0", "s>t"])
def test_a_malformed_move_is_sent_with_nonexistent_piles(move: str) -> None:
    wire, attempt = playing()
    sent = protocol.decode(ask(wire, 5, 2, move))
    assert isinstance(sent, play_messages.PlayMove)
    assert sent.target >= len(attempt.board.ruleset.pile_names) or sent.source == 63


def test_an_unknown_attempt_is_sent_with_an_unused_number() -> None:
    wire = Wire()
    command = {"type": "move", "id": 1, "attempt": "a.b", "seq": 2, "move": "s>w"}
    assert not wire.knows("a.b")
    assert protocol.decode(wire.pack(command)) == play_messages.PlayMove(NO_NUMBER, 2, 63, 63)
    resign = {"type": "resign", "id": 2, "attempt": "a.b", "seq": 2}
    assert protocol.decode(wire.pack(resign)) == play_messages.Resign(2, NO_NUMBER, 2)


def test_an_end_is_unpacked_with_the_id_of_its_attempt() -> None:
    wire, attempt = playing()
    ended = wire.unpack(codec.encode(play_messages.Ended(NUMBER, 2, NO_RESULT)))
    assert (ended["attempt"], ended["seq"], ended["result"]) == (
        attempt.id,
        2,
        structs.asdict(NO_RESULT),
    )


@pytest.mark.parametrize(
    ("fields", "command"),
    [
        ({"type": "ping"}, session_messages.Ping(7)),
        ({"type": "hello", "version": 2, "name": "Ada"}, session_messages.Hello(7, 2, None, "Ada")),
        (
            {"type": "attempt.open", "have": {"digest": 3, "seq": 1}, "attempt": "a.b"},
            play_messages.OpenAttempt(7, "a.b", play_messages.Have(1, 3)),
        ),
        ({"type": "attempt.open", "attempt": "a.b"}, play_messages.OpenAttempt(7, "a.b")),
        (
            {"type": "room.ready", "code": "X", "ready": False},
            room_messages.SetReady(7, "X", False),
        ),
    ],
)
def test_packed_commands_are_decoded_by_the_server(
    fields: Message, command: wire_messages.Command
) -> None:
    assert protocol.decode(Wire().pack({"id": 7, **fields})) == command


def test_missing_fields_are_omitted_and_unknown_ones_appended() -> None:
    wire = Wire()
    assert msgpack.unpackb(wire.pack({"type": "room.create", "id": 1, "game": "x"})) == [3, 1, "x"]
    assert msgpack.unpackb(wire.pack({"type": "ping", "id": 1, "more": 2})) == [15, 1, 2]


def test_progress_is_unpacked_by_player_and_added_to_the_room() -> None:
    runners = [
        room_messages.Runner(player, f"d.{player.id}", NO_RESULT, None) for player in (ME, BOB)
    ]
    round_ = room_messages.Round(
        2, "d", "00", 0, 9, False, runners, None, "robert", "standard", 900
    )
    room = room_messages.RoomState("H7KQ2", 3, "robert", "standard", 2, 900, ME.id, [], round_)
    wire = Wire()
    assert wire.unpack(codec.encode_progress([1, 2, 8, 4]))["type"] == "early progress"
    message = wire.unpack(codec.encode(room, 4))
    for home in (3, 5):
        news = wire.unpack(codec.encode_progress([1, home, 9, 4]))
        result = {"home": home, "left": 52 - home, "time": 0, "moves": 9, "end": None}
        result |= {"undos": 0, "hints": 0, "peeked": False}
        runner = {"player": BOB.id, "result": result, "headway": 4}
        assert news == {"type": "progress", "code": "H7KQ2", "number": 2, "runners": [runner]}
    assert message["round"]["runners"][1]["result"] == structs.asdict(NO_RESULT)


def test_a_leaderboard_change_is_unpacked_with_the_unchanged_fields() -> None:
    entry = result_messages.Entry(1, ME, 12, 9_000, 50)
    wire = Wire()
    board = wire.unpack(codec.encode(result_messages.Leaderboard("robert", 7, 1, [entry], []), 3))
    change = wire.unpack(codec.encode(result_messages.LeaderboardChange(2, None, [entry])))
    assert change == {key: board[key] for key in board if key != "re"} | {
        "size": 2,
        "around": board["top"],
    }
