"""Suspicions about simulated runs of honest players and of cheats."""
