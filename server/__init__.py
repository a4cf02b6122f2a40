"""The Samedeal server.

Each folder is a wing and contains all code of one feature; `base` does not depend on wings. A
wing's `core` makes decisions without I/O. Files that end in `store` read and write Redis.
`messages`, `handlers`, feeds and HTTP modules talk to clients. Every other file is a service. `app`
wires a node together. `server/ARCHITECTURE.md` has the rule of imports.
"""
