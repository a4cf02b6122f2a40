"""Tests of runs that can be looked at."""
