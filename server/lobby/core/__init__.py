"""The list of open rooms, without I/O."""
