"""The trace of a race: its events, step by step."""

from __future__ import annotations

from hashlib import sha256

Step = tuple[float, str, str, object]
"""Time in the loop's seconds, subject, kind, and details."""


class Trace:
    """The steps of one race, in order."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def add(self, at: float, who: str, what: str, more: object = "") -> None:
        """Add a step. Its details must be the same in every replay."""
        self.steps.append((at, who, what, more))

    def digest(self) -> str:
        """Return the SHA-256 of the trace, in hexadecimal."""
        return sha256(repr(self.steps).encode()).hexdigest()

    def lines(self, last: int | None = None) -> list[str]:
        """Format the last steps, or all of them, as lines."""
        steps = self.steps if last is None else self.steps[-last:]
        return [f"{at:10.4f}  {who:<18} {what:<26} {more}" for at, who, what, more in steps]
