"""Fixtures of the golden files' tests."""

from __future__ import annotations

from tests.service.conftest import any_time, clock

__all__ = ["any_time", "clock"]
