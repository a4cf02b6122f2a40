"""Values and pure functions that every wing uses."""
