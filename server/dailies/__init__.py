"""The deals of each day, and their archive."""
