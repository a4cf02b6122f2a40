"""The archive of closed days, without I/O."""
