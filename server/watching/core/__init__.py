"""Sight of boards: who may see what, without I/O."""
