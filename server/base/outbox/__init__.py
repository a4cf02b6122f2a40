"""The outbox: effects of an append, which are applied even if the node dies."""
