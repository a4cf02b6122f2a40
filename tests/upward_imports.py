"""Imports that run upwards still, as in `module -> module`: there may be no new ones."""

from __future__ import annotations

UPWARD = frozenset(
    {
        "server.base.wire.request -> server.front",
        "server.base.wire.request -> server.wings",
    }
)
