"""Challenges: one deal shared by link, played once by each player before it closes."""
