"""msgpack libraries of other languages, as clients of a node."""
