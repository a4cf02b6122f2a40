"""Secrecy as a law: what a viewer is sent does not depend on cards that the viewer has not seen.

Random clients (`clients`) use a simulated server (`stage`): they race, play a daily, watch, and ask
for everything that the protocol and the HTTP interface know, allowed or not. Then the same inputs
are given to a second server with the same clock and random source, whose seeds are others, and
whose decks differ in cards that one viewer has not seen (`decks`). Up to the time at which a card
that differs is shown to the viewer by the rules, everything that the viewer is sent must be the
same, byte by byte and at the same times, and so must the nodes' logs (`law`).

Other players do see cards that the viewer does not, and what they reach is public. So only decks
are compared on which their moves have the same outcome.
"""
