"""Redis: connections, clock, bus, scripts, and a server of its own if there is none."""
