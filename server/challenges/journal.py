"""The journal of a challenge: decoding and folding its entries, and building its appends."""

from __future__ import annotations

import msgspec

from server.base.core import keys as base_keys
from server.base.core.due import ChallengeDue
from server.base.core.ids import ChallengeId
from server.base.journals.core.entry import Append, Beside, Placed
from server.base.journals.reader import Reader, rules_of
from server.base.outbox import effects
from server.base.work.signal import Signal
from server.challenges.core import challenge as core
from server.challenges.core import commands, keys
from server.challenges.core.challenge import Challenge, Checkpoint, Entry
from server.challenges.core.effects import ChallengeOpened, ChallengeSettled
from server.challenges.core.events import Closing, ResultVoided
from server.challenges.core.listed import placed_by, summary

CHECKPOINT_EVERY = 128
"""Entries of a journal from which on the next one may be a checkpoint, which drops these.

There are as many as the challenge has players if that is more, so that checkpoints, which have all
players, take no more than the other entries do."""

_READER: Reader[Entry] = Reader(Entry)


class ChallengeDefinition:
    """The `server.base.journals.replica.Definition` of the journal of one challenge.

    `appended` is emitted after each append, with the challenge after it.
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
        """Return the event that an entry's text (JSON) encodes."""
        return decode(text)

    def fold(self, state: Challenge | None, event: Entry) -> Challenge:
        """Return the challenge after an event.

        Raises:
            UnreadableError: this release does not know the rules that it is played by.
        """
        after = core.fold(state, event)
        if state is None:
            rules_of(after.made.terms.game, after.made.terms.variant, after.made.rules)
        return after

    def due(self, state: Challenge, now: int) -> Entry | None:
        """Return the close if its date has come."""
        return commands.due(state, now)

    def checkpoint(self, state: Challenge) -> Checkpoint | None:
        """Return a checkpoint if there are as many entries as a journal may have without one."""
        length = state.version - state.begin + 1
        most = max(CHECKPOINT_EVERY, len(state.players))
        return Checkpoint(state, state.at) if length >= most else None

    def kept_until(self, state: Challenge) -> int:
        """Return the time (Unix milliseconds) until which the journal is certainly kept."""
        return max(state.made.closes, state.at) + keys.CHALLENGE_LIFE_MS

    def shared(self, state: Challenge) -> None:
        """Return `None`: it holds texts and numbers of its own."""

    def size(self, state: Challenge, oldest: Challenge | None) -> int:
        """Return about how many bytes a replica takes, in constant time; older states share much.

        A run has a few emotes at most, mostly none.
        """
        size = 2_500 + 600 * len(state.players)
        return size if oldest is None else size + 100 * len(oldest.players)

    def append(
        self, before: Challenge | None, after: Challenge, event: Entry, number: int
    ) -> Append:
        """Return the append of an event as entry `number`, with what is written atomically with it.

        The first entry sets the date by which the challenge closes, and tells of it; its maker's
        close sets an earlier one. When the results are final, that is dropped, and they are
        entered in histories; so they are when an operator changes one later. With each entry, what
        lists show is written.
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
        """Handle that an append of this node has been accepted."""
        self._appended.emit(self._challenge, after, append)


decode = _READER.decode
"""Returns the event that an entry's text (JSON) encodes."""
