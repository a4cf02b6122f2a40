"""Tests of `server/base/quotas`."""
