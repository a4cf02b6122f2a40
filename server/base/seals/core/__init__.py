"""The part of the seals that is pure."""
