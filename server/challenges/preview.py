"""Link previews of challenges."""

from __future__ import annotations

from engine.catalog import games, ruleset
from server.base.core.ids import ChallengeId
from server.base.web.previews import Preview, of_game
from server.challenges.challenges import Challenges
from server.challenges.core.challenge import Challenge
from server.challenges.core.table import target
from server.play.core.result import Result
from server.players.core.names import Profile
from server.players.profiles import Profiles
from server.results.preview import clock
from server.rooms.preview import played_by


class ChallengePreviews:
    """Makes the previews of challenges, as `server.base.web.previews` has them read."""

    def __init__(self, challenges: Challenges, profiles: Profiles) -> None:
        self._challenges = challenges
        self._profiles = profiles

    async def of_challenge(self, challenge: ChallengeId) -> Preview | None:
        """Return that of a challenge, which is read.

        `None` if there is none, and if it is for a circle: nobody outside learns that there is one.
        """
        found = await self._challenges.find(challenge)
        if found is None or found.made.terms.circle is not None:
            return None
        maker = found.made.maker
        profiles = await self._profiles.load([maker], caching=False)
        return preview(found, profiles[maker])


def preview(found: Challenge, maker: Profile) -> Preview:
    """Return the preview of a challenge. It is not listed, since its URL lets anybody see it.

    Of what has been reached, it says what is shown to those who have not played: the target.
    """
    terms = found.made.terms
    game = games()[terms.game]
    to_beat = target(found)
    reached = "" if to_beat is None else f": {score(terms.game, terms.variant, to_beat)}"
    rest = "One try." if found.is_open else "It is over: see how it went."
    return of_game(
        f"{maker.isolated} challenges you to {game.name}{reached}",
        f"Same cards for everyone. {played_by(terms.game, terms.variant, terms.limit)}. {rest}",
        f"/c/{found.id}",
        game,
        listed=False,
    )


def score(game: str, variant: str, result: Result) -> str:
    """Return how far a run got, as in `71 home in 4:12`."""
    everything = result.home == ruleset(game, variant).total
    home = f"all {result.home} home" if everything else f"{result.home} home"
    return f"{home} in {clock(result.time)}" if result.time else home
