"""How the laws are tried: without a clock, and in CI always with the same examples."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("core", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("core")
