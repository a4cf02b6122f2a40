"""What is decided about players themselves, without I/O."""
