"""Suspicions about the runs of players who play like people, and of some who cheat."""
