"""Sessions, the encoding of messages, the costs of commands, and their handling."""
