"""Decisions about identities, without I/O."""
