"""The base, which knows no wing: the store, journals, nodes, the network and the web."""
