"""The journal of a challenge: decoding and folding its entries, and building its appends."""

from __future__ import annotations

import msgspec

from server.base.core import keys as base_keys
from server.base.core.ids import ChallengeId
from server.base.journals.core.entry import Append, Beside, Placed
from server.base.journals.followed import Kind
from server.base.journals.reader import Reader, rules_of
from server.base.outbox import effects
from server.base.work.signal import Signal
from server.challenges.core import challenge as core
from server.challenges.core import commands, keys
from server.challenges.core.bus import topic
from server.challenges.core.challenge import Challenge, Checkpoint, Entry
from server.challenges.core.effects import ChallengeOpened, ChallengeSettled
from server.challenges.core.events import Closing, ResultVoided
from server.challenges.core.keys import ChallengeDue
from server.challenges.core.listed import placed_by, summary

CHECKPOINT_EVERY = 128
"""Entries before a checkpoint, which replaces them.

A challenge with more players than this waits for as many entries, because a checkpoint stores all
players and must not outweigh the entries it replaces.
"""

_READER: Reader[Entry] = Reader(Entry)


class ChallengeDefinition:
    """The `server.base.journals.replica.Definition` for a challenge's journal.

    `appended` is emitted after each append, with the resulting challenge.
    """

    def __init__(
        self, challenge: ChallengeId, appended: Signal[ChallengeId, Challenge, Append]
    ) -> None:
        self._challenge = challenge
        self._appended = appended

    def key(self) -> str:
        """Return the key of the stream."""
        return keys.challenge(self._challenge)

    def decode(self, text: str) -> Entry:
        """Decode an entry from its JSON text."""
        return decode(text)

    def fold(self, state: Challenge | None, event: Entry) -> Challenge:
        """Return the challenge after an event.

        Raises:
            UnreadableError: if this release does not know the challenge's rules.
        """
        after = core.fold(state, event)
        if state is None:
            # Fail on read, before any decision depends on unknown rules.
            rules_of(after.made.terms.game, after.made.terms.variant, after.made.rules)
        return after

    def due(self, state: Challenge, now: int) -> Entry | None:
        """Return the close if the deadline has passed, or `None`."""
        return commands.due(state, now)

    def checkpoint(self, state: Challenge) -> Checkpoint | None:
        """Return a checkpoint if the journal has reached its maximum length."""
        length = state.version - state.begin + 1
        most = max(CHECKPOINT_EVERY, len(state.players))
        return Checkpoint(state, state.at) if length >= most else None

    def kept_until(self, state: Challenge) -> int:
        """Return the time (Unix milliseconds) until which the journal is guaranteed to exist."""
        return max(state.made.closes, state.at) + keys.CHALLENGE_LIFE_MS

    def shared(self, state: Challenge) -> None:
        """Return `None`: a challenge shares no data with other replicas."""

    def size(self, state: Challenge, oldest: Challenge | None) -> int:
        """Return the approximate size of a replica in bytes, in constant time.

        Its older states share most of their data. Emotes are ignored because few runs have any.
        """
        size = 2_500 + 600 * len(state.players)
        return size if oldest is None else size + 100 * len(oldest.players)

    def append(
        self, before: Challenge | None, after: Challenge, event: Entry, number: int
    ) -> Append:
        """Return the append of an event as entry `number`, with its atomic side effects.

        The first entry schedules the close and emits `ChallengeOpened`; an early close reschedules
        it. The entry that settles the challenge cancels the deadline and emits `ChallengeSettled`,
        as does a later change of a result by an operator. Each entry writes the summary and the
        scores for lists.
        """
        due: tuple[ChallengeDue, int | None] | None = None
        effect: ChallengeOpened | ChallengeSettled | None = None
        if before is None:
            due = ChallengeDue(self._challenge), after.closes
            effect = ChallengeOpened(self._challenge)
        elif isinstance(event, Closing):
            due = ChallengeDue(self._challenge), after.closes
        if after.is_settled and (
            before is None or not before.is_settled or isinstance(event, ResultVoided)
        ):
            due = ChallengeDue(self._challenge), None
            effect = ChallengeSettled(self._challenge, after.version)
        expires = self.kept_until(after)
        scores = () if isinstance(event, Checkpoint) else placed_by(after, event)
        text = msgspec.json.encode(summary(after)).decode()
        return Append(
            self.key(),
            number,
            msgspec.json.encode(event).decode(),
            base_keys.partition(self._challenge),
            expires=expires,
            effect=(effect.field, effects.encode(effect)) if effect is not None else None,
            due=due,
            beside=Beside(keys.summary(self._challenge), text, expires),
            placed=Placed(keys.places(self._challenge), scores, expires),
        )

    def appended(self, before: Challenge | None, after: Challenge, append: Append) -> None:
        """Announce an accepted append of this node."""
        self._appended.emit(self._challenge, after, append)


decode = _READER.decode
"""Decodes an entry from its JSON text."""

KIND: Kind[ChallengeId, Challenge, Entry] = Kind(
    "live_challenges", ChallengeDefinition, topic, used=64 << 20, read_only=16 << 20
)
"""The journals of challenges."""
