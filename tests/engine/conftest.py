"""How the laws are tried: bounded, and without a clock."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "engine", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("engine")
