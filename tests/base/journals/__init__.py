"""Tests of `server/base/journals`."""
