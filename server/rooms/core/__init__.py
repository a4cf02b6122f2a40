"""A room as a fold over its journal, and the commands on it, without I/O."""
