"""Tests of `server/base/redis`."""
