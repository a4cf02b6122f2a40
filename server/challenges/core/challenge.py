"""A challenge as a fold over its journal: its players and their results.

Times are Unix milliseconds of the server's clock.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypeAlias

from msgspec import Struct

from server.base.core.ids import AttemptId, ChallengeId, PlayerId, attempt_id
from server.challenges.core.events import (
    Begun,
    ChallengeMade,
    Closed,
    Closing,
    Emoted,
    Event,
    Finished,
    Followed,
    ResultVoided,
)
from server.play.core import result as ranking
from server.play.core.result import Result

MAX_PLAYERS = 1_000  # the most players of a challenge, including invited ones

# The maximum number of emotes kept for one run: the latest. So a challenge has at most 16,000.
MAX_EMOTES = 16


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player of a challenge."""

    # The start of the attempt; `None` for an invited player before that.
    begun: int | None = None
    deadline: int = 0  # when the attempt runs out of time; 0 before it starts
    result: Result | None = None
    ended: int = 0
    # The latest emotes for the run by sender, oldest first.
    emotes: dict[PlayerId, int] = field(default_factory=dict)
    void: bool = False  # whether an operator voided the result

    @property
    def is_playing(self) -> bool:
        """Whether the attempt has started and its result is not recorded."""
        return self.begun is not None and self.result is None


@dataclass(frozen=True, slots=True)
class Challenge:
    """The state of a challenge after the last entry of its journal.

    Checkpoints store this state, so a new field needs a default that preserves the meaning of older
    checkpoints.

    Attributes:
        made: the first entry.
        players: players who started or were invited, in the order of joining.
        version: the number of the last entry.
        at: the time of the last entry.
        over: when it closed (at its deadline, early because all invited players have played, or by
            its creator), or `None`.
        rematch: the rematch's id, or `None`.
        rematch_at: when the rematch was created; 0 without one.
        latest: the players who ended last and the times, at most two.
        begin: the number of the journal's first entry.
        closing: after an early close by the creator, the latest deadline of a running attempt, or
            `None`. The challenge is over when the last running attempt ends.
        ordered: the number and time of the last entry that could change the table's order or a
            player's progress: any but emotes and a rematch.
        begun: the number of players who have started.
        ended: the number of players who have ended.
    """

    made: ChallengeMade
    players: dict[PlayerId, Entrant]
    version: int
    at: int
    over: int | None = None
    rematch: ChallengeId | None = None
    rematch_at: int = 0
    latest: tuple[tuple[PlayerId, int], ...] = ()
    begin: int = 1
    closing: int | None = None
    ordered: tuple[int, int] = (0, 0)
    begun: int = 0
    ended: int = 0

    @property
    def id(self) -> ChallengeId:
        """The challenge's id."""
        return self.made.challenge

    @property
    def closes(self) -> int:
        """The scheduled close.

        After a close by the creator, it is when the challenge was over, or until then the latest
        deadline of a running attempt.
        """
        if self.closing is None:
            return self.made.closes
        return self.closing if self.over is None else self.over

    @property
    def is_open(self) -> bool:
        """Whether new attempts can start."""
        return self.over is None and self.closing is None

    @property
    def is_settled(self) -> bool:
        """Whether it has closed and every attempt is over."""
        return self.over is not None and self.begun == self.ended

    @property
    def results(self) -> dict[PlayerId, Result]:
        """The valid results, by player."""
        return {
            player: entrant.result
            for player, entrant in self.players.items()
            if entrant.result is not None and not entrant.void
        }

    def ranks(self) -> dict[PlayerId, int]:
        """Return the ranks of the valid results, from 1. See `ranking.ranks`."""
        return ranking.ranks(self.results, self.made.home)

    def attempt(self, player: PlayerId) -> AttemptId:
        """Return the id of a player's attempt."""
        return attempt_id(self.made.deal, player)

    def has_ended(self, player: PlayerId | None) -> bool:
        """Return whether a player's attempt is over."""
        entrant = self.players.get(player) if player is not None else None
        return entrant is not None and entrant.result is not None

    def shows_results(self, viewer: PlayerId | None) -> bool:
        """Return whether a viewer (`None`: the public) can see results and runs."""
        return self.over is not None or self.has_ended(viewer)


class Checkpoint(Struct, tag="checkpoint", frozen=True):
    """The state after all earlier entries; the journal starts at its last checkpoint."""

    challenge: Challenge
    at: int  # the time of that entry


Entry: TypeAlias = Event | Checkpoint


def fold(challenge: Challenge | None, event: Entry) -> Challenge:
    """Return the challenge after one more entry; the state before the first entry is `None`."""
    if isinstance(event, Checkpoint):
        number = event.challenge.version + 1
        return replace(event.challenge, version=number, begin=number)
    if isinstance(event, ChallengeMade):
        assert challenge is None, "ChallengeMade is only the first entry"
        players, raced = _players_of(event), len(event.raced)
        state = Challenge(event, players, version=1, at=event.at, ordered=(1, event.at))
        return _completed(replace(state, begun=raced, ended=raced))
    assert challenge is not None, "the first entry is ChallengeMade or a checkpoint"
    after, number = _folded(challenge, event), challenge.version + 1
    # Neither changes the order of the table.
    is_beside = isinstance(event, Emoted | Followed)
    ordered = challenge.ordered if is_beside else (number, event.at)
    return _completed(replace(after, version=number, at=event.at, ordered=ordered))


def _players_of(made: ChallengeMade) -> dict[PlayerId, Entrant]:
    """Return a new challenge's players: those who raced, and all invited players."""
    raced = {
        player: Entrant(made.at, made.at, result, made.at) for player, result in made.raced.items()
    }
    named = [made.creator, *made.named] if made.named else []
    return {**raced, **{player: Entrant() for player in named if player not in raced}}


def _completed(challenge: Challenge) -> Challenge:
    """Return the challenge, closed if nothing is left to play."""
    if challenge.over is not None:
        return challenge
    if challenge.closing is not None:
        # After a close by the creator, running attempts go on.
        done = challenge.begun == challenge.ended
    else:
        # By link or in a circle, others can still join.
        done = bool(challenge.made.named) and challenge.ended == len(challenge.players)
    return replace(challenge, over=challenge.at) if done else challenge


def _folded(challenge: Challenge, event: Event) -> Challenge:  # noqa: PLR0911 - one for each type
    match event:
        case Begun(player=player, at=at, deadline=deadline):
            return _with(challenge, player, Entrant(at, deadline))
        case Finished(player=player, result=result, at=at):
            entrant = replace(challenge.players[player], result=result, ended=at)
            # Two are enough, because only a player's own result is no news to them.
            latest = (*challenge.latest[-1:], (player, at))
            return replace(_with(challenge, player, entrant), latest=latest)
        case Closed(at=at):
            return replace(challenge, over=at)
        case Closing(closes=closes):
            return replace(challenge, closing=closes)
        case Emoted(by=by, player=player, emote=emote):
            entrant = challenge.players[player]
            emotes = {each: sent for each, sent in entrant.emotes.items() if each != by}
            if emote is not None:
                emotes = dict([*emotes.items(), (by, emote)][-MAX_EMOTES:])
            return _with(challenge, player, replace(entrant, emotes=emotes))
        case Followed(challenge=following, at=at):
            return replace(challenge, rematch=following, rematch_at=at)
        case ResultVoided(player=player, void=void):
            return _with(challenge, player, replace(challenge.players[player], void=void))
    raise AssertionError(f"unknown event {event!r}")


def _with(challenge: Challenge, player: PlayerId, entrant: Entrant) -> Challenge:
    """Return the challenge with a player replaced. Apart from copying, this takes constant time."""
    was = challenge.players.get(player, Entrant())
    return replace(
        challenge,
        players={**challenge.players, player: entrant},
        begun=challenge.begun + (entrant.begun is not None) - (was.begun is not None),
        ended=challenge.ended + (entrant.result is not None) - (was.result is not None),
    )
