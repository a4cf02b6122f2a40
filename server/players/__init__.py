"""Who somebody is: identity, name, sessions."""
