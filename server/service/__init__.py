"""What the server does for players, whoever asks: `core` decides, `store` keeps.

Knows nothing of sockets and messages; the gateway and the sweeper both come through here.
"""
