"""Sockets, messages and pages: the only package that imports websockets and msgpack."""
