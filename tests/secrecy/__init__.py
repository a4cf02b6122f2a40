"""Secrecy tests: nothing sent to a viewer depends on cards that the viewer has not seen.

Random clients (`clients`) use a simulated server (`stage`). They race, play a daily, watch, and
send any command and HTTP request, allowed or not. The same inputs then go to a second server with
the same clock and random source, but with different seeds and with decks that differ in cards
unseen by one viewer (`decks`). Until the rules show the viewer a differing card, everything sent to
that viewer must be identical in bytes and timing, and so must the nodes' logs (`law`).

Other players do see cards hidden from the viewer, and their results are public. So the second decks
must give the same outcome for those players' moves.
"""
