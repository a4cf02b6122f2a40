"""What a journal's entries are, and how a node's replica of a journal follows it, without I/O."""
