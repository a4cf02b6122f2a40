"""A run: an attempt that is over, with its moves and their times, and the file of one.

Anybody may see a run once its deal is closed, and check it: the moves are decided again, by the
code that decided them when they were played.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from engine.board import Board
from engine.catalog import stored_ruleset
from engine.errors import EngineError
from engine.notation import parse_move
from engine.search import Outcome, search
from engine.verify import verify
from server.base.core.ids import DealId, PlayerId
from server.base.core.refusal import Refusal
from server.play.core import attempt
from server.play.core.attempt import UNDONE, Attempt, Ended, Event, Hinted, Moved, Started, Undone
from server.play.core.result import End, Help, Result

MAX_FILE = 1 << 20
"""The most bytes of a run's file; the longest run takes a tenth of that."""

_WORD = re.compile("[a-z0-9>]{1,12}")
"""A text that may be a move, and is short enough to be shown."""

Milliseconds = Annotated[int, Meta(ge=0, le=1 << 53)]


@dataclass(frozen=True, slots=True)
class Run:
    """An attempt that is over.

    Attributes:
        start: the first entry of its journal.
        moves: each move's text, `UNDONE` for one that went back, and its milliseconds since the
            start.
        ended: milliseconds from the start to the end.
        end: why it ended.
        hints: how many hints the player was given.
    """

    start: Started
    moves: tuple[tuple[str, int], ...]
    ended: int
    end: End
    hints: int = 0


def run_of(events: Iterable[Event]) -> Run | None:
    """Return the run that a whole journal holds, or `None` if its attempt goes on."""
    start: Started | None = None
    moves: list[tuple[str, int]] = []
    hints = 0
    for event in events:
        if isinstance(event, Started):
            start = event
            continue
        assert start is not None, "a journal begins with the start"
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
    """The player of a run: the profile as it was when the file was made.

    Attributes:
        bot: whether it is a program: the pace bot, or a player's bot.
    """

    id: str
    name: str
    tag: str
    bot: bool = False


class FileResult(Result, frozen=True):
    """The result of a run in its file: see `server.play.core.result.Result`."""

    end: End


class RunFile(Struct, frozen=True, omit_defaults=True, tag_field="samedeal", tag="run"):
    """A run as a file (JSON), which anybody can check without a server.

    Attributes:
        format: of the file.
        deal: the deal's id.
        rules: the digest of the rules.
        commitment: to the seed, published before play, in hexadecimal.
        seed: in hexadecimal.
        started: when the clock started, in Unix milliseconds.
        deadline: when the attempt was to end by itself, in Unix milliseconds.
        moves: each move's text, `undo` for one that went back, and its milliseconds since the
            start.
        ended: milliseconds from the start to the end.
        help: the help that the player could ask for.
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
    """Return the file of a run.

    Args:
        run: the run.
        state: the attempt after its last entry, which `states_of` leads to.
        seed: of its deal, which must be closed.
        commitment: to the seed, in hexadecimal.
        player: the one who played it.
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
    """Yield the attempt at its start, on the board of its deal, and after each move of a run.

    A move takes some 30 µs, and nothing is decided again.
    """
    state = attempt.begin(run.start, board)
    yield state
    for text, time in run.moves:
        at = run.start.at + time
        state = attempt.fold(state, Undone(at) if text == UNDONE else Moved(text, at))
        yield state


def parse_file(content: bytes) -> RunFile:
    """Return the run in a file.

    Raises:
        ValueError: it holds none; the message says where it differs from one.
    """
    if len(content) > MAX_FILE:
        raise ValueError("it is too long")
    return msgspec.json.decode(content, type=RunFile)


def check(file: RunFile) -> str | None:
    """Play a run again; return what is wrong with it in one sentence, or `None`.

    It shows that the deal was the promised one, that its moves are legal, and that they lead to
    the result. The times are the server's word: of these, only the order can be checked. So is
    the number of hints.

    Raises:
        EngineError: the rules are not known here, or seed or commitment are malformed.
    """
    rules = stored_ruleset(file.game, file.variant, file.rules)
    dealt = verify(rules, file.deal, file.seed, file.commitment)
    if not dealt.agrees:
        return f"The seed makes the commitment {dealt.commitment}, not the one in the file."
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
        # A file may have any text there, and none may pass for what is said of it.
        move = f"Move {number}, {text}," if _WORD.fullmatch(text) else f"Move {number}"
        if at < state.at:
            return f"{move} is earlier than what came before it."
        if at > file.deadline:
            return f"{move} is later than the deadline."
        try:
            state = _after(state, text, at)
        except (Refusal, EngineError) as error:
            said = error.text if isinstance(error, Refusal) else error.message
            return f"{move} cannot be played: {said}"
    return _wrong_end(file, state) or _wrong_result(file, state)


def _after(state: Attempt, text: str, at: int) -> Attempt:
    """Return the attempt after a move, or after going back one.

    Raises:
        Refusal: it is refused.
        NotationError: the text names no move of the game.
    """
    if text == UNDONE:
        return attempt.undo(state, at).after
    return attempt.play(state, parse_move(state.board.ruleset, text), at).after


def _wrong_end(file: RunFile, state: Attempt) -> str | None:
    """Return what is wrong with the end of a run, given the attempt after its moves."""
    end, at = file.result.end, file.started + file.ended
    if at < state.at or (state.end is not None and at != state.at):
        return "The end is not at the time of the last move."
    if state.end is not None:
        same = end == state.end
        return None if same else f"The file says {end}, and the last move makes it {state.end}."
    wrong = {
        "won": True,
        "time": at != file.deadline,
        "resigned": False,
        "stuck": end == "stuck"
        and (state.undoable > 0 or search(state.board).outcome is Outcome.REACHABLE),
    }
    return f"The file says {end}, and that is not how the moves end." if wrong[end] else None


def _wrong_result(file: RunFile, state: Attempt) -> str | None:
    """Return what is wrong with the counters of a run, given the attempt after its moves."""
    said, found = file.result, state.result
    for name, words in _COUNTERS.items():
        claimed, counted = getattr(said, name), getattr(found, name)
        if claimed != counted:
            return f"The file says {words.format(claimed)}, and its moves make it {counted}."
    return None


_COUNTERS = {
    "home": "{} cards home",
    "left": "{} cards left",
    "time": "{} ms until the last card came home",
    "moves": "{} moves",
    "undos": "{} moves undone",
    "peeked": "that cards were covered again: {}",
}
"""The counters of a result, and how a sentence names their values."""
