"""The simulation: races in one process, on a Redis, a network and a time of its own.

The server runs as it is, from its sessions down to its connections to Redis. What is at the other
end of these, and the clocks, is made up: everything that could differ between two runs comes from
one seed, so that a race with all its faults can be had again exactly.
"""
