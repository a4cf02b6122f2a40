"""Tests of `server/base/outbound`."""
