"""Tests of `server/base/nodes`."""
