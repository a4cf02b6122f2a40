"""Entries of a journal, and how a node's replica of it follows and appends them, without I/O."""
