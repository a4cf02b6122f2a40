"""Benchmark of server and engine, with its results in this directory."""
