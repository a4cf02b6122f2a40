"""Identities: all that is decided about players themselves, without I/O."""
