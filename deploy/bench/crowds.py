"""Challenges with many players, written directly into a node's Redis to save time.

They consist of journals after a checkpoint, and the records that lists read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec
from redis import Redis

from deploy.bench.client import Client
from server.base.core.ids import ChallengeId, PlayerId
from server.challenges import messages as challenges
from server.challenges.core import keys
from server.challenges.core.challenge import Challenge, Checkpoint, Entrant, fold
from server.challenges.core.events import ChallengeMade
from server.challenges.core.listed import score_of, summary
from server.challenges.journal import decode
from server.play.core.result import Result

CROWD = 900  # the number of players of each: the maximum, minus room for attackers
CROWDED = tuple(ChallengeId(f"cr0wd{number:011}") for number in range(9))
ENDED = PlayerId("p000000000000000")  # one of the finished players of each
OPEN_FOR = 86_400  # the duration of the challenges in seconds
_RESULT = Result(20, 32, 180_000, 100, "resigned")


async def crowd_challenges(
    client: Client, socket: str, players: int = CROWD, names: Sequence[ChallengeId] = CROWDED
) -> None:
    """Create challenges, half of whose players have finished.

    `socket` is the path of the unix socket of the node's Redis.
    """
    with Redis(unix_socket_path=socket, decode_responses=True) as redis:
        for name in names:
            shown = await client.ask(challenges.CreateChallenge, "robert", 600, OPEN_FOR, name)
            ((_, fields),) = redis.xrange(keys.challenge(shown.challenge), count=1)
            made = decode(fields["e"])
            assert isinstance(made, ChallengeMade)
            whole = _crowded(msgspec.structs.replace(made, challenge=name), players)
            _write(redis, whole)


def _crowded(made: ChallengeMade, players: int) -> Challenge:
    at, deadline = made.at, made.at + made.terms.limit
    entrants = {
        PlayerId(f"p{number:015}"): (
            Entrant(at, deadline) if number % 2 else Entrant(at, deadline, _RESULT, at)
        )
        for number in range(players)
    }
    ended = sum(each.result is not None for each in entrants.values())
    whole = replace(fold(None, made), players=entrants, begun=players, ended=ended)
    return fold(None, Checkpoint(whole, at))


def _write(redis: Redis, whole: Challenge) -> None:
    text = msgspec.json.encode(Checkpoint(replace(whole, version=1, begin=1), whole.at)).decode()
    redis.xadd(keys.challenge(whole.id), {"e": text}, id=f"0-{whole.version}")
    redis.set(keys.summary(whole.id), msgspec.json.encode(summary(whole)))
    scores: dict[str, float] = {
        player: score_of(whole, entrant) for player, entrant in whole.players.items()
    }
    redis.zadd(keys.places(whole.id), scores)
