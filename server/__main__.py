"""`python -m server`: the command `samedeal`."""

from server.cli import main

main()
