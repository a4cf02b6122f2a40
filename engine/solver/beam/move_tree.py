"""The tree of moves to the positions."""

from __future__ import annotations

from engine.solver.beam import indices as idx
from engine.solver.beam.indices import Ints
from engine.solver.beam.rows import record_of
from engine.solver.compiled import compiled


@compiled
def add_node(t: Ints, m: Ints, parent: int, move: int) -> int:
    """Add a node to the tree of moves and return it."""
    node = m[idx.NODES]
    m[t[idx.PARENT] + node] = parent
    m[t[idx.MOVE] + node] = move
    m[idx.NODES] = node + 1
    return int(node)


@compiled
def drop_nodes(t: Ints, m: Ints) -> None:
    """Keep only the nodes that lead to a row or to the best position so far."""
    marks = t[idx.MARKS]
    nodes = m[idx.NODES]
    for node in range(nodes):
        m[marks + node] = 0
    for row in range(m[idx.ROWS]):
        m[marks + m[record_of(t, row) + idx.NODE]] = 1
    m[marks + m[idx.BEST_NODE]] = 1
    for node in range(nodes - 1, 0, -1):
        if m[marks + node] == 1:
            m[marks + m[t[idx.PARENT] + node]] = 1
    m[marks] = 0
    number = 1
    for node in range(1, nodes):
        if m[marks + node] == 1:
            m[t[idx.PARENT] + number] = m[marks + m[t[idx.PARENT] + node]]
            m[t[idx.MOVE] + number] = m[t[idx.MOVE] + node]
            m[marks + node] = number
            number += 1
    for row in range(m[idx.ROWS]):
        m[record_of(t, row) + idx.NODE] = m[marks + m[record_of(t, row) + idx.NODE]]
    m[idx.BEST_NODE] = m[marks + m[idx.BEST_NODE]]
    m[idx.NODES] = number
