"""Background work: tasks, pools, signals, metrics and shutdown."""
