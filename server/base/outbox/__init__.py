"""The outbox: effects of an append, which happen even if the node dies."""
