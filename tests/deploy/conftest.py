"""The marker of the tests that need a proxy."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "proxy: needs caddy on the PATH")
