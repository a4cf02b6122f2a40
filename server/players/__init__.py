"""Players: identity, name, sessions."""
