"""Storage in Redis. No other package imports redis.

Functions that talk to Redis raise `UnavailableError` in place of redis-py's exceptions.
"""
