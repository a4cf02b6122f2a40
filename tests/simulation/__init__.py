"""The simulation: races in one process, on a simulated Redis, network and time.

The server runs unchanged, from its sessions down to its connections to Redis. The other ends of
these, and the clocks, are simulated: everything that could differ between two runs is determined
by one seed, so that a race with all its faults can be replayed exactly.
"""
