"""Journal entries and the logic of replicas, without I/O."""
