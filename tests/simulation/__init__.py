"""The simulation: races in one process with simulated Redis, network and time.

The server runs unchanged, from its sessions down to its Redis connections. The other ends of those
connections and the clocks are simulated. One seed determines everything that could differ between
two runs, so a race with all its faults can be replayed exactly.

Some of the runs are not races: players play dailies or a challenge, or are in a circle that an
outsider without a link tries to read (`circles.py`).

A tenth of the races include hostile players (`hostile.py`). A separate checker (`laws.py`) asserts
that they cannot decide another's rated result, learn whether a room exists without its code, or
keep others out for more than ten seconds, and that no address stores more than its quota or than it
was charged for (`bytes_stored.py`). In all races, some commands are metered: none may cause much
more work than is charged for it (`work.py`).
"""
