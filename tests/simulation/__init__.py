"""The simulation: races in one process, on a simulated Redis, network and time.

The server runs unchanged, from its sessions down to its connections to Redis. The other ends of
these, and the clocks, are simulated: everything that could differ between two runs is determined
by one seed, so that a race with all its faults can be replayed exactly.

Some of the races are none: players play dailies or a challenge, or are in a circle, into which one
looks who has no link to it (`circles.py`).

In a tenth of the races there are hostile players beside honest ones (`hostile.py`). What these may
not do to others is a checker of its own (`laws.py`): no rated result was decided by anybody but its
players; nobody learned whether a room exists without its code; nobody was kept out by others for
more than ten seconds; the store kept for an address at most its quota, all of it charged
(`bytes_stored.py`). In all races, some of the commands are weighed: none makes a node do much more
than what is charged for it (`work.py`).
"""
