"""Tests of `server/base/generate`."""
