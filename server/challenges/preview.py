"""Link previews of challenges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from engine.catalog import games, ruleset
from server.base.core.ids import ChallengeId, is_id
from server.base.web.previews import Preview, Shown, of_game
from server.challenges.challenges import Challenges
from server.challenges.core.challenge import Challenge
from server.challenges.core.table import target
from server.play.core.result import Result
from server.players.core.names import Profile
from server.players.profiles import Profiles
from server.results.preview import clock
from server.rooms.preview import played_by


class ChallengePreviews:
    """Link previews of challenges, for `server.base.web.previews`."""

    def __init__(self, challenges: Challenges, profiles: Profiles) -> None:
        self._challenges = challenges
        self._profiles = profiles

    def screen(self, named: Sequence[str], _: Mapping[str, str]) -> Shown | None:
        """Return the preview of a challenge's link. Its id cannot be guessed."""
        if len(named) != 1:
            return None
        if not is_id(named[0]):
            return Shown(anonymous("/"))
        read = partial(self.of_challenge, ChallengeId(named[0]))
        return Shown(anonymous(f"/c/{named[0]}"), read=read, is_kept=True)

    async def of_challenge(self, challenge: ChallengeId) -> Preview | None:
        """Load a challenge's preview.

        Return `None` for an unknown challenge, and for a circle's challenge, whose existence is
        private.
        """
        found = await self._challenges.find(challenge)
        if found is None or found.made.terms.circle is not None:
            return None
        creator = found.made.creator
        profiles = await self._profiles.load([creator], caching=False)
        return preview(found, profiles[creator])


def anonymous(path: str) -> Preview:
    """Return the generic preview of a challenge, which may not exist, or belong to a circle."""
    about = "Same cards, one try, whenever you have time."
    return Preview("A challenge at solitaire", about, path, listed=False)


def preview(found: Challenge, creator: Profile) -> Preview:
    """Return a challenge's preview, unlisted because its URL grants access.

    Its text includes only the result shown before playing: the target.
    """
    terms = found.made.terms
    game = games()[terms.game]
    to_beat = target(found)
    reached = "" if to_beat is None else f": {score(terms.game, terms.variant, to_beat)}"
    rest = "One try." if found.is_open else "It is over: see how it went."
    return of_game(
        f"{creator.isolated} challenges you to {game.name}{reached}",
        f"Same cards for everyone. {played_by(terms.game, terms.variant, terms.limit)}. {rest}",
        f"/c/{found.id}",
        game,
        listed=False,
    )


def score(game: str, variant: str, result: Result) -> str:
    """Return a run's progress as text, such as `71 home in 4:12`."""
    everything = result.home == ruleset(game, variant).total
    home = f"all {result.home} home" if everything else f"{result.home} home"
    return f"{home} in {clock(result.time)}" if result.time else home
