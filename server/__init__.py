"""The Samedeal server.

`core` holds the rules without any I/O, `store` reads and writes Redis, `service` combines the two,
`gateway` talks to clients, and `app` wires them. Imports go one way:
gateway → service → store → core → engine.
"""
