"""Feature-independent code: the store, journals, nodes, the network and the web."""
