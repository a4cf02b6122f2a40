"""Images, proxies and benchmarks: deployment and measurement of the server."""
