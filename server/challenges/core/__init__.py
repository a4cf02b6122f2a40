"""The rules of challenges, without I/O."""
