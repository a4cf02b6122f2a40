"""The simulation: races in one process, on a store, a network and a time of its own.

The server's services run as they are. What they stand on is made up: everything that could differ
between two runs comes from one seed, so that a race with all its faults can be had again exactly.
"""
