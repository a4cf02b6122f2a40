"""The Samedeal server.

Each folder is a wing, with all that there is of one feature; `base` knows no wing. A wing's `core`
decides without any I/O, files that end in `store` read and write Redis, `messages`, `handlers`,
feeds and the like talk to clients, and every other file is a service. `app` wires them all into a
node. `server/ARCHITECTURE.md` has the rule of imports.
"""
