"""The ids of circles."""

from __future__ import annotations

from typing import NewType

CircleId = NewType("CircleId", str)
