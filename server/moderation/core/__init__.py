"""Detection of unfair play, without I/O."""
