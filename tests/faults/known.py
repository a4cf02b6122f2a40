"""A player's knowledge of rooms and attempts, built from the events of its sessions."""

from __future__ import annotations

from dataclasses import replace

from tests.faults.client_state import ClientState
from tests.faults.ledger import Message


class Known:
    """Rooms and attempts as a player knows them.

    Attributes:
        first_states: the first state of each attempt, known to a device that slept since.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Forget everything."""
        self.rooms: dict[str, Message] = {}
        self.states: dict[str, ClientState] = {}
        self.first_states: dict[str, ClientState] = {}

    @property
    def accepts_older(self) -> bool:
        """Whether rooms and attempts may go back, because the store has lost entries."""
        return False

    def learn(self, event: Message) -> bool:
        """Update the state; return false for missed moves that do not apply to it."""
        match event["type"]:
            case "attempt":
                self._update(ClientState.of(event))
            case "missed":
                return self._apply_missed(event)
            case "moved":
                known = self.states.get(event["attempt"])
                if known is not None and event["seq"] > known.seq:
                    is_next = event["seq"] == known.seq + 1
                    self._replace(known, known.after(event) if is_next else None)
            case "Hinted":
                known = self.states.get(event["attempt"])
                if known is not None:
                    self._replace(known, known.after_hint(event))
            case "ended":
                known = self.states.get(event["attempt"])
                if known is not None and event["seq"] >= known.seq:
                    end = event["result"]["end"]
                    self.states[known.attempt] = replace(known, seq=event["seq"], end=end)
            case "room":
                last = self.rooms.get(event["code"])
                if last is None or event["version"] >= last["version"] or self.accepts_older:
                    self.rooms[event["code"]] = event
        return True

    def _update(self, state: ClientState) -> None:
        self.first_states.setdefault(state.attempt, state)
        known = self.states.get(state.attempt)
        if known is None or state.seq >= known.seq or self.accepts_older:
            self.states[state.attempt] = state

    def _replace(self, known: ClientState, after: ClientState | None) -> None:
        """Set an attempt's state, or forget it if an entry is missing."""
        if after is None:
            del self.states[known.attempt]
        else:
            self.states[known.attempt] = after

    def _apply_missed(self, missed: Message) -> bool:
        attempt = missed["attempt"]
        had = self.states.get(attempt), self.first_states.get(attempt)
        base = next((each for each in had if each and each.seq == missed["since"]), None)
        if base is None:
            # Newer events have arrived, so its base state is gone.
            return True
        after = base.after_missed(missed)
        if after is not None:
            self._update(after)
        return after is not None
