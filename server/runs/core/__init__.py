"""Values and decisions about runs, without I/O."""
