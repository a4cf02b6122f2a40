"""A run: a finished attempt with its moves and their times, and its file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import msgspec
from msgspec import Struct

from engine.board import Board
from engine.catalog import stored_ruleset
from engine.errors import EngineError
from engine.notation import parse_move
from engine.search import Outcome, search
from engine.verify import verify
from server.base.core.ids import DealId, PlayerId
from server.base.core.numbers import Count, Milliseconds
from server.base.core.refusal import Refusal
from server.play.core import attempt
from server.play.core.attempt import UNDONE, Attempt, Ended, Event, Hinted, Moved, Started, Undone
from server.play.core.result import End, Help, Result

# The maximum size of a run's file in bytes; the longest run takes a tenth of that.
MAX_FILE = 1 << 20

_WORD = re.compile("[a-z0-9>]{1,12}")  # a text that may be a move, and is short enough to be shown


@dataclass(frozen=True, slots=True)
class Run:
    """A finished attempt."""

    start: Started
    # (text, milliseconds since the start) of each move, with `UNDONE` for undos.
    moves: tuple[tuple[str, int], ...]
    ended: int  # milliseconds from the start to the end
    end: End
    hints: int = 0


def run_of(events: Iterable[Event]) -> Run | None:
    """Return the run of a whole journal, or `None` if its attempt has not ended."""
    start: Started | None = None
    moves: list[tuple[str, int]] = []
    hints = 0
    for event in events:
        if isinstance(event, Started):
            start = event
            continue
        assert start is not None, "a journal starts with `Started`"
        match event:
            case Moved(move=move):
                moves.append((move, event.at - start.at))
            case Undone():
                moves.append((UNDONE, event.at - start.at))
            case Hinted():
                hints += 1
        if isinstance(event, Moved | Ended) and event.end is not None:
            return Run(start, tuple(moves), event.at - start.at, event.end, hints)
    return None


class Runner(Struct, frozen=True, omit_defaults=True):
    """The player of a run, with the profile at the time when the file was made.

    Attributes:
        bot: whether it is a program: the pace bot, or a player's bot.
    """

    id: str
    name: str
    tag: str
    bot: bool = False


class FileResult(Result, frozen=True):
    """The result of a run in its file.

    Attributes:
        home: the number of cards on the foundations.
        left: the number of other cards.
        time: milliseconds from the start to the last card that reached a foundation.
        moves: the number of moves, including undos.
        end: the reason it ended.
        undos: the number of undos.
        hints: the number of hints given.
        peeked: whether an undo has covered a card that had been seen.
    """

    home: Count
    left: Count
    time: Milliseconds
    moves: Count
    end: End
    undos: Count = 0
    hints: Count = 0


class RunFile(Struct, frozen=True, omit_defaults=True, tag_field="samedeal", tag="run"):
    """A run as a file (JSON), which can be checked without a server.

    Attributes:
        format: the version of the file format.
        deal: the deal's id.
        rules: the digest of the rules.
        commitment: to the seed, published before play, in hexadecimal.
        seed: in hexadecimal.
        started: when the clock started, in Unix milliseconds.
        deadline: the latest possible end of the attempt, in Unix milliseconds.
        moves: (text, milliseconds since the start) of each move, with `undo` for undos.
        ended: milliseconds from the start to the end.
        help: the help available to the player.
    """

    format: Literal[1]
    deal: str
    game: str
    variant: str
    rules: str
    commitment: str
    seed: str
    player: Runner
    started: Milliseconds
    deadline: Milliseconds
    moves: list[tuple[str, Milliseconds]]
    ended: Milliseconds
    result: FileResult
    help: Help = "none"


def file_of(run: Run, state: Attempt, *, seed: bytes, commitment: str, player: Runner) -> RunFile:
    """Return the file of a run, whose deal must be closed.

    `state` is the attempt after its last entry, the last one of `states_of`.
    """
    start, result = run.start, state.result
    return RunFile(
        format=1,
        deal=start.deal,
        game=start.game,
        variant=start.variant,
        rules=start.rules,
        commitment=commitment,
        seed=seed.hex(),
        player=player,
        started=start.at,
        deadline=start.deadline,
        moves=list(run.moves),
        ended=run.ended,
        result=FileResult(
            home=result.home,
            left=result.left,
            time=result.time,
            moves=result.moves,
            end=run.end,
            undos=result.undos,
            hints=run.hints,
            peeked=result.peeked,
        ),
        help=start.help,
    )


def states_of(run: Run, board: Board) -> Iterator[Attempt]:
    """Yield the attempt at its start, and after each move of a run, in 30 µs each.

    `board` is its deal's. Moves are not validated.
    """
    state = attempt.begin(run.start, board)
    yield state
    for text, time in run.moves:
        at = run.start.at + time
        state = attempt.fold(state, Undone(at) if text == UNDONE else Moved(text, at))
        yield state


def parse_file(content: bytes) -> RunFile:
    """Parse the file of a run.

    Raises:
        ValueError: the content is not a run; the message says where it differs.
    """
    if len(content) > MAX_FILE:
        raise ValueError("it is too long")
    return msgspec.json.decode(content, type=RunFile)


def check(file: RunFile) -> str | None:
    """Replay a run, and return its first error as one sentence, or `None`.

    This proves that the deal matches its commitment, that the moves are legal, and that they lead
    to the result. The number of hints and the times, except their order, are only the server's
    claim.

    Raises:
        EngineError: the rules are not known here, or seed or commitment are malformed.
    """
    rules = stored_ruleset(file.game, file.variant, file.rules)
    dealt = verify(rules, file.deal, file.seed, file.commitment)
    if not dealt.agrees:
        return f"The seed has the commitment {dealt.commitment}, not the one in the file."
    start = Started(
        PlayerId(file.player.id),
        DealId(file.deal),
        file.game,
        file.variant,
        None,
        None,
        file.started,
        file.deadline,
        file.rules,
        file.help,
    )
    state = attempt.begin(start, dealt.board)
    for number, (text, time) in enumerate(file.moves, 1):
        at = file.started + time
        # The text is untrusted: quote it only if it could be a move, so that it cannot fake our
        # message.
        move = f"Move {number}, {text}," if _WORD.fullmatch(text) else f"Move {number}"
        if at < state.at:
            return f"{move} is earlier than the one before it."
        if at > file.deadline:
            return f"{move} is later than the deadline."
        try:
            state = _after(state, text, at)
        except (Refusal, EngineError) as error:
            said = error.text if isinstance(error, Refusal) else error.message
            return f"{move} cannot be played: {said}"
    return _end_error(file, state) or _result_error(file, state)


def _after(state: Attempt, text: str, at: int) -> Attempt:
    if text == UNDONE:
        return attempt.undo(state, at).after
    return attempt.play(state, parse_move(state.board.ruleset, text), at).after


def _end_error(file: RunFile, state: Attempt) -> str | None:
    """Return the error in the end of a run, given the attempt after its moves, or `None`."""
    end, at = file.result.end, file.started + file.ended
    if at < state.at or (state.end is not None and at != state.at):
        return "The end is not at the time of the last move."
    if state.end is not None:
        same = end == state.end
        return None if same else f"The file says {end}, but the last move makes it {state.end}."
    wrong = {
        "won": True,
        "time": at != file.deadline,
        "resigned": False,
        "stuck": end == "stuck"
        and (state.undoable > 0 or search(state.board).outcome is Outcome.REACHABLE),
    }
    return f"The file says {end}, but the moves end differently." if wrong[end] else None


def _result_error(file: RunFile, state: Attempt) -> str | None:
    """Return the first error in a run's counters, given the attempt after its moves, or `None`."""
    said, found = file.result, state.result
    for name, words in _COUNTERS.items():
        claimed, counted = getattr(said, name), getattr(found, name)
        if claimed != counted:
            return f"The file says {words.format(claimed)}, and its moves make it {counted}."
    return None


# The counters of a result, and their phrases in error messages.
_COUNTERS = {
    "home": "{} cards home",
    "left": "{} cards left",
    "time": "{} ms until the last card came home",
    "moves": "{} moves",
    "undos": "{} moves undone",
    "peeked": "peeked: {}",
}
