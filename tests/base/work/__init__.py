"""Tests of `server/base/work`."""
