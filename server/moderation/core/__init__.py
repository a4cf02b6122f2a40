"""Signs of unfair play, without I/O."""
