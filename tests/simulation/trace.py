"""What happened, step by step."""

from __future__ import annotations

from hashlib import sha256

Step = tuple[float, str, str, object]
"""When (in seconds of the loop's time), to whom, what, and more about it."""


class Trace:
    """The steps of one race, in order."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def add(self, at: float, who: str, what: str, more: object = "") -> None:
        """Note a step. What is said about it has to be the same whenever the race is run again."""
        self.steps.append((at, who, what, more))

    def digest(self) -> str:
        """Return a number for all of it, in hexadecimal: equal traces have equal ones."""
        return sha256(repr(self.steps).encode()).hexdigest()

    def lines(self, last: int | None = None) -> list[str]:
        """Return the last steps, or all of them, as lines."""
        steps = self.steps if last is None else self.steps[-last:]
        return [f"{at:10.4f}  {who:<18} {what:<26} {more}" for at, who, what, more in steps]
