"""Tests of `server/deals/core`."""
