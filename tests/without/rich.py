"""Stands before Rich on the path of processes that tests start, so that none finds it.

Nodes have no Rich. A tool that tests use brings it along, and then structlog would load it in each
process, which takes a twelfth of a node's start.
"""

raise ImportError("Rich is not there for nodes.")
