"""The attempts sent to a session's client, and their numbers in its messages."""

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
        "known_taken_at",
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
        """The attempt held by the session: as far as known, it touched the attempt last."""
        self.taken_at = 0
        """When the session took the attempt over, in Unix milliseconds; 0 if it did not have to."""
        self.known_taken_at = 0
        """The time of the latest takeover by a session of another node, in Unix milliseconds."""
        self.mirrored: AttemptId | None = None
        """The attempt mirrored by the session: its client knows that another session holds it."""
        self.holder: str | None = None
        """The session that holds the mirrored attempt, if known."""

    def wrote(self, number: int, seq: int) -> None:
        """Record that the session's move has become entry `seq` of the attempt with a number."""
        self._written = number, seq
        self.held, self.mirrored = self._numbers[number - FIRST_NUMBER], None

    def has_written(self, number: int, seq: int) -> bool:
        """Return whether entry `seq` is the session's last one in this attempt, or older."""
        return self._written[0] == number and seq <= self._written[1]

    @property
    def latest(self) -> AttemptId | None:
        """The attempt last sent to the client, if any."""
        return self._latest

    def show(self, attempt: AttemptId, room: RoomCode | None) -> int:
        """Record that an attempt is being sent to the client, and return its number.

        `room` is the room of its round, or `None` for a daily.
        """
        self._latest = attempt
        if room is not None:
            self._latest_of_rounds = attempt
        return self.assign_number(attempt)

    def skip(self, attempt: AttemptId) -> None:
        """Record that a round's attempt cannot be sent, to prevent further tries."""
        self._latest_of_rounds = attempt

    def is_latest(self, attempt: AttemptId) -> bool:
        """Return whether this is the last sent attempt, or the last sent attempt of a round."""
        return attempt in {self._latest, self._latest_of_rounds}

    def is_latest_of_rounds(self, attempt: AttemptId) -> bool:
        """Return whether this is the latest attempt of a round that was sent or skipped.

        A daily may have been sent since.
        """
        return attempt == self._latest_of_rounds

    def assign_number(self, attempt: AttemptId) -> int:
        """Return an attempt's number, assigning one if needed.

        There are `MAX_NUMBERS` numbers; a further attempt takes over the one assigned first.
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
        """Return the attempt with a number, or `None` if the number is not assigned."""
        place = number - FIRST_NUMBER
        return self._numbers[place] if place < len(self._numbers) else None
