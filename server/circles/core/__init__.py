"""The rules of circles, without I/O."""
