"""What is kept, in Redis: the only package that imports redis.

Every function that talks to Redis raises `UnavailableError` when it does not answer as it
should; nothing else of redis-py gets out.
"""
