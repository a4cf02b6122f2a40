"""Players: identity, names, sessions."""
