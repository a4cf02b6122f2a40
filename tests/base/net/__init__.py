"""Tests of `server/base/net`."""
