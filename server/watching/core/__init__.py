"""Who may see what, without I/O."""
