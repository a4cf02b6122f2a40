"""Benchmarks of the server and of the engine; each writes its results to this directory."""
