"""The entries of a challenge's journal, in their stored form.

Times are Unix milliseconds of the server's clock. See `server/STORED.md` for how a form may change.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from server.base.core.ids import ChallengeId, DealId, PlayerId
from server.play.core.result import Help, Result

Audience = Literal["link", "named", "circle"]
"""Those who may play: anyone with the link, the players named, or the members of a circle."""


class Terms(Struct, frozen=True, omit_defaults=True):
    """The terms of a challenge.

    Attributes:
        game: a game's id.
        variant: a variant's name.
        limit: the length of an attempt, in milliseconds.
        open_for: for how long it is open, in milliseconds.
        help: the help that its players may ask for.
        target: whether the maker's result is shown to those who have not played yet.
        circle: the id of the circle whose members may play; `None` if it is not for one.
    """

    game: str
    variant: str
    limit: int
    open_for: int
    help: Help = "none"
    target: bool = True
    circle: str | None = None


class ChallengeMade(Struct, tag="made", frozen=True, omit_defaults=True):
    """The challenge was made.

    Attributes:
        deal: what it is played on.
        commitment: the deal's.
        rules: the digest of the rules that it is played by.
        home: how many cards the deal itself brings home, above which a run is ranked.
        named: who else may play, if only they may.
        told: who is told of it without being named: those who have played the one before it.
        raced: how those ended who have raced on its deal; empty for a new deal.
        follows: the challenge that it is a rematch of, or `None`.
        league: if the league of its circle has made it, as many had that made before; or `None`.
    """

    challenge: ChallengeId
    maker: PlayerId
    terms: Terms
    deal: DealId
    commitment: str
    rules: str
    home: int
    at: int
    named: tuple[PlayerId, ...] = ()
    told: tuple[PlayerId, ...] = ()
    raced: dict[PlayerId, Result] = {}
    follows: ChallengeId | None = None
    league: int | None = None

    @property
    def closes(self) -> int:
        """When it closes at the latest."""
        return self.at + self.terms.open_for

    @property
    def audience(self) -> Audience:
        """Those who may play."""
        if self.named:
            return "named"
        return "circle" if self.terms.circle is not None else "link"


class Begun(Struct, tag="begun", frozen=True):
    """A player has begun the attempt, which ends at the deadline by itself."""

    player: PlayerId
    at: int
    deadline: int


class Finished(Struct, tag="finished", frozen=True):
    """A player's attempt is over."""

    player: PlayerId
    result: Result
    at: int


class Closed(Struct, tag="closed", frozen=True):
    """The challenge has closed by its date: nobody begins any more."""

    at: int


class Closing(Struct, tag="closing", frozen=True):
    """Its maker closes it: nobody begins any more. It closes when the last attempt is over.

    Attributes:
        closes: when that is at the latest: the last deadline of those who are playing.
    """

    closes: int
    at: int


class Emoted(Struct, tag="emoted", frozen=True):
    """A player has sent an emote for a run, in place of an earlier one, or taken it back."""

    by: PlayerId
    player: PlayerId
    emote: int | None
    at: int


class Followed(Struct, tag="followed", frozen=True):
    """Somebody has made the challenge that follows."""

    challenge: ChallengeId
    at: int


class ResultVoided(Struct, tag="voided", frozen=True):
    """An operator has taken a result back, or lets it stand again."""

    player: PlayerId
    void: bool
    at: int


Event = ChallengeMade | Begun | Finished | Closed | Closing | Emoted | Followed | ResultVoided
