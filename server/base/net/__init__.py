"""Sockets, HTTP connections, origins, and the limits on clients."""
