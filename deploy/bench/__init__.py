"""Benchmarks, each of which writes its results down beside itself."""
