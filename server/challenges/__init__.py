"""One deal by link, which each plays whenever they have time."""
