"""Settings of Hypothesis: no deadline, and in CI always the same examples."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("core", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("core")
