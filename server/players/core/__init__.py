"""Names and accounts, without I/O."""
