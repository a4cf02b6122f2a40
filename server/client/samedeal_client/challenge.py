"""The watched challenge."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from samedeal_client.messages import (
    Challenge,
    ChallengeChange,
    ChallengeGone,
    WatchChallenge,
)
from samedeal_client.protocol import Command, Event

CHALLENGE_LOST = {"unknown_challenge"}  # refusals that end the subscription after a reconnect


class ChallengeKeeper:
    """Keeps one challenge current."""

    def __init__(self) -> None:
        # The subscribing command; `None` if no challenge is watched.
        self.wanted: WatchChallenge | None = None
        self.state: Challenge | None = None  # the challenge; `None` before it arrives

    def stop(self) -> None:
        """Stop watching."""
        self.wanted = self.state = None

    def handle(self, event: Event, answered: Command[Any] | None) -> None:
        """Apply an event, if it concerns the challenge."""
        known = self.state
        match event:
            case Challenge():
                if self.wanted is None or self.wanted.challenge != event.challenge:
                    return
                # An unsolicited event may be older than an answer that overtook it.
                if answered is not None or known is None or event.version >= known.version:
                    self.state = event
            case ChallengeChange():
                if known is None or known.challenge != event.challenge:
                    return
                if event.version > known.version:
                    self.state = changed(known, event)
            case ChallengeGone():
                if self.wanted is not None and self.wanted.challenge == event.challenge:
                    self.stop()


def changed(known: Challenge, change: ChallengeChange) -> Challenge:
    """Apply a change to a challenge, and sort the first page of its table."""
    rows = {row.player.id: row for row in (*known.players, *change.players)}
    players = tuple(rows.values())
    if change.ranks:
        players = tuple(replace(rows[id_], rank=rank) for id_, rank in change.ranks if id_ in rows)
    own = known.own
    if own is not None:
        own = next((row for row in players if row.player.id == own.player.id), own)
    return replace(
        known,
        version=change.version,
        players=players,
        rematch=change.rematch,
        size=change.size,
        begun=change.begun,
        ended=change.ended,
        target=change.target,
        own=own,
    )
