"""Images, proxies and benchmarks: all that runs and measures the server."""
