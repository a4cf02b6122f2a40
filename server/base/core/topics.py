"""Topics of what nodes publish to one another: made where their messages are declared."""

from __future__ import annotations

from typing import NewType

Topic = NewType("Topic", str)
"""The name of a channel of Redis's pub/sub."""


def node(node_id: str) -> Topic:
    """Return the topic of a node: something concerns one of its sessions. It alone subscribes."""
    return Topic(f"node:{node_id}")
