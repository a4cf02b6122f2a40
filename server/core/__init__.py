"""The domain logic, event-sourced: pure functions of a state, a command and the time.

A state is a fold over the events of a journal. A command is decided into an event, or refused by
raising `Refusal`. No I/O, no clock, no randomness: callers pass the time, in Unix milliseconds.
"""
