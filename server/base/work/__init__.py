"""Background work: its tasks and signals, and how it ends."""
