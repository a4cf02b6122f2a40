"""The application layer: it loads state from `store`, has `core` decide, and stores the result.

Nothing here depends on sockets or on the client protocol. The gateway and the background work of a
node (the sweeper, searches) use the same services.
"""
