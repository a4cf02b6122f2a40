"""The pure part of the seals."""
