"""Reports: what players tell operators of others, as stored. Pure.

Nothing follows from them by itself. A new guest costs nothing, so all guests together weigh as much
as one player who has kept an identity.
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from server.base.core.ids import PlayerId

ReportKind = Literal["name", "cheating", "other"]
"""The kind of a report: an offensive name, cheating, or anything else."""

MAX_KEPT, MAX_GUESTS = 15, 5
"""The most reporters of a target that are stored, of each group: so guests keep nobody else out."""

MAX_WEIGHT: Final = MAX_KEPT + 1
"""The most that reports weigh."""


class Reporter(Struct, array_like=True, frozen=True):
    """A player who has reported something, as stored.

    Attributes:
        player: who.
        kind: as what.
        at: when, in Unix milliseconds.
        kept: whether the reporter had kept an identity.
    """

    player: PlayerId
    kind: ReportKind
    at: int
    kept: bool


class Reported(Struct, frozen=True):
    """A player, or a run, that others have reported, as stored.

    Attributes:
        player: who, or whose run it is.
        attempt: the run; `None` if the player was reported.
        game: of the run.
        day: the number of the day, if the run is of a daily.
        reporters: by whom, in the order of the reports.
    """

    player: PlayerId
    attempt: str | None = None
    game: str | None = None
    day: int | None = None
    reporters: tuple[Reporter, ...] = ()

    @property
    def name(self) -> str:
        """The name of the target, which it has among cases."""
        return f"reports/{self.attempt or self.player}"

    @property
    def weight(self) -> int:
        """How many different reporters there are; all guests together count as one."""
        kept = sum(each.kept for each in self.reporters)
        return kept + (kept < len(self.reporters))

    def kinds(self) -> dict[ReportKind, int]:
        """Return how many reporters there are of each kind, in the order of the first ones."""
        found: dict[ReportKind, int] = {}
        for each in self.reporters:
            found[each.kind] = found.get(each.kind, 0) + 1
        return found

    def adding(self, reporter: Reporter) -> Reported | None:
        """Return it with one more reporter; `None` if nothing changes.

        Nothing does if that player has reported it before, or if there are as many as are stored.
        """
        alike = sum(each.kept == reporter.kept for each in self.reporters)
        if alike >= (MAX_KEPT if reporter.kept else MAX_GUESTS):
            return None
        if any(each.player == reporter.player for each in self.reporters):
            return None
        return replace(self, reporters=(*self.reporters, reporter))
