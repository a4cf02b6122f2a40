"""Benchmark of the server and the engine, which writes its results to this directory."""
