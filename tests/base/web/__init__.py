"""Tests of `server/base/web`."""
