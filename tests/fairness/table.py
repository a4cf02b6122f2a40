"""Count flagged runs: false positives of honest players, and cheats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from engine.catalog import daily_games
from server.moderation.core import likeness
from server.moderation.core.likeness import Choice
from server.moderation.core.suspicion import Copied, Reason, earlier_of, reasons
from server.play.core.attempt import Attempt
from server.play.core.run import Run
from tests.fairness.people import STYLES, copied, played_by, scout, script, sitting

GAP = 10.0
"""Minutes between the starts of consecutive players of a deal."""


@dataclass
class Row:
    """A row of the table.

    Attributes:
        runs: number of runs.
        flagged: number of flagged runs.
        texts: the first reasons given.
    """

    runs: int = 0
    flagged: int = 0
    texts: list[str] = field(default_factory=list)

    def add(self, found: Sequence[Reason]) -> None:
        """Count a run."""
        self.runs += 1
        self.flagged += bool(found)
        self.texts += [reason.text for reason in found]


class Day:
    """The runs at one deal, each compared with the runs that ended earlier, as on the server."""

    def __init__(self) -> None:
        self._first: dict[str, int] = {}
        self._runs: list[tuple[Run, list[Choice]]] = []

    def examine(self, run: Run, attempt: Attempt, earlier: Sequence[Attempt] = ()) -> list[Reason]:
        """Return the reasons to suspect a run, and keep the run.

        Args:
            run: the run.
            attempt: any attempt at the same deal, for its first board.
            earlier: earlier attempts from the same address.
        """
        first = attempt.board
        choices = list(likeness.choices_of(run, first))
        number, marks = len(self._runs), likeness.marks(choices)
        self._runs.append((run, choices))
        owners = [self._first.setdefault(mark, number) for mark in marks]
        others = Counter(owner for owner in owners if owner != number)
        found = None
        for owner, _ in others.most_common(1):
            other, other_choices = self._runs[owner]
            like = list(likeness.compare(choices, other_choices))
            over = other.start.at + other.ended <= run.start.at
            found = Copied(other.start.player, like[-1], over) if like else None
        seen = [earlier_of(each, first, run.start.at) for each in earlier]
        return list(reasons(run, None, found, seen))


CHEATS = (
    "a careful player's run, copied",
    "an odd run, copied",
    "an odd run, copied but for the last third",
    "a program, 80 ms a move",
    "a program, 700 ms a move, 5 % off",
    "a program, 700 ms a move, 40 % off",
    "after a scout with a program",
    "after a scout by hand",
    "after a scout who takes time",
)


HOME = "two in one home"


def measure(deals: int, people: int) -> dict[str, Row]:
    """Return the rows of the table: the styles, two players in one home, then the cheats.

    Args:
        deals: number of deals per game.
        people: number of players per deal.
    """
    rows = {style.name: Row() for style in STYLES} | {HOME: Row()}
    rows |= {name: Row() for name in CHEATS}
    for game in daily_games():
        for number in range(deals):
            _measure_deal(rows, game, number, people)
    return rows


def _measure_deal(rows: dict[str, Row], game: str, number: int, people: int) -> None:
    day = Day()
    first = sitting(game, number, 0, 0).attempt()
    played: list[tuple[Run, Attempt]] = []
    for player in range(people):
        style = STYLES[player % len(STYLES)]
        run, attempt = played_by(sitting(game, number, player, player * GAP), style)
        # Every second player shares a home with the player before.
        home = [played[-1][1]] if player % 2 and played else []
        found = day.examine(run, first, home)
        rows[style.name].add(found)
        if home:
            rows[HOME].add([each for each in found if "same address" in each.text])
        played.append((run, attempt))
    for name, run, seen in _cheats(played, game, number, people):
        rows[name].add(day.examine(run, first, seen))


def _cheats(
    played: list[tuple[Run, Attempt]], game: str, number: int, people: int
) -> Iterator[tuple[str, Run, list[Attempt]]]:
    """Yield the cheats' runs and the earlier attempts from their addresses."""
    who = sitting(game, number, people, 1_000)
    careful = played[0][0]
    odd = max((run for run, _ in played[4::6]), key=lambda run: len(run.moves))
    runs: tuple[Callable[[], Run], ...] = (
        lambda: copied(who, careful, 0.0),
        lambda: copied(who, odd, 0.0),
        lambda: copied(who, odd, 0.33),
        lambda: script(who, 80, 0.3),
        lambda: script(who, 700, 0.05),
        lambda: script(who, 700, 0.4),
    )
    for name, make in zip(CHEATS, runs, strict=False):
        yield name, make(), []
    for name, every in zip(CHEATS[len(runs) :], (80, 350, 900), strict=True):
        looked = scout(sitting(game, number, people + 1, 990), every)
        yield name, played_by(who, STYLES[1])[0], [looked]
