"""Sockets, HTTP connections, origins, and the limits of those who come by them."""
