"""Reports by players, as stored for operators.

Reports have no automatic consequences. Guests are free to create, so all guests together weigh as
much as one player who has kept an identity.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from server.base.core.ids import PlayerId

ReportKind = Literal["name", "cheating", "other"]  # an offensive name, cheating, or anything else

# Stored reporters of a target: those with a kept identity, and guests. The limits are separate so
# that guests cannot crowd out others.
MAX_KEPT, MAX_GUESTS = 15, 5


class Reporter(Struct, array_like=True, frozen=True):
    """A reporter of a target, as stored."""

    player: PlayerId
    kind: ReportKind
    at: int  # the time, in Unix milliseconds
    kept: bool  # whether the reporter had kept an identity


class Reported(Struct, frozen=True):
    """A reported player or run, as stored."""

    player: PlayerId  # the reported player, or the run's owner
    attempt: str | None = None  # the run; `None` if the player was reported
    game: str | None = None  # the run's
    day: int | None = None  # the number of the run's day; `None` if it is not of a daily
    reporters: tuple[Reporter, ...] = ()  # in order of their reports

    @property
    def name(self) -> str:
        """The case's name."""
        return f"reports/{self.attempt or self.player}"

    @property
    def weight(self) -> int:
        """The number of reporters; all guests together count as one."""
        kept = sum(each.kept for each in self.reporters)
        return kept + (kept < len(self.reporters))

    def kinds(self) -> dict[ReportKind, int]:
        """Return the number of reporters by kind, in order of first report."""
        found: dict[ReportKind, int] = {}
        for each in self.reporters:
            found[each.kind] = found.get(each.kind, 0) + 1
        return found

    def adding(self, reporter: Reporter) -> Reported | None:
        """Return the target with another reporter; `None` if nothing changes.

        Nothing does if the player has reported it before, or enough reporters are stored.
        """
        alike = sum(each.kept == reporter.kept for each in self.reporters)
        if alike >= (MAX_KEPT if reporter.kept else MAX_GUESTS):
            return None
        if any(each.player == reporter.player for each in self.reporters):
            return None
        return replace(self, reporters=(*self.reporters, reporter))
