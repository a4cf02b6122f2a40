"""What may happen, without doing it: pure functions of a state, a command and the time.

State is a fold over journal events; a command is decided into an event or refused. No I/O, no
clock, no randomness.
"""
