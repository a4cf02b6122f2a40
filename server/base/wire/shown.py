"""The attempts that a session's client has been sent, and their numbers in its messages."""

from __future__ import annotations

from server.base.core.ids import AttemptId, RoomCode
from server.base.wire.short_forms import FIRST_NUMBER, MAX_NUMBERS


class ShownAttempts:
    """The attempts of one session."""

    __slots__ = (
        "_latest",
        "_latest_of_rounds",
        "_numbers",
        "_oldest",
        "_written",
        "held",
        "holder",
        "mirrored",
        "taken_at",
    )

    def __init__(self) -> None:
        self._latest: AttemptId | None = None
        self._latest_of_rounds: AttemptId | None = None
        self._numbers: list[AttemptId] = []
        self._oldest = 0
        self._written = (0, 0)
        self.held: AttemptId | None = None
        """The attempt that the session holds: it has touched it last, as far as it was told."""
        self.taken_at = 0
        """When it took that over, in Unix milliseconds; 0 if it holds it without."""
        self.mirrored: AttemptId | None = None
        """The attempt that the session mirrors: its client was told that another one holds it."""
        self.holder: str | None = None
        """The session that holds it, if that is known."""

    def wrote(self, number: int, seq: int) -> None:
        """Note that a move of the session has become entry `seq` of an attempt, by its number."""
        self._written = number, seq
        self.held, self.mirrored = self._numbers[number - FIRST_NUMBER], None

    def has_written(self, number: int, seq: int) -> bool:
        """Return whether entry `seq` is by this session, or older than its last one."""
        return self._written[0] == number and seq <= self._written[1]

    @property
    def latest(self) -> AttemptId | None:
        """The attempt that the client was last sent, if any."""
        return self._latest

    def show(self, attempt: AttemptId, room: RoomCode | None) -> int:
        """Note that the client is being sent an attempt, and return the attempt's number.

        Args:
            attempt: the attempt.
            room: the room of its round, or `None` if it is of a daily.
        """
        self._latest = attempt
        if room is not None:
            self._latest_of_rounds = attempt
        return self.assign_number(attempt)

    def skip(self, attempt: AttemptId) -> None:
        """Note that a round's attempt cannot be sent: it is not tried again."""
        self._latest_of_rounds = attempt

    def is_latest(self, attempt: AttemptId) -> bool:
        """Return whether this is the attempt, or the round's attempt, that was last sent."""
        return attempt in {self._latest, self._latest_of_rounds}

    def is_latest_of_rounds(self, attempt: AttemptId) -> bool:
        """Return whether this is the latest attempt of a round that was sent or skipped.

        The client may have been sent a daily since.
        """
        return attempt == self._latest_of_rounds

    def assign_number(self, attempt: AttemptId) -> int:
        """Return the number of an attempt, which is assigned if it has none.

        There are `MAX_NUMBERS` numbers; a new attempt takes over the one assigned first.
        """
        numbers = self._numbers
        if attempt in numbers:
            return FIRST_NUMBER + numbers.index(attempt)
        if len(numbers) < MAX_NUMBERS:
            numbers.append(attempt)
            return FIRST_NUMBER + len(numbers) - 1
        place, self._oldest = self._oldest, (self._oldest + 1) % MAX_NUMBERS
        numbers[place] = attempt
        return FIRST_NUMBER + place

    def attempt_of(self, number: int) -> AttemptId | None:
        """Return the attempt with a number, or `None` if that has not been assigned."""
        place = number - FIRST_NUMBER
        return self._numbers[place] if place < len(self._numbers) else None
