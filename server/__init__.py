"""The Samedeal server.

`core` decides, `store` keeps, `service` puts the two together, `gateway` talks to clients, and
`app` wires them. Imports point one way: gateway → service → store → core → engine.
"""
