"""What runs and measures the server: images, proxies, benchmarks."""
