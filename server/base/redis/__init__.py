"""Redis: connections, clock, bus, scripts and the embedded server."""
