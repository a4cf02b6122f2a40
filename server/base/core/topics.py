"""Pub/sub topics. Each is defined next to its messages."""

from __future__ import annotations

from typing import NewType

Topic = NewType("Topic", str)  # the name of a Redis pub/sub channel


def node(node_id: str) -> Topic:
    """Return a node's own topic, to which only that node subscribes."""
    return Topic(f"node:{node_id}")
