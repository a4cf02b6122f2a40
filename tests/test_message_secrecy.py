"""No byte sent to a player depends on a card the player has not seen.

Each test plays the same moves on two boards that differ only in unseen cards, and compares all
bytes sent until one of those cards is turned up.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import msgpack
import msgspec
import pytest
from msgspec import structs

from engine.board import Board, view_of
from engine.cards import DOWN
from engine.catalog import games, ruleset
from engine.deal import deal_seed
from engine.errors import IllegalMoveError
from engine.moves import legal_moves
from engine.notation import parse_move
from engine.ruleset import Move
from engine.search import cards_never_seen
from server import protocol
from server.base.core.ids import AttemptId, DealId, PlayerId
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.wire import codec
from server.base.wire import messages as wire_messages
from server.base.wire.messages import Command, Event, MoveMessage
from server.base.wire.session import Session
from server.base.work.clock import Clock
from server.base.work.metrics import Metrics
from server.play import messages as play_messages
from server.play import present as play_present
from server.play.answers import Played, Snapshot, snapshot_of
from server.play.core import attempt as core
from server.play.core.attempt import Attempt, Started
from server.play.core.digest import digest
from server.play.core.result import Help
from server.play.handlers import Moves
from server.play.journal import Step
from server.play.moves import Reply
from server.play.resume import missed_of
from server.watching import present as watching_present
from server.watching.watching import WatchedEntry
from tests.builders import race_of
from tests.recorded_wire import RecordedWire

EACH_GAME = pytest.mark.parametrize(
    ("game", "variant"),
    [(game.id, variant) for game in games().values() for variant in game.variants],
)
ME = PlayerId("k3mq7w2r5t9xkz4b")
DEAL = DealId("rw4kq8d2n6vx1zt7")

SEEDS = pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(1, 5))]
)
"""Seeds of the deals and moves of each game and variant."""


def twin(board: Board, rng: random.Random) -> Board:
    """Return the same board with its never-seen cards in another order."""
    seen = {board.ruleset.stock} if board.redeals else set()
    piles = [b"" if number in seen else pile for number, pile in enumerate(board.piles)]
    hidden = [card for pile in piles for card in pile if card & DOWN]
    rng.shuffle(hidden)
    cards: Iterator[int] = iter(hidden)
    other = [bytes(next(cards) if c & DOWN else c for c in pile) for pile in piles]
    for number in seen:
        other[number] = board.piles[number]
    return replace(board, piles=tuple(other))


def begun(board: Board, allowed: Help = "none") -> Attempt:
    names = ME, DEAL, board.ruleset.game, board.ruleset.variant
    return core.begin(Started(*names, None, 1, 0, 10**9, board.ruleset.digest, allowed), board)


def dealt(
    game: str, variant: str, seed: int, allowed: Help = "none"
) -> tuple[random.Random, Attempt]:
    """Return a generator of random numbers, and an attempt at a deal drawn with it."""
    rng = random.Random(f"{game} {variant} {seed}")
    return rng, begun(deal_seed(ruleset(game, variant), rng.randbytes(32)), allowed)


class _Handlers:
    """A session's handlers, which answer immediately from an attempt in memory."""

    decode = staticmethod(protocol.decode)

    def __init__(self, attempt: Attempt) -> None:
        self.attempt = attempt
        unused: Any = None
        self.answer_move = Moves(unused, unused, cast("Clock", self)).answer

    async def answer(self, session: Session, command: Command) -> Event:
        """Answer with a snapshot of the attempt."""
        session.identify(ME)
        return play_present.attempt(
            shown(self.attempt), session.shown.assign_number(self.attempt.id), 1_000
        )

    def play(self, attempt: AttemptId, player: PlayerId, sent: MoveMessage, reply: Reply) -> None:
        assert isinstance(sent, play_messages.PlayMove)
        assert (player, attempt, sent.seq) == (ME, self.attempt.id, self.attempt.seq + 1)
        before = self.attempt
        move = before.board.ruleset.move_of(sent.source, sent.target, sent.count)
        if move is None:
            reply(Refusal(BaseRefusals.bad_move))
            return
        try:
            played = core.play(before, move, 1_000)
        except Refusal as refusal:
            reply(refusal)
        else:
            self.attempt = played.after
            reply(Played(before, played.after, played.delta))

    def now(self) -> int:
        return 1_000


async def sent_for(attempt: Attempt, move: tuple[int, int, int]) -> tuple[Attempt, bytes]:
    """Return the attempt after a move, and the frame its player receives."""
    wire, handlers = RecordedWire(), _Handlers(attempt)
    session = Session("s", wire, handlers, Metrics())
    session.identify(ME)
    number = session.shown.assign_number(attempt.id)
    session.receive(msgpack.packb([number, attempt.seq + 1, *move]))
    session.cancel_hello_timer()
    assert not wire.turns
    assert not wire.codes
    (frame,) = wire.sent
    return handlers.attempt, frame


def shown(attempt: Attempt) -> Snapshot:
    return snapshot_of(attempt, "00" * 32)


def snapshot_frame(attempt: Attempt) -> bytes:
    return codec.encode(play_present.attempt(shown(attempt), play_messages.FIRST_NUMBER, 1_000))


def turns_a_card(before: Attempt, after: Attempt) -> bool:
    return cards_never_seen(after.board) < cards_never_seen(before.board)


def changed_piles(frame: bytes) -> list[int]:
    moved: play_messages.Moved = msgspec.msgpack.decode(frame, type=play_messages.Moved)
    return [change[0] for change in moved.changes]


@EACH_GAME
@SEEDS
async def test_snapshots_answers_and_refusals_do_not_depend_on_unseen_cards(
    game: str, variant: str, seed: int
) -> None:
    rng, one = dealt(game, variant, seed)
    rules = one.board.ruleset
    compared = 0
    for _ in range(60):
        other = structs.replace(one, board=twin(one.board, rng))
        assert snapshot_frame(one) == snapshot_frame(other)
        moves = legal_moves(one.board)
        if not moves:
            break
        piles = range(len(rules.pile_names) + 1)
        tries = [
            rules.numbers_of(rng.choice(moves)),
            (rng.choice(piles), rng.choice(piles), rng.randint(1, 2)),
        ]
        for move in tries:
            after, frame = await sent_for(one, move)
            other_after, other_frame = await sent_for(other, move)
            if turns_a_card(one, after):
                # The turned-up card differs, and nothing else may; unless a pile is filled with the
                # same card that left it on one board, and so is unchanged there.
                same_piles = changed_piles(frame) == changed_piles(other_frame)
                if after.end != other_after.end:
                    break  # it ended with the card turned up on one board
                assert len(frame) == len(other_frame) or not same_piles
                assert same_piles or variant == "fill"
            else:
                assert frame == other_frame
                compared += 1
            if after is not one:
                one, other = after, other_after
                break
    assert compared > 0


def missed_frame(steps: list[Step]) -> bytes:
    """Return the frame for a client that has missed all but the first of these attempts."""
    had = steps[0].after
    now = snapshot_of(steps[-1].after, "00" * 32)
    found = missed_of(steps, now, had.seq, digest(view_of(had.board)))
    assert found is not None
    return codec.encode(play_present.missed(found, play_messages.FIRST_NUMBER, 1_000))


def without_faces(frame: bytes) -> list[Any]:
    """Return the missed moves in a frame, without the faces of cards."""
    value = msgpack.unpackb(frame)
    assert value.pop(1) == wire_messages.NEWS
    found: play_messages.Missed = msgspec.convert(value, type=play_messages.Missed)
    return [
        (
            (move.source, move.target, move.count),
            [(pile, take, len(put)) for pile, take, *put in move.changes],
            move.redeals,
        )
        for move in found.moves
    ]


@EACH_GAME
@SEEDS
def test_missed_moves_do_not_depend_on_unseen_cards(game: str, variant: str, seed: int) -> None:
    """Plays equal moves on both boards while legal: bytes are equal until a card is turned up."""
    rng, start = dealt(game, variant, seed)
    compared = 0
    for _ in range(20):
        other = structs.replace(start, board=twin(start.board, rng))
        # A client in the middle of a game; earlier entries do not matter here.
        lines = [[Step(None, one.start, one)] for one in (start, other)]
        turned = False
        for _ in range(8):
            moves = legal_moves(lines[0][-1].after.board)
            if not moves:
                break
            if len(lines[0]) == 1:
                # In some games, most moves turn a card up.
                quiet = (m for m in moves if not turns_a_card(start, step(start, m).after))
                moves = [*quiet] or moves
            move = rng.choice(moves)
            try:
                steps = [step(line[-1].after, move) for line in lines]
            except Refusal:
                break  # onto a card turned up on only one board
            lines = [[*line, step] for line, step in zip(lines, steps, strict=True)]
            turned |= turns_a_card(start, steps[0].after)
            frames = [missed_frame(line) for line in lines]
            if turned:
                # As above, a pile may be filled with the same card on one board.
                same = without_faces(frames[0]) == without_faces(frames[1])
                assert same or variant == "fill"
            else:
                assert frames[0] == frames[1]
                compared += 1
        start = lines[0][-1].after
        if start.end is not None:
            break
    assert compared > 0


def watched_frames(before: Attempt | None, after: Attempt) -> list[bytes]:
    """Return the events sent to watchers for an entry: all boards, and the change."""
    room = race_of(ME)
    return [
        codec.encode(watching_present.watched(room, "delayed", [(after, None)])),
        codec.encode(watching_present.watched_move(WatchedEntry(1, 0, before, after))),
    ]


@EACH_GAME
@SEEDS
def test_watchers_views_do_not_depend_on_cards_the_runner_has_not_seen(
    game: str, variant: str, seed: int
) -> None:
    rng, one = dealt(game, variant, seed)
    compared = 0
    for _ in range(60):
        other = structs.replace(one, board=twin(one.board, rng))
        assert watched_frames(None, one) == watched_frames(None, other)
        moves = legal_moves(one.board)
        if not moves:
            break
        move = rng.choice(moves)
        after, other_after = (step(each, move).after for each in (one, other))
        if not turns_a_card(one, after):
            assert watched_frames(one, after) == watched_frames(other, other_after)
            compared += 1
        one = after
    assert compared > 0


def step(attempt: Attempt, move: Move) -> Step:
    played = core.play(attempt, move, 1_000)
    return Step(attempt, played.event, played.after)


@EACH_GAME
@SEEDS
def test_cards_covered_by_an_undo_are_unseen_again(game: str, variant: str, seed: int) -> None:
    """Plays equal moves on both boards and undoes all of them: in the end, all bytes are equal."""
    rng, one = dealt(game, variant, seed, "hints")
    states = [one, begun(twin(one.board, rng), "hints")]
    start = [view_of(state.board).piles for state in states]
    peeked = False
    for _ in range(12):
        moves = legal_moves(states[0].board)
        if not moves:
            break
        move = rng.choice(moves)
        try:
            after = [core.play(state, move, 1_000).after for state in states]
        except Refusal:
            break  # onto a card turned up on only one board
        peeked |= turns_a_card(states[0], after[0])
        states = after
    while states[0].undoable:
        undone = [core.undo(state, 1_000) for state in states]
        frames = [
            codec.encode(play_present.missed_one(each.after, core.UNDONE, each.delta, 32, 1_000))
            for each in undone
        ]
        states = [each.after for each in undone]
        if view_of(states[0].board).piles == view_of(states[1].board).piles:
            assert frames[0] == frames[1] or variant == "fill"
    assert [view_of(state.board).piles for state in states] == start
    assert snapshot_frame(states[0]) == snapshot_frame(states[1])
    assert states[0].peeked == peeked


def test_twins_differ() -> None:
    """The test above compares different boards."""
    board = deal_seed(ruleset("roosevelt"), bytes(32))
    assert twin(board, random.Random(1)) != board


@EACH_GAME
def test_a_refusal_reveals_no_hidden_cards(game: str, variant: str) -> None:
    attempt = begun(deal_seed(ruleset(game, variant), bytes(32)))
    with pytest.raises(Refusal) as refused:
        core.play(attempt, parse_move(attempt.board.ruleset, "f0>s"), 1_000)
    assert isinstance(refused.value.__cause__, IllegalMoveError)
    assert refused.value.text == "f0>s is not a legal move here."
